// ws: handshake errors, close codes (RFC 6455) as agents throw them.
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve, tcp } from '../servers/net.mjs';
import { afterHandshake, close } from '../servers/websocket.mjs';

const lib = library({ packages: ['ws'] });
/** Opens a socket; `closed` makes an error of a close, as programs do. */
async function open(url, options, work = () => {}) {
  const { default: WebSocket } = await import('ws');
  const socket = new WebSocket(url, options);
  const failed = new Promise((_, reject) => {
    socket.on('error', reject);
    socket.on('close', (code, reason) =>
      reject(
        Object.assign(new Error(`WebSocket closed: ${code}${reason.length > 0 ? ` ${reason}` : ''}`), {
          code,
          reason: String(reason),
        }),
      ),
    );
  });
  failed.catch(() => {});
  await Promise.race([failed, new Promise((resolve) => socket.on('open', resolve))]);
  await work(socket);
  try {
    return await failed;
  } finally {
    socket.terminate();
  }
}
for (const [name, code, reason, expect, why] of [
  ['going-away', 1001, '', again('NETWORK_ERROR', 'SERVER_ERROR'), '1001: the server goes down'],
  ['protocol-error', 1002, '', final('INVALID_RESPONSE', 'NETWORK_ERROR', 'VALIDATION_ERROR'), '1002'],
  ['unsupported-data', 1003, '', final('VALIDATION_ERROR'), '1003'],
  ['policy', 1008, 'Invalid token', final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'), '1008 about a token'],
  ['policy-bare', 1008, '', final('PERMISSION_DENIED', 'VALIDATION_ERROR'), '1008'],
  ['too-big', 1009, '', final('VALIDATION_ERROR'), '1009'],
  ['internal-error', 1011, '', again('SERVER_ERROR'), '1011'],
  ['service-restart', 1012, '', again('SERVER_ERROR', 'NETWORK_ERROR'), '1012'],
  ['try-again-later', 1013, '', again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'RATE_LIMITED'), '1013'],
  ['bad-gateway', 1014, '', again('SERVER_ERROR'), '1014'],
  [
    'rate-limited',
    4429,
    'Too many requests',
    again('RATE_LIMITED'),
    "a code of the application's own, with words",
  ],
  [
    'unauthorized',
    4401,
    'Unauthorized',
    final('AUTHENTICATION_ERROR'),
    "a code of the application's own, with words",
  ],
]) {
  lib.add(name, expect, why, async () => open(await afterHandshake(close(code, reason))));
}
lib.add('abnormal', again('NETWORK_ERROR'), '1006: the connection broke', async () =>
  open(await afterHandshake((socket) => socket.destroy())),
);
for (const [name, status, expect, why, more] of [
  ['upgrade-refused', 401, final('AUTHENTICATION_ERROR'), 'Unexpected server response: 401'],
  ['upgrade-forbidden', 403, final('PERMISSION_DENIED'), 'Unexpected server response: 403'],
  ['upgrade-missing', 404, final('NOT_FOUND'), 'Unexpected server response: 404'],
  ['upgrade-throttled', 429, again('RATE_LIMITED'), 'Unexpected server response: 429'],
  [
    'upgrade-unavailable',
    503,
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'Unexpected server response: 503',
  ],
]) {
  lib.add(name, { ...expect, status, ...more }, why, async () =>
    open((await serve({ status })).url.replace('http', 'ws')),
  );
}
lib.add(
  'no-upgrade',
  final(
    'INVALID_RESPONSE',
    'NETWORK_ERROR',
    'CONFIG_ERROR',
    'VALIDATION_ERROR',
    'PROVIDER_NOT_SUPPORTED',
    'SERVER_ERROR',
  ),
  'the server speaks no WebSocket',
  async () => open((await serve({ status: 200 })).url.replace('http', 'ws')),
);
lib.add('bad-frame', unclear('INVALID_RESPONSE', 'NETWORK_ERROR'), 'Invalid WebSocket frame', async () =>
  open(await afterHandshake((socket) => socket.write(Buffer.from([0xff, 0xff, 0xff])))),
);
lib.add('bad-utf8', unclear('INVALID_RESPONSE', 'NETWORK_ERROR'), 'WS_ERR_INVALID_UTF8', async () =>
  open(await afterHandshake((socket) => socket.write(Buffer.from([0x81, 2, 0xff, 0xff])))),
);
lib.add(
  'message-too-long',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  async () =>
    open(
      await afterHandshake((socket) =>
        socket.write(Buffer.concat([Buffer.from([0x81, 126, 4, 0]), Buffer.alloc(1024, 'x')])),
      ),
      { maxPayload: 100 },
    ),
);
lib.add(
  'not-open',
  final('CANCELLED', 'NETWORK_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'INITIALIZATION_ERROR'),
  'WebSocket is not open: readyState 0 (CONNECTING)',
  async () => {
    const { default: WebSocket } = await import('ws');
    const socket = new WebSocket(await afterHandshake(() => {}));
    socket.on('error', () => {});
    try {
      return socket.send('x');
    } finally {
      socket.terminate();
    }
  },
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'Invalid URL', () => open('nowhere'));
lib.add('handshake-timeout', again('TIMEOUT'), 'Opening handshake has timed out', async () =>
  open(`ws://127.0.0.1:${(await tcp()).port}`, { handshakeTimeout: 120 }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  open(`ws://127.0.0.1:${await closedPort()}`),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  open('ws://socket.invalid'),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR'),
  'a certificate that is not trusted',
  async () => open((await serve({}, { tls: true })).url.replace('http', 'ws')),
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
  open(`ws://127.0.0.1:${(await tcp()).port}`, { signal: abortAfter(60) }),
);
export default lib;
