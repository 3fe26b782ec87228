// bent: StatusError with `statusCode` and `headers`; the body is an unread promise.
import { final, library, unclear } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { serve } from '../servers/net.mjs';

const lib = library({ packages: ['bent'] });
const bent = async () => (await import('bent')).default;
addHttpFaults(lib, async ({ url }) => (await bent())(url, 'json')('/v1/items'), {
  body: false,
  abort: false, // It takes no signal and has no timeout.
  timeout: false,
  cut: false, // It waits for the rest for ever.
});
lib.add(
  'unexpected-status',
  unclear('INVALID_RESPONSE', 'UNKNOWN', { status: 204 }),
  'a success that the program did not list',
  async () => (await bent())((await serve({ status: 204 })).url, 200, 'string')('/'),
);
lib.add(
  'html',
  unclear('INVALID_RESPONSE'),
  'a page instead of JSON: SyntaxError with the body in its message',
  async () => (await bent())((await serve({ body: '<html>Hello</html>' })).url, 'json')('/'),
);
lib.add(
  'bad-protocol',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'Unknown protocol',
  async () => (await bent())('json')('gopher://127.0.0.1/'),
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'ERR_INVALID_URL', async () =>
  (await bent())('json')('nowhere'),
);
lib.add('bad-options', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'Unknown encoding', async () =>
  (await bent())('yaml'),
);
lib.add(
  'bad-body',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'Unknown body type: a mistake of the program',
  async () => (await bent())('PUT', (await serve({ body: {} })).url, 'json')('/', 7),
);
export default lib;
