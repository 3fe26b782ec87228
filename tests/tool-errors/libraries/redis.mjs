// redis (node-redis): SimpleError with the prefix in its message, and classes of its own.
import { again, final, library } from '../expect.mjs';
import { addRedisFaults, redisServers } from '../redis-faults.mjs';
import { needs } from '../servers/redis.mjs';

const lib = library({ packages: ['redis'], needs, setup: redisServers });
const open = async ({ host = '127.0.0.1', port, username, password, timeout }, more = {}) => {
  const { createClient } = await import('redis');
  const client = createClient({
    username,
    password,
    socket: { host, port, reconnectStrategy: false, connectTimeout: timeout ?? 2000, socketTimeout: timeout },
    ...more,
  });
  client.on('error', () => {});
  const end = () => client.isOpen && client.destroy();
  try {
    await client.connect();
  } catch (error) {
    end();
    throw error;
  }
  return { send: (...words) => client.sendCommand(words), end, client };
};
addRedisFaults(lib, open, { skip: ['not-redis'] }); // It waits for ever.
lib.add(
  'closed',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'ClientClosedError: the program closed its own client',
  async ({ db }) => {
    const { client } = await open({ port: db.port });
    await client.close();
    return client.get('x');
  },
);
lib.add('watch', again('CONFLICT'), 'WatchError: somebody wrote the key', async ({ db }) => {
  const { client, end } = await open({ port: db.port });
  const other = await open({ port: db.port });
  try {
    await client.watch('stock');
    await other.client.set('stock', '1');
    return await client.multi().set('stock', '2').exec();
  } finally {
    end();
    other.end();
  }
});
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async ({ db }) => {
  const { client, end } = await open({ port: db.port });
  const controller = new AbortController();
  const sent = client.withAbortSignal(controller.signal).get('x');
  controller.abort();
  try {
    return await sent;
  } finally {
    end();
  }
});
lib.add(
  'multi-error',
  final('VALIDATION_ERROR', 'CONFLICT'),
  'MultiErrorReply: one command of the transaction failed',
  async ({ db }) => {
    const { client, end } = await open({ port: db.port });
    try {
      return await client.multi().set('name', 'jane').lPush('name', 'x').exec();
    } finally {
      end();
    }
  },
);
export default lib;
