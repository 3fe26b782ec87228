// The clients of Redis that processes use, with their own ways to find a primary that was promoted.
import { Cluster, Redis } from 'ioredis';
import * as redis6 from 'redis';
import * as redis5 from 'redis-5';
import { SENTINELS_NAME } from './redis-servers.js';
import type { WorkerOptions } from './worker.js';

type Servers = WorkerOptions['redis'];

const ioredis = {
  single: ({ host, ports: [port = 0] }) => new Redis(port, host, { retryStrategy: () => 200 }),
  sentinels: ({ host, ports }) =>
    new Redis({
      sentinels: ports.map((port) => ({ host, port })),
      name: SENTINELS_NAME,
      retryStrategy: () => 200,
      sentinelRetryStrategy: () => 200,
    }),
  cluster: ({ host, ports }) => new Cluster(ports.map((port) => ({ host, port }))),
} satisfies Record<Servers['kind'], (servers: Servers) => unknown>;

/** Both versions of node-redis that redisStore works with. */
const nodeRedis = ({ createClient, createCluster, createSentinel }: typeof redis6) =>
  ({
    single: ({ host, ports: [port = 0] }) => createClient({ socket: { host, port } }),
    sentinels: ({ host, ports }) =>
      createSentinel({ name: SENTINELS_NAME, sentinelRootNodes: ports.map((port) => ({ host, port })) }),
    cluster: ({ host, ports }) =>
      createCluster({ rootNodes: ports.map((port) => ({ socket: { host, port } })) }),
  }) satisfies Record<Servers['kind'], (servers: Servers) => unknown>;

/** Returns a client that is connected, or will be. Its errors do not end the process. */
export async function connect(servers: Servers): Promise<unknown> {
  if (servers.client === 'ioredis') return ioredis[servers.kind](servers).on('error', () => {});
  const version = servers.client === 'redis-5' ? (redis5 as unknown as typeof redis6) : redis6;
  const client = nodeRedis(version)[servers.kind](servers);
  client.on('error', () => {});
  await client.connect();
  return client;
}
