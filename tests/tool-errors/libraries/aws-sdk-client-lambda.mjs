// @aws-sdk/client-lambda.
import { json, options, REQUEST_ID } from '../aws.mjs';
import { again, final, library } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@aws-sdk/client-lambda'] });
const call = async ({ url, timeout, signal }) => {
  const { GetFunctionCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  return new LambdaClient(await options({ url, timeout })).send(
    new GetFunctionCommand({ FunctionName: 'report' }),
    {
      abortSignal: signal,
    },
  );
};
// docs.aws.amazon.com/lambda/latest/api/API_Invoke.html and CommonErrors
for (const [name, status, type, message, expect, why, more] of [
  [
    'missing',
    404,
    'ResourceNotFoundException',
    'Function not found: arn:aws:lambda:eu-west-1:1:function:report',
    final('NOT_FOUND'),
    'no such function',
  ],
  [
    'taken',
    409,
    'ResourceConflictException',
    'Function already exist: report',
    final('ALREADY_EXISTS', 'CONFLICT'),
    'a 409 about what exists',
  ],
  [
    'updating',
    409,
    'ResourceConflictException',
    'The operation cannot be performed at this time. An update is in progress for resource: report',
    again('CONFLICT'),
    'an update is in progress',
  ],
  [
    'in-use',
    400,
    'ResourceInUseException',
    'The event source mapping is in use',
    again('CONFLICT'),
    'the resource is in use',
  ],
  [
    'not-ready',
    502,
    'ResourceNotReadyException',
    'The function is inactive and its VPC connection is no longer available',
    again('SERVER_ERROR', 'CONFLICT', 'PROVIDER_OVERLOADED'),
    'not ready yet',
  ],
  [
    'bad-value',
    400,
    'InvalidParameterValueException',
    'The runtime parameter of nodejs6 is no longer supported',
    final('VALIDATION_ERROR'),
    'a value that cannot be',
  ],
  [
    'bad-content',
    400,
    'InvalidRequestContentException',
    'Could not parse request body into json: Unrecognized token',
    final('VALIDATION_ERROR'),
    'the request was no JSON',
  ],
  [
    'too-large',
    413,
    'RequestTooLargeException',
    'Request must be smaller than 6291456 bytes',
    final('VALIDATION_ERROR'),
    '413',
  ],
  [
    'wrong-type',
    415,
    'UnsupportedMediaTypeException',
    'The content type is not JSON',
    final('VALIDATION_ERROR'),
    '415',
  ],
  [
    'throttled',
    429,
    'TooManyRequestsException',
    'Rate Exceeded.',
    again('RATE_LIMITED', { retryAfterMs: 5000 }),
    'ConcurrentInvocationLimitExceeded',
    { headers: { 'retry-after': '5' } },
  ],
  [
    'storage',
    400,
    'CodeStorageExceededException',
    'Code storage limit exceeded.',
    final('QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
    'the account has no more room',
  ],
  [
    'denied',
    403,
    'AccessDeniedException',
    'User: arn:aws:iam::1:user/agent is not authorized to perform: lambda:InvokeFunction',
    final('PERMISSION_DENIED'),
    '403',
  ],
  [
    'kms-denied',
    502,
    'KMSAccessDeniedException',
    'Lambda was unable to decrypt the environment variables because KMS access was denied.',
    final('PERMISSION_DENIED', 'CONFIG_ERROR'),
    'a 502 about rights',
  ],
  [
    'efs-timeout',
    408,
    'EFSMountTimeoutException',
    'The function could not mount the file system: the connection timed out.',
    again('TIMEOUT', 'SERVER_ERROR'),
    '408',
  ],
  [
    'eni-limit',
    502,
    'ENILimitReachedException',
    'Lambda could not create a network interface: the limit was reached.',
    final('QUOTA_EXCEEDED', 'PROVIDER_OVERLOADED', 'RATE_LIMITED'),
    'the limit of the account',
  ],
  [
    'bad-zip',
    502,
    'InvalidZipFileException',
    'Lambda could not unzip the deployment package.',
    final('VALIDATION_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
    'what was deployed is no archive',
  ],
  [
    'bad-runtime',
    502,
    'InvalidRuntimeException',
    'The runtime or runtime version specified is not supported.',
    final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    'a runtime that is no more',
  ],
  [
    'recursion',
    400,
    'RecursiveInvocationException',
    'Lambda has detected your function being invoked in a recursive loop.',
    final('VALIDATION_ERROR', 'CONFLICT', 'TOOL_EXECUTION_ERROR'),
    'the function calls itself',
  ],
  [
    'policy-long',
    400,
    'PolicyLengthExceededException',
    'The permissions policy for the resource is too large.',
    final('VALIDATION_ERROR', 'QUOTA_EXCEEDED'),
    'a policy that is too long',
  ],
  [
    'precondition',
    412,
    'PreconditionFailedException',
    'The RevisionId provided does not match the latest RevisionId.',
    final('CONFLICT'),
    '412: read it anew',
  ],
  [
    'expired',
    403,
    'ExpiredTokenException',
    'The security token included in the request is expired',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who asks',
  ],
  [
    'bad-signature',
    403,
    'InvalidSignatureException',
    'Signature expired: 20261123T000000Z is now earlier than 20261123T001000Z',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who asks',
  ],
  [
    'bad-id',
    403,
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
    final('AUTHENTICATION_ERROR'),
    'no such access key',
  ],
  [
    'internal',
    500,
    'ServiceException',
    'An error occurred and the request cannot be processed.',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'ec2-throttled',
    502,
    'EC2ThrottledException',
    'Lambda is throttled by Amazon EC2 during initialization.',
    again('RATE_LIMITED', 'PROVIDER_OVERLOADED', 'SERVER_ERROR'),
    'throttled behind it',
  ],
])
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () =>
    call({ url: await json(status, type, message, {}, { 'x-amzn-errortype': type, ...more?.headers }) }),
  );
addTransportFaults(lib, call);
lib.add(
  'function-failed',
  final('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'VALIDATION_ERROR'),
  'a waiter that meets a failed state',
  async () => {
    const { LambdaClient, waitUntilFunctionActiveV2 } = await import('@aws-sdk/client-lambda');
    const { url } = await serve({
      body: { Configuration: { FunctionName: 'report', State: 'Failed', StateReasonCode: 'InvalidImage' } },
    });
    return waitUntilFunctionActiveV2(
      { client: new LambdaClient(await options({ url })), maxWaitTime: 2 },
      { FunctionName: 'report' },
    );
  },
);
lib.add('waited', again('TIMEOUT'), 'a waiter whose time is over', async () => {
  const { LambdaClient, waitUntilFunctionActiveV2 } = await import('@aws-sdk/client-lambda');
  const { url } = await serve({ body: { Configuration: { FunctionName: 'report', State: 'Pending' } } });
  return waitUntilFunctionActiveV2(
    { client: new LambdaClient(await options({ url })), maxWaitTime: 3, minDelay: 1, maxDelay: 1 },
    { FunctionName: 'report' },
  );
});
export default lib;
