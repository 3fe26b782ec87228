// A store that notifies: what others do is known before the next sync.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy } from 'halfopen';
import { type FleetStore, fleet, isolate, memoryStore } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';
import { VirtualClock } from 'halfopen/testing';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { until } from '../../../scripts/patience.mjs';
import { overloaded } from './processes.js';
import { redisServer } from './redis.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const down = () => Promise.reject(overloaded());

/** A process that syncs at its interval knows after 45 seconds at the earliest. */
const RARELY = { syncMs: { min: 60_000, max: 60_000 }, storeTimeoutMs: 5_000 };

/** A store in memory as another process reaches it, with subscriptions of its own that can be counted. */
function reached(store: FleetStore) {
  const open = { subscriptions: 0 };
  const own: FleetStore = {
    sync: (resources, signal) => store.sync(resources, signal),
    subscribe(keys, onChange) {
      open.subscriptions++;
      const end = store.subscribe?.(keys, onChange);
      return () => {
        open.subscriptions--;
        end?.();
      };
    },
    close: async () => {},
  };
  return { store: own, open };
}

/** Processes of one fleet in virtual time, which have joined. */
async function joinedProcesses(count: number) {
  const clock = new VirtualClock(1_000_000);
  const memory = memoryStore({ clock });
  const all = Array.from({ length: count }, () => {
    const { store, open } = reached(memory);
    const joined = fleet({ store, name: 'n', quotaScope: 'org', ...RARELY });
    return { open, joined, policy: createPolicy({ name: 'p', clock, retry: false, fleet: joined }) };
  });
  for (const { policy } of all) await policy.execute(() => 'fine');
  await clock.advance(100);
  for (const { joined } of all) assert.equal(joined.status, 'joined');
  return { clock, memory, all };
}

test('a breaker that others open is open at once, also for a process without calls', async () => {
  const { clock, all } = await joinedProcesses(3);
  const [a, b, idle] = all as [(typeof all)[number], (typeof all)[number], (typeof all)[number]];
  for (let call = 0; call < 5; call++)
    for (const { policy } of [a, b]) await policy.execute(down).catch(() => {});
  await clock.advance(200);
  assert.equal(idle.policy.breaker?.state, 'open');
  for (const { joined } of all) await joined.close();
});

test('so is an isolation, and a wait that the provider asked one process for', async () => {
  const { clock, memory, all } = await joinedProcesses(2);
  const [a, b] = all as [(typeof all)[number], (typeof all)[number]];
  const limited = Object.assign(new Error('429'), { status: 429, headers: { 'retry-after': '30' } });
  await a.policy.execute(() => Promise.reject(limited)).catch(() => {});
  await clock.advance(300);
  await assert.rejects(
    b.policy.execute(() => 'fine'),
    { code: 'CAPACITY_EXCEEDED' },
  );
  await isolate(memory, 'n', 'p');
  await clock.advance(300);
  assert.deepEqual(
    all.map(({ policy }) => policy.breaker?.state),
    ['isolated', 'isolated'],
  );
  for (const { joined } of all) await joined.close();
});

test('results alone notify nobody, and who leaves hears no more', async () => {
  const { clock, all } = await joinedProcesses(2);
  const [a, b] = all as [(typeof all)[number], (typeof all)[number]];
  assert.equal(b.open.subscriptions, 2); // the policy and its scope
  const stale = b.joined.stalenessMs;
  for (let call = 0; call < 4; call++) {
    await a.policy.execute(() => 'fine');
    await clock.advance(1_000);
  }
  assert.equal(b.joined.stalenessMs, stale + 4_000);
  for (const { joined } of all) await joined.close();
  assert.deepEqual([a.open.subscriptions, b.open.subscriptions], [0, 0]);
});

for (const client of ['ioredis', 'redis'] as const) {
  test(`Redis notifies by ${client}, and where it refuses to, processes sync in time`, async () => {
    const server = await redisServer();
    const ends: (() => unknown)[] = [];
    const connect = async () => {
      if (client === 'ioredis') {
        const io = new Redis(server.port, '127.0.0.1');
        ends.push(() => io.disconnect());
        return io;
      }
      const node = createClient({ url: server.url });
      await node.connect();
      ends.push(() => node.destroy());
      return node;
    };
    const join = async (more: object = {}) => {
      const store = redisStore(await connect(), { subscriber: await connect(), ...more });
      const joined = fleet({ store, name: 'n', ...RARELY });
      const policy = createPolicy({ name: 'p', retry: false, fleet: joined });
      await policy.execute(() => 'fine');
      await until(() => joined.status === 'joined', 'joined');
      return { joined, policy };
    };
    try {
      const deaf = {
        subscriber: {
          callBuffer: () => {},
          on: () => {},
          off: () => {},
          subscribe: () => Promise.reject(new Error('NOPERM')),
          unsubscribe: () => Promise.reject(new Error('NOPERM')),
        },
      };
      const [a, b, idle, without] = [await join(), await join(), await join(), await join(deaf)];
      const admin = new Redis(server.port, '127.0.0.1');
      ends.push(() => admin.disconnect());
      while (((await admin.pubsub('NUMSUB', 'hf1:{n/policy/p}')) as unknown[])[1] !== 3) await pause(20);
      for (let call = 0; call < 5; call++)
        for (const { policy } of [a, b]) await policy.execute(down).catch(() => {});
      await until(() => idle.policy.breaker?.state === 'open', 'the idle one has heard of it');
      assert.equal(without.joined.status, 'joined');
      assert.equal(without.policy.breaker?.state, 'closed');
      for (const { joined } of [a, b, idle, without]) await joined.close();
    } finally {
      for (const end of ends) end();
      await server.stop();
    }
  });
}

test('a subscriber that is no client is refused', () => {
  const client = { callBuffer: async () => [] };
  assert.throws(() => redisStore(client, { subscriber: {} }), { name: 'TypeError', message: /'subscriber'/ });
});
