// node:net, node:http, node:http2: system errors, parser errors, HTTP/2 codes.
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, emitted, serve, sleep, tcp } from '../servers/net.mjs';

const lib = library({});
const get = (url, options = {}) =>
  new Promise((resolve, reject) => {
    const request = http.get(url, options, (response) => {
      response.on('error', reject);
      response.on('aborted', () => {});
      response.resume().on('end', resolve);
    });
    request.on('error', reject);
    request.on('timeout', () =>
      request.destroy(Object.assign(new Error('The request timed out'), { code: 'ETIMEDOUT' })),
    );
  });
lib.add('refused', again('NETWORK_ERROR'), 'ECONNREFUSED', async () =>
  emitted(net.connect(await closedPort(), '127.0.0.1')),
);
lib.add(
  'refused-both',
  again('NETWORK_ERROR'),
  'AggregateError of two addresses, with an empty message',
  async () =>
    emitted(
      net.connect({
        port: await closedPort(),
        host: 'localhost',
        autoSelectFamily: true,
        lookup: (_, __, done) =>
          done(null, [
            { address: '127.0.0.1', family: 4 },
            { address: '127.0.0.2', family: 4 },
          ]),
      }),
    ),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'ENOTFOUND', () =>
  emitted(net.connect(80, 'nonexistent.invalid')),
);
lib.add('dns-busy', again('NETWORK_ERROR'), 'EAI_AGAIN', () =>
  emitted(
    net.connect({
      port: 80,
      host: 'db',
      lookup: (host, _, done) =>
        done(
          Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), {
            errno: -3001,
            code: 'EAI_AGAIN',
            syscall: 'getaddrinfo',
            hostname: host,
          }),
        ),
    }),
  ),
);
lib.add(
  'socket-path',
  unclear('NOT_FOUND', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'ENOENT of a Unix socket: the daemon does not run',
  () => emitted(net.connect('/nowhere/docker.sock')),
);
lib.add('reset', again('NETWORK_ERROR'), 'socket hang up', async () =>
  get((await serve({ reset: true })).url),
);
lib.add('reset-hard', again('NETWORK_ERROR'), 'read ECONNRESET', async () =>
  get(
    `http://127.0.0.1:${(await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))).port}`,
  ),
);
lib.add(
  'aborted-body',
  again('NETWORK_ERROR', 'INVALID_RESPONSE'),
  'aborted: ECONNRESET within the body',
  async () => get((await serve({ body: 'x'.repeat(100), cut: 20 })).url),
);
lib.add('timeout', again('TIMEOUT'), 'ETIMEDOUT', async () =>
  get((await serve({ silent: true })).url, { timeout: 100 }),
);
lib.add('abort', final('CANCELLED'), 'ABORT_ERR', async () =>
  get((await serve({ silent: true })).url, { signal: abortAfter(60) }),
);
lib.add(
  'not-http',
  final('INVALID_RESPONSE', 'NETWORK_ERROR'),
  'HPE_INVALID_CONSTANT: Parse Error',
  async () =>
    get(`http://127.0.0.1:${(await tcp((socket) => socket.write('220 mail.example.com ESMTP\r\n'))).port}`),
);
lib.add(
  'header-overflow',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR', 'NETWORK_ERROR'),
  'HPE_HEADER_OVERFLOW',
  async () => get((await serve({ headers: { 'x-long': 'x'.repeat(40_000) } })).url),
);
lib.add(
  'in-use',
  unclear('CONFLICT', 'ALREADY_EXISTS', 'IO_ERROR', 'CONFIG_ERROR', 'NETWORK_ERROR'),
  'EADDRINUSE',
  async () => emitted(net.createServer().listen((await tcp()).port, '127.0.0.1')),
);
lib.add(
  'not-our-address',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NETWORK_ERROR', 'IO_ERROR', 'NOT_FOUND'),
  'EADDRNOTAVAIL',
  () => emitted(net.createServer().listen(0, '192.0.2.9')),
);
lib.add('bad-port', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'ERR_SOCKET_BAD_PORT', () =>
  net.connect(70_000),
);
lib.add('bad-header', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'ERR_INVALID_CHAR', () =>
  http.request('http://127.0.0.1', { headers: { 'x-name': 'a\nb' } }),
);
lib.add(
  'bad-protocol',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'ERR_INVALID_PROTOCOL',
  () => http.get('https://127.0.0.1/'),
);
lib.add(
  'write-after-end',
  unclear('VALIDATION_ERROR', 'IO_ERROR', 'CANCELLED', 'NETWORK_ERROR'),
  'ERR_STREAM_WRITE_AFTER_END: a mistake of the program',
  async () => {
    const socket = net.connect((await tcp()).port, '127.0.0.1');
    socket.end();
    const failed = emitted(socket);
    socket.write('x');
    return failed;
  },
);
lib.add(
  'premature-close',
  again('NETWORK_ERROR', 'INVALID_RESPONSE'),
  'ERR_STREAM_PREMATURE_CLOSE',
  async () => {
    const { pipeline } = await import('node:stream/promises');
    const { PassThrough } = await import('node:stream');
    const socket = net.connect((await tcp()).port, '127.0.0.1');
    setTimeout(() => socket.destroy(), 40);
    return pipeline(socket, new PassThrough());
  },
);
const h2 = (then, settings) => async () => {
  const server = http2.createServer(settings);
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    then(stream);
  });
  server.on('sessionError', () => {});
  const port = await closedPort();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const client = http2.connect(`http://127.0.0.1:${port}`);
  try {
    const stream = client.request({ ':path': '/' });
    stream.resume();
    return await Promise.race([emitted(stream), emitted(client), sleep(2000)]);
  } finally {
    client.destroy();
    server.close();
  }
};
lib.add(
  'h2-refused-stream',
  again('NETWORK_ERROR', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
  'NGHTTP2_REFUSED_STREAM: nothing was done',
  h2((stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)),
);
lib.add(
  'h2-internal',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  'NGHTTP2_INTERNAL_ERROR',
  h2((stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)),
);
lib.add(
  'h2-enhance-your-calm',
  again('RATE_LIMITED', 'PROVIDER_OVERLOADED'),
  'NGHTTP2_ENHANCE_YOUR_CALM',
  h2((stream) => stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)),
);
lib.add(
  'h2-goaway',
  again('NETWORK_ERROR', 'SERVER_ERROR'),
  'session closed by GOAWAY',
  h2((stream) => stream.session.goaway(http2.constants.NGHTTP2_INTERNAL_ERROR)),
);
lib.add(
  'h2-protocol',
  unclear('NETWORK_ERROR', 'INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'NGHTTP2_PROTOCOL_ERROR',
  h2((stream) => stream.close(http2.constants.NGHTTP2_PROTOCOL_ERROR)),
);
lib.add(
  'h2-not-h2',
  unclear('NETWORK_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
  'ERR_HTTP2_ERROR: what listens there speaks HTTP/1',
  async () => emitted(http2.connect((await serve({})).url)),
);
export default lib;
