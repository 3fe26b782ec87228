// @google-cloud/storage: ApiError with `code`, `errors[]` with `reason`, `response`.
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@google-cloud/storage'] });
const call = async ({ url, timeout }) => {
  const { Storage } = await import('@google-cloud/storage');
  const { OAuth2Client } = await import('google-auth-library');
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: 'CANARYsecret7890', expiry_date: Date.now() + 1e7 });
  const storage = new Storage({
    apiEndpoint: url,
    projectId: 'shop',
    authClient,
    retryOptions: { autoRetry: false, maxRetries: 0 },
    timeout,
  });
  const [data] = await storage.bucket('reports').file('june.csv').getMetadata();
  return data;
};
for (const [name, status, reason, message, expect, why, headers] of [
  ['no-object', 404, 'notFound', 'No such object: reports/june.csv', final('NOT_FOUND'), 'no model is meant'],
  [
    'no-bucket',
    404,
    'notFound',
    'The specified bucket does not exist.',
    final('NOT_FOUND'),
    'no model is meant',
  ],
  [
    'denied',
    403,
    'forbidden',
    'agent@shop.iam.gserviceaccount.com does not have storage.objects.get access to the Google Cloud Storage object.',
    final('PERMISSION_DENIED'),
    'rights',
  ],
  ['bad-credentials', 401, 'authError', 'Invalid Credentials', final('AUTHENTICATION_ERROR'), '401'],
  [
    'billing',
    403,
    'accountDisabled',
    'The billing account for the owning project is disabled in state absent',
    final('QUOTA_EXCEEDED', 'PERMISSION_DENIED'),
    'a 403 about money',
  ],
  ['rate-403', 403, 'rateLimitExceeded', 'Rate Limit Exceeded', again('RATE_LIMITED'), 'a rate limit as 403'],
  [
    'user-rate-403',
    403,
    'userRateLimitExceeded',
    'User Rate Limit Exceeded',
    again('RATE_LIMITED'),
    'a rate limit as 403',
  ],
  [
    'quota-403',
    403,
    'quotaExceeded',
    'The daily quota of the project is used up.',
    final('QUOTA_EXCEEDED'),
    'a quota as 403',
  ],
  [
    'rate-429',
    429,
    'rateLimitExceeded',
    'The object reports/june.csv exceeded the rate limit for object mutation operations (create, update, and delete).',
    again('RATE_LIMITED'),
    '429',
  ],
  [
    'exists',
    409,
    'conflict',
    'Your previous request to create the named bucket succeeded and you already own it.',
    final('ALREADY_EXISTS', 'CONFLICT'),
    '409 that stays',
  ],
  [
    'precondition',
    412,
    'conditionNotMet',
    'At least one of the pre-conditions you specified did not hold.',
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    '412',
  ],
  ['invalid', 400, 'invalid', 'Invalid bucket name: _x', final('VALIDATION_ERROR'), '400'],
  ['backend', 503, 'backendError', 'Backend Error', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '503'],
  [
    'internal',
    500,
    'internalError',
    'We encountered an internal error. Please try again.',
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'retention',
    403,
    'retentionPolicyNotMet',
    "Object 'reports/june.csv' is subject to bucket's retention policy and cannot be deleted until 2027-01-01.",
    final('PERMISSION_DENIED'),
    'a policy',
  ],
]) {
  lib.add(name, { ...expect, status }, why, async () =>
    call({
      url: (
        await serve({
          status,
          headers,
          body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } },
        })
      ).url,
    }),
  );
}
addTransportFaults(lib, call, { abort: false, skip: ['cut-body'] }); // It waits for ever.
export default lib;
