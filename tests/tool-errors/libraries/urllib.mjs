// urllib: errors of its own for timeouts and JSON, with the response beside them. It does not throw for a status.
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['urllib'] });
const call = async (url, options = {}) =>
  (await import('urllib')).request(url, { dataType: 'json', timeout: 3000, ...options });
const text = async (body, more = {}) =>
  (await serve({ headers: { 'content-type': 'application/json' }, body, ...more })).url;
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  call(`http://127.0.0.1:${await closedPort()}/v1/items`),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  call('http://nonexistent.invalid/'),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
  call((await serve({ reset: true })).url),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that is not trusted is not trusted the next time',
  async () => call((await serve({ body: {} }, { tls: true })).url),
);
lib.add('timeout', again('TIMEOUT'), 'HttpClientRequestTimeoutError', async () =>
  call((await serve({ silent: true })).url, { timeout: 150 }),
);
lib.add('body-timeout', again('TIMEOUT'), 'the body does not come', async () => {
  const { port } = await tcp((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"items":')),
  );
  return call(`http://127.0.0.1:${port}/`, { timeout: [1000, 200] });
});
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
  call((await serve({ silent: true })).url, { signal: abortAfter(60) }),
);
lib.add('signal-timeout', again('TIMEOUT'), 'AbortSignal.timeout is a timeout', async () =>
  call((await serve({ silent: true })).url, { signal: AbortSignal.timeout(80) }),
);
lib.add('cut-body', again('NETWORK_ERROR', 'INVALID_RESPONSE'), 'the body broke off', async () =>
  call(await text('{"items":[{"id":1},{"id":2}]}', { cut: 15 })),
);
lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
  call(await text('{"items":[{"id":1},{"i')),
);
lib.add(
  'html',
  unclear('INVALID_RESPONSE'),
  'JSONResponseFormatError: a page instead of JSON, with status 200',
  async () =>
    call((await serve({ headers: { 'content-type': 'text/html' }, body: '<html>Hello</html>' })).url),
);
lib.add(
  'html-502',
  again('SERVER_ERROR', { status: 502 }),
  'JSONResponseFormatError, but the status says why',
  async () => call(await text('<html><h1>502 Bad Gateway</h1></html>', { status: 502 })),
);
lib.add(
  'not-http',
  unclear('INVALID_RESPONSE', 'NETWORK_ERROR'),
  'the server speaks something else',
  async () => {
    const { port } = await tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    return call(`http://127.0.0.1:${port}/`);
  },
);
export default lib;
