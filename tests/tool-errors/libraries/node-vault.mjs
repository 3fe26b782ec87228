// node-vault on a stub: ApiResponseError with `response.statusCode` and `response.body`, whose first `errors` is the message; else axios's error.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['node-vault'] });
const open = async (url, more = {}) => {
  const { default: vault } = await import('node-vault');
  return vault({ endpoint: url, token: SECRET, noCustomHTTPVerbs: true, ...more });
};
const call = async ({ url, timeout }) =>
  (await open(url, { requestOptions: { timeout } })).read('secret/data/shop');
const no = (...errors) => ({ errors });
// developer.hashicorp.com/vault/api-docs#http-status-codes; the words are the server's
addResponses(
  lib,
  [
    ['invalid', 400, no('missing path'), final('VALIDATION_ERROR'), '400'],
    [
      'no-handler',
      404,
      no('no handler for route "secrets/data/shop". route entry not found.'),
      final('NOT_FOUND'),
      '404 of a mount',
    ],
    ['missing', 404, no(), final('NOT_FOUND'), '404 without words'],
    ['denied', 403, no('permission denied'), final('PERMISSION_DENIED'), '403'],
    [
      'bad-token',
      403,
      no('permission denied', 'invalid token'),
      final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
      'a token that is none is a 403, too',
    ],
    [
      'no-token',
      400,
      no('missing client token'),
      final('AUTHENTICATION_ERROR', 'PROVIDER_NOT_CONFIGURED', 'VALIDATION_ERROR'),
      'a 400 about the token',
    ],
    [
      'bad-role',
      400,
      no('invalid role or secret ID'),
      final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
      'a 400 about a login',
    ],
    [
      'wrong-version',
      400,
      no('check-and-set parameter did not match the current version'),
      final('CONFLICT', 'VALIDATION_ERROR'),
      'it has to be read again first',
    ],
    [
      'mounted',
      400,
      no('path is already in use at secret/'),
      final('ALREADY_EXISTS', 'CONFLICT', 'VALIDATION_ERROR'),
      'a mount that is there',
    ],
    [
      'lease',
      400,
      no('lease not found'),
      final('NOT_FOUND', 'VALIDATION_ERROR'),
      'a 400 about a lease that is gone',
    ],
    [
      'wrong-method',
      405,
      no('unsupported operation'),
      final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
      '405',
    ],
    ['too-large', 413, no('http: request body too large'), final('VALIDATION_ERROR'), '413'],
    [
      'throttled',
      429,
      no('request path "secret/data/shop": rate limit quota exceeded'),
      again('RATE_LIMITED'),
      'a quota of its rate, not of a month',
    ],
    [
      'leases',
      429,
      no('lease count quota exceeded'),
      final('QUOTA_EXCEEDED', 'RATE_LIMITED'),
      'until leases are revoked',
    ],
    ['internal', 500, no('internal error'), again('SERVER_ERROR'), '500'],
    [
      'storage',
      500,
      no('1 error occurred:\n\t* context deadline exceeded\n\n'),
      again('TIMEOUT', 'SERVER_ERROR'),
      'the store behind it was slow',
    ],
    [
      'sealed',
      503,
      no('Vault is sealed'),
      unclear('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503: until somebody unseals it',
    ],
    [
      'standby',
      503,
      no('local node not active but active cluster node not found'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503: no leader',
    ],
    ['upstream', 502, no('a third party that Vault asked failed'), again('SERVER_ERROR'), '502'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { abort: false, skip: ['cut-body'] });
lib.add('no-lease', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'VaultError: leaseId is required', async () =>
  (await open('http://127.0.0.1:1')).startLeaseRenewal('', 60),
);
lib.add(
  'bad-arguments',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'what the schema of a command does not allow',
  async () => (await open('http://127.0.0.1:1')).init({ secret_shares: 'many' }),
);
export default lib;
