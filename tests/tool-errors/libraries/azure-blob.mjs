// @azure/storage-blob: RestError with `statusCode`, `code`, `details`, `request`, `response`.
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const ID = 'b1c2CANARY-0004';
const lib = library({ packages: ['@azure/storage-blob'] });
const call = async ({ url, timeout, signal }) => {
  const { AnonymousCredential, BlobServiceClient } = await import('@azure/storage-blob');
  const client = new BlobServiceClient(`${url}/account`, new AnonymousCredential(), {
    retryOptions: { maxTries: 1, tryTimeoutInMs: timeout },
  });
  return client
    .getContainerClient('reports')
    .getBlobClient('june.csv')
    .downloadToBuffer(0, 10, { abortSignal: signal, maxRetryRequestsPerBlock: 0 });
};
for (const [name, status, code, message, expect, why, headers] of [
  [
    'no-blob',
    404,
    'BlobNotFound',
    'The specified blob does not exist.',
    final('NOT_FOUND'),
    'no model is meant',
  ],
  [
    'no-container',
    404,
    'ContainerNotFound',
    'The specified container does not exist.',
    final('NOT_FOUND'),
    'no model is meant',
  ],
  [
    'bad-signature',
    403,
    'AuthenticationFailed',
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who asks',
  ],
  [
    'denied',
    403,
    'AuthorizationPermissionMismatch',
    'This request is not authorized to perform this operation using this permission.',
    final('PERMISSION_DENIED'),
    'rights',
  ],
  [
    'blocked-network',
    403,
    'AuthorizationFailure',
    'This request is not authorized to perform this operation.',
    final('PERMISSION_DENIED'),
    'a firewall',
  ],
  [
    'leased',
    412,
    'LeaseIdMissing',
    'There is currently a lease on the blob and no lease ID was specified in the request.',
    again('CONFLICT'),
    'leases run out',
  ],
  [
    'lease-taken',
    409,
    'LeaseAlreadyPresent',
    'There is already a lease present.',
    again('CONFLICT'),
    'leases run out',
  ],
  [
    'condition',
    412,
    'ConditionNotMet',
    'The condition specified using HTTP conditional header(s) is not met.',
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    'read it again',
  ],
  [
    'exists',
    409,
    'BlobAlreadyExists',
    'The specified blob already exists.',
    final('ALREADY_EXISTS'),
    '409 that stays',
  ],
  [
    'container-exists',
    409,
    'ContainerAlreadyExists',
    'The specified container already exists.',
    final('ALREADY_EXISTS'),
    '409 that stays',
  ],
  [
    'being-deleted',
    409,
    'ContainerBeingDeleted',
    'The specified container is being deleted. Try operation later.',
    again('CONFLICT'),
    '409, later',
  ],
  [
    'busy',
    503,
    'ServerBusy',
    'The server is busy.',
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', { retryAfterMs: 5000 }),
    'throttling',
    { 'retry-after': '5' },
  ],
  [
    'operation-timeout',
    500,
    'OperationTimedOut',
    'Operation could not be completed within the permitted time.',
    again('TIMEOUT', 'SERVER_ERROR'),
    'a 500 that is a timeout',
  ],
  [
    'internal',
    500,
    'InternalError',
    'The server encountered an internal error. Please retry the request.',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'account-disabled',
    403,
    'AccountIsDisabled',
    'The specified account is disabled.',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'QUOTA_EXCEEDED'),
    'the account',
  ],
  [
    'bad-range',
    416,
    'InvalidRange',
    'The range specified is invalid for the current size of the resource.',
    final('VALIDATION_ERROR'),
    '416',
  ],
  [
    'archived',
    409,
    'BlobArchived',
    'This operation is not permitted on an archived blob.',
    final('CONFLICT', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
    '409 that stays until it is rehydrated',
  ],
  [
    'rehydrating',
    409,
    'BlobBeingRehydrated',
    'This operation is not permitted because the blob is being rehydrated.',
    again('CONFLICT'),
    '409 that takes hours',
  ],
]) {
  lib.add(name, { ...expect, status, requestId: ID }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers: {
            'x-ms-error-code': code,
            'x-ms-request-id': ID,
            'content-type': 'application/xml',
            ...headers,
          },
          body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}\nRequestId:${ID}\nTime:2026-01-01T00:00:00Z</Message></Error>`,
        })
      ).url,
    }),
  );
}
lib.add('bad-name', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'no such address can be', async () => {
  const { BlobServiceClient } = await import('@azure/storage-blob');
  return BlobServiceClient.fromConnectionString('nonsense');
});
addTransportFaults(lib, call, { skip: ['cut-body'], timeout: false }); // It waits for ever.
export default lib;
