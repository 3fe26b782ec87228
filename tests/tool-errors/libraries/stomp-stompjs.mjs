// @stomp/stompjs on a stub: what a program rejects with is the ERROR frame, the event of the WebSocket, or its close event.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, sleep } from '../servers/net.mjs';
import { afterHandshake, close } from '../servers/websocket.mjs';

const lib = library({ packages: ['@stomp/stompjs', 'ws'] });
/** Connects. The first event decides: connected, an ERROR frame, an error of the WebSocket, or its close. */
const connect = async (url, more = {}) => {
  const [{ Client }, { WebSocket }] = await Promise.all([import('@stomp/stompjs'), import('ws')]);
  const client = new Client({
    webSocketFactory: () => new WebSocket(url),
    reconnectDelay: 0,
    connectHeaders: { login: 'agent', passcode: SECRET },
    ...more,
  });
  try {
    return await new Promise((resolve, reject) => {
      client.onConnect = () => resolve(client);
      client.onStompError = reject;
      client.onWebSocketError = reject;
      client.onWebSocketClose = reject;
      client.activate();
    });
  } finally {
    client.deactivate({ force: true });
  }
};
/** Sends a text frame. */
const frame = (text) => (socket) => {
  const bytes = Buffer.from(text);
  const head =
    bytes.length < 126
      ? Buffer.from([0x81, bytes.length])
      : Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 255]);
  socket.write(Buffer.concat([head, bytes]));
};
const refusal =
  (message, body = '') =>
  async () =>
    connect(await afterHandshake(frame(`ERROR\nmessage:${message}\ncontent-type:text/plain\n\n${body}\0`)));
// The words are RabbitMQ's and ActiveMQ's.
lib.add(
  'bad-login',
  final('AUTHENTICATION_ERROR'),
  'Bad CONNECT',
  refusal('Bad CONNECT', "Access refused for user 'agent'"),
);
lib.add(
  'denied',
  final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
  'access_refused',
  refusal('access_refused', "ACCESS_REFUSED - read access to queue 'orders' refused for user 'agent'"),
);
lib.add(
  'no-queue',
  final('NOT_FOUND'),
  'not_found',
  refusal('not_found', "NOT_FOUND - no queue 'orders' in vhost '/'"),
);
lib.add(
  'precondition',
  final('VALIDATION_ERROR', 'CONFLICT'),
  'precondition_failed',
  refusal('precondition_failed', "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'orders'"),
);
lib.add(
  'destination',
  final('VALIDATION_ERROR', 'NOT_FOUND'),
  'Unknown destination',
  refusal('Unknown destination', "'/frob/orders' is not a valid destination."),
);
lib.add(
  'syntax',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'Invalid frame',
  refusal('Invalid frame', 'Could not parse the frame'),
);
lib.add(
  'version',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'Supported protocol versions',
  refusal('Version mismatch', 'Supported versions are 1.0,1.1'),
);
lib.add(
  'shutting-down',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  'the broker is stopping',
  refusal('Server is shutting down', 'connection_forced'),
);
lib.add(
  'busy',
  again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR'),
  'Too many connections',
  refusal('Too many connections', 'maximum number of connections reached'),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens: an ErrorEvent', async () =>
  connect(`ws://127.0.0.1:${await closedPort()}`),
);
lib.add(
  'no-handshake',
  unclear('NETWORK_ERROR', 'SERVER_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
  'what answers speaks no WebSocket',
  async () => {
    const { serve } = await import('../servers/net.mjs');
    return connect((await serve({ status: 200, body: {} })).url.replace('http', 'ws'));
  },
);
lib.add('restart', again('SERVER_ERROR', 'NETWORK_ERROR'), 'close event 1012: service restart', async () =>
  connect(await afterHandshake(close(1012, 'restart'))),
);
lib.add(
  'policy',
  unclear('PERMISSION_DENIED', 'VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'close event 1008',
  async () => connect(await afterHandshake(close(1008, 'no agents here'))),
);
lib.add('dropped', again('NETWORK_ERROR'), 'close event 1006: the connection broke', async () =>
  connect(await afterHandshake((socket) => socket.destroy())),
);
lib.add(
  'not-connected',
  again('NETWORK_ERROR', 'CANCELLED', 'VALIDATION_ERROR'),
  'There is no underlying STOMP connection',
  async () => {
    const { Client } = await import('@stomp/stompjs');
    await sleep(1);
    return new Client({ brokerURL: 'ws://127.0.0.1:1' }).publish({ destination: '/queue/orders', body: 'x' });
  },
);
export default lib;
