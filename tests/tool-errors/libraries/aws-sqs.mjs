// @aws-sdk/client-sqs.
import { json, options, REQUEST_ID } from '../aws.mjs';
import { again, final, library } from '../expect.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@aws-sdk/client-sqs'] });
const call = async ({ url, timeout, signal }) => {
  const { SQSClient, SendMessageCommand } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient({ ...(await options({ url, timeout })), md5: false });
  return client.send(new SendMessageCommand({ QueueUrl: `${url}/123456789012/jobs`, MessageBody: 'x' }), {
    abortSignal: signal,
  });
};
const s = 'com.amazonaws.sqs#';
for (const [name, type, query, message, expect, why, status = 400] of [
  [
    'no-queue',
    `${s}QueueDoesNotExist`,
    'AWS.SimpleQueueService.NonExistentQueue;Sender',
    'The specified queue does not exist.',
    final('NOT_FOUND'),
    'no such queue',
  ],
  [
    'throttled',
    `${s}RequestThrottled`,
    'RequestThrottled;Sender',
    'The request was denied due to request throttling.',
    again('RATE_LIMITED'),
    'throttling as 400',
  ],
  [
    'over-limit',
    `${s}OverLimit`,
    'OverLimit;Sender',
    'The maximum number of in flight messages is reached.',
    again('RATE_LIMITED', 'QUOTA_EXCEEDED', 'PROVIDER_OVERLOADED'),
    'messages in flight come to an end',
  ],
  [
    'deleted-recently',
    `${s}QueueDeletedRecently`,
    'AWS.SimpleQueueService.QueueDeletedRecently;Sender',
    'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
    again('CONFLICT', 'RATE_LIMITED', { retryAfterMs: 60_000 }),
    'it says how long',
  ],
  [
    'name-exists',
    `${s}QueueNameExists`,
    'QueueAlreadyExists;Sender',
    'A queue already exists with the same name and a different value for attribute VisibilityTimeout',
    final('ALREADY_EXISTS'),
    'the name is taken',
  ],
  [
    'bad-receipt',
    `${s}ReceiptHandleIsInvalid`,
    'ReceiptHandleIsInvalid;Sender',
    'The input receipt handle is invalid.',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'the handle is wrong or old',
  ],
  [
    'not-in-flight',
    `${s}MessageNotInflight`,
    'AWS.SimpleQueueService.MessageNotInflight;Sender',
    'The specified message is not in flight.',
    final('CONFLICT', 'VALIDATION_ERROR', 'NOT_FOUND'),
    'too late',
  ],
  [
    'bad-content',
    `${s}InvalidMessageContents`,
    'InvalidMessageContents;Sender',
    'The message contains characters outside the allowed set.',
    final('VALIDATION_ERROR'),
    'the content is not allowed',
  ],
  [
    'kms-throttled',
    `${s}KmsThrottled`,
    'KMS.ThrottlingException;Sender',
    'AWS KMS throttles requests for the following operations.',
    again('RATE_LIMITED'),
    'throttling of a dependency',
  ],
  [
    'kms-denied',
    `${s}KmsAccessDenied`,
    'KMS.AccessDeniedException;Sender',
    'The caller does not have the required KMS access.',
    final('PERMISSION_DENIED'),
    'rights of a dependency',
  ],
  [
    'purge-in-progress',
    `${s}PurgeQueueInProgress`,
    'AWS.SimpleQueueService.PurgeQueueInProgress;Sender',
    'Only one PurgeQueue operation on jobs is allowed every 60 seconds.',
    again('CONFLICT', 'RATE_LIMITED', 'ALREADY_EXISTS'),
    'in progress',
  ],
  [
    'bad-credentials',
    `${s}InvalidSecurity`,
    'InvalidSecurity;Sender',
    'The request was not made over HTTPS or did not use SigV4.',
    final('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
    'not signed well',
  ],
  [
    'internal',
    `${s}InternalFailure`,
    'InternalFailure;Receiver',
    'The request processing has failed because of an unknown error.',
    again('SERVER_ERROR'),
    '500',
    500,
  ],
]) {
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () =>
    call({ url: await json(status, type, message, {}, { 'x-amzn-query-error': query }) }),
  );
}
// Its handler renames a reset to TimeoutError.
addTransportFaults(lib, call, { instead: { reset: again('NETWORK_ERROR', 'TIMEOUT') } });
export default lib;
