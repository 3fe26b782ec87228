// @aws-sdk/client-s3: ServiceException with `name`, `$fault`, `$metadata`, `$retryable`.
import { options, REQUEST_ID, xml } from '../aws.mjs';
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@aws-sdk/client-s3'] });
const get = async ({ url, timeout, signal }) => {
  const { S3Client, GetObjectCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ ...(await options({ url, timeout })), forcePathStyle: true });
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'reports', Key: 'june.csv' }), {
    abortSignal: signal,
  });
  return Body.transformToString();
};
for (const [name, status, code, message, expect, why] of [
  ['no-key', 404, 'NoSuchKey', 'The specified key does not exist.', final('NOT_FOUND'), 'no model is meant'],
  [
    'no-bucket',
    404,
    'NoSuchBucket',
    'The specified bucket does not exist',
    final('NOT_FOUND'),
    'no model is meant',
  ],
  ['denied', 403, 'AccessDenied', 'Access Denied', final('PERMISSION_DENIED'), 'a policy'],
  [
    'bad-key-id',
    403,
    'InvalidAccessKeyId',
    'The AWS Access Key Id you provided does not exist in our records.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who asks',
  ],
  [
    'bad-signature',
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who asks',
  ],
  [
    'expired-token',
    400,
    'ExpiredToken',
    'The provided token has expired.',
    final('AUTHENTICATION_ERROR'),
    'a 400 about who asks',
  ],
  [
    'clock-skew',
    403,
    'RequestTimeTooSkewed',
    'The difference between the request time and the current time is too large.',
    unclear('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
    'the clock is wrong; the SDK sets it right and tries again',
  ],
  [
    'slow-down',
    503,
    'SlowDown',
    'Please reduce your request rate.',
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED'),
    'a 503 that means throttling: as the slow_down of a model',
  ],
  [
    'internal',
    500,
    'InternalError',
    'We encountered an internal error. Please try again.',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'unavailable',
    503,
    'ServiceUnavailable',
    'Service is unable to handle request.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
  [
    'request-timeout',
    400,
    'RequestTimeout',
    'Your socket connection to the server was not read from or written to within the timeout period.',
    again('TIMEOUT', 'NETWORK_ERROR'),
    'a 400 that is a timeout',
  ],
  [
    'operation-aborted',
    409,
    'OperationAborted',
    'A conflicting conditional operation is currently in progress against this resource. Please try again.',
    again('CONFLICT'),
    '409, try again',
  ],
  [
    'bucket-exists',
    409,
    'BucketAlreadyExists',
    'The requested bucket name is not available.',
    final('ALREADY_EXISTS'),
    '409 that stays',
  ],
  [
    'not-empty',
    409,
    'BucketNotEmpty',
    'The bucket you tried to delete is not empty',
    final('CONFLICT', 'VALIDATION_ERROR'),
    '409 that stays until somebody empties it',
  ],
  [
    'precondition',
    412,
    'PreconditionFailed',
    'At least one of the pre-conditions you specified did not hold',
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    '412',
  ],
  [
    'archived',
    403,
    'InvalidObjectState',
    "The operation is not valid for the object's storage class",
    final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'CONFLICT'),
    'a 403 about an archive',
  ],
  [
    'too-large',
    400,
    'EntityTooLarge',
    'Your proposed upload exceeds the maximum allowed object size.',
    final('VALIDATION_ERROR'),
    'the upload is too large',
  ],
  [
    'wrong-region',
    301,
    'PermanentRedirect',
    'The bucket you are attempting to access must be addressed using the specified endpoint.',
    final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND'),
    'another region',
  ],
]) {
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () =>
    get({ url: await xml(status, code, message) }),
  );
}
lib.add('head-missing', final('NOT_FOUND', { status: 404 }), 'HEAD has no body: NotFound', async () => {
  const { S3Client, HeadObjectCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    ...(await options({ url: (await serve({ status: 404 })).url })),
    forcePathStyle: true,
  });
  return client.send(new HeadObjectCommand({ Bucket: 'reports', Key: 'june.csv' }));
});
lib.add(
  'no-credentials',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR'),
  'CredentialsProviderError',
  async () => {
    const { S3Client, GetObjectCommand } = await import('@aws-sdk/client-s3');
    process.env.AWS_EC2_METADATA_DISABLED = 'true';
    const client = new S3Client({
      region: 'eu-west-1',
      maxAttempts: 1,
      credentials: undefined,
      profile: 'nowhere',
    });
    return client.send(new GetObjectCommand({ Bucket: 'reports', Key: 'june.csv' }));
  },
);
lib.add(
  'no-region',
  final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'VALIDATION_ERROR'),
  'Region is missing',
  async () => {
    const { S3Client, GetObjectCommand } = await import('@aws-sdk/client-s3');
    const client = new S3Client({ maxAttempts: 1, credentials: { accessKeyId: 'x', secretAccessKey: 'y' } });
    return client.send(new GetObjectCommand({ Bucket: 'reports', Key: 'june.csv' }));
  },
);
lib.add('no-input', final('VALIDATION_ERROR'), 'a mistake of the program', async () => {
  const { S3Client, GetObjectCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ ...(await options({ url: (await serve({})).url })), forcePathStyle: true });
  return client.send(new GetObjectCommand({ Key: 'june.csv' }));
});
// Its handler renames a reset to TimeoutError.
addTransportFaults(lib, get, { instead: { reset: again('NETWORK_ERROR', 'TIMEOUT') } });
export default lib;
