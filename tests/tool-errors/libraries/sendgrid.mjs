// @sendgrid/mail: ResponseError with a numeric `code` that is the status, and `response.body.errors`.
import { again, final, library, SECRET } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@sendgrid/mail'] });
const call = async ({ url, timeout }) => {
  const { default: mail } = await import('@sendgrid/mail');
  mail.setApiKey(`SG.${SECRET}`);
  mail.client.setDefaultRequest('baseUrl', `${url}/`);
  mail.client.setDefaultRequest('timeout', timeout);
  mail.setTimeout(timeout ?? 5000);
  return mail.send({ to: 'jane.doe@example.com', from: 'agent@example.com', subject: 'x', text: 'y' });
};
for (const [name, status, message, expect, why, headers] of [
  [
    'bad-key',
    401,
    'The provided authorization grant is invalid, expired, or revoked',
    final('AUTHENTICATION_ERROR'),
    '401',
  ],
  ['no-credits', 401, 'Maximum credits exceeded', final('QUOTA_EXCEEDED'), 'a 401 that is about money'],
  [
    'sender',
    403,
    'The from address does not match a verified Sender Identity.',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    '403',
  ],
  ['invalid', 400, 'Does not contain a valid address.', final('VALIDATION_ERROR'), '400'],
  [
    'too-large',
    413,
    'The JSON payload you have included in your request is too large.',
    final('VALIDATION_ERROR'),
    '413',
  ],
  [
    'rate',
    429,
    'too many requests',
    again('RATE_LIMITED', { retryAfterMs: 30_000, within: 3000 }),
    '429',
    () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 30) }),
  ],
  ['internal', 500, 'An error occurred on a SendGrid server', again('SERVER_ERROR'), '500'],
  [
    'unavailable',
    503,
    'The SendGrid Web API is not available.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
]) {
  lib.add(name, { ...expect, status }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers: headers?.(),
          body: { errors: [{ message, field: null, help: null }] },
        })
      ).url,
    }),
  );
}
addTransportFaults(lib, call, { abort: false, skip: ['cut-body'] });
export default lib;
