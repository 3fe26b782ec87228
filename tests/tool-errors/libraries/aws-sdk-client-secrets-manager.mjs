// @aws-sdk/client-secrets-manager.
import { json, options, REQUEST_ID } from '../aws.mjs';
import { again, final, library } from '../expect.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@aws-sdk/client-secrets-manager'] });
const call = async ({ url, timeout, signal }) => {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient(await options({ url, timeout }));
  return client.send(new GetSecretValueCommand({ SecretId: 'db-password' }), { abortSignal: signal });
};
// docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html and CommonErrors
for (const [name, status, type, message, expect, why] of [
  [
    'missing',
    400,
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret.",
    final('NOT_FOUND'),
    'no such secret',
  ],
  [
    'marked-for-deletion',
    400,
    'InvalidRequestException',
    "You can't perform this operation on the secret because it was marked for deletion.",
    final('VALIDATION_ERROR', 'CONFLICT', 'NOT_FOUND'),
    'until somebody restores it',
  ],
  [
    'no-version',
    400,
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret value for staging label: AWSPREVIOUS",
    final('NOT_FOUND'),
    'no such version',
  ],
  [
    'bad-parameter',
    400,
    'InvalidParameterException',
    'Invalid name. Must be a valid name containing alphanumeric characters.',
    final('VALIDATION_ERROR'),
    'a name that cannot be',
  ],
  [
    'exists',
    400,
    'ResourceExistsException',
    'The operation failed because the secret db-password already exists.',
    final('ALREADY_EXISTS'),
    'a 400 about what exists',
  ],
  [
    'limit',
    400,
    'LimitExceededException',
    'You have exceeded the maximum number of secrets in this account.',
    final('QUOTA_EXCEEDED', 'RATE_LIMITED'),
    'the account may have no more',
  ],
  [
    'decryption',
    400,
    'DecryptionFailure',
    "Secrets Manager can't decrypt the protected secret text using the provided KMS key.",
    final('PERMISSION_DENIED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'SERVER_ERROR'),
    'the key is disabled, or not ours',
  ],
  [
    'precondition',
    400,
    'PreconditionNotMetException',
    'You must remove all replica regions before deleting the secret.',
    final('CONFLICT', 'VALIDATION_ERROR'),
    'not until the state was set right',
  ],
  [
    'denied',
    400,
    'AccessDeniedException',
    'User: arn:aws:iam::1:user/agent is not authorized to perform: secretsmanager:GetSecretValue',
    final('PERMISSION_DENIED'),
    'a 400 about rights',
  ],
  [
    'expired',
    400,
    'ExpiredTokenException',
    'The security token included in the request is expired',
    final('AUTHENTICATION_ERROR'),
    'a 400 about who asks',
  ],
  [
    'bad-signature',
    403,
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided.',
    final('AUTHENTICATION_ERROR'),
    'a 403 about who asks',
  ],
  [
    'bad-id',
    400,
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
    final('AUTHENTICATION_ERROR'),
    'no such access key',
  ],
  ['throttled', 400, 'ThrottlingException', 'Rate exceeded', again('RATE_LIMITED'), 'throttling as 400'],
  [
    'internal',
    500,
    'InternalServiceError',
    'An error occurred on the server side.',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'unavailable',
    503,
    'ServiceUnavailable',
    'The request has failed due to a temporary failure of the server.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
])
  lib.add(name, { ...expect, status, requestId: REQUEST_ID }, why, async () =>
    call({ url: await json(status, type, message) }),
  );
addTransportFaults(lib, call);
lib.add(
  'no-credentials',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR'),
  'the provider of credentials finds none',
  async () => {
    const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
    process.env.AWS_EC2_METADATA_DISABLED = 'true';
    return new SecretsManagerClient({ region: 'eu-west-1', maxAttempts: 1 }).send(
      new GetSecretValueCommand({ SecretId: 'x' }),
    );
  },
);
lib.add(
  'no-region',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_CONFIGURED'),
  'Region is missing',
  async () => {
    const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
    return new SecretsManagerClient({
      region: async () => {
        throw new Error('Region is missing');
      },
    }).send(new GetSecretValueCommand({ SecretId: 'x' }));
  },
);
export default lib;
