import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy } from 'halfopen';
import { type FleetStore, fleet, memoryStore, mergeResource } from 'halfopen/fleet';
import { checkStore } from 'halfopen/fleet/conformance';
import { durableObjectStore, FleetObject } from 'halfopen/fleet/durable-object';
import { redisStore } from 'halfopen/fleet/redis';
import { VirtualClock } from 'halfopen/testing';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { deltaOf, REPORT } from '../../src/fleet/protocol.js';
import { redisServer } from './redis.js';

test('the store in memory passes', async () => {
  assert.deepEqual(await checkStore(async () => memoryStore()), { cases: 10 });
});

test('a store that loses a delta, or counts one twice, does not pass', async () => {
  const forgetful = async (): Promise<FleetStore> => {
    const inner = memoryStore();
    let calls = 0;
    return {
      sync: (resources, signal) =>
        inner.sync(
          resources.map(({ key, delta }) => ({ key, delta: ++calls % 40 === 0 ? new Uint8Array() : delta })),
          signal,
        ),
      close: () => inner.close(),
    };
  };
  await assert.rejects(checkStore(forgetful), /must pass "many deltas: none is lost"/);
});

test('a namespace of Durable Objects passes', async () => {
  const objects = new Map<string, FleetObject>();
  const namespace = {
    idFromName: (name: string) => name,
    get: (id: string) => {
      const stored = new Map<string, Uint8Array>();
      const state = {
        storage: {
          get: async (key: string) => stored.get(key),
          put: async (key: string, value: Uint8Array) => void stored.set(key, value),
        },
        blockConcurrencyWhile: <T>(run: () => Promise<T>) => run(),
      };
      const object = objects.get(id) ?? new FleetObject(state, {});
      objects.set(id, object);
      return { fetch: (url: string, init: RequestInit) => object.fetch(new Request(url, init)) };
    },
  };
  await checkStore(async () => durableObjectStore(namespace));
});

test('Redis passes, by all clients, also without its scripts', async () => {
  const server = await redisServer();
  const io = new Redis(server.port, '127.0.0.1');
  const node = createClient({ url: server.url });
  const node5 = createClient5({ url: server.url });
  await node.connect();
  await node5.connect();
  try {
    await checkStore(async () => redisStore(io));
    await io.script('FLUSH');
    await checkStore(async () => redisStore(node, { prefix: 'a:' }));
    await checkStore(async () => redisStore(node5, { prefix: 'a:' }));
    const keys = await io.keys('*');
    assert.ok(
      keys.every((key) => /^(?:a:)?hf1:\{.*\}$/s.test(key)),
      keys.join(' '),
    );
  } finally {
    io.disconnect();
    node.destroy();
    node5.destroy();
    await server.stop();
  }
});

test('a client that returns text is refused in words, and writes no more than one delta', async () => {
  const server = await redisServer();
  const io = new Redis(server.port, '127.0.0.1');
  const store = redisStore({
    callBuffer: async (command: string, ...args: (string | Buffer)[]) =>
      io.call(command, ...(args as string[])),
  });
  const delta = deltaOf({ node: 1, number: 1, kind: REPORT }, [], ['p']);
  try {
    for (let tries = 0; tries < 5; tries++)
      await assert.rejects(store.sync([{ key: 'k', delta }], new AbortController().signal), {
        name: 'TypeError',
        message: /returned Redis's bytes as text/,
      });
    assert.equal(await io.hget('hf1:{k}', 'n'), '1');
  } finally {
    io.disconnect();
    await server.stop();
  }
});

test('what is no client of Redis is a TypeError that names those that are', () => {
  for (const client of [{}, undefined, 'redis://localhost'])
    assert.throws(() => redisStore(client as never), {
      name: 'TypeError',
      message: /redisStore expects a client of 'ioredis' 5 or 'redis' 5/,
    });
});

test('Redis and the memory make the same state of the same deltas', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  try {
    const store = redisStore(client);
    let state: Uint8Array | undefined;
    // Any deltas: those that a process sends, recorded.
    const deltas: Uint8Array[] = [];
    const recording: FleetStore = {
      sync: async (resources) =>
        resources.map(({ key, delta }) => {
          if (key.includes('/policy/')) deltas.push(delta);
          return { key, state: mergeResource(undefined, delta, 1), now: 1 };
        }),
      close: async () => {},
    };
    const { createPolicy } = await import('halfopen');
    const { fleet } = await import('halfopen/fleet');
    const { VirtualClock } = await import('halfopen/testing');
    for (let process = 0; process < 5; process++) {
      const clock = new VirtualClock();
      const joined = fleet({ store: { ...recording }, name: 'n' });
      const rateLimit = { limit: 10, windowMs: 1000 };
      const policy = createPolicy({ name: 'p', clock, fleet: joined, retry: false, rateLimit });
      for (let call = 0; call < 40; call++) {
        await policy
          .execute(() => (call % 3 === 0 ? Promise.reject(new Error('ECONNRESET')) : 'fine'))
          .catch(() => {});
        await clock.advance(100);
      }
    }
    assert.ok(deltas.length > 30, `${deltas.length}`);
    deltas.sort((a, b) => (a[6] ?? 0) - (b[6] ?? 0));
    for (const delta of deltas) {
      const [answer] = await store.sync([{ key: 'k', delta }], new AbortController().signal);
      assert.ok(answer !== undefined);
      state = mergeResource(state, delta, answer.now);
      assert.deepEqual(Buffer.from(answer.state), Buffer.from(state));
    }
  } finally {
    client.disconnect();
    await server.stop();
  }
});

test('processes sync less often with a slow store: the wait is four times as long as the sync took', async () => {
  const clock = new VirtualClock(1_000_000);
  const inner = memoryStore({ clock });
  let syncs = 0;
  const slow: FleetStore = {
    async sync(resources, signal) {
      syncs++;
      await new Promise<void>((resolve) => clock.setTimeout(() => resolve(), 200));
      return inner.sync(resources, signal);
    },
    close: async () => {},
  };
  const joined = fleet({ store: slow, name: 'slow', storeTimeoutMs: 1000 });
  const policy = createPolicy({ name: 'p', clock, retry: false, fleet: joined });
  for (let count = 0; count < 200; count++) {
    await policy.execute(() => 'fine');
    await clock.advance(50);
  }
  assert.equal(joined.status, 'joined');
  // Ten seconds: 200 ms each, and 800 ms between them, give or take a quarter.
  assert.ok(syncs >= 8 && syncs <= 13, `${syncs} syncs`);
  await policy.dispose();
});
