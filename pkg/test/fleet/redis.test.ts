// A fleet on a real Redis that freezes, and on a cluster of three.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { createPolicy } from 'halfopen';
import { fleet } from 'halfopen/fleet';
import { checkStore } from 'halfopen/fleet/conformance';
import { redisStore } from 'halfopen/fleet/redis';
import { recordEvents } from 'halfopen/testing';
import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import { createCluster as createCluster5 } from 'redis-5';
import { ownTime, until } from '../../../scripts/patience.mjs';
import { deltaOf, REPORT, viewOf } from '../../src/fleet/protocol.js';
import { freePort } from '../ports.js';
import { redisServer } from './redis.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('no call waits for a Redis that is frozen, with a client that would wait for ever', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  const joined = fleet({
    store: redisStore(client),
    name: 'workers',
    exact: ['probe', 'rateLimit'],
    storeTimeoutMs: 250,
  });
  const rateLimit = { limit: 1000, windowMs: 1000 };
  const policy = createPolicy({ name: 'p', retry: false, rateLimit, fleet: joined });
  try {
    const joins = async () => {
      await policy.execute(() => 'fine');
      return joined.status === 'joined';
    };
    await until(joins, 'the fleet');
    const { events } = recordEvents(policy);
    server.process.kill('SIGSTOP');
    let slowest = 0;
    for (let i = 0; i < 40; i++) {
      const took = ownTime();
      assert.equal(await policy.execute(() => 'fine'), 'fine');
      slowest = Math.max(slowest, took());
      await pause(20);
    }
    // One of them waited for an exact answer, for 250 ms.
    assert.ok(slowest < 1000, `${slowest} ms`);
    assert.equal(joined.status, 'degraded');
    server.process.kill('SIGCONT');
    await until(joins, 'the fleet, again');
    const changes = events.filter((event) => event.type === 'fleet.changed');
    assert.deepEqual(
      changes.map((event) => 'status' in event && event.status),
      ['degraded', 'joined'],
    );
  } finally {
    await joined.close();
    client.disconnect();
    await server.stop();
  }
});

test('a log that nobody folds in time is folded by few, and short again soon', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  let folds = 0;
  let isFolded = false;
  // The script that folds has three arguments behind its key, the other one two.
  const counted = {
    callBuffer: async (command: string, ...args: (string | Buffer)[]) => {
      if (args.length === 6) {
        folds++;
        if (!isFolded) throw new Error('too slow');
      }
      return client.callBuffer(command, ...args);
    },
  };
  const store = redisStore(counted);
  const listing = deltaOf({ node: 1, number: 1, kind: REPORT }, [], ['p']);
  const sync = () => store.sync([{ key: 'p', delta: listing }], new AbortController().signal);
  const length = async () => {
    const [base, number] = await client.hmget('hf1:{p}', 'b', 'n');
    return Number(number) - Number(base);
  };
  try {
    for (let count = 0; count < 200; count++) await sync();
    assert.equal(await length(), 200);
    // One in sixteen of all, one in five of those from the sixty-fourth on.
    assert.ok(folds <= 200 / 16 + 140 / 5 + 1, `${folds} of 200 syncs`);
    isFolded = true;
    for (let count = 0; count < 16; count++) await sync();
    assert.ok((await length()) < 64, `${await length()} deltas`);
  } finally {
    client.disconnect();
    await server.stop();
  }
});

test('a log that cannot be read begins anew, and one that holds what cannot be read is folded without it', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  const key = 'hf1:{k}';
  let number = 0;
  const store = redisStore(client);
  const sync = async () => {
    number += 1;
    const delta = deltaOf({ node: 7, number, kind: REPORT, resetMs: 60_000 }, [], ['p']);
    const [found] = await store.sync([{ key: 'k', delta }], new AbortController().signal);
    assert.ok(found);
    return { ...viewOf(found.state, 7, found.now), now: found.now };
  };
  const later = `${Date.now() + 3e12}:`;
  const damages: [string, () => Promise<unknown>][] = [
    ['an entry of another schema', () => append(`${Date.now()}:HFd\x63abc`)],
    ['an entry of another program', () => append('hello')],
    ['an entry of a time that never comes', () => append(`${later}${deltaOf({ node: 8, number: 1 })}`)],
    ['a state of another schema', () => client.hset(key, 's', 'HFs\x63abc')],
    ['a state of another program', () => client.hset(key, 's', 'hello')],
    ['a number that is none', () => client.hset(key, 'n', 'many')],
    ['a number that is too large', () => client.hset(key, 'n', 1e12)],
  ];
  /** The processor time of the server: a busy machine makes it wait, not compute. */
  const cpuSeconds = async () => Number(/used_cpu_user:([\d.]+)/.exec(await client.info('cpu'))?.[1]);
  async function append(entry: string): Promise<void> {
    const next = await client.hincrby(key, 'n', 1);
    await client.hset(key, String(next), entry);
  }
  try {
    for (const [what, damage] of damages) {
      for (let count = 0; count < 3; count++) await sync();
      await damage();
      const before = await cpuSeconds();
      let tries = 0;
      const tried = async (): Promise<Awaited<ReturnType<typeof sync>>> => {
        tries += 1;
        return sync().catch((error) => (tries < 3 ? tried() : Promise.reject(error)));
      };
      const view = await tried();
      assert.equal(view.acknowledged, number, what);
      assert.ok((await cpuSeconds()) - before < 2, what);
      for (let count = 0; count < 20; count++) assert.equal((await sync()).acknowledged, number, what);
      assert.ok(Math.abs((await sync()).now - Date.now()) < 60_000, what);
      // A process folds the log after its sync has ended.
      await until(
        async () => {
          await sync();
          return client.hlen(key);
        },
        (fields) => fields < 40,
      );
    }
  } finally {
    client.disconnect();
    await server.stop();
  }
});

test('one listener of the subscriber serves any number of policies', async () => {
  const server = await redisServer();
  const [client, subscriber] = [1, 2].map(() => new Redis(server.port, '127.0.0.1')) as [Redis, Redis];
  const store = redisStore(client, { subscriber });
  try {
    const before = subscriber.listenerCount('message');
    const heard: string[] = [];
    const ends = Array.from({ length: 15 }, (_, place) =>
      store.subscribe?.([`k${place}`], (key) => heard.push(key)),
    );
    assert.equal(subscriber.listenerCount('message') - before, 1);
    await until(async () => {
      await client.publish('hf1:{k14}', 'another process');
      return heard.includes('k14');
    }, 'a message');
    assert.ok(heard.length > 0 && heard.every((key) => key === 'k14'), heard.join());
    for (const end of ends) end?.();
    assert.equal(subscriber.listenerCount('message'), before);
  } finally {
    client.disconnect();
    subscriber.disconnect();
    await server.stop();
  }
});

test('a cluster of three passes, by all clients', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-cluster-'));
  const servers = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const options = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
      // Until others have met it a server does not know its own address: a client that is given none tries for ever.
      options.push('--cluster-announce-ip', '127.0.0.1');
      return redisServer(...options, '--dir', folder, '--cluster-config-file', `${number}.conf`);
    }),
  );
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  const io = new Cluster(
    servers.map(({ port }) => ({ host: '127.0.0.1', port })),
    { lazyConnect: true },
  );
  const rootNodes = servers.map(({ url }) => ({ url }));
  const nodes = [createCluster({ rootNodes }), createCluster5({ rootNodes })];
  try {
    execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
    for (const { port } of servers)
      while (
        !/cluster_state:ok/.test(
          execFileSync('redis-cli', ['-p', `${port}`, 'cluster', 'info'], { encoding: 'utf8' }),
        )
      )
        await pause(50);
    await io.connect();
    await checkStore(async () => redisStore(io));
    for (const node of nodes) {
      await node.connect();
      await checkStore(async () => redisStore(node));
    }
  } finally {
    // The servers first: clients that did not get as far as a connection throw here.
    for (const server of servers) await server.stop();
    io.disconnect();
    for (const node of nodes) if (node.isOpen) node.destroy();
    rmSync(folder, { recursive: true });
  }
});
