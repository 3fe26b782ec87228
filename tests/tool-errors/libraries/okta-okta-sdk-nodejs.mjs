// @okta/okta-sdk-nodejs on a stub: OktaApiError with `status`, `errorCode`, `errorSummary`, `errorCauses`; HttpError for a body
// that is no JSON.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@okta/okta-sdk-nodejs'] });
const open = async (more) => {
  const { default: okta } = await import('@okta/okta-sdk-nodejs');
  return new okta.Client({
    token: SECRET,
    requestExecutor: new okta.DefaultRequestExecutor({ maxRetries: 0 }),
    cacheMiddleware: null,
    ...more,
  });
};
const call = async ({ url }) => (await open({ orgUrl: url })).userApi.getUser({ userId: 'jane' });
const no = (errorCode, errorSummary, ...causes) => ({
  errorCode,
  errorSummary,
  errorLink: errorCode,
  errorId: 'oaeCANARY',
  errorCauses: causes.map((summary) => ({ errorSummary: summary })),
});
// developer.okta.com/docs/reference/error-codes
addResponses(
  lib,
  [
    [
      'invalid',
      400,
      no(
        'E0000001',
        'Api validation failed: login',
        'login: Username must be in the form of an email address',
      ),
      final('VALIDATION_ERROR'),
      'E0000001',
    ],
    [
      'taken',
      400,
      no(
        'E0000001',
        'Api validation failed: login',
        'login: An object with this field already exists in the current organization',
      ),
      final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
      'E0000001 with a cause that says which',
    ],
    [
      'bad-json',
      400,
      no('E0000003', 'The request body was not well-formed.'),
      final('VALIDATION_ERROR'),
      'E0000003',
    ],
    ['bad-login', 401, no('E0000004', 'Authentication failed'), final('AUTHENTICATION_ERROR'), 'E0000004'],
    [
      'bad-session',
      403,
      no('E0000005', 'Invalid session'),
      final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
      'E0000005',
    ],
    [
      'denied',
      403,
      no('E0000006', 'You do not have permission to perform the requested action'),
      final('PERMISSION_DENIED'),
      'E0000006',
    ],
    [
      'missing',
      404,
      no('E0000007', 'Not found: Resource not found: jane (User)'),
      final('NOT_FOUND'),
      'E0000007',
    ],
    ['no-path', 404, no('E0000008', 'The requested path was not found'), final('NOT_FOUND'), 'E0000008'],
    ['internal', 500, no('E0000009', 'Internal Server Error'), again('SERVER_ERROR'), 'E0000009'],
    [
      'read-only',
      503,
      no('E0000010', 'Service is in read only mode'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'E0000010: it passes',
    ],
    ['bad-token', 401, no('E0000011', 'Invalid token provided'), final('AUTHENTICATION_ERROR'), 'E0000011'],
    [
      'feature',
      401,
      no('E0000015', 'You do not have permission to access the feature you are requesting'),
      final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
      'E0000015',
    ],
    [
      'active',
      403,
      no('E0000016', 'Activation failed because the user is already active'),
      final('CONFLICT', 'ALREADY_EXISTS', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
      'E0000016: as it should be, already',
    ],
    [
      'method',
      405,
      no('E0000022', 'The endpoint does not support the provided HTTP method'),
      final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
      'E0000022',
    ],
    [
      'throttled',
      429,
      no('E0000047', 'API call exceeded rate limit due to too many requests.'),
      again('RATE_LIMITED'),
      'E0000047',
      () => ({
        'x-rate-limit-limit': '600',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': String(Math.ceil(Date.now() / 1000) + 30),
        date: new Date().toUTCString(),
      }),
    ],
    [
      'locked',
      401,
      no('E0000069', 'User Locked'),
      final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
      'E0000069: until an administrator unlocks it',
    ],
    [
      'limit',
      400,
      no('E0000054', 'Operation limit reached: the maximum number of groups has been reached'),
      final('QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
      'as many as the org may have',
    ],
    [
      'unique',
      409,
      no('E0000055', 'Duplicate group'),
      final('ALREADY_EXISTS', 'CONFLICT'),
      '409: the name is taken',
    ],
    ['gateway', 504, '', again('TIMEOUT', 'SERVER_ERROR'), '504 without words'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { abort: false, timeout: false, skip: ['cut-body'] });
lib.add(
  'no-token',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'Okta API token not provided',
  () => open({ orgUrl: 'https://shop.okta.example.com', token: '' }),
);
lib.add(
  'no-org',
  final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'VALIDATION_ERROR'),
  'Okta Org URL not provided',
  () => open({}),
);
lib.add('bad-mode', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'Unknown Authorization Mode', () =>
  open({ orgUrl: 'https://shop.okta.example.com', authorizationMode: 'Frob' }),
);
lib.add('no-argument', final('VALIDATION_ERROR'), 'a required parameter was null', async () =>
  (await open({ orgUrl: 'http://127.0.0.1:1' })).userApi.getUser({}),
);
export default lib;
