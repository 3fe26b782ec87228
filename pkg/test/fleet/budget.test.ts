// Runs that spend one budget: `shared` of halfopen/run, over the stores. Each process has a fleet of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FleetStore, fleet, memoryStore } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';
import { createRun, type RunOptions } from 'halfopen/run';
import { VirtualClock } from 'halfopen/testing';
import { Redis } from 'ioredis';
import { redisServer } from './redis.js';

const LEASE_MS = 10_000;

function world(limits: RunOptions['limits'] = { tokens: 1000 }) {
  const clock = new VirtualClock();
  const shared = memoryStore({ clock });
  const mode = { isGone: false, syncs: 0 };
  const process = () => {
    // A store object is one connection of a process.
    const store: FleetStore = {
      sync(resources, signal) {
        mode.syncs++;
        return mode.isGone ? new Promise(() => {}) : shared.sync(resources, signal);
      },
      close: async () => {},
    };
    const own = fleet({ store, name: 'agents' });
    const run = (options: RunOptions = {}) =>
      createRun({ limits, shared: { fleet: own, key: 'user-7' }, clock, ...options });
    return { run, fleet: own };
  };
  /** Steps of `tokens` each until the run stops, `most` at most. Returns what it has spent. */
  const spend = async (run: ReturnType<typeof createRun>, tokens: number, most = 1000): Promise<number> => {
    for (let step = 0; step < most && run.step().do !== 'stop'; step++) {
      run.used({ inputTokens: tokens });
      await clock.advance(100);
    }
    return run.spent.inputTokens;
  };
  return { clock, mode, process, spend };
}

test('two processes spend one budget, and no more', async () => {
  const { process, spend } = world();
  const [one, other] = [process(), process()];
  const [first, second] = [one.run(), other.run()];
  const spent = await Promise.all([spend(first, 10), spend(second, 10)]);
  const all = (spent[0] ?? 0) + (spent[1] ?? 0);
  assert.ok(all >= 900 && all <= 1040, `${spent}`);
  assert.ok(first.end?.kind === 'stopped' && second.end?.kind === 'stopped');
  assert.equal(first.end.error.code, 'CAPACITY_EXCEEDED');
  assert.match(first.end.error.userMessage(), /budget/);
  assert.ok(first.end.because.kind === 'limit' && first.end.because.limit === 'tokens');
  assert.equal(first.end.because.max, 1000);
});

test('one process may spend nearly all of it, and the next run of the day finds it used up', async () => {
  const { clock, process, spend } = world();
  const [one, other] = [process(), process()];
  const spent = await spend(one.run(), 10);
  assert.ok(spent >= 950 && spent <= 1040, `${spent}`);
  // The first process ends without a word, and its lease with it.
  await clock.advance(3 * LEASE_MS);
  const late = other.run();
  await clock.advance(1000);
  assert.ok((await spend(late, 10)) <= 100 + 50);
  assert.equal(late.end?.kind, 'stopped');
  await clock.advance(26 * 3_600_000);
  const tomorrow = process().run();
  assert.ok((await spend(tomorrow, 10, 20)) === 200);
  assert.equal(tomorrow.end, undefined);
});

test('a process forgets the budgets that no run spends from, and the store does not', async () => {
  const clock = new VirtualClock();
  const shared = memoryStore({ clock });
  const known = new Set<string>();
  const store: FleetStore = {
    sync: (resources, signal) => shared.sync(resources, signal),
    subscribe: ([key = '']) => {
      known.add(key);
      return () => void known.delete(key);
    },
    close: async () => {},
  };
  const own = fleet({ store, name: 'agents' });
  const run = (user: number) =>
    createRun({ limits: { tokens: 1000 }, shared: { fleet: own, key: `user-${user}` }, clock });
  const long = run(0);
  for (let user = 1; user <= 20; user++) {
    const short = run(user);
    short.step();
    short.used({ inputTokens: 1000 });
    await clock.advance(100);
    short.finish();
  }
  await clock.advance(1000);
  assert.equal(known.size, 21);
  await clock.advance(3 * LEASE_MS);
  const next = run(21);
  await clock.advance(1000);
  assert.deepEqual([...known].map((key) => key.replace(/.*user-/, '')).sort(), ['0', '21']);
  assert.deepEqual([long.step().do, next.step().do], ['go', 'go']);
  const again = run(7);
  await clock.advance(1000);
  assert.equal(again.step().do, 'stop');
});

test('cost is shared too, and runs of one process and sub-agents pay once', async () => {
  const { process, spend } = world({ cost: 1 });
  const { run } = process();
  const costOf = ({ inputTokens = 0 }) => inputTokens / 1000;
  const parent = run({ costOf });
  const child = run({ costOf, parent });
  const spent = await spend(child, 10);
  assert.ok(spent >= 950 && spent <= 1040, `${spent}`);
  assert.equal(parent.step().do, 'stop');
});

test('with the store away a process goes by its lease, then by the safe share', async () => {
  const { clock, mode, process, spend } = world();
  const [one, other] = [process(), process()];
  const [first, second] = [one.run(), other.run()];
  await Promise.all([spend(first, 10, 10), spend(second, 10, 10)]);
  mode.isGone = true;
  await clock.advance(2 * LEASE_MS);
  const spent = await Promise.all([spend(first, 10), spend(second, 10)]);
  // Half of the limit each: the safe share.
  for (const each of spent) assert.ok(each >= 400 && each <= 520, `${spent}`);
  assert.deepEqual([first.end?.kind, second.end?.kind], ['stopped', 'stopped']);
});

test('over Redis, two processes spend one budget', async () => {
  const server = await redisServer();
  const clients = [new Redis(server.url), new Redis(server.url)];
  try {
    const fleets = clients.map((client) =>
      fleet({ store: redisStore(client), name: 'agents', storeTimeoutMs: 1000 }),
    );
    const runs = fleets.map((own) =>
      createRun({ limits: { tokens: 1000 }, shared: { fleet: own, key: 'user-7' } }),
    );
    const spent = await Promise.all(
      runs.map(async (run) => {
        while (run.step().do !== 'stop' && run.spent.steps < 1000) {
          run.used({ inputTokens: 10 });
          await sleep(10);
        }
        return run.spent.inputTokens;
      }),
    );
    const all = spent.reduce((sum, each) => sum + each, 0);
    // A loaded machine may spend several steps during one sync.
    assert.ok(all >= 900 && all <= 1200, `${spent}`);
    assert.deepEqual(
      runs.map(({ end }) => end?.kind),
      ['stopped', 'stopped'],
    );
    await Promise.all(fleets.map((own) => own.close()));
  } finally {
    for (const client of clients) client.disconnect();
    await server.stop();
  }
});

test('steps wait for nothing, and what is wrong is a TypeError', async () => {
  const { mode, process } = world();
  const { fleet: own, run } = process();
  mode.isGone = true;
  assert.equal(run().step().do, 'go');
  await own.close();
  assert.throws(() => createRun({ shared: { fleet: own, key: 'k' } }), /limits.*tokens.*cost/);
  assert.throws(() => createRun({ limits: { tokens: 1 }, shared: { fleet: {}, key: 'k' } }), /shared.fleet/);
  assert.throws(() => createRun({ limits: { tokens: 1 }, shared: { fleet: own } as never }), /shared.key/);
});
