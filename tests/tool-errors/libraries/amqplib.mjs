// amqplib on a real RabbitMQ: reply codes of AMQP 0-9-1 in `code`, IllegalOperationError.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, sleep, tcp } from '../servers/net.mjs';
import { needs, rabbitmq } from '../servers/rabbitmq.mjs';

const lib = library({ packages: ['amqplib'], needs, setup: async () => ({ broker: await rabbitmq() }) });
async function using(url, work) {
  const { default: amqp } = await import('amqplib');
  const connection = await amqp.connect(url, { timeout: 3000 });
  // An operator's action arrives with 'close'.
  const broken = new Promise((_, reject) =>
    connection.on('error', reject).on('close', (error) => error && reject(error)),
  );
  broken.catch(() => {});
  try {
    const channel = await connection.createChannel();
    const failed = new Promise((_, reject) => channel.on('error', reject));
    failed.catch(() => {});
    return await work(channel, Promise.race([failed, broken]), connection);
  } finally {
    await Promise.race([connection.close().catch(() => {}), sleep(500)]);
  }
}
const channel =
  (work, user) =>
  ({ broker }) =>
    using(broker.url(user, user && 'CANARYsecret7890'), work);
const never = (ms = 3000) => sleep(ms);

lib.add(
  'no-queue',
  final('NOT_FOUND'),
  '404 NOT_FOUND: no queue',
  channel((on) => on.checkQueue('nowhere')),
);
lib.add(
  'no-exchange',
  final('NOT_FOUND'),
  '404 of a publish, on the channel',
  channel((on, failed) => {
    on.publish('nowhere', 'x', Buffer.from('x'));
    return Promise.race([failed, never()]);
  }),
);
lib.add(
  'precondition',
  final('VALIDATION_ERROR', 'CONFLICT', 'ALREADY_EXISTS'),
  '406: the queue is there with other arguments',
  channel(async (on) => {
    await on.assertQueue('jobs', { durable: false });
    return on.assertQueue('jobs', { durable: true });
  }),
);
lib.add(
  'unknown-tag',
  final('VALIDATION_ERROR', 'CONFLICT'),
  '406: a delivery tag that is not known',
  channel((on, failed) => {
    on.ack({ fields: { deliveryTag: 99 } });
    return Promise.race([failed, never()]);
  }),
);
lib.add(
  'too-large',
  final('VALIDATION_ERROR'),
  '406: the message is over the limit',
  channel(async (on, failed) => {
    await on.assertQueue('big', { durable: false });
    on.sendToQueue('big', Buffer.alloc(200_000));
    return Promise.race([failed, never()]);
  }),
);
lib.add(
  'refused-access',
  final('PERMISSION_DENIED'),
  '403 ACCESS_REFUSED',
  channel((on) => on.assertQueue('mine'), 'reader'),
);
lib.add(
  'reserved-name',
  final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
  '403: names that begin with amq. are reserved',
  channel((on) => on.assertQueue('amq.mine')),
);
lib.add(
  'exclusive',
  again('CONFLICT'),
  '405 RESOURCE_LOCKED: another connection owns the queue',
  async ({ broker }) =>
    using(broker.url(), async (one) => {
      await one.assertQueue('alone', { exclusive: true });
      return using(broker.url(), (two) => two.checkQueue('alone'));
    }),
);
lib.add(
  'exclusive-consumer',
  unclear('CONFLICT', 'PERMISSION_DENIED'),
  '403: another consumer has the queue for itself',
  async ({ broker }) =>
    using(broker.url(), async (one) => {
      await one.assertQueue('single', { durable: false });
      await one.consume('single', () => {}, { exclusive: true });
      return using(broker.url(), (two) => two.consume('single', () => {}));
    }),
);
lib.add(
  'bad-type',
  final('VALIDATION_ERROR'),
  '503 COMMAND_INVALID: no such type of exchange',
  channel((on, failed) => Promise.race([on.assertExchange('x', 'frob'), failed])),
);
lib.add(
  'bad-arguments',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a mistake of the program: the engine says it',
  channel((on) => on.assertQueue('x', { arguments: 1, messageTtl: 'soon' })),
);
lib.add(
  'no-content',
  final('VALIDATION_ERROR'),
  'the content is no Buffer',
  channel((on) => on.sendToQueue('x', 'text')),
);
lib.add(
  'channel-limit',
  unclear('RATE_LIMITED', 'CAPACITY_EXCEEDED', 'PROVIDER_OVERLOADED', 'CONFLICT', 'VALIDATION_ERROR'),
  'no channel more on this connection',
  channel(async (_, __, connection) => {
    for (let at = 0; at < 10; at++) await connection.createChannel();
  }),
);
lib.add(
  'closed-channel',
  unclear('CANCELLED', 'VALIDATION_ERROR', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'IllegalOperationError: the channel is closed',
  channel(async (on) => {
    await on.close();
    return on.checkQueue('x');
  }),
);
lib.add(
  'wrong-password',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
  '403 ACCESS_REFUSED at login',
  ({ broker }) => using(broker.url('guest', 'CANARYsecret7890x'), never),
);
lib.add(
  'no-vhost',
  unclear('NETWORK_ERROR', 'PERMISSION_DENIED', 'NOT_FOUND', 'CONFIG_ERROR', 'UNKNOWN', 'INVALID_RESPONSE'),
  '530 NOT_ALLOWED, of which the client keeps nothing',
  ({ broker }) => using(broker.url('guest', 'guest', 'nowhere'), never),
);
lib.add(
  'denied-vhost',
  unclear('NETWORK_ERROR', 'PERMISSION_DENIED', 'NOT_FOUND', 'CONFIG_ERROR', 'UNKNOWN', 'INVALID_RESPONSE'),
  '530: the user may not enter the vhost, of which the client keeps nothing',
  ({ broker }) => using(broker.url('reader', 'CANARYsecret7890', 'other'), never),
);
lib.add(
  'closed-by-operator',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  '320 CONNECTION_FORCED: an operator closed the connection',
  async ({ broker }) =>
    using(broker.url(), async (_, failed) => {
      broker.ctl('close_all_connections', 'maintenance');
      return Promise.race([failed, never(5000)]);
    }),
);
lib.add('restart', again('SERVER_ERROR', 'NETWORK_ERROR'), '320: the broker restarts', async ({ broker }) =>
  using(broker.url(), async (_, failed) => {
    // It need not come up again: on a busy machine that takes longer than a case may, and no later case asks it.
    broker.ctl('stop');
    return Promise.race([failed, never(15_000)]);
  }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  using(`amqp://127.0.0.1:${await closedPort()}`, never),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using('amqp://queue.invalid', never),
);
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'the broker accepts and says nothing', async () => {
  const { default: amqp } = await import('amqplib');
  return amqp.connect(`amqp://127.0.0.1:${(await tcp()).port}`, { timeout: 150 });
});
lib.add('hung-up', again('NETWORK_ERROR'), 'the connection ends during the handshake', async () =>
  using(`amqp://127.0.0.1:${(await tcp((socket) => socket.once('data', () => socket.end()))).port}`, never),
);
lib.add(
  'not-amqp',
  unclear('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'what listens there does not speak AMQP',
  async () =>
    using(
      `amqp://127.0.0.1:${(await tcp((socket) => socket.write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'))).port}`,
      never,
    ),
);
export default lib;
