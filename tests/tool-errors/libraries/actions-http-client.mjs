// @actions/http-client on a stub: HttpClientError with `statusCode` and `result`, whose message is the body's or the body itself.
import { again, final, library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { closedPort, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['@actions/http-client'] });
const open = async (options) => new (await import('@actions/http-client')).HttpClient('agent', [], options);
const call = async ({ url, timeout, headers, ...more }) =>
  (await open({ socketTimeout: timeout, ...more })).getJson(url, headers);
// It gives null for a 404 and for what is no JSON, and waits without end for a body that breaks off.
addHttpFaults(lib, call, {
  hint: false,
  id: false,
  abort: false,
  cut: false,
  skip: ['missing', 'cut-json'],
});
lib.add(
  'disposed',
  final('CANCELLED', 'VALIDATION_ERROR', 'UNKNOWN'),
  'Client has already been disposed: the program ended it',
  async () => {
    const client = await open();
    client.dispose();
    return client.getJson('http://127.0.0.1:1');
  },
);
lib.add(
  'bare-status',
  final('PERMISSION_DENIED', { status: 403 }),
  'Failed request: (403), without a body',
  async () => call({ url: (await serve({ status: 403 })).url }),
);
lib.add(
  'downgrade',
  final('PERMISSION_DENIED', 'CONFIG_ERROR', 'INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'Redirect from HTTPS to HTTP protocol: it refuses for security',
  async () => {
    const { url } = await serve({ body: {} });
    const from = await serve({ status: 302, headers: { location: url } }, { tls: true });
    return call({ url: from.url, ignoreSslError: true });
  },
);
lib.add('no-address', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'an invalid URL', () =>
  call({ url: '/orders' }),
);
lib.add(
  'bad-header',
  final('CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a character that HTTP forbids in a header',
  () => call({ url: 'http://127.0.0.1:1', headers: { authorization: 'Bearer a\nb' } }),
);
/** One request through a proxy of the environment. */
const proxied = async (port) => {
  process.env.https_proxy = `http://127.0.0.1:${port}`;
  try {
    return await call({ url: 'https://shop.example.com' });
  } finally {
    delete process.env.https_proxy;
  }
};
const proxy = async (status) => {
  const { port } = await tcp((socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)),
  );
  return proxied(port);
};
lib.add(
  'proxy-login',
  final('AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
  'tunneling socket could not be established, statusCode=407',
  () => proxy(407),
);
lib.add(
  'proxy-forbids',
  final('PERMISSION_DENIED', 'CONFIG_ERROR', 'NETWORK_ERROR'),
  'tunneling socket could not be established, statusCode=403',
  () => proxy(403),
);
lib.add(
  'proxy-fails',
  again('SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
  'tunneling socket could not be established, statusCode=503',
  () => proxy(503),
);
lib.add(
  'proxy-refused',
  again('NETWORK_ERROR'),
  'tunneling socket could not be established: nothing listens',
  async () => proxied(await closedPort()),
);
export default lib;
