// stompit on a stub: the message of an ERROR frame. The words are ActiveMQ's; an ERROR frame of RabbitMQ has a length, and its
// error reaches no callback of this client.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, sleep, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['stompit'] });
const connect = async (port, more = {}) => {
  const { default: stompit } = await import('stompit');
  return new Promise((resolve, reject) => {
    stompit.connect(
      {
        host: '127.0.0.1',
        port,
        timeout: 3000,
        connectHeaders: { host: '/', login: 'agent', passcode: SECRET, 'heart-beat': '0,0' },
        ...more,
      },
      (error, client) => (error ? reject(error) : resolve(client)),
    );
  });
};
/** Does `work` on a connection; what the connection fails with counts. */
const using = async (port, work, options) => {
  const client = await connect(port, options);
  const failed = new Promise((_, reject) => client.on('error', reject));
  failed.catch(() => {});
  try {
    return await Promise.race([failed, (async () => work(client))()]);
  } finally {
    client.destroy();
  }
};
const send = (client, headers, text = 'x') =>
  new Promise((resolve, reject) => {
    const frame = client.send(
      { 'content-type': 'text/plain', ...headers },
      {
        onReceipt: resolve,
        onError: reject,
      },
    );
    frame.end(text);
  });
const stub = async (frame, then = () => {}) =>
  (
    await tcp((socket) =>
      socket.once('data', () => {
        if (frame) socket.write(frame);
        then(socket);
      }),
    )
  ).port;
const CONNECTED = 'CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0';
const error = (message) => `ERROR\nmessage:${message}\ncontent-type:text/plain\n\n\0`;
for (const [name, message, expect, why] of [
  [
    'no-rights',
    'User agent is not authorized to write to: queue://orders',
    final('PERMISSION_DENIED'),
    'SecurityException of the authorization plugin',
  ],
  [
    'no-queue',
    'The destination queue://orders does not exist.',
    final('NOT_FOUND'),
    'DestinationDoesNotExistException',
  ],
  [
    'no-destination',
    'SEND received without a Destination specified!',
    final('VALIDATION_ERROR'),
    'ProtocolException: a header is missing',
  ],
  [
    'no-transaction',
    'Invalid transaction id: 77',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'ProtocolException',
  ],
  ['unknown-command', 'Unknown STOMP action: FROB', final('VALIDATION_ERROR'), 'ProtocolException'],
  [
    'flow-control',
    'Usage Manager Memory Limit reached. Stopping producer (ID:agent) to prevent flooding queue://orders.',
    again('PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED', 'SERVER_ERROR', 'RATE_LIMITED', 'QUOTA_EXCEEDED'),
    'ResourceAllocationException with sendFailIfNoSpace: consumers make room',
  ],
]) {
  lib.add(name, expect, why, async () =>
    using(
      await stub(CONNECTED, (socket) => socket.once('data', () => socket.write(error(message)))),
      (client) => send(client, { destination: '/queue/orders' }),
    ),
  );
}
lib.add('wrong-password', final('AUTHENTICATION_ERROR'), 'SecurityException at CONNECT', async () =>
  connect(await stub(error('User name [agent] or password is invalid.'))),
);
lib.add(
  'client-connected',
  unclear('CONFLICT', 'ALREADY_EXISTS'),
  'InvalidClientIDException: another one has this id, perhaps a connection of ours that is not gone yet',
  async () =>
    connect(
      await stub(error('Broker: localhost - Client: agent already connected from tcp://10.0.0.7:53111')),
    ),
);
lib.add(
  'no-words',
  unclear('UNKNOWN', 'SERVER_ERROR', 'TOOL_EXECUTION_ERROR', 'INVALID_RESPONSE'),
  'server sent ERROR frame',
  async () => connect(await stub('ERROR\n\n\0')),
);
lib.add('hung-up', again('NETWORK_ERROR'), 'the connection ended in the handshake', async () =>
  connect(await stub('', (socket) => socket.end())),
);
lib.add('hung-up-later', again('NETWORK_ERROR'), 'connection ended unexpectedly', async () =>
  using(await stub(CONNECTED, (socket) => setTimeout(() => socket.end(), 60)), () => sleep(2000)),
);
lib.add('reset', again('NETWORK_ERROR'), 'read ECONNRESET', async () =>
  using(await stub(CONNECTED, (socket) => setTimeout(() => socket.resetAndDestroy(), 60)), () => sleep(2000)),
);
lib.add(
  'no-heartbeat',
  again('TIMEOUT', 'NETWORK_ERROR'),
  'connection timed out: the server fell silent',
  async () =>
    using(await stub('CONNECTED\nversion:1.2\nheart-beat:100,0\n\n\0'), () => sleep(3000), {
      connectHeaders: { host: '/', 'heart-beat': '0,100' },
    }),
);
lib.add(
  'not-stomp',
  unclear('INVALID_RESPONSE', 'CONFIG_ERROR', 'NETWORK_ERROR', 'VALIDATION_ERROR'),
  'another protocol answers',
  async () => connect(await stub('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n\0')),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => connect(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  connect(61613, { host: 'broker.invalid' }),
);
export default lib;
