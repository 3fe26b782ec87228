// heroku-client: "Expected response to be successful, got 404" with `statusCode` and `body`.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { serve } from '../servers/net.mjs';
import { addPage, addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['heroku-client'] });
const call = async ({ url, timeout }) => {
  const { default: Heroku } = await import('heroku-client');
  return new Heroku({ token: SECRET, host: url, timeout, rejectUnauthorized: true }).get('/apps/june');
};
const says = (id, message, more) => ({ id, message, ...more });
// devcenter.heroku.com/articles/platform-api-reference#errors
addResponses(
  lib,
  [
    [
      'bad-request',
      400,
      says('bad_request', 'Unable to parse the JSON in the request body.'),
      final('VALIDATION_ERROR'),
      'bad_request',
    ],
    [
      'unauthorized',
      401,
      says('unauthorized', 'Invalid credentials provided.'),
      final('AUTHENTICATION_ERROR'),
      'unauthorized',
    ],
    [
      'delinquent',
      402,
      says('delinquent', 'This account has an unpaid balance.'),
      final('QUOTA_EXCEEDED'),
      'delinquent',
    ],
    [
      'forbidden',
      403,
      says('forbidden', 'You do not have access to the app june.'),
      final('PERMISSION_DENIED'),
      'forbidden',
    ],
    [
      'suspended',
      403,
      says('suspended', 'Your account has been suspended.'),
      final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'QUOTA_EXCEEDED'),
      'suspended',
    ],
    [
      'two-factor',
      403,
      says('two_factor', 'A second authentication factor or pre-authorization is required for this request.'),
      final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
      'two_factor',
    ],
    [
      'not-found',
      404,
      says('not_found', "Couldn't find that app.", { resource: 'app' }),
      final('NOT_FOUND'),
      'not_found',
    ],
    [
      'not-acceptable',
      406,
      says('not_acceptable', 'Request unacceptable, see documentation for details.'),
      final('VALIDATION_ERROR'),
      'not_acceptable',
    ],
    [
      'conflict',
      409,
      says('conflict', 'The resource was changed by another request.'),
      again('CONFLICT'),
      'conflict',
    ],
    ['gone', 410, says('gone', 'This app was removed.'), final('NOT_FOUND'), 'gone'],
    [
      'range',
      416,
      says('requested_range_not_satisfiable', 'The range cannot be satisfied.'),
      final('VALIDATION_ERROR'),
      '416',
    ],
    [
      'name-taken',
      422,
      says('invalid_params', 'Name june is already taken'),
      final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
      'invalid_params about what exists',
    ],
    [
      'invalid',
      422,
      says('invalid_params', 'Name must start with a letter, end with a letter or digit.'),
      final('VALIDATION_ERROR'),
      'invalid_params',
    ],
    [
      'verification',
      422,
      says('verification_required', 'Please verify your account to add add-ons. Enter your credit card.'),
      final('PERMISSION_DENIED', 'QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
      'verification_required',
    ],
    [
      'throttled',
      429,
      says(
        'rate_limit',
        'Your account reached the API rate limit. Please wait a few minutes before making new requests',
      ),
      again('RATE_LIMITED'),
      'rate_limit',
    ],
    ['broken', 500, says('internal_server_error', 'Internal server error.'), again('SERVER_ERROR'), '500'],
    [
      'maintenance',
      503,
      says('maintenance', 'Heroku API is currently in maintenance mode.'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { retryAfterMs: 20_000 }),
      'maintenance passes',
      { 'retry-after': '20' },
    ],
    ['unavailable', 503, '', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '503 without words'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { abort: false, skip: ['cut-body'] });
lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
  call({
    url: (await serve({ headers: { 'content-type': 'application/json' }, body: '{"id":"june","na' })).url,
  }),
);
addPage(lib, call);
export default lib;
