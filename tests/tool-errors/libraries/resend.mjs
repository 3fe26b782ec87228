// resend: it returns `{ data, error }` and throws nothing; programs throw `error`, a plain object.
import { again, final, library, SECRET } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['resend'] });
const call = async ({ url }) => {
  const { Resend } = await import('resend');
  const resend = new Resend(`re_${SECRET}`, { baseUrl: url });
  const { data, error } = await resend.emails.send({
    from: 'agent@example.com',
    to: 'jane.doe@example.com',
    subject: 'x',
    text: 'y',
  });
  if (error) throw error;
  return data;
};
// resend.com/docs/api-reference/errors
for (const [name, statusCode, type, message, expect, why] of [
  [
    'missing-key',
    401,
    'missing_api_key',
    'Missing API Key',
    final('AUTHENTICATION_ERROR', 'PROVIDER_NOT_CONFIGURED'),
    '401',
  ],
  [
    'bad-key',
    403,
    'invalid_api_key',
    'API key is invalid',
    final('AUTHENTICATION_ERROR'),
    'a 403 about the key',
  ],
  [
    'restricted-key',
    401,
    'restricted_api_key',
    'This API key is restricted to only send emails',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    'a 401 about rights',
  ],
  [
    'testing-only',
    403,
    'validation_error',
    'You can only send testing emails to your own email address (jane.doe@example.com).',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    '403',
  ],
  [
    'domain',
    403,
    'validation_error',
    'The example.com domain is not verified. Please, add and verify your domain on https://resend.com/domains',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    '403',
  ],
  ['missing', 404, 'not_found', 'The requested endpoint does not exist', final('NOT_FOUND'), '404'],
  [
    'method',
    405,
    'method_not_allowed',
    'Method is not allowed for the requested path',
    final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED', 'PERMISSION_DENIED'),
    '405',
  ],
  [
    'idempotency-key-reused',
    409,
    'invalid_idempotent_request',
    'Same idempotency key used with a different request payload.',
    final('VALIDATION_ERROR', 'CONFLICT', 'ALREADY_EXISTS'),
    'a 409 that stays',
  ],
  [
    'concurrent',
    409,
    'concurrent_idempotent_requests',
    'Same idempotency key used while original request is still in progress.',
    again('CONFLICT'),
    'the first one will be done',
  ],
  [
    'bad-from',
    422,
    'invalid_from_address',
    'Invalid `from` field. The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.',
    final('VALIDATION_ERROR'),
    '422',
  ],
  ['missing-field', 422, 'missing_required_field', 'Missing `to` field.', final('VALIDATION_ERROR'), '422'],
  [
    'attachment',
    422,
    'invalid_attachment',
    'Attachment must have either a `content` or `path`.',
    final('VALIDATION_ERROR'),
    '422',
  ],
  [
    'rate',
    429,
    'rate_limit_exceeded',
    'Too many requests. You can only make 2 requests per second.',
    again('RATE_LIMITED'),
    '429',
  ],
  [
    'daily-quota',
    429,
    'daily_quota_exceeded',
    'You have reached your daily email sending quota.',
    final('QUOTA_EXCEEDED'),
    'a 429 that a day of waiting ends',
  ],
  [
    'monthly-quota',
    429,
    'monthly_quota_exceeded',
    'You have reached your monthly email sending quota.',
    final('QUOTA_EXCEEDED'),
    'a 429 that a month of waiting ends',
  ],
  [
    'security',
    451,
    'security_error',
    'We may have found a security issue with the request.',
    final('PERMISSION_DENIED', 'CONTENT_FILTERED', 'VALIDATION_ERROR'),
    '451',
  ],
  ['application', 500, 'application_error', 'An unexpected error occurred', again('SERVER_ERROR'), '500'],
  ['internal', 500, 'internal_server_error', 'An unexpected error occurred.', again('SERVER_ERROR'), '500'],
]) {
  lib.add(name, { ...expect, status: statusCode }, why, async () =>
    call({ url: (await serve({ status: statusCode, body: { statusCode, name: type, message } })).url }),
  );
}
const unresolved = again('NETWORK_ERROR', 'SERVER_ERROR', 'INVALID_RESPONSE');
addTransportFaults(lib, call, {
  abort: false,
  timeout: false, // It takes neither.
  skip: ['unknown-host', 'reset'], // It says "Unable to fetch data" for all of them.
  instead: { refused: unresolved, 'cut-body': unresolved },
});
lib.add(
  'not-configured',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR'),
  'Missing API key: set up without one',
  async () => new (await import('resend')).Resend(),
);
export default lib;
