// pipedrive: what is thrown is the body of the response, else axios's error. The body says `success: false`, `error`, `error_info`, `errorCode`.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['pipedrive'] });
const call = async ({ url }) => {
  const { v2 } = (await import('pipedrive')).default ?? (await import('pipedrive'));
  const api = new v2.DealsApi(new v2.Configuration({ apiKey: SECRET, basePath: `${url}/api/v2` }));
  return api.getDeal({ id: 7 });
};
const no = (error, errorCode, info = '') => ({
  success: false,
  error,
  error_info: info,
  ...(errorCode && { errorCode }),
  data: null,
});
// pipedrive.readme.io/docs/core-api-concepts-http-status-codes
addResponses(
  lib,
  [
    [
      'missing',
      404,
      no('Deal not found', 404, 'Please check developers.pipedrive.com'),
      final('NOT_FOUND'),
      '404',
    ],
    ['gone', 410, no('Deal was deleted', 410), final('NOT_FOUND'), '410'],
    ['bad-token', 401, no('unauthorized access', 401), final('AUTHENTICATION_ERROR'), '401'],
    ['bad-scope', 403, no('Scope and URL mismatch', 403), final('PERMISSION_DENIED'), '403'],
    ['not-yours', 403, no('You do not have permission to do this', 403), final('PERMISSION_DENIED'), '403'],
    ['unpaid', 402, no('Payment required', 402), final('QUOTA_EXCEEDED'), '402'],
    [
      'invalid',
      400,
      no('Validation failed: title: Parameter should be a string', 400),
      final('VALIDATION_ERROR'),
      '400',
    ],
    [
      'unprocessable',
      422,
      no('Webhooks limit reached', 422),
      final('QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
      '422: as many as the account may have',
    ],
    ['duplicate', 409, no('Field key already exists', 409), final('ALREADY_EXISTS', 'CONFLICT'), '409'],
    ['wrong-type', 415, no('Unsupported media type', 415), final('VALIDATION_ERROR'), '415'],
    [
      'throttled',
      429,
      no('request over limit', 429),
      again('RATE_LIMITED'),
      '429',
      { 'retry-after': '2', 'x-ratelimit-remaining': '0' },
    ],
    [
      'daily-budget',
      429,
      no('Daily token budget exceeded', 429, 'The daily API token budget of the company is used up'),
      final('QUOTA_EXCEEDED', 'RATE_LIMITED'),
      'a day is long',
    ],
    [
      'blocked',
      403,
      '<html><head><title>403 Forbidden</title></head><body>cloudflare</body></html>',
      final('PERMISSION_DENIED', 'RATE_LIMITED'),
      'the firewall blocks who is refused too often',
      { 'content-type': 'text/html' },
    ],
    ['broken', 500, no('Internal server error', 500), again('SERVER_ERROR'), '500'],
    [
      'not-there',
      501,
      no('Not implemented', 501),
      final('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR'),
      '501',
    ],
    ['unavailable', 503, no('Service Unavailable', 503), again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '503'],
    ['gateway', 504, '', again('TIMEOUT', 'SERVER_ERROR'), '504 without words'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { timeout: false, abort: false });
lib.add('no-id', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'a call without what it needs', async () => {
  const { v2 } = (await import('pipedrive')).default ?? (await import('pipedrive'));
  return new v2.DealsApi(new v2.Configuration({ apiKey: SECRET })).getDeal({});
});
lib.add(
  'no-code',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
  'Authorization failed. Authorization code is not set.',
  async () => {
    const { v2 } = (await import('pipedrive')).default ?? (await import('pipedrive'));
    return new v2.OAuth2Configuration({
      clientId: 'a',
      clientSecret: SECRET,
      redirectUri: 'https://example.com',
    }).authorize('');
  },
);
export default lib;
