// @aws-sdk/client-dynamodb: throttling and contention as 400.
import { json, options, REQUEST_ID } from '../aws.mjs';
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@aws-sdk/client-dynamodb'] });
const call = async ({ url, timeout, signal }) => {
  const { DynamoDBClient, GetItemCommand } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient(await options({ url, timeout }));
  return client.send(new GetItemCommand({ TableName: 'users', Key: { id: { S: '1' } } }), {
    abortSignal: signal,
  });
};
const v = 'com.amazonaws.dynamodb.v20120810#';
const cancelled = (...codes) => ({
  CancellationReasons: codes.map((Code) => ({ Code, Message: Code === 'None' ? null : 'see code' })),
});
for (const [name, type, message, expect, why, more, status = 400] of [
  [
    'throughput',
    `${v}ProvisionedThroughputExceededException`,
    'The level of configured provisioned throughput for the table was exceeded.',
    again('RATE_LIMITED'),
    'throttling as 400',
  ],
  [
    'throttling',
    'com.amazon.coral.availability#ThrottlingException',
    'Rate of requests exceeds the allowed throughput.',
    again('RATE_LIMITED'),
    'throttling as 400',
  ],
  [
    'request-limit',
    `${v}RequestLimitExceeded`,
    'Throughput exceeds the current throughput limit for your account.',
    again('RATE_LIMITED', 'QUOTA_EXCEEDED'),
    'throttling as 400',
  ],
  [
    'condition-failed',
    `${v}ConditionalCheckFailedException`,
    'The conditional request failed',
    unclear('CONFLICT', 'ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'the item is not as expected: read it again',
  ],
  [
    'transaction-conflict',
    `${v}TransactionConflictException`,
    'Transaction is ongoing for the item',
    again('CONFLICT'),
    'contention as 400',
  ],
  [
    'transaction-cancelled-conflict',
    `${v}TransactionCanceledException`,
    'Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict, None]',
    again('CONFLICT'),
    'cancelled by contention; no user cancelled',
    cancelled('TransactionConflict', 'None'),
  ],
  [
    'transaction-cancelled-condition',
    `${v}TransactionCanceledException`,
    'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
    unclear('CONFLICT', 'VALIDATION_ERROR', 'ALREADY_EXISTS'),
    'cancelled by a condition',
    cancelled('ConditionalCheckFailed', 'None'),
  ],
  [
    'transaction-in-progress',
    `${v}TransactionInProgressException`,
    'The transaction with the given request token is already in progress.',
    again('CONFLICT'),
    'contention as 400',
  ],
  [
    'no-table',
    `${v}ResourceNotFoundException`,
    'Requested resource not found',
    final('NOT_FOUND'),
    'a 400 about a table',
  ],
  [
    'table-in-use',
    `${v}ResourceInUseException`,
    'Table already exists: users',
    final('ALREADY_EXISTS', 'CONFLICT'),
    'a 400 about a table that is there',
  ],
  [
    'being-created',
    `${v}ResourceInUseException`,
    'Attempt to change a resource which is still in use: Table is being created: users',
    again('CONFLICT'),
    'the table will be there in a while',
  ],
  [
    'validation',
    'com.amazon.coral.validate#ValidationException',
    'The provided key element does not match the schema',
    final('VALIDATION_ERROR'),
    'the key is wrong',
  ],
  [
    'item-too-large',
    'com.amazon.coral.validate#ValidationException',
    'Item size has exceeded the maximum allowed size',
    final('VALIDATION_ERROR'),
    'the item is too large',
  ],
  [
    'collection-limit',
    `${v}ItemCollectionSizeLimitExceededException`,
    'Collection size exceeded.',
    final('QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
    'no room in this collection',
  ],
  [
    'denied',
    'com.amazon.coral.service#AccessDeniedException',
    'User: arn:aws:iam::123456789012:user/agent is not authorized to perform: dynamodb:GetItem',
    final('PERMISSION_DENIED'),
    'a 400 about rights',
  ],
  [
    'bad-token',
    'com.amazon.coral.service#UnrecognizedClientException',
    'The security token included in the request is invalid.',
    final('AUTHENTICATION_ERROR'),
    'a 400 about who asks',
  ],
  [
    'expired-token',
    'com.amazon.coral.service#ExpiredTokenException',
    'The security token included in the request is expired',
    final('AUTHENTICATION_ERROR'),
    'a 400 about who asks',
  ],
  [
    'internal',
    `${v}InternalServerError`,
    'The request processing has failed because of an unknown error',
    again('SERVER_ERROR'),
    '500',
    {},
    500,
  ],
  [
    'unavailable',
    'com.amazon.coral.availability#ServiceUnavailableException',
    'Service unavailable',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
    {},
    503,
  ],
]) {
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () =>
    call({ url: await json(status, type, message, more) }),
  );
}
lib.add('html-200', final('INVALID_RESPONSE'), 'a captive portal in between', async () =>
  call({
    url: (await serve({ body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } })).url,
  }),
);
// Its handler renames a reset to TimeoutError.
addTransportFaults(lib, call, { instead: { reset: again('NETWORK_ERROR', 'TIMEOUT') } });
export default lib;
