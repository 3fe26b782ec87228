// The effects of a lost store, in order and with their times: docs/fleet.md has this list, for the defaults.
import assert from 'node:assert/strict';
import test from 'node:test';
import { recordEvents } from 'halfopen/testing';
import { codeOf, world } from './processes.js';

const TIMEOUT_MS = 50;
/** The wait between two syncs, and what is drawn by chance on top. */
const LATEST_SYNC_MS = 250 * 1.25;
const LEASE_MS = 10_000;
/** The longest waits between tries: drawn up to that, after half of the shortest sync. */
const TRIES_MS = [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000];
/** How finely the test looks. */
const STEP_MS = 10;

const rateLimit = { limit: 100, windowMs: 1_000, maxWaitMs: 0 };

test('the store is gone, and comes back: in order, with times', async (t) => {
  const { clock, store, process } = world();
  const [busy, idle] = [process({ rateLimit }), process({ rateLimit })];
  const { events } = recordEvents(busy.policy);
  const said: { at: number; status: string }[] = [];
  const tries: number[] = [];
  const admitted: number[] = [];
  const run = async (ms: number) => {
    for (const end = clock.now() + ms; clock.now() < end; ) {
      const before = { syncs: store.syncs, events: events.length };
      if ((await codeOf(busy.policy.execute(() => 'fine'))) === 'ok') admitted.push(clock.now());
      await clock.advance(STEP_MS);
      if (store.syncs > before.syncs) tries.push(clock.now());
      for (const event of events.slice(before.events))
        if (event.type === 'fleet.changed') said.push({ at: clock.now(), status: event.status });
    }
  };
  const within = (from: number, to: number) => admitted.filter((at) => at > from && at <= to).length;

  // Two processes, of which one uses most of the limit.
  await idle.policy.execute(() => 'fine');
  await run(5_000);
  assert.equal(busy.fleet.nodes, 2);
  said.length = 0;
  // The longest waits that may be drawn.
  t.mock.method(Math, 'random', () => 1 - 2 ** -20);

  // 1. It does not answer any more. Calls go on with what was granted.
  const lastSync = tries.at(-1) ?? 0;
  const goneAt = clock.now();
  store.mode = 'frozen';
  tries.length = 0;
  await run(30_000);

  // 2. The next sync is given up, and the fleet says so.
  const [lost] = said;
  assert.equal(lost?.status, 'degraded');
  assert.ok(lost.at - goneAt <= LATEST_SYNC_MS + TIMEOUT_MS + 2 * STEP_MS, `${lost.at - goneAt} ms`);
  assert.equal(said.length, 1, 'it says so once');

  // 3. It tries again, later each time.
  for (const [place, longest] of TRIES_MS.entries()) {
    const [before, at] = [tries[place], tries[place + 1]];
    if (before === undefined || at === undefined) break;
    const gap = at - before;
    assert.ok(gap >= TIMEOUT_MS + 125 - STEP_MS, `try ${place}: ${gap} ms`);
    assert.ok(gap <= TIMEOUT_MS + 125 + longest + 2 * STEP_MS, `try ${place}: ${gap} ms`);
  }
  assert.ok(tries.length >= 5 && tries.length <= 8, `${tries.length} tries in 30 s`);

  // 4. The grant holds until the lease ends; then the process continues with its safe share.
  assert.ok(
    within(goneAt + 1_000, goneAt + 2_000) > 60,
    `${within(goneAt + 1_000, goneAt + 2_000)} a second`,
  );
  const leaseEnd = lastSync + LEASE_MS + STEP_MS;
  for (let from = leaseEnd + 1_000; from < clock.now() - 1_000; from += 1_000)
    assert.equal(within(from, from + 1_000), 50, `at ${from - goneAt} ms`);

  // 5. It answers again: what it says is taken over at the next try.
  store.mode = 'fine';
  const backAt = clock.now();
  said.length = 0;
  await run(11_000);
  assert.deepEqual(
    said.map(({ status }) => status),
    ['joined'],
  );
  assert.ok((said[0]?.at ?? 0) - backAt <= 10_125 + TIMEOUT_MS + 2 * STEP_MS);
  await busy.fleet.close();
});
