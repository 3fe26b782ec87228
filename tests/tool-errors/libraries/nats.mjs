// nats on a real nats-server: NatsError with `code` (permissions, timeouts, no responders), JetStream's api_error.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, sleep, tcp } from '../servers/net.mjs';
import { folder, listening, start, user } from '../servers/process.mjs';

async function server() {
  const at = folder('nats');
  const port = await closedPort();
  writeFileSync(
    path.join(at, 'conf'),
    `listen: 127.0.0.1:${port}
     jetstream { store_dir: "${at}", max_memory_store: 1MB, max_file_store: 1MB }
     max_payload: 2000
     max_connections: 4
     authorization { users = [
       { user: app, password: ${SECRET} }
       { user: reader, password: ${SECRET}, permissions: { publish: ["_INBOX.>", "ok"], subscribe: ["_INBOX.>", "news.>"] } }
     ] }`,
  );
  const up = async () => {
    const made = start('nats-server', ['-c', path.join(at, 'conf')], user);
    await listening(port, { server: made });
    return made;
  };
  let running = await up();
  return {
    port,
    kill: () => running.stop('SIGKILL'),
    start: async () => {
      running = await up();
    },
  };
}
const lib = library({
  packages: ['nats'],
  needs: ['nats-server'],
  setup: async () => ({ broker: await server() }),
});
const connect = async (port, more = {}) => {
  const { connect: open } = await import('nats');
  return open({
    servers: `127.0.0.1:${port}`,
    user: 'app',
    pass: SECRET,
    reconnect: false,
    timeout: 2000,
    ...more,
  });
};
const using =
  (work, more) =>
  async ({ broker }) => {
    const client = await connect(broker.port, more);
    try {
      return await work(client, broker);
    } finally {
      await Promise.race([client.close().catch(() => {}), sleep(300)]);
    }
  };
const jetstream = (work) =>
  using(async (client) => work(await client.jetstreamManager(), client.jetstream()));

lib.add(
  'no-responders',
  unclear('NOT_FOUND', 'SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
  '503: nobody listens to the subject: a service that restarts, or a wrong name',
  using((client) => client.request('nobody.there', 'x', { timeout: 500 })),
);
lib.add(
  'request-timeout',
  again('TIMEOUT'),
  'TIMEOUT of a request',
  using(async (client) => {
    client.subscribe('slow');
    return client.request('slow', 'x', { timeout: 100 });
  }),
);
lib.add('wrong-password', final('AUTHENTICATION_ERROR'), 'AUTHORIZATION_VIOLATION at CONNECT', ({ broker }) =>
  connect(broker.port, { pass: 'CANARYsecret7890x' }),
);
lib.add(
  'denied-publish',
  final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
  'PERMISSIONS_VIOLATION of a publish',
  using(
    async (client) => {
      client.publish('orders', 'x');
      for await (const status of client.status())
        if (status.type === 'error')
          throw status.permissionContext
            ? Object.assign(new Error(`Permissions Violation for ${status.permissionContext.operation}`), {
                code: status.data,
              })
            : new Error(status.data);
    },
    { user: 'reader' },
  ),
);
lib.add(
  'denied-subscribe',
  final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
  'PERMISSIONS_VIOLATION of a subscription',
  using(
    async (client) => {
      for await (const _ of client.subscribe('orders')) void _;
    },
    { user: 'reader' },
  ),
);
lib.add(
  'payload-too-large',
  final('VALIDATION_ERROR'),
  'MAX_PAYLOAD_EXCEEDED',
  using((client) => client.publish('x', 'x'.repeat(5000))),
);
lib.add(
  'bad-subject',
  final('VALIDATION_ERROR'),
  'BAD_SUBJECT',
  using((client) => client.publish('', 'x')),
);
lib.add(
  'closed',
  unclear('NETWORK_ERROR', 'CANCELLED', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'CONNECTION_CLOSED: the program closed its own client, or it was cut off',
  using(async (client) => {
    await client.close();
    return client.publish('x', 'y');
  }),
);
lib.add(
  'draining',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR', 'CONFLICT'),
  'CONNECTION_DRAINING: the program ends',
  using(async (client) => {
    client.drain();
    return client.subscribe('x');
  }),
);
lib.add(
  'too-many-connections',
  again('NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
  'the server hangs up on one client too many',
  async ({ broker }) => {
    const held = [];
    try {
      for (let at = 0; at < 8; at++) held.push(await connect(broker.port));
    } finally {
      for (const client of held) await client.close().catch(() => {});
    }
  },
);
lib.add(
  'no-stream',
  final('NOT_FOUND'),
  'JetStream 10059: stream not found',
  jetstream((manager) => manager.streams.info('nowhere')),
);
lib.add(
  'no-consumer',
  final('NOT_FOUND'),
  'JetStream 10014: consumer not found',
  jetstream(async (manager) => {
    await manager.streams.add({ name: 'jobs', subjects: ['jobs'], storage: 'memory' });
    return manager.consumers.info('jobs', 'nobody');
  }),
);
lib.add(
  'stream-exists',
  final('ALREADY_EXISTS', 'CONFLICT'),
  'JetStream 10058: the name is in use with another configuration',
  jetstream(async (manager) => {
    await manager.streams.add({ name: 'mail', subjects: ['mail'], storage: 'memory' });
    return manager.streams.add({ name: 'mail', subjects: ['other'], storage: 'memory' });
  }),
);
lib.add(
  'subject-overlap',
  final('ALREADY_EXISTS', 'VALIDATION_ERROR', 'CONFLICT'),
  'JetStream 10065: the subject belongs to another stream',
  jetstream(async (manager) => {
    await manager.streams.add({ name: 'first', subjects: ['same'], storage: 'memory' });
    return manager.streams.add({ name: 'second', subjects: ['same'], storage: 'memory' });
  }),
);
lib.add(
  'wrong-sequence',
  unclear('CONFLICT', 'ALREADY_EXISTS'),
  'JetStream 10071: somebody wrote before; it has to be read again',
  jetstream(async (manager, stream) => {
    await manager.streams.add({ name: 'log', subjects: ['log'], storage: 'memory' });
    await stream.publish('log', 'x');
    return stream.publish('log', 'y', { expect: { lastSequence: 7 } });
  }),
);
lib.add(
  'storage-full',
  unclear('QUOTA_EXCEEDED', 'PROVIDER_OVERLOADED', 'SERVER_ERROR', 'IO_ERROR'),
  'JetStream 10047: the storage is used up',
  jetstream((manager) =>
    manager.streams.add({ name: 'huge', subjects: ['huge'], storage: 'file', max_bytes: 1e9 }),
  ),
);
lib.add(
  'message-gone',
  final('NOT_FOUND'),
  'JetStream 10037: no message found',
  jetstream(async (manager) => {
    await manager.streams.add({ name: 'short', subjects: ['short'], storage: 'memory' });
    return manager.streams.getMessage('short', { seq: 99 });
  }),
);
lib.add(
  'killed',
  again('TIMEOUT', 'NETWORK_ERROR'),
  'the server was killed under a request, which then times out',
  using(async (client, broker) => {
    client.subscribe('slow');
    const waiting = client.request('slow', 'x', { timeout: 3000 });
    waiting.catch(() => {});
    await sleep(50);
    await broker.kill();
    try {
      return await waiting;
    } finally {
      await broker.start();
    }
  }),
);
lib.add('refused', again('NETWORK_ERROR'), 'CONNECTION_REFUSED', async () => connect(await closedPort()));
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'the server accepts and says nothing', async () =>
  connect((await tcp()).port, { timeout: 150 }),
);
lib.add(
  'not-nats',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'what listens there does not speak NATS',
  async () =>
    connect((await tcp((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))).port, {
      timeout: 1000,
    }),
);
export default lib;
