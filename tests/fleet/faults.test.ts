// A fleet under faults, on real Redis servers: what holds is checked on the histories, by a program that knows nothing of how
// the fleet does it. FLEET_SEEDS=10 runs each with ten seeds, FLEET_SEED=… begins with that one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bounds, check, seen } from './checker.js';
import { type FleetPlan, randomOf, STORE_TIMEOUT_MS, seeds, TestFleet } from './harness.js';
import { type Entry, of } from './history.js';
import { startCluster, startReplicated, startSingle } from './redis-servers.js';
import {
  byRecentRate,
  failuresThatComeLate,
  fewCalls,
  pausedWithAProbeLease,
  RECENT_EVIDENCE,
} from './scenarios.js';

const policy = {
  name: 'chat',
  timeout: { attemptMs: 2_000 },
  retry: { maxRetries: 1, baseDelayMs: 50 },
  breaker: { failureThreshold: 5, resetTimeoutMs: 1_500, halfOpenMaxCalls: 1, successThreshold: 1 },
} satisfies FleetPlan['policy'];

const limit = 40;
const windowMs = 2_000;
const limited = {
  ...policy,
  retry: false,
  rateLimit: { limit, windowMs, maxWaitMs: 0 },
} as FleetPlan['policy'];

/** An opened breaker is seen by 99 % of the processes after so long: a sync, its jitter, and what a busy machine adds. */
const SEEN_MS = 1_500;
const BREAKER: Bounds = { maxProbes: 1, evidence: { failures: 5, processes: 2 }, seenMs: SEEN_MS };
/**
 * The store is untouched, so a process that reports it as away is wrong, unless the machine is too busy to answer in
 * time.
 */
const REACHED: Bounds = { degradedShare: 0.2 };
/** Eight processes, a sync of one resource each quarter of a second. */
const STATED_LOAD = 8 * 4;

/** From so long on that a call waits (p99), the machine is too busy to hold processes to their times. */
const BUSY_MS = 250;

function report(t: TestContext, history: readonly Entry[], bounds: Bounds): void {
  const { delaysMs } = seen(history, undefined);
  const at = (share: number) => delaysMs[Math.ceil(delaysMs.length * share) - 1];
  const waits = of(history, 'waited')
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  t.diagnostic(
    `${of(history, 'call').length} calls, ${of(history, 'probe').length} looks at probe leases, ` +
      `openings seen after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99); ` +
      `a call waits ${waits[Math.ceil(waits.length * 0.99) - 1]} ms (p99), ${waits.at(-1)} ms at most`,
  );
  // A machine that is too busy to begin a call in time sees late, and does not answer in time either. The safety bounds
  // stay.
  const busyMs = waits[Math.ceil(waits.length * 0.99) - 1] ?? 0;
  const { seenMs, degradedShare, ...safe } = bounds;
  const timely = {
    ...(seenMs === undefined ? {} : { seenMs: seenMs + 3 * busyMs }),
    ...(degradedShare === undefined || busyMs > BUSY_MS ? {} : { degradedShare }),
  };
  const violations = check(history, { storeTimeoutMs: STORE_TIMEOUT_MS, ...safe, ...timely });
  assert.deepEqual(violations.slice(0, 5), [], `${violations.length} violations`);
}

const isClosed = (history: readonly Entry[]) => openings(history).last === 'closed';

/** How often the shared breaker has opened, and in which state it was seen last. */
function openings(history: readonly Entry[]): { opened: number; last: string | undefined } {
  const states = of(history, 'state');
  const opened = new Set(states.filter(({ state }) => state === 'open').map(({ generation }) => generation));
  return { opened: opened.size, last: states.at(-1)?.state };
}

for (const seed of seeds()) {
  const random = randomOf(seed);
  const between = (from: number, to: number) => from + random() * (to - from);

  for (const [what, start] of [
    ['one server', startSingle],
    ['a cluster of three', startCluster],
  ] as const) {
    test(`an outage of the provider, with ${what} (seed ${seed})`, async (t) => {
      const redis = await start();
      t.after(() => redis.end());
      const fleet = await TestFleet.start(t, { redis, policy });
      const [server] = redis.servers;
      assert.ok(server);
      t.after(redis.isCluster ? () => {} : fleet.measureLoad(server));
      await sleep(2_000);
      fleet.fault('steady-from');
      await sleep(between(1_500, 2_500));
      fleet.fault('steady-to');
      fleet.isFailing = true;
      await sleep(between(3_000, 5_000));
      // However slow the machine is.
      await fleet.until((history) => openings(history).opened > 0);
      fleet.isFailing = false;
      await sleep(2_000);
      await fleet.until(isClosed);
      const history = await fleet.history();
      const { opened, last } = openings(history);
      assert.ok(opened > 0, 'eight processes that fail open the breaker of all');
      assert.equal(last, 'closed');
      report(t, history, {
        ...BREAKER,
        ...REACHED,
        ...(redis.isCluster ? {} : { outageLoadFactor: 3, statedLoad: STATED_LOAD }),
      });
    });
  }

  test(`processes are paused for longer than a lease, and killed, while probes run (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const fleet = await TestFleet.start(t, { redis, policy });
    await sleep(1_500);
    fleet.isFailing = true;
    await sleep(between(1_000, 2_000));
    const pick = () => fleet.names[Math.floor(random() * fleet.names.length)] ?? '';
    const pauses = [pick(), pick()].map((name) => fleet.pause(name, between(10_500, 12_000)));
    for (let kill = 0; kill < 3; kill += 1) {
      await sleep(between(500, 2_500));
      fleet.kill(pick());
      await fleet.add();
    }
    fleet.isFailing = false;
    await Promise.all(pauses);
    await sleep(1_000);
    await fleet.until(isClosed);
    const history = await fleet.history();
    assert.equal(openings(history).last, 'closed');
    report(t, history, BREAKER);
  });

  test(`failures that come late change nothing (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const fleet = await TestFleet.start(t, { ...byRecentRate, redis });
    await failuresThatComeLate(fleet);
    const history = await fleet.history();
    assert.ok(openings(history).opened > 0);
    report(t, history, { maxProbes: 1, evidence: RECENT_EVIDENCE });
  });

  test(`a process that is paused with a probe lease probes under no lease that has ended (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const fleet = await TestFleet.start(t, { ...fewCalls, redis });
    await pausedWithAProbeLease(fleet, 4);
    report(t, await fleet.history(), { maxProbes: 1, evidence: { failures: 2, processes: 2 } });
  });

  test(`the store is frozen, killed, emptied and cut off (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const [server] = redis.servers;
    assert.ok(server);
    const fleet = await TestFleet.start(t, { redis, policy });
    const stop = fleet.measureLoad(server);
    t.after(stop);
    await sleep(2_000);
    fleet.fault('steady-from');
    await sleep(3_000);
    fleet.fault('steady-to');

    fleet.fault('store-down');
    server.pause();
    await sleep(between(1_500, 2_500));
    server.resume();
    fleet.fault('store-up');
    await sleep(between(2_500, 3_500));

    fleet.fault('store-down');
    await server.kill();
    await sleep(between(500, 1_500));
    await server.start();
    fleet.fault('data-lost');
    fleet.fault('store-up');
    await sleep(between(2_500, 3_500));

    await server.command('FLUSHALL');
    fleet.fault('data-lost');
    await Promise.all(fleet.names.slice(0, 3).map((name) => fleet.partition(name, between(1_000, 2_000))));
    fleet.isFailing = true;
    await sleep(2_500);
    fleet.isFailing = false;
    await sleep(2_000);
    await fleet.until(isClosed);
    stop();
    const history = await fleet.history();
    assert.equal(openings(history).last, 'closed');
    report(t, history, { ...BREAKER, loadFactor: 2, statedLoad: STATED_LOAD, refusedShare: 0.01 });
  });

  test(`with the default of 50 ms for a store call, on a machine without a processor to spare (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    // In JSON, an undefined option is absent, so the default holds.
    const fleet = await TestFleet.start(t, { redis, policy, fleet: { storeTimeoutMs: undefined } });
    await sleep(1_000);
    const greedy = Array.from({ length: 2 * cpus().length }, () =>
      spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
    );
    const idle = () => {
      for (const child of greedy) child.kill('SIGKILL');
    };
    t.after(idle);
    await sleep(between(4_000, 5_000));
    idle();
    const idleAt = Date.now();
    // Where the machine stays busy, some are late again: each has come back once.
    const comesBack = (history: readonly Entry[], name: string) => {
      const own = of(history, 'status').filter(({ process }) => process === name);
      const before = own.filter(({ at }) => at < idleAt).at(-1);
      return before?.status === 'joined' || own.some(({ at, status }) => at >= idleAt && status === 'joined');
    };
    await fleet.until((history) => fleet.known.every((name) => comesBack(history, name)));
    const history = await fleet.history();
    const said = fleet.known.map((name) => of(history, 'status').filter(({ process }) => process === name));
    const lost = said.flat().filter(({ status }) => status === 'degraded');
    t.diagnostic(`${lost.length} of ${of(history, 'state').length} syncs took more than 50 ms`);
    for (const { reason } of lost) assert.equal(reason, 'the store did not answer within 50 ms');
    for (const [index, changes] of said.entries()) {
      // Each says so once, goes on, and comes back by itself.
      const states = changes.map(({ status }) => status);
      assert.ok(
        states.every((status, place) => status !== states[place - 1]),
        `${fleet.known[index]}: ${states.join()}`,
      );
      assert.ok(comesBack(history, fleet.known[index] ?? ''), `${fleet.known[index]} comes back`);
    }
    const evidence = { failures: 5, processes: 2 };
    report(t, history, { storeTimeoutMs: 50, maxProbes: 1, evidence, refusedShare: 0.01 });
  });

  test(`a limit is shared, while a replica is promoted (seed ${seed})`, async (t) => {
    const redis = await startReplicated();
    t.after(() => redis.end());
    const [primary, replica] = redis.servers;
    assert.ok(primary && replica);
    const fleet = await TestFleet.start(t, { redis, policy: limited });
    await sleep(between(5_000, 7_000));
    await primary.kill();
    await replica.command('REPLICAOF', 'NO', 'ONE');
    fleet.leadTo(replica.port);
    fleet.fault('data-lost');
    await sleep(between(5_000, 7_000));
    const history = await fleet.history();
    const calls = of(history, 'admitted').length;
    assert.ok(calls > limit, `${calls} calls`);
    report(t, history, { limit: { calls: limit, windowMs, slackMs: 5, excess: limit, firstAreOwn: true } });
  });

  test(`a retry budget is one budget, however many processes fail at once (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const budget = { ratio: 0.1, minPerSecond: 1 };
    const fleet = await TestFleet.start(t, {
      redis,
      policy: {
        ...policy,
        breaker: false,
        retry: { maxRetries: 3, baseDelayMs: 20, budget },
      } as FleetPlan['policy'],
    });
    const began = Date.now();
    await sleep(2_000);
    fleet.isFailing = true;
    await sleep(between(4_000, 6_000));
    const history = await fleet.history();
    const retries = of(history, 'call').filter(({ retry }) => retry).length;
    assert.ok(retries > 0, 'some calls are retried');
    // The savings of ten seconds, the earnings meanwhile, and a retry that each process may round up.
    const seconds = 10 + (Date.now() - began) / 1_000;
    report(t, history, { budget: { ratio: budget.ratio, more: seconds * budget.minPerSecond + 8 } });
  });

  test(`an exact limit holds while the store keeps its data, whoever is paused or cut off (seed ${seed})`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const fleet = await TestFleet.start(t, {
      redis,
      policy: limited,
      fleet: { exact: ['probe', 'rateLimit'] },
    });
    await sleep(between(4_000, 5_000));
    await Promise.all([
      fleet.pause(fleet.names[0] ?? '', between(1_000, 3_000)),
      fleet.partition(fleet.names[1] ?? '', between(1_000, 3_000)),
    ]);
    fleet.kill(fleet.names[2] ?? '');
    await fleet.add();
    await sleep(4_000);
    // A process that is cut off continues with its safe share; no other process exceeds the limit.
    const share = Math.ceil(limit / 8);
    report(t, await fleet.history(), { limit: { calls: limit, windowMs, slackMs: 5, excess: 0, share } });
  });
}
