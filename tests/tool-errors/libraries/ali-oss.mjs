// ali-oss on a stub: errors named `<Code>Error` with `code`, `status`, `requestId`, `ecCode`; the STS client's with `code` and `status`.
import { tmpdir } from 'node:os';
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { REQUEST_ID } from '../http-faults.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['ali-oss'] });
const open = async (options) => {
  const { default: OSS } = await import('ali-oss');
  return new OSS({
    accessKeyId: 'agent',
    accessKeySecret: SECRET,
    bucket: 'reports',
    endpoint: 'http://127.0.0.1:1',
    timeout: 2000,
    ...options,
  });
};
const call = async ({ url, timeout = 2000 }) => (await open({ endpoint: url, timeout })).get('june.csv');
// help.aliyun.com/zh/oss/developer-reference/error-responses
for (const [name, status, code, message, expect, why] of [
  ['no-key', 404, 'NoSuchKey', 'The specified key does not exist.', final('NOT_FOUND'), 'no model is meant'],
  [
    'no-bucket',
    404,
    'NoSuchBucket',
    'The specified bucket does not exist.',
    final('NOT_FOUND'),
    'NoSuchBucket',
  ],
  [
    'denied',
    403,
    'AccessDenied',
    'You have no right to access this object because of bucket acl.',
    final('PERMISSION_DENIED'),
    'AccessDenied',
  ],
  [
    'other-endpoint',
    403,
    'AccessDenied',
    'The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.',
    final('CONFIG_ERROR', 'PERMISSION_DENIED', 'VALIDATION_ERROR', 'NOT_FOUND'),
    'another region',
  ],
  [
    'bad-key-id',
    403,
    'InvalidAccessKeyId',
    'The OSS Access Key Id you provided does not exist in our records.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who calls',
  ],
  [
    'bad-signature',
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who calls',
  ],
  [
    'expired-token',
    403,
    'SecurityTokenExpired',
    'The security token you provided has expired.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who calls',
  ],
  [
    'clock-skew',
    403,
    'RequestTimeTooSkewed',
    'The difference between the request time and the current time is too large.',
    unclear('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
    'the clock is wrong',
  ],
  [
    'disabled',
    403,
    'UserDisable',
    'UserDisable',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'QUOTA_EXCEEDED'),
    'the account is closed, or has not paid',
  ],
  [
    'archived',
    403,
    'InvalidObjectState',
    "The operation is not valid for the object's state",
    final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'CONFLICT'),
    'a 403 about an archive',
  ],
  [
    'bad-name',
    400,
    'InvalidObjectName',
    'The specified object is not valid.',
    final('VALIDATION_ERROR'),
    'InvalidObjectName',
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
    'digest',
    400,
    'InvalidDigest',
    'The Content-MD5 you specified was invalid.',
    final('VALIDATION_ERROR'),
    'InvalidDigest',
  ],
  [
    'buckets',
    400,
    'TooManyBuckets',
    'You have attempted to create more buckets than allowed.',
    final('QUOTA_EXCEEDED', 'VALIDATION_ERROR', 'CAPACITY_EXCEEDED'),
    'a limit of the account',
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
    'bucket-exists',
    409,
    'BucketAlreadyExists',
    'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
    final('ALREADY_EXISTS'),
    '409 that stays, though it says to try again',
  ],
  [
    'file-exists',
    409,
    'FileAlreadyExists',
    'The object you specified already exists and can not be overwritten.',
    final('ALREADY_EXISTS'),
    '409 that stays',
  ],
  [
    'not-empty',
    409,
    'BucketNotEmpty',
    'The bucket you tried to delete is not empty.',
    final('CONFLICT', 'VALIDATION_ERROR'),
    '409 that stays until somebody empties it',
  ],
  [
    'no-upload',
    404,
    'NoSuchUpload',
    'The specified multipart upload does not exist.',
    final('NOT_FOUND'),
    'NoSuchUpload',
  ],
  [
    'slow-down',
    503,
    'QpsLimitExceeded',
    'Please reduce your request rate.',
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED'),
    'a 503 that says to slow down',
  ],
  [
    'internal',
    500,
    'InternalError',
    'We encountered an internal error. Please try again.',
    again('SERVER_ERROR'),
    'InternalError',
  ],
])
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers: { 'content-type': 'application/xml', 'x-oss-request-id': REQUEST_ID },
          body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message><RequestId>${REQUEST_ID}</RequestId><HostId>reports.oss-cn-hangzhou.aliyuncs.com</HostId><EC>0000-00000000</EC></Error>`,
        })
      ).url,
    }),
  );
const head = (status) => async () => {
  const { url } = await serve({ status, headers: { 'x-oss-request-id': REQUEST_ID } });
  return (await open({ endpoint: url })).head('june.csv');
};
lib.add(
  'head-missing',
  final('NOT_FOUND', { status: 404, requestId: REQUEST_ID }),
  'HEAD has no body: Object not exists',
  head(404),
);
lib.add(
  'head-precondition',
  unclear('CONFLICT', 'VALIDATION_ERROR', { status: 412, requestId: REQUEST_ID }),
  'HEAD has no body: Pre condition failed',
  head(412),
);
lib.add(
  'head-denied',
  final('PERMISSION_DENIED', { status: 403, requestId: REQUEST_ID }),
  'HEAD has no body: Unknow error, status: 403',
  head(403),
);
addTransportFaults(lib, call, {
  abort: false,
  // It takes what arrived for an error in XML.
  instead: { 'cut-body': unclear('INVALID_RESPONSE', 'NETWORK_ERROR', { status: 200 }) },
});
// www.alibabacloud.com/help/en/ram/developer-reference/error-codes of AssumeRole
for (const [name, status, code, message, expect, why] of [
  [
    'sts-no-role',
    404,
    'EntityNotExist.Role',
    'The role not exists: acs:ram::123456789012:role/agent',
    final('NOT_FOUND'),
    'the role is not there',
  ],
  [
    'sts-denied',
    403,
    'NoPermission',
    'You are not authorized to do this action. You should be authorized by RAM.',
    final('PERMISSION_DENIED'),
    'NoPermission',
  ],
  [
    'sts-bad-key',
    404,
    'InvalidAccessKeyId.NotFound',
    'Specified access key is not found.',
    final('AUTHENTICATION_ERROR'),
    'a 404 about who calls',
  ],
  [
    'sts-throttled',
    400,
    'Throttling.User',
    'Request was denied due to user flow control.',
    again('RATE_LIMITED'),
    'a 400 that means throttling',
  ],
  [
    'sts-duration',
    400,
    'InvalidParameter.DurationSeconds',
    'The Min/Max value of DurationSeconds is 15min/1hr.',
    final('VALIDATION_ERROR'),
    'a wrong parameter',
  ],
])
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () => {
    const { STS } = (await import('ali-oss')).default;
    const sts = new STS({ accessKeyId: 'agent', accessKeySecret: SECRET });
    sts.options.endpoint = (
      await serve({ status, body: { RequestId: REQUEST_ID, Code: code, Message: message } })
    ).url;
    return sts.assumeRole('acs:ram::123456789012:role/agent', undefined, 900, 'shop');
  });
lib.add(
  'policy',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'Policy string is not a valid JSON',
  async () => {
    const { STS } = (await import('ali-oss')).default;
    const sts = new STS({ accessKeyId: 'agent', accessKeySecret: SECRET });
    return sts.assumeRole('acs:ram::123456789012:role/agent', '{"Version": 1', 900, 'shop');
  },
);
lib.add(
  'no-credentials',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'require accessKeyId, accessKeySecret',
  () => open({ accessKeySecret: '' }),
);
lib.add(
  'protocol',
  final('CONFIG_ERROR', 'VALIDATION_ERROR'),
  'Endpoint protocol must be http or https',
  () => open({ endpoint: 'ftp://127.0.0.1' }),
);
lib.add(
  'bucket-name',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'The bucket must be conform to the specifications',
  () => open({ bucket: 'My Reports' }),
);
lib.add(
  'no-bucket-set',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'Please create a bucket first',
  async () => (await open({ bucket: undefined })).get('june.csv'),
);
lib.add('no-file', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT of a file to send', async () =>
  (await open()).put('june.csv', '/nowhere/june.csv'),
);
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR'), 'a folder is not file', async () =>
  (await open()).put('june.csv', tmpdir()),
);
export default lib;
