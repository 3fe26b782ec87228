// twilio: RestException with `status`, numeric `code`, `moreInfo`.
import { again, final, library, SECRET } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['twilio'] });
const call = async ({ url, timeout }) => {
  const { default: twilio } = await import('twilio');
  const client = twilio('AC00000000000000000000000000000000', SECRET, { timeout: timeout ?? 5000 });
  const { httpClient } = client;
  const whole = httpClient.request.bind(httpClient);
  // Its host is fixed: the request goes to the stub instead.
  httpClient.request = (options) =>
    whole({ ...options, uri: options.uri.replace('https://api.twilio.com', url) });
  return client.messages.create({ to: '+15005550006', from: '+15005550001', body: 'Hello' });
};
for (const [name, status, code, message, expect, why, headers] of [
  ['bad-credentials', 401, 20003, 'Authenticate', final('AUTHENTICATION_ERROR'), '20003'],
  ['missing', 404, 20404, 'The requested resource /Messages.json was not found', final('NOT_FOUND'), '20404'],
  [
    'bad-number',
    400,
    21211,
    "The 'To' number +1555 is not a valid phone number.",
    final('VALIDATION_ERROR'),
    '21211',
  ],
  [
    'unsubscribed',
    400,
    21610,
    'Attempt to send to unsubscribed recipient',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
    '21610',
  ],
  [
    'unverified',
    400,
    21608,
    'The number is unverified. Trial accounts cannot send messages to unverified numbers.',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
    '21608',
  ],
  ['too-many', 429, 20429, 'Too Many Requests', again('RATE_LIMITED'), '20429'],
  ['queue-overflow', 429, 30001, 'Queue overflow', again('RATE_LIMITED', 'PROVIDER_OVERLOADED'), '30001'],
  [
    'suspended',
    403,
    20005,
    'Account not active',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'QUOTA_EXCEEDED'),
    '20005',
  ],
  ['no-funds', 402, 20008, 'Account has insufficient funds', final('QUOTA_EXCEEDED'), '402'],
  [
    'daily-limit',
    429,
    63038,
    'Account exceeded the daily messages limit',
    final('QUOTA_EXCEEDED', 'RATE_LIMITED'),
    '63038: a day is long',
  ],
  ['internal', 500, 20500, 'Internal Server Error', again('SERVER_ERROR'), '20500'],
  ['unavailable', 503, 20503, 'Service unavailable', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '20503'],
]) {
  lib.add(name, { ...expect, status }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers,
          body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
        })
      ).url,
    }),
  );
}
lib.add(
  'no-account',
  final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'accountSid must start with AC',
  async () => {
    const { default: twilio } = await import('twilio');
    return twilio('nothing', 'nothing');
  },
);
addTransportFaults(lib, call, { abort: false, skip: ['cut-body'] });
export default lib;
