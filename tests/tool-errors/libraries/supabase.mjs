// @supabase/supabase-js: PostgrestError (SQLSTATE and PGRST codes), AuthApiError, StorageApiError, FunctionsHttpError.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@supabase/supabase-js'] });
const client = async (url, signal) => {
  const { createClient } = await import('@supabase/supabase-js');
  return createClient(url, SECRET, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: class {} },
    global: signal ? { fetch: (to, options) => fetch(to, { ...options, signal }) } : {},
  });
};
const rows = async ({ url, timeout, signal }) =>
  (await client(url, signal ?? (timeout && AbortSignal.timeout(timeout))))
    .from('users')
    .select('*')
    .retry(false)
    .throwOnError();
for (const [name, status, code, message, expect, why, details] of [
  [
    'unique',
    409,
    '23505',
    'duplicate key value violates unique constraint "users_email_key"',
    final('ALREADY_EXISTS'),
    '23505',
    'Key (email)=(jane.doe@example.com) already exists.',
  ],
  [
    'foreign-key',
    409,
    '23503',
    'insert or update on table "orders" violates foreign key constraint',
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
    '23503 as 409',
  ],
  [
    'row-level-security',
    403,
    '42501',
    'new row violates row-level security policy for table "users"',
    final('PERMISSION_DENIED'),
    '42501',
  ],
  [
    'no-rows',
    406,
    'PGRST116',
    'Cannot coerce the result to a single JSON object',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'PGRST116: none, or several',
    'The result contains 0 rows',
  ],
  [
    'no-table',
    404,
    'PGRST205',
    "Could not find the table 'public.invoices' in the schema cache",
    final('NOT_FOUND'),
    'PGRST205',
  ],
  [
    'no-column',
    400,
    '42703',
    'column users.nickname does not exist',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    '42703',
  ],
  ['jwt-expired', 401, 'PGRST303', 'JWT expired', final('AUTHENTICATION_ERROR'), 'PGRST303'],
  [
    'statement-timeout',
    500,
    '57014',
    'canceling statement due to statement timeout',
    again('TIMEOUT'),
    '57014 as 500',
  ],
  [
    'no-database',
    503,
    'PGRST001',
    'Could not connect with the database due to an internal error.',
    again('SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
    'PGRST001',
  ],
  [
    'pool-timeout',
    504,
    'PGRST003',
    'Timed out acquiring connection from connection pool.',
    again('TIMEOUT', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'PGRST003',
  ],
  [
    'serialization',
    500,
    '40001',
    'could not serialize access due to concurrent update',
    again('CONFLICT'),
    '40001 as 500',
  ],
  [
    'bad-filter',
    400,
    'PGRST100',
    '"failed to parse filter (frob.1)" (line 1, column 1)',
    final('VALIDATION_ERROR'),
    'PGRST100: a failed parse of the request, no broken answer',
  ],
]) {
  lib.add(name, expect, why, async () =>
    rows({
      url: (await serve({ status, body: { code, message, details: details ?? null, hint: null } })).url,
    }),
  );
}
const auth = (answer) => async () => {
  const { error } = await (await client((await serve(answer)).url)).auth.signInWithPassword({
    email: 'jane.doe@example.com',
    password: SECRET,
  });
  throw error;
};
lib.add(
  'auth-credentials',
  { ...final('AUTHENTICATION_ERROR'), status: 400 },
  'a 400 about who asks',
  auth({
    status: 400,
    body: { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' },
  }),
);
lib.add(
  'auth-rate',
  { ...again('RATE_LIMITED'), status: 429 },
  'over_request_rate_limit',
  auth({
    status: 429,
    body: { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' },
  }),
);
lib.add(
  'auth-unconfirmed',
  { ...final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR'), status: 400 },
  'email_not_confirmed',
  auth({ status: 400, body: { code: 400, error_code: 'email_not_confirmed', msg: 'Email not confirmed' } }),
);
lib.add(
  'auth-exists',
  { ...final('ALREADY_EXISTS', 'VALIDATION_ERROR'), status: 422 },
  'user_already_exists as 422',
  auth({
    status: 422,
    body: { code: 422, error_code: 'user_already_exists', msg: 'User already registered' },
  }),
);
lib.add(
  'auth-down',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  'AuthRetryableFetchError',
  auth({ status: 503, body: {} }),
);
const file = (answer) => async () => {
  const { error } = await (await client((await serve(answer)).url)).storage
    .from('reports')
    .download('june.csv');
  throw error;
};
lib.add(
  'storage-missing',
  final('NOT_FOUND'),
  'a 400 whose body says 404',
  file({ status: 400, body: { statusCode: '404', error: 'not_found', message: 'Object not found' } }),
);
lib.add(
  'storage-exists',
  final('ALREADY_EXISTS'),
  'a 400 whose body says 409',
  file({
    status: 400,
    body: { statusCode: '409', error: 'Duplicate', message: 'The resource already exists' },
  }),
);
const invoke = (answer) => async () => {
  const { error } = await (await client((await serve(answer)).url)).functions.invoke('report');
  throw error;
};
lib.add(
  'function-failed',
  unclear('SERVER_ERROR', 'TOOL_EXECUTION_ERROR'),
  'FunctionsHttpError: the response is in `context`',
  invoke({ status: 500, body: { error: 'boom' } }),
);
lib.add(
  'function-relay',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  'FunctionsRelayError',
  invoke({ status: 502, headers: { 'x-relay-error': 'true' }, body: {} }),
);
addTransportFaults(lib, rows, {
  instead: { 'html-502': again('SERVER_ERROR'), 'cut-body': again('NETWORK_ERROR', 'INVALID_RESPONSE') },
});
export default lib;
