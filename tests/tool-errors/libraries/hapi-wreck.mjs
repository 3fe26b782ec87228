// @hapi/wreck on a stub: Boom errors, whose status of the response, or of the client's own failure, is `output.statusCode`.
import { final, library, unclear } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { serve } from '../servers/net.mjs';

const lib = library({ packages: ['@hapi/wreck'] });
const call = async ({ url, timeout, ...more }) => {
  const { default: Wreck } = await import('@hapi/wreck');
  return (await Wreck.get(url, { timeout, json: true, ...more })).payload;
};
addHttpFaults(lib, call, { hint: true, id: true, abort: false });
lib.add(
  'too-long',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'Payload content length greater than maximum allowed',
  async () => call({ url: (await serve({ body: 'x'.repeat(2000) })).url, maxBytes: 100 }),
);
lib.add(
  'redirects',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR'),
  'Maximum redirections reached',
  async () => {
    const { url } = await serve((request) => ({
      status: 302,
      headers: { location: `http://${request.headers.host}/` },
    }));
    return call({ url, redirects: 2 });
  },
);
lib.add(
  'redirect-nowhere',
  unclear('INVALID_RESPONSE', 'SERVER_ERROR', 'NETWORK_ERROR'),
  'Received redirection without location',
  async () => call({ url: (await serve({ status: 302 })).url, redirects: 2 }),
);
lib.add(
  'bad-option',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'an option that is no function',
  async () => call({ url: 'http://127.0.0.1:1', redirects: 1, redirected: 7 }),
);
lib.add('no-address', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'a path without a base URL', async () =>
  call({ url: '/orders' }),
);
export default lib;
