// ioredis: ReplyError with the prefix in its message, MaxRetriesPerRequestError, connection errors.
import { again, final, library, unclear } from '../expect.mjs';
import { addRedisFaults, redisServers } from '../redis-faults.mjs';
import { closedPort, tcp } from '../servers/net.mjs';
import { needs } from '../servers/redis.mjs';

const lib = library({ packages: ['ioredis'], needs, setup: redisServers });
const open = async ({ host = '127.0.0.1', port, username, password, timeout }, more = {}) => {
  const { Redis } = await import('ioredis');
  const client = new Redis({
    host,
    port,
    username,
    password,
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    connectTimeout: timeout ?? 2000,
    commandTimeout: timeout,
    ...more,
  });
  const failed = new Promise((_, reject) => client.on('error', reject));
  failed.catch(() => {});
  const end = () => client.disconnect();
  try {
    await Promise.race([client.connect(), failed]);
  } catch (error) {
    end();
    throw error;
  }
  return { send: (...words) => client.call(...words), end, client };
};
addRedisFaults(lib, open, { instead: { 'max-clients': again('NETWORK_ERROR', 'PROVIDER_OVERLOADED') } }); // It says that the connection is closed.
lib.add(
  'retries-used-up',
  again('NETWORK_ERROR'),
  'MaxRetriesPerRequestError says nothing of the cause',
  async () => {
    const { Redis } = await import('ioredis');
    const client = new Redis({
      host: '127.0.0.1',
      port: await closedPort(),
      retryStrategy: () => 20,
      maxRetriesPerRequest: 2,
    });
    client.on('error', () => {});
    try {
      return await client.get('x');
    } finally {
      client.disconnect();
    }
  },
);
lib.add('command-timeout', again('TIMEOUT'), 'commandTimeout', async ({ db }) => {
  const { client, end } = await open({ port: db.port }, { commandTimeout: 80 });
  try {
    return await client.blpop('never', 0);
  } finally {
    end();
  }
});
lib.add(
  'closed',
  unclear('NETWORK_ERROR', 'CANCELLED'),
  'the program closed its own client; the error says the same when the server did',
  async ({ db }) => {
    const { client } = await open({ port: db.port });
    await client.quit();
    return client.get('x');
  },
);
lib.add(
  'cluster-refused',
  again('NETWORK_ERROR', 'SERVER_ERROR'),
  'ClusterAllFailedError: no node answers',
  async () => {
    const { Cluster } = await import('ioredis');
    const cluster = new Cluster([{ host: '127.0.0.1', port: await closedPort() }], {
      clusterRetryStrategy: () => null,
      redisOptions: { connectTimeout: 500 },
    });
    cluster.on('error', () => {});
    try {
      return await cluster.get('x');
    } finally {
      cluster.disconnect();
    }
  },
);
lib.add(
  'pipeline',
  final('VALIDATION_ERROR', 'CONFLICT'),
  'the first failure of a pipeline',
  async ({ db }) => {
    const { client, end } = await open({ port: db.port });
    try {
      const results = await client.pipeline().set('name', 'jane').lpush('name', 'x').exec();
      throw results[1][0];
    } finally {
      end();
    }
  },
);
lib.add(
  'sentinel-unreachable',
  again('NETWORK_ERROR', 'SERVER_ERROR'),
  'all sentinels are unreachable',
  async () => {
    const { Redis } = await import('ioredis');
    await tcp();
    const client = new Redis({
      sentinels: [{ host: '127.0.0.1', port: await closedPort() }],
      name: 'primary',
      sentinelRetryStrategy: () => null,
      lazyConnect: true,
    });
    client.on('error', () => {});
    return client.connect();
  },
);
export default lib;
