// The replies of failing GraphQL servers: status 200 with `errors[].extensions.code`, and HTTP below it.
import { again, final, unclear } from './expect.mjs';
import { serve } from './servers/net.mjs';
import { addTransportFaults } from './transport-faults.mjs';

const error = (message, extensions, more = {}) => ({
  errors: [{ message, ...more, ...(extensions && { extensions }) }],
  data: null,
});
export function addGraphqlFaults(
  lib,
  call,
  { status: keepsStatus = true, hint = true, transport = {} } = {},
) {
  for (const [name, status, body, expect, why, headers] of [
    [
      'unauthenticated',
      200,
      error('You must be logged in', { code: 'UNAUTHENTICATED' }),
      final('AUTHENTICATION_ERROR'),
      'extensions.code of Apollo Server',
    ],
    [
      'forbidden',
      200,
      error('Not allowed to see invoices', { code: 'FORBIDDEN' }),
      final('PERMISSION_DENIED'),
      'extensions.code',
    ],
    [
      'bad-input',
      200,
      error('Variable "$id" got invalid value "x"', { code: 'BAD_USER_INPUT' }),
      final('VALIDATION_ERROR'),
      'extensions.code',
    ],
    [
      'validation',
      400,
      error('Cannot query field "nam" on type "User". Did you mean "name"?', {
        code: 'GRAPHQL_VALIDATION_FAILED',
      }),
      final('VALIDATION_ERROR'),
      'a model wrote this query',
    ],
    [
      'parse',
      400,
      error('Syntax Error: Expected Name, found "}".', { code: 'GRAPHQL_PARSE_FAILED' }),
      final('VALIDATION_ERROR'),
      'a model wrote this query; the response is well',
    ],
    [
      'not-found',
      200,
      error('Could not resolve to a Repository', undefined, { type: 'NOT_FOUND', path: ['repository'] }),
      final('NOT_FOUND'),
      "GitHub's `type`",
    ],
    [
      'internal',
      200,
      error('Cannot return null for non-nullable field User.name.', { code: 'INTERNAL_SERVER_ERROR' }),
      again('SERVER_ERROR'),
      'extensions.code',
    ],
    [
      'throttled',
      200,
      error('Throttled', { code: 'THROTTLED', documentation: 'https://shopify.dev/api/usage/rate-limits' }),
      again('RATE_LIMITED'),
      "Shopify's throttling with status 200",
    ],
    [
      'rate-limited',
      200,
      error('API rate limit exceeded', undefined, { type: 'RATE_LIMITED' }),
      again('RATE_LIMITED'),
      "GitHub's rate limit with status 200",
    ],
    [
      'hasura-unique',
      200,
      error('Uniqueness violation. duplicate key value violates unique constraint "users_email_key"', {
        code: 'constraint-violation',
        path: '$.selectionSet.insert_users',
      }),
      final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
      "Hasura's kebab case",
    ],
    [
      'hasura-jwt',
      200,
      error('Could not verify JWT: JWTExpired', { code: 'invalid-jwt', path: '$' }),
      final('AUTHENTICATION_ERROR'),
      "Hasura's kebab case",
    ],
    [
      'conflict',
      200,
      error('The document was changed by somebody else', { code: 'CONFLICT', http: { status: 409 } }),
      again('CONFLICT'),
      'extensions.code',
    ],
    [
      'complexity',
      200,
      error('Query has complexity of 2600, which exceeds max complexity of 1000', {
        code: 'MAX_COMPLEXITY_EXCEEDED',
      }),
      final('VALIDATION_ERROR', 'QUOTA_EXCEEDED'),
      'a smaller query',
    ],
    [
      'persisted',
      200,
      error('PersistedQueryNotFound', { code: 'PERSISTED_QUERY_NOT_FOUND' }),
      unclear('NOT_FOUND', 'VALIDATION_ERROR'),
      'send the whole query',
    ],
    [
      'no-code',
      200,
      error('Something went wrong'),
      unclear('UNKNOWN', 'SERVER_ERROR', 'TOOL_EXECUTION_ERROR', 'INVALID_RESPONSE'),
      'only words',
    ],
    ['http-401', 401, { message: 'Bad credentials' }, final('AUTHENTICATION_ERROR'), 'HTTP below it'],
    [
      'http-429',
      429,
      { message: 'Too many requests' },
      again('RATE_LIMITED', { retryAfterMs: 4000 }),
      'HTTP below it',
      { 'retry-after': '4' },
    ],
    ['http-503', 503, 'Service Unavailable', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), 'HTTP below it'],
  ]) {
    const { retryAfterMs, ...right } = expect;
    lib.add(
      name,
      {
        ...right,
        ...(keepsStatus && status >= 400 && { status }),
        ...(hint && retryAfterMs && { retryAfterMs }),
      },
      why,
      async () => call({ url: (await serve({ status, body, headers })).url }),
    );
  }
  lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
    call({
      url: (await serve({ headers: { 'content-type': 'application/json' }, body: '{"data":{"user":{"na' }))
        .url,
    }),
  );
  addTransportFaults(lib, call, transport);
}
