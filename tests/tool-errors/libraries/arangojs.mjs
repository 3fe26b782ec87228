// arangojs on a stub: ArangoError with `errorNum`, `code` (the status), `errorMessage`; HttpError, FetchFailedError, ResponseTimeoutError.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['arangojs'] });
const open = async (url, more) => {
  const { Database } = await import('arangojs');
  return new Database({
    url,
    databaseName: 'shop',
    auth: { username: 'agent', password: SECRET },
    maxRetries: false,
    ...more,
  });
};
const call = async ({ url, timeout }) => (await open(url)).query('FOR o IN orders RETURN o', {}, { timeout });
const no = (code, errorNum, errorMessage) => ({ error: true, code, errorNum, errorMessage });
// docs.arangodb.com/stable/develop/error-codes-and-meanings
const rows = [
  [
    'bad-login',
    401,
    11,
    'not authorized to execute this request',
    final('AUTHENTICATION_ERROR'),
    'ERROR_HTTP_UNAUTHORIZED',
  ],
  ['denied', 403, 11, 'insufficient permissions', final('PERMISSION_DENIED'), 'ERROR_FORBIDDEN'],
  [
    'read-only',
    403,
    1004,
    'read only',
    final('PERMISSION_DENIED', 'SERVER_ERROR', 'CONFLICT'),
    'ERROR_ARANGO_READ_ONLY',
  ],
  ['no-database', 404, 1228, 'database not found', final('NOT_FOUND'), 'ERROR_ARANGO_DATABASE_NOT_FOUND'],
  [
    'no-collection',
    404,
    1203,
    'AQL: collection or view not found: orders (while parsing)',
    final('NOT_FOUND'),
    'ERROR_ARANGO_DATA_SOURCE_NOT_FOUND',
  ],
  ['no-document', 404, 1202, 'document not found', final('NOT_FOUND'), 'ERROR_ARANGO_DOCUMENT_NOT_FOUND'],
  [
    'taken',
    409,
    1210,
    "unique constraint violated - in index primary of type primary over '_key'; conflicting key: 7",
    final('ALREADY_EXISTS', 'CONFLICT'),
    'ERROR_ARANGO_UNIQUE_CONSTRAINT_VIOLATED',
  ],
  [
    'name-taken',
    409,
    1207,
    'duplicate name',
    final('ALREADY_EXISTS', 'CONFLICT'),
    'ERROR_ARANGO_DUPLICATE_NAME',
  ],
  [
    'write-conflict',
    409,
    1200,
    'AQL: write-write conflict; key: 7 (while executing)',
    again('CONFLICT'),
    'ERROR_ARANGO_CONFLICT',
  ],
  [
    'revision',
    412,
    1200,
    'conflict, _rev values do not match',
    final('CONFLICT', 'VALIDATION_ERROR'),
    'it has to be read again first',
  ],
  [
    'syntax',
    400,
    1501,
    "AQL: syntax error, unexpected identifier near 'FORR o IN orders' at position 1:1 (while parsing)",
    final('VALIDATION_ERROR'),
    'ERROR_QUERY_PARSE',
  ],
  [
    'bind',
    400,
    1551,
    "AQL: no value specified for declared bind parameter 'id' (while parsing)",
    final('VALIDATION_ERROR'),
    'ERROR_QUERY_BIND_PARAMETER_MISSING',
  ],
  [
    'function',
    400,
    1540,
    'AQL: usage of unknown function FROB() (while parsing)',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'ERROR_QUERY_FUNCTION_NAME_UNKNOWN',
  ],
  [
    'schema',
    400,
    1620,
    'AQL: schema violation (while executing)',
    final('VALIDATION_ERROR'),
    'ERROR_VALIDATION_FAILED',
  ],
  ['bad-key', 400, 1221, 'illegal document key', final('VALIDATION_ERROR'), 'ERROR_ARANGO_DOCUMENT_KEY_BAD'],
  ['killed', 410, 1500, 'AQL: query killed (while executing)', final('CANCELLED'), 'ERROR_QUERY_KILLED'],
  [
    'memory',
    500,
    32,
    'AQL: query would use more memory than allowed [node #3] (while executing)',
    final('SERVER_ERROR', 'QUOTA_EXCEEDED', 'VALIDATION_ERROR', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
    'ERROR_RESOURCE_LIMIT: this query is too large',
  ],
  [
    'lock-timeout',
    409,
    28,
    'timeout waiting to lock key - in index primary',
    again('CONFLICT', 'TIMEOUT'),
    'ERROR_LOCK_TIMEOUT',
  ],
  [
    'queue-full',
    503,
    21003,
    'queue is full',
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'RATE_LIMITED'),
    'ERROR_QUEUE_FULL',
  ],
  [
    'leader',
    503,
    1496,
    'not a leader',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'ERROR_CLUSTER_NOT_LEADER',
  ],
  [
    'starting',
    503,
    503,
    'service unavailable due to startup or maintenance mode',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
  [
    'backend',
    503,
    1477,
    'cluster internal HTTP connection broken',
    again('SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
    'ERROR_CLUSTER_CONNECTION_LOST',
  ],
  [
    'backend-timeout',
    504,
    1457,
    'timeout in cluster operation',
    again('TIMEOUT', 'SERVER_ERROR'),
    'ERROR_CLUSTER_TIMEOUT',
  ],
  ['internal', 500, 4, 'internal error', again('SERVER_ERROR'), 'ERROR_INTERNAL'],
];
addResponses(
  lib,
  rows.map(([name, status, number, message, expect, why]) => [
    name,
    status,
    no(status, number, message),
    expect,
    why,
  ]),
  call,
  { status: true },
);
addTransportFaults(lib, call, { abort: false });
lib.add('no-arguments', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'a URL that is none', () =>
  call({ url: 'nowhere' }),
);
export default lib;
