// @linear/sdk on a stub: an error class for each `extensions.type` of the GraphQL response, with `type`, `status`, `raw`.
import { again, final, library, SECRET } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addConnectionFaults, addPage } from '../transport-faults.mjs';

const lib = library({ packages: ['@linear/sdk'] });
const call = async ({ url, signal }) => {
  const { LinearClient } = await import('@linear/sdk');
  return (await new LinearClient({ apiKey: SECRET, apiUrl: `${url}/graphql`, signal }).viewer).id;
};
const failed = (status, type, message, code, headers) => async () =>
  call({
    url: (
      await serve({
        status,
        headers,
        body: {
          errors: [
            {
              message,
              path: ['viewer'],
              extensions: { type, ...(code && { code }), userPresentableMessage: message },
            },
          ],
          data: null,
        },
      })
    ).url,
  });
// linear.app/developers/graphql#errors, and the types that the client knows
const rows = [
  [
    'bad-key',
    400,
    'authentication error',
    'Authentication required, not authenticated',
    'AUTHENTICATION_ERROR',
    final('AUTHENTICATION_ERROR'),
    'a 400 by Linear',
  ],
  [
    'bad-key-401',
    401,
    'authentication error',
    'Invalid API key',
    'AUTHENTICATION_ERROR',
    final('AUTHENTICATION_ERROR'),
    '401',
  ],
  [
    'forbidden',
    200,
    'forbidden',
    'You do not have access to this team',
    'FORBIDDEN',
    final('PERMISSION_DENIED'),
    'within a 200',
  ],
  ['forbidden-403', 403, 'forbidden', 'Forbidden', 'FORBIDDEN', final('PERMISSION_DENIED'), '403'],
  [
    'missing',
    200,
    'invalid input',
    'Entity not found: Issue - Could not find referenced Issue.',
    'INPUT_ERROR',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'an issue that is not there',
  ],
  [
    'argument',
    200,
    'invalid input',
    'Argument Validation Error - teamId must be a UUID.',
    'INVALID_INPUT',
    final('VALIDATION_ERROR'),
    'a wrong argument',
  ],
  [
    'query',
    400,
    'graphql error',
    'Cannot query field "frob" on type "User".',
    'GRAPHQL_VALIDATION_FAILED',
    final('VALIDATION_ERROR'),
    'a field that is not there',
  ],
  [
    'throttled',
    400,
    'ratelimited',
    'Rate limit exceeded. Only 1500 requests are allowed per 1 hour.',
    'RATELIMITED',
    again('RATE_LIMITED'),
    'a 400 by Linear',
  ],
  [
    'complexity',
    400,
    'invalid input',
    'Query too complex: complexity 12000 exceeds the maximum of 10000',
    'INVALID_INPUT',
    final('VALIDATION_ERROR'),
    'the query stays too complex',
  ],
  [
    'usage',
    200,
    'usage limit exceeded',
    'Usage limit exceeded: upgrade to a paid plan to create more issues.',
    'USAGE_LIMIT_EXCEEDED',
    final('QUOTA_EXCEEDED', 'PERMISSION_DENIED'),
    'until somebody upgrades',
  ],
  [
    'feature',
    200,
    'feature not accessible',
    'Feature not accessible on your plan',
    'FEATURE_NOT_ACCESSIBLE',
    final('PERMISSION_DENIED', 'QUOTA_EXCEEDED', 'PROVIDER_NOT_SUPPORTED'),
    'not in this plan',
  ],
  [
    'lock',
    200,
    'lock timeout',
    'Lock timeout: the entity is being updated by another request',
    'LOCK_TIMEOUT',
    again('CONFLICT', 'TIMEOUT'),
    'contention',
  ],
  [
    'internal',
    500,
    'internal error',
    'Internal server error',
    'INTERNAL_SERVER_ERROR',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'internal-200',
    200,
    'internal error',
    'An unexpected error occurred',
    'INTERNAL_SERVER_ERROR',
    again('SERVER_ERROR'),
    'within a 200',
  ],
];
for (const [name, status, type, message, code, expect, why] of rows)
  lib.add(name, { ...expect, ...(status >= 400 && { status }) }, why, failed(status, type, message, code));
const page = (status, title) => async () =>
  call({
    url: (
      await serve({
        status,
        headers: { 'content-type': 'text/html' },
        body: `<html><head><title>${status} ${title}</title></head></html>`,
      })
    ).url,
  });
lib.add(
  'html-502',
  again('SERVER_ERROR', { status: 502 }),
  'a proxy in between fails',
  page(502, 'Bad Gateway'),
);
lib.add(
  'html-504',
  again('TIMEOUT', 'SERVER_ERROR', { status: 504 }),
  'a proxy gave up',
  page(504, 'Gateway Time-out'),
);
addPage(lib, call);
addConnectionFaults((...one) => lib.add(...one), call, { host: false });
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () => {
  const { abortAfter } = await import('../servers/net.mjs');
  return call({ url: (await serve({ silent: true })).url, signal: abortAfter(60) });
});
lib.add(
  'no-key',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'No accessToken or apiKey provided',
  async () => {
    const { LinearClient } = await import('@linear/sdk');
    return new LinearClient({});
  },
);
lib.add(
  'plain-http',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'apiUrl must use HTTPS',
  () => call({ url: 'http://linear.example.com' }),
);
export default lib;
