// contentful: errors without a status of their own: `name` is the API's, `message` is JSON with status, details, requestId.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['contentful'] });
const call = async ({ url, timeout }) => {
  const { createClient } = await import('contentful');
  const client = createClient({
    space: 'shop',
    accessToken: SECRET,
    host: url.replace('http://', ''),
    insecure: true,
    retryOnError: false,
    ...(timeout && { timeout }),
  });
  return client.getEntry('june');
};
const error = (id, message, details) => ({
  sys: { type: 'Error', id },
  message,
  ...(details && { details }),
  requestId: 'reqCANARY0012',
});
// contentful.com/developers/docs/references/errors
addResponses(
  lib,
  [
    [
      'missing',
      404,
      error('NotFound', 'The resource could not be found.', { type: 'Entry', id: 'june', space: 'shop' }),
      final('NOT_FOUND'),
      '404',
    ],
    [
      'bad-token',
      401,
      error('AccessTokenInvalid', 'The access token you sent could not be found or is invalid.'),
      final('AUTHENTICATION_ERROR'),
      '401',
    ],
    [
      'denied',
      403,
      error('AccessDenied', 'Forbidden', { reasons: 'the role does not allow it' }),
      final('PERMISSION_DENIED'),
      '403',
    ],
    [
      'bad-query',
      400,
      error(
        'InvalidQuery',
        'The query you sent was invalid. Probably a filter or ordering specification is not applicable.',
        {
          errors: [{ name: 'unknownContentType', value: 'DOESNOTEXIST' }],
        },
      ),
      final('VALIDATION_ERROR'),
      '400',
    ],
    [
      'too-large',
      400,
      error('BadRequest', 'Response size too big. Maximum allowed response size: 7340032B.'),
      final('VALIDATION_ERROR'),
      'the same query is as large again',
    ],
    [
      'rate',
      429,
      error(
        'RateLimitExceeded',
        'You have exceeded the rate limit of the Organization this Space belongs to by making too many API requests within a short timespan. Please wait a moment before trying the request again.',
      ),
      again('RATE_LIMITED'),
      '429',
      { 'x-contentful-ratelimit-reset': '1' },
    ],
    [
      'validation',
      422,
      error('ValidationFailed', 'Validation error', {
        errors: [{ name: 'required', path: ['fields', 'title'] }],
      }),
      final('VALIDATION_ERROR'),
      '422',
    ],
    [
      'version',
      409,
      error('VersionMismatch', 'The version of the entry is not the current one.'),
      { ...again('CONFLICT'), retryable: null, clear: false },
      'the entry has to be read again first',
    ],
    [
      'taken',
      409,
      error('Conflict', 'A content type with this id already exists.'),
      final('ALREADY_EXISTS', 'CONFLICT'),
      'the id is taken',
    ],
    [
      'limit',
      403,
      error('UsageExceeded', 'You have reached the maximum number of records for your plan.'),
      final('QUOTA_EXCEEDED', 'PERMISSION_DENIED'),
      'the plan has no more',
    ],
    ['broken', 500, error('ServerError', 'Internal server error'), again('SERVER_ERROR'), '500'],
    [
      'hibernated',
      503,
      error('Hibernated', 'The space is hibernated and is being woken.'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'it wakes',
    ],
    ['no-body', 502, '', again('SERVER_ERROR'), '502 without words'],
  ],
  call,
  { status: true },
);
for (const one of lib.cases) if (one.name !== 'no-body') one.expect.requestId = 'reqCANARY0012';
addTransportFaults(lib, call, {
  abort: false,
  instead: { 'cut-body': again('INVALID_RESPONSE', 'NETWORK_ERROR') }, // Of the connection it keeps nothing.
});
lib.add(
  'no-token',
  final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'VALIDATION_ERROR'),
  'Expected parameter accessToken',
  async () => (await import('contentful')).createClient({ space: 'shop' }),
);
lib.add('no-space', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'Expected parameter space', async () =>
  (await import('contentful')).createClient({ accessToken: SECRET }),
);
export default lib;
