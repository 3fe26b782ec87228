// @microsoft/microsoft-graph-client: GraphError with `statusCode`, `code`, `requestId`, `headers`; its own retries are off.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const ID = 'b31c83fd-944c-4663-aa50-5d9cCANARY08';
const lib = library({ packages: ['@microsoft/microsoft-graph-client'] });
const call = async ({ url, timeout, signal }) => {
  const { Client, RetryHandlerOptions } = await import('@microsoft/microsoft-graph-client');
  const client = Client.init({
    baseUrl: `${url}/`,
    defaultVersion: 'v1.0',
    customHosts: new Set(['127.0.0.1']),
    authProvider: (done) => done(null, SECRET),
    fetchOptions: { signal: signal ?? (timeout && AbortSignal.timeout(timeout)) },
  });
  return client
    .api('/me/messages')
    .middlewareOptions([new RetryHandlerOptions(1, 0)])
    .post({ subject: 'x' });
};
// learn.microsoft.com/graph/errors, and those of Outlook, OneDrive and the directory.
for (const [name, status, code, message, expect, why, headers] of [
  [
    'bad-token',
    401,
    'InvalidAuthenticationToken',
    'Lifetime validation failed, the token is expired.',
    final('AUTHENTICATION_ERROR'),
    '401',
  ],
  [
    'denied',
    403,
    'Authorization_RequestDenied',
    'Insufficient privileges to complete the operation.',
    final('PERMISSION_DENIED'),
    '403',
  ],
  [
    'access-denied',
    403,
    'ErrorAccessDenied',
    'Access is denied. Check credentials and try again.',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    '403 with words that mislead',
  ],
  [
    'missing',
    404,
    'Request_ResourceNotFound',
    "Resource 'jane.doe@example.com' does not exist or one of its queried reference-property objects are not present.",
    final('NOT_FOUND'),
    '404',
  ],
  [
    'no-item',
    404,
    'ErrorItemNotFound',
    'The specified object was not found in the store.',
    final('NOT_FOUND'),
    '404',
  ],
  [
    'no-mailbox',
    404,
    'MailboxNotEnabledForRESTAPI',
    'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
    final('NOT_FOUND', 'CONFIG_ERROR'),
    '404',
  ],
  [
    'name-taken',
    409,
    'nameAlreadyExists',
    'An item with the same name already exists under the parent',
    final('ALREADY_EXISTS', 'CONFLICT'),
    'a 409 about what exists',
  ],
  [
    'object-taken',
    400,
    'Request_BadRequest',
    'Another object with the same value for property userPrincipalName already exists.',
    final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'a 400 about what exists',
  ],
  [
    'change-key',
    409,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
    unclear('CONFLICT'),
    'changed under the request: read it again',
  ],
  [
    'etag',
    412,
    'resourceModified',
    "ETag does not match current item's value",
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    'changed under the request: read it again',
  ],
  [
    'locked',
    423,
    'resourceLocked',
    'The resource you are attempting to access is locked',
    again('CONFLICT', 'PERMISSION_DENIED'),
    'somebody has the file open',
  ],
  [
    'invalid',
    400,
    'ErrorInvalidRecipients',
    'At least one recipient is not valid.',
    final('VALIDATION_ERROR'),
    '400',
  ],
  [
    'query',
    400,
    'BadRequest',
    "Invalid filter clause: Could not find a property named 'sender2' on type 'microsoft.graph.message'.",
    final('VALIDATION_ERROR'),
    'a model wrote this filter',
  ],
  [
    'throttled',
    429,
    'TooManyRequests',
    'Too many requests.',
    again('RATE_LIMITED', { retryAfterMs: 11_000 }),
    '429',
    { 'retry-after': '11' },
  ],
  [
    'mailbox-throttled',
    429,
    'ApplicationThrottled',
    'Application is over its MailboxConcurrency limit.',
    again('RATE_LIMITED'),
    'too many at once',
  ],
  [
    'quota',
    507,
    'quotaLimitReached',
    'The user has reached their quota limit.',
    final('QUOTA_EXCEEDED'),
    'a 507 that no waiting helps',
  ],
  [
    'mail-quota',
    403,
    'ErrorQuotaExceeded',
    'The store has reached its quota. Delete some items.',
    final('QUOTA_EXCEEDED', 'PERMISSION_DENIED'),
    'a 403 about a full mailbox',
  ],
  [
    'malware',
    403,
    'malwareDetected',
    'Malware was detected in the requested resource.',
    final('PERMISSION_DENIED', 'CONTENT_FILTERED'),
    '403',
  ],
  ['internal', 500, 'generalException', 'An unspecified error has occurred.', again('SERVER_ERROR'), '500'],
  [
    'unavailable',
    503,
    'serviceNotAvailable',
    'The service is not available. Try the request again after a delay.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { retryAfterMs: 20_000 }),
    '503',
    { 'retry-after': '20' },
  ],
  ['gateway-timeout', 504, 'UnknownError', '', again('TIMEOUT', 'SERVER_ERROR'), '504 without words'],
  [
    'resync',
    410,
    'resyncRequired',
    "Resync required. Replace any local items with the server's version.",
    unclear('NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'),
    'a delta token that is too old',
  ],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(name, { ...right, status, requestId: ID, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers: { 'request-id': ID, ...headers },
          body: {
            error: { code, message, innerError: { date: '2026-11-23T01:00:00', 'request-id': ID } },
          },
        })
      ).url,
    }),
  );
}
// The cause of "fetch failed" is not kept, so one of them is enough.
addTransportFaults(lib, call, { skip: ['unknown-host', 'reset'] });
export default lib;
