// fauna on a stub: ServiceError and its kinds with `code`, `httpStatus`, `queryInfo`; ClientError, NetworkError, ProtocolError.
import { again, final, library, SECRET } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addConnectionFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['fauna'] });
const call = async ({ url, timeout = 3000, query }) => {
  const { Client, FetchClient, fql } = await import('fauna');
  const client = new Client(
    {
      secret: SECRET,
      endpoint: new URL(url),
      max_attempts: 1,
      query_timeout_ms: timeout,
      client_timeout_buffer_ms: 10,
    },
    new FetchClient({
      url,
      http2_session_idle_ms: 500,
      http2_max_streams: 1,
      fetch_keepalive: false,
    }),
  );
  return query ? query(client) : client.query(fql`Order.all()`);
};
// docs.fauna.com/fauna/current/reference/http/reference/errors
const rows = [
  [
    'invalid-query',
    400,
    'invalid_query',
    'The query failed 1 validation check',
    final('VALIDATION_ERROR'),
    'a check before it ran',
  ],
  [
    'invalid-request',
    400,
    'invalid_request',
    'The request body was not valid JSON',
    final('VALIDATION_ERROR'),
    '400',
  ],
  [
    'missing-document',
    404,
    'document_not_found',
    'Collection `Order` does not contain document with ID 7.',
    final('NOT_FOUND'),
    '404',
  ],
  [
    'invalid-argument',
    400,
    'invalid_argument',
    'expected value for `index` to be greater than or equal to 0',
    final('VALIDATION_ERROR'),
    'of a function',
  ],
  [
    'constraint',
    400,
    'constraint_failure',
    'Failed to create document in collection `Order`.',
    final('VALIDATION_ERROR', 'ALREADY_EXISTS'),
    'a check of the schema',
  ],
  [
    'unique',
    400,
    'constraint_failure',
    'Failed unique constraint: a document with these values exists already',
    final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'the words say which',
  ],
  ['unauthorized', 401, 'unauthorized', 'Access token required', final('AUTHENTICATION_ERROR'), '401'],
  ['forbidden', 403, 'forbidden', 'Permission denied', final('PERMISSION_DENIED'), '403'],
  [
    'contended',
    409,
    'contended_transaction',
    'Transaction was aborted due to detection of concurrent modification.',
    again('CONFLICT'),
    'contention',
  ],
  ['throttled', 429, 'limit_exceeded', 'Rate limit exceeded', again('RATE_LIMITED'), '429'],
  [
    'timeout-server',
    440,
    'time_out',
    'Query timeout: the query took longer than query_timeout_ms',
    again('TIMEOUT', 'SERVER_ERROR'),
    '440 is no session that ended here',
  ],
  [
    'timeout-service',
    503,
    'time_out',
    'The service timed out',
    again('TIMEOUT', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503 of that code',
  ],
  [
    'internal',
    500,
    'internal_error',
    'Unexpected error, please contact support.',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'aborted',
    400,
    'abort',
    'Query aborted.',
    final('TOOL_EXECUTION_ERROR', 'CANCELLED', 'VALIDATION_ERROR', 'UNKNOWN'),
    'the query itself called abort()',
  ],
  [
    'divided',
    400,
    'divide_by_zero',
    'Attempted integer division by zero.',
    final('VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
    'a mistake of the query',
  ],
];
for (const [name, status, code, message, expect, why] of rows)
  lib.add(name, { ...expect, status }, why, async () =>
    call({
      url: (
        await serve({
          status,
          body: {
            error: {
              code,
              message,
              ...(code === 'abort' && { abort: 'no stock' }),
              ...(code === 'constraint_failure' && {
                constraint_failures: [{ message, paths: [['number']] }],
              }),
            },
            summary: `error: ${message}`,
            txn_ts: 1,
            stats: {},
            schema_version: 0,
          },
        })
      ).url,
    }),
  );
addConnectionFaults((...one) => lib.add(...one), call);
lib.add(
  'client-timeout',
  again('TIMEOUT', 'NETWORK_ERROR'),
  'the client waited as long as it was to',
  async () => call({ url: (await serve({ silent: true })).url, timeout: 150 }),
);
lib.add(
  'html-502',
  again('SERVER_ERROR', 'INVALID_RESPONSE', 'NETWORK_ERROR'),
  'a proxy in between fails',
  async () =>
    call({
      url: (
        await serve({
          status: 502,
          headers: { 'content-type': 'text/html' },
          body: '<html><head><title>502 Bad Gateway</title></head></html>',
        })
      ).url,
    }),
);
lib.add(
  'closed',
  final('CANCELLED', 'VALIDATION_ERROR', 'NETWORK_ERROR'),
  'ClientClosedError: the program closed it',
  () =>
    call({
      url: 'http://127.0.0.1:1',
      query: async (client) => {
        const { fql } = await import('fauna');
        client.close();
        return client.query(fql`1`);
      },
    }),
);
lib.add(
  'no-secret',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'a client without a key',
  async () => {
    const { Client } = await import('fauna');
    return new Client({});
  },
);
lib.add(
  'bad-argument',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'a value that has no form in the query language',
  () =>
    call({
      url: 'http://127.0.0.1:1',
      query: async (client) => {
        const { fql } = await import('fauna');
        return client.query(fql`${() => 1}`);
      },
    }),
);
lib.add('bad-endpoint', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'an endpoint that is no URL', async () =>
  call({ url: 'nowhere' }),
);
export default lib;
