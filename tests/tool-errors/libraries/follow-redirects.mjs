// follow-redirects: Node's errors and five of its own, ERR_FR_*.
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve } from '../servers/net.mjs';

const lib = library({ packages: ['follow-redirects'] });
const get = async (url, options = {}, body) => {
  const { http, https } = (await import('follow-redirects')).default;
  const client = url.startsWith('https') ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(url, options, (response) => {
      response.on('error', reject);
      response.on('aborted', () => reject(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
      response.on('end', () => resolve(response.statusCode));
      response.resume();
    });
    request.on('error', reject);
    if (options.timeout) request.on('timeout', () => request.destroy(new Error('Request timed out')));
    request.end(body);
  });
};
const to = async (location) => (await serve({ status: 302, headers: { location } })).url;
lib.add(
  'loop',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR', 'CONFIG_ERROR'),
  'ERR_FR_TOO_MANY_REDIRECTS: a circle stays one',
  async () => {
    const server = await serve((request) => ({ status: 302, headers: { location: request.url } }));
    return get(server.url);
  },
);
lib.add('body-too-long', final('VALIDATION_ERROR'), 'ERR_FR_MAX_BODY_LENGTH_EXCEEDED', async () =>
  get((await serve({ body: {} })).url, { method: 'POST', maxBodyLength: 4 }, 'longer than four'),
);
lib.add(
  'other-protocol',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED', 'NETWORK_ERROR'),
  'a redirect to ftp:',
  async () => get(await to('ftp://127.0.0.1/june.csv')),
);
lib.add(
  'bad-location',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'a redirect to no address',
  async () => get(await to('http://exa mple:port/')),
);
lib.add('refused-behind', again('NETWORK_ERROR'), 'nothing listens where the redirect leads', async () =>
  get(await to(`http://127.0.0.1:${await closedPort()}/`)),
);
lib.add(
  'hook',
  unclear('UNKNOWN', 'PERMISSION_DENIED', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'ERR_FR_REDIRECTION_FAILURE: beforeRedirect() of the program threw',
  async () =>
    get(await to('http://127.0.0.1/'), {
      beforeRedirect: () => {
        throw new Error('no redirects here');
      },
    }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  get(`http://127.0.0.1:${await closedPort()}/`),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  get('http://nonexistent.invalid/'),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
  get((await serve({ reset: true })).url),
);
lib.add('cut-body', again('NETWORK_ERROR', 'INVALID_RESPONSE'), 'the body broke off', async () =>
  get((await serve({ body: '{"items":[1,2,3]}', cut: 8 })).url),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that is not trusted is not trusted the next time',
  async () => get((await serve({ body: {} }, { tls: true })).url),
);
lib.add('timeout', again('TIMEOUT'), 'the program ended it when it took too long', async () =>
  get((await serve({ silent: true })).url, { timeout: 120 }),
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
  get((await serve({ silent: true })).url, { signal: abortAfter(60) }),
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'ERR_INVALID_URL', () => get('http://'));
lib.add(
  'after-end',
  final('VALIDATION_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'ERR_STREAM_WRITE_AFTER_END: a mistake of the program',
  async () => {
    const { http } = (await import('follow-redirects')).default;
    const request = http.request((await serve({ body: {} })).url, { method: 'POST' });
    request.on('error', () => {});
    request.end('x');
    request.write('y');
  },
);
lib.add(
  'not-text',
  final('VALIDATION_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'a body that is neither text nor bytes',
  async () => {
    const { http } = (await import('follow-redirects')).default;
    const request = http.request((await serve({ body: {} })).url, { method: 'POST' });
    request.on('error', () => {});
    request.write(7);
  },
);
export default lib;
