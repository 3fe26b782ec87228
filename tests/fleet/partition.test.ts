// Processes that are cut off with their packets dropped: in network namespaces, where the machine makes them; else behind a proxy
// that lets nothing through. FLEET_SEEDS=10 runs it with ten seeds, FLEET_SEED=… begins with that one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checker.js';
import { randomOf, STORE_TIMEOUT_MS, seeds, TestFleet } from './harness.js';
import { of } from './history.js';
import { againInOwnNetwork, hasOwnNetwork } from './namespaces.js';
import { startOpen, startSingle } from './redis-servers.js';
import { limitedPolicy } from './scenarios.js';

const { limit, windowMs } = limitedPolicy.rateLimit;

function scenarios(): void {
  for (const seed of seeds()) {
    test(`processes whose packets are dropped go on by themselves, and come back (seed ${seed})`, async (t) => {
      const random = randomOf(seed);
      const between = (from: number, to: number) => from + random() * (to - from);
      const redis = await (hasOwnNetwork ? startOpen() : startSingle());
      t.after(() => redis.end());
      const fleet = await TestFleet.start(t, {
        redis,
        policy: limitedPolicy,
        fleet: { exact: ['probe', 'rateLimit'] },
        isApart: hasOwnNetwork,
      });
      const isJoined = (name: string, from = 0) =>
        fleet.until(
          (history) =>
            of(history, 'status')
              .filter(({ process, at }) => process === name && at >= from)
              .at(-1)?.status === 'joined',
        );
      await Promise.all(fleet.names.map((name) => isJoined(name)));
      await sleep(between(1_000, 2_000));

      // One of them is not heard, another does not hear: what it says is merged, and it does not learn so.
      const away = fleet.names.slice(1, 3);
      const cutAt = Date.now();
      const cuts = away.map(async (name) => {
        const healedAt = await fleet.partition(name, between(4_000, 6_000));
        return { name, healedAt };
      });
      await sleep(between(500, 1_500));
      fleet.isFailing = true;
      const healed = await Promise.all(cuts);
      fleet.isFailing = false;
      await Promise.all(healed.map(({ name, healedAt }) => isJoined(name, healedAt)));
      await sleep(2_000);

      const history = await fleet.history();
      for (const { name, healedAt } of healed) {
        const said = of(history, 'status').filter(({ process }) => process === name);
        // Not the first one after the cut: on a busy machine a process may have lost the store before, and a response that
        // arrives before the cut lets it join again.
        const lost = said.filter(({ at }) => at < healedAt).at(-1);
        assert.equal(lost?.status, 'degraded', `${name} says that it does not reach the store`);
        assert.match(lost.reason ?? '', /did not answer within 1000 ms/);
        assert.ok(
          said.some(({ status, at }) => status === 'joined' && at >= healedAt),
          `${name} comes back`,
        );
        const meanwhile = of(history, 'admitted').filter(
          ({ process, at }) => process === name && at >= Math.max(lost.at, cutAt) && at < healedAt,
        );
        assert.ok(meanwhile.length > 0, 'it goes on');
      }
      const violations = check(history, {
        storeTimeoutMs: STORE_TIMEOUT_MS,
        maxProbes: 1,
        evidence: { failures: 5, processes: 2 },
        limit: { calls: limit, windowMs, slackMs: 5, excess: 0, share: Math.ceil(limit / 8) },
      });
      assert.deepEqual(violations, []);
    });
  }
}

if (hasOwnNetwork) execFileSync('ip', ['link', 'set', 'lo', 'up']);
const again = hasOwnNetwork ? undefined : await againInOwnNetwork();
if (again === undefined) {
  scenarios();
} else {
  test('in network namespaces, where each process has ways of its own', () => {
    assert.equal(again.status, 0, again.output);
    assert.match(again.output, /pass [1-9]/);
  });
}
