// got: HTTPError, TimeoutError, RequestError, with a non-enumerable `response`.
import { again, final, library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { serve } from '../servers/net.mjs';

const lib = library({ packages: ['got'] });
const got = async () => (await import('got')).default;
addHttpFaults(lib, async ({ url, timeout, signal }) =>
  (await got())(`${url}/v1/items`, { timeout: { request: timeout }, signal, retry: { limit: 0 } }).json(),
);
lib.add(
  'too-many-redirects',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'a circle of redirects stays one',
  async () => {
    const { url } = await serve({ status: 302, headers: { location: '/again' } });
    return (await got())(url, { maxRedirects: 2, retry: { limit: 0 } });
  },
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'no URL, no request', async () =>
  (await got())('not a url'),
);
lib.add('connect-timeout', again('TIMEOUT'), 'a phase has a timeout of its own', async () =>
  (await got())((await serve({ silent: true })).url, { timeout: { response: 100 }, retry: { limit: 0 } }),
);
export default lib;
