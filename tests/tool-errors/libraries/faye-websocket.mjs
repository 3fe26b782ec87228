// faye-websocket: events instead of errors; programs reject with the event of 'error' or 'close'.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve, tcp } from '../servers/net.mjs';
import { afterHandshake, close } from '../servers/websocket.mjs';

const lib = library({ packages: ['faye-websocket'] });
const open = async (url, options) => {
  const { default: faye } = await import('faye-websocket');
  const socket = new faye.Client(url, [], options);
  return new Promise((_, reject) => {
    socket.on('error', reject);
    socket.on('close', reject);
  });
};
for (const [name, code, reason, expect, why] of [
  ['going-away', 1001, '', again('NETWORK_ERROR', 'SERVER_ERROR'), '1001: the server goes down'],
  ['protocol-error', 1002, '', final('INVALID_RESPONSE', 'NETWORK_ERROR', 'VALIDATION_ERROR'), '1002'],
  ['unsupported-data', 1003, '', final('VALIDATION_ERROR'), '1003'],
  ['policy', 1008, 'Invalid token', final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'), '1008 about a token'],
  ['too-big', 1009, 'Message too big', final('VALIDATION_ERROR'), '1009'],
  ['internal-error', 1011, '', again('SERVER_ERROR'), '1011'],
]) {
  lib.add(name, expect, why, async () => open(await afterHandshake(close(code, reason))));
}
lib.add('dropped', again('NETWORK_ERROR'), '1006: the connection broke', async () =>
  open(await afterHandshake((socket) => socket.destroy())),
);
for (const [name, status, expect, why] of [
  ['unauthorized', 401, final('AUTHENTICATION_ERROR'), 'the status stands in the words'],
  ['forbidden', 403, final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'), 'the status stands in the words'],
  ['missing', 404, final('NOT_FOUND', 'CONFIG_ERROR'), 'the status stands in the words'],
  ['throttled', 429, again('RATE_LIMITED'), 'the status stands in the words'],
  ['unavailable', 503, again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), 'the status stands in the words'],
]) {
  lib.add(name, expect, why, async () =>
    open((await serve({ status, body: { message: 'no' } })).url.replace('http', 'ws')),
  );
}
lib.add(
  'no-upgrade',
  unclear('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'Unexpected response code: 200',
  async () => open((await serve({ body: '<html>Hello</html>' })).url.replace('http', 'ws')),
);
lib.add(
  'bad-accept',
  unclear('INVALID_RESPONSE', 'NETWORK_ERROR'),
  'Sec-WebSocket-Accept mismatch',
  async () => {
    const { port } = await tcp((socket) =>
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n',
        ),
      ),
    );
    return open(`ws://127.0.0.1:${port}`);
  },
);
lib.add('bad-frame', unclear('INVALID_RESPONSE', 'NETWORK_ERROR'), 'a frame with reserved bits', async () =>
  open(await afterHandshake((socket) => socket.write(Buffer.from([0xf1, 0x01, 0x41])))),
);
lib.add(
  'frame-too-long',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'longer than the caller allows',
  async () =>
    open(
      await afterHandshake((socket) =>
        socket.write(Buffer.concat([Buffer.from([0x81, 100]), Buffer.alloc(100, 65)])),
      ),
      { maxLength: 50 },
    ),
);
lib.add('refused', again('NETWORK_ERROR'), 'Network error: … connect ECONNREFUSED', async () =>
  open(`ws://127.0.0.1:${await closedPort()}`),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  open('ws://nonexistent.invalid'),
);
lib.add('hung-up', again('NETWORK_ERROR'), 'the connection ended in the handshake', async () =>
  open(`ws://127.0.0.1:${(await tcp((socket) => socket.once('data', () => socket.end()))).port}`),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that is not trusted',
  async () => open((await serve({}, { tls: true })).url.replace('https', 'wss')),
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'is not a valid WebSocket URL', () =>
  open('http://127.0.0.1/'),
);
export default lib;
