// axios: AxiosError with `response`, and codes of its own (ERR_BAD_REQUEST, ECONNABORTED, ERR_CANCELED).
import { again, final, library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { closedPort, serve } from '../servers/net.mjs';

const lib = library({ packages: ['axios'] });
const axios = async () => (await import('axios')).default;
addHttpFaults(
  lib,
  async ({ url, timeout, signal }) =>
    (await axios()).get(`${url}/v1/items`, {
      timeout,
      signal,
      responseType: 'json',
      transitional: { silentJSONParsing: false, clarifyTimeoutError: true },
    }),
  {},
);
lib.add(
  'timeout-as-abort',
  again('TIMEOUT'),
  'without clarifyTimeoutError the code is ECONNABORTED',
  async () => (await axios()).get((await serve({ silent: true })).url, { timeout: 120 }),
);
lib.add(
  'too-many-redirects',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'a circle of redirects stays one',
  async () => {
    const { url } = await serve({ status: 302, headers: { location: '/again' } });
    return (await axios()).get(url, { maxRedirects: 3 });
  },
);
lib.add(
  'too-long',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'the response is larger than the caller allows',
  async () => {
    const { url } = await serve({ body: 'x'.repeat(5000) });
    return (await axios()).get(url, { maxContentLength: 1000 });
  },
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'no URL, no request', async () =>
  (await axios()).get('http://exa mple:port/'),
);
lib.add(
  'bad-protocol',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'no client speaks it',
  async () => (await axios()).get('gopher://127.0.0.1/'),
);
lib.add('proxy-refused', again('NETWORK_ERROR'), 'the proxy is down', async () => {
  const port = await closedPort();
  return (await axios()).get('http://api.example.com/', { proxy: { host: '127.0.0.1', port } });
});
export default lib;
