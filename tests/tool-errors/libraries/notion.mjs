// @notionhq/client: APIResponseError with `code`, `status`, `headers`, `body`; RequestTimeoutError.
import { again, final, library, SECRET } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const ID = 'f0e1CANARY-0007';
const lib = library({ packages: ['@notionhq/client'] });
const call = async ({ url, timeout }) => {
  const { Client, LogLevel } = await import('@notionhq/client');
  const client = new Client({
    auth: SECRET,
    baseUrl: url,
    timeoutMs: timeout ?? 5000,
    logLevel: LogLevel.ERROR,
    logger: () => {},
    retry: false,
  });
  return client.pages.retrieve({ page_id: 'b55c9c91-384d-452b-81db-d1ef79372b75' });
};
for (const [code, status, message, expect, why, headers] of [
  [
    'object_not_found',
    404,
    'Could not find page with ID: b55c9c91. Make sure the relevant pages and databases are shared with your integration.',
    final('NOT_FOUND'),
    'no such page',
  ],
  ['unauthorized', 401, 'API token is invalid.', final('AUTHENTICATION_ERROR'), 'the token'],
  [
    'restricted_resource',
    403,
    'Insufficient permissions for this endpoint.',
    final('PERMISSION_DENIED'),
    'rights',
  ],
  [
    'validation_error',
    400,
    'body failed validation: body.parent should be defined',
    final('VALIDATION_ERROR'),
    'the body',
  ],
  [
    'invalid_json',
    400,
    'Error parsing JSON body.',
    final('VALIDATION_ERROR'),
    'the request was no JSON; the response is well',
  ],
  [
    'missing_version',
    400,
    'Notion-Version header failed validation',
    final('VALIDATION_ERROR', 'CONFIG_ERROR'),
    'a header',
  ],
  [
    'conflict_error',
    409,
    'Conflict occurred while saving. Please try again.',
    again('CONFLICT'),
    '409, try again',
  ],
  [
    'rate_limited',
    429,
    'You have been rate limited. Please try again in a few minutes.',
    again('RATE_LIMITED', { retryAfterMs: 12_000 }),
    '429',
    { 'retry-after': '12' },
  ],
  ['internal_server_error', 500, 'Unexpected error occurred.', again('SERVER_ERROR'), '500'],
  [
    'service_unavailable',
    503,
    'Notion is unavailable, please try again later.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
  [
    'gateway_timeout',
    504,
    'Your request timed out while being processed.',
    again('TIMEOUT', 'SERVER_ERROR'),
    '504',
  ],
  [
    'database_connection_unavailable',
    503,
    "Notion's database is unavailable or is not in a state that can be queried.",
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(code, { ...right, status, requestId: ID, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers: { 'x-notion-request-id': ID, ...headers },
          body: { object: 'error', status, code, message, request_id: ID },
        })
      ).url,
    }),
  );
}
addTransportFaults(lib, call, { abort: false });
export default lib;
