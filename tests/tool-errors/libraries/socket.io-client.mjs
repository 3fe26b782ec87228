// socket.io-client: connect_error with `description`, `context` and `data`; acknowledgements that time out.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve, sleep, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['socket.io-client'] });
async function connect(url, options = {}, work) {
  const { io } = await import('socket.io-client');
  const socket = io(url, {
    reconnection: false,
    transports: ['polling'],
    timeout: 2000,
    forceNew: true,
    ...options,
  });
  try {
    await new Promise((resolve, reject) => {
      socket.on('connect', resolve);
      socket.on('connect_error', reject);
    });
    return await work?.(socket);
  } finally {
    socket.close();
  }
}
/** Engine.IO over long polling: opens, and replies `packet` to what connects. */
const stub = (packet) => {
  let polled = 0;
  return serve((request) => {
    if (request.method === 'POST') return { body: 'ok', headers: { 'content-type': 'text/plain' } };
    polled++;
    if (polled === 1)
      return {
        body: '0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}',
        headers: { 'content-type': 'text/plain' },
      };
    if (polled === 2) return { body: packet, headers: { 'content-type': 'text/plain' } };
    return { silent: true };
  });
};
lib.add(
  'middleware',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
  'a middleware of the server refuses the token',
  async () => connect((await stub('44{"message":"not authorized","data":{"code":"invalid_token"}}')).url),
);
lib.add(
  'bad-namespace',
  final('NOT_FOUND', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'Invalid namespace',
  async () => connect((await stub('44{"message":"Invalid namespace"}')).url),
);
lib.add(
  'middleware-busy',
  again('RATE_LIMITED', 'PROVIDER_OVERLOADED'),
  'the server has too many of this user',
  async () => connect((await stub('44{"message":"too many connections","data":{"retryAfterMs":2000}}')).url),
);
lib.add('ack-timeout', again('TIMEOUT'), 'operation has timed out', async () =>
  connect((await stub('40{"sid":"def"}')).url, {}, (socket) => socket.timeout(100).emitWithAck('work', 1)),
);
lib.add('ack-disconnected', again('NETWORK_ERROR'), 'socket has been disconnected', async () =>
  connect((await stub('40{"sid":"def"}')).url, {}, async (socket) => {
    const waiting = socket.timeout(3000).emitWithAck('work', 1);
    waiting.catch(() => {});
    await sleep(50);
    socket.io.engine.close();
    return waiting;
  }),
);
lib.add('refused', again('NETWORK_ERROR'), 'xhr poll error over ECONNREFUSED', async () =>
  connect(`http://127.0.0.1:${await closedPort()}`),
);
lib.add('websocket-refused', again('NETWORK_ERROR'), 'websocket error', async () =>
  connect(`http://127.0.0.1:${await closedPort()}`, { transports: ['websocket'] }),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  connect('http://socket.invalid'),
);
lib.add(
  'upgrade-forbidden',
  unclear('PERMISSION_DENIED', 'NETWORK_ERROR'),
  'xhr poll error: the status is in `description`',
  async () => connect((await serve({ status: 403, body: { message: 'Forbidden' } })).url),
);
lib.add(
  'unavailable',
  again('SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
  'xhr poll error: 503 in `description`',
  async () => connect((await serve({ status: 503 })).url),
);
lib.add('timeout', again('TIMEOUT'), 'the connection took too long', async () =>
  connect(`http://127.0.0.1:${(await tcp()).port}`, { timeout: 150 }),
);
lib.add(
  'not-socket-io',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'the server speaks no Engine.IO',
  async () => connect((await serve({ body: '<html>hello</html>' })).url),
);
export default lib;
