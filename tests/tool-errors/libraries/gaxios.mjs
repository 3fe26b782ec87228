// gaxios, the client below googleapis: GaxiosError with `status`, `code`, `response.data.error`.
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['gaxios'] });
const call = async ({ url, timeout, signal }) => {
  const { Gaxios } = await import('gaxios');
  return new Gaxios().request({
    url: `${url}/calendar/v3/calendars/primary/events`,
    retry: false,
    timeout,
    signal,
    responseType: 'json',
  });
};
const google = (status, reason, message, more = {}) => ({
  error: {
    code: status,
    message,
    status: more.grpc,
    errors: [{ message, domain: 'global', reason }],
    ...(more.details && { details: more.details }),
  },
});
for (const [name, status, body, expect, why, headers] of [
  ['missing', 404, google(404, 'notFound', 'Not Found'), final('NOT_FOUND'), 'no model is meant'],
  [
    'user-rate',
    403,
    google(
      403,
      'userRateLimitExceeded',
      'User Rate Limit Exceeded. Rate of requests for user exceed configured project quota',
    ),
    again('RATE_LIMITED'),
    'a rate limit as 403',
  ],
  [
    'rate',
    403,
    google(403, 'rateLimitExceeded', 'Rate Limit Exceeded'),
    again('RATE_LIMITED'),
    'a rate limit as 403',
  ],
  [
    'daily',
    403,
    google(403, 'dailyLimitExceeded', 'Daily Limit Exceeded'),
    final('QUOTA_EXCEEDED'),
    'a day is long',
  ],
  [
    'not-enabled',
    403,
    google(
      403,
      'accessNotConfigured',
      'Calendar API has not been used in project 123 before or it is disabled.',
      {
        grpc: 'PERMISSION_DENIED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'SERVICE_DISABLED',
            domain: 'googleapis.com',
          },
        ],
      },
    ),
    final('PERMISSION_DENIED', 'PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR'),
    'the API has to be enabled',
  ],
  [
    'insufficient',
    403,
    google(
      403,
      'insufficientPermissions',
      'Insufficient Permission: Request had insufficient authentication scopes.',
      { grpc: 'PERMISSION_DENIED' },
    ),
    final('PERMISSION_DENIED'),
    'scopes',
  ],
  [
    'expired',
    401,
    google(401, 'authError', 'Invalid Credentials', { grpc: 'UNAUTHENTICATED' }),
    final('AUTHENTICATION_ERROR'),
    '401',
  ],
  [
    'invalid-grant',
    400,
    { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    final('AUTHENTICATION_ERROR'),
    'a 400 about who asks',
  ],
  [
    'duplicate',
    409,
    google(409, 'duplicate', 'The requested identifier already exists.'),
    final('ALREADY_EXISTS', 'CONFLICT'),
    '409 that stays',
  ],
  [
    'sync-token',
    410,
    google(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.'),
    final('NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT'),
    'sync anew',
  ],
  [
    'precondition',
    412,
    google(412, 'conditionNotMet', 'Precondition Failed'),
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    '412',
  ],
  [
    'retry-info',
    429,
    google(429, 'rateLimitExceeded', 'Quota exceeded for quota metric', {
      grpc: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '20s' }],
    }),
    again('RATE_LIMITED', { retryAfterMs: 20_000 }),
    'RetryInfo',
  ],
  [
    'aborted',
    409,
    google(409, 'aborted', 'The operation was aborted.', { grpc: 'ABORTED' }),
    again('CONFLICT'),
    'ABORTED of google.rpc is contention; no user aborted',
  ],
  [
    'backend',
    503,
    google(503, 'backendError', 'Backend Error', { grpc: 'UNAVAILABLE' }),
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR'),
    '503',
  ],
  [
    'invalid',
    400,
    google(400, 'badRequest', 'Bad Request', {
      grpc: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'timeMin' }] },
      ],
    }),
    final('VALIDATION_ERROR'),
    '400',
  ],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(name, { ...right, status, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({ url: (await serve({ status, headers, body })).url }),
  );
}
addTransportFaults(lib, call);
export default lib;
