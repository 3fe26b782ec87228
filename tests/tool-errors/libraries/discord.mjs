// @discordjs/rest: DiscordAPIError with `status` and a numeric `code`, HTTPError, RateLimitError with `retryAfter` in ms.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@discordjs/rest'] });
const call = async ({ url, timeout, signal }) => {
  const { REST } = await import('@discordjs/rest');
  const rest = new REST({
    api: `${url}/api`,
    retries: 0,
    timeout: timeout ?? 5000,
    rejectOnRateLimit: () => true,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  }).setToken(SECRET);
  return rest.post('/channels/1/messages', { body: { content: 'Hello' }, signal });
};
addResponses(
  lib,
  [
    ['unknown-channel', 404, { message: 'Unknown Channel', code: 10003 }, final('NOT_FOUND'), '10003'],
    ['missing-access', 403, { message: 'Missing Access', code: 50001 }, final('PERMISSION_DENIED'), '50001'],
    [
      'invalid-form',
      400,
      {
        message: 'Invalid Form Body',
        code: 50035,
        errors: {
          content: {
            _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }],
          },
        },
      },
      final('VALIDATION_ERROR'),
      '50035',
    ],
    ['bad-token', 401, { message: '401: Unauthorized', code: 0 }, final('AUTHENTICATION_ERROR'), '401'],
    [
      'max-pins',
      400,
      { message: 'Maximum number of pins reached (50)', code: 30003 },
      final('QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
      '30003: a limit that waiting does not lift',
    ],
    [
      'cloudflare-ban',
      403,
      'error code: 1015',
      unclear('PERMISSION_DENIED', 'RATE_LIMITED'),
      "Cloudflare's rate limit as 403, of which the client keeps nothing",
    ],
    [
      'blocked-content',
      400,
      { message: 'Message was blocked by automatic moderation', code: 200000 },
      final('CONTENT_FILTERED', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
      '200000',
    ],
    ['internal', 500, { message: '500: Internal Server Error', code: 0 }, again('SERVER_ERROR'), '500'],
    [
      'unavailable',
      503,
      'upstream connect error or disconnect/reset before headers',
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503',
    ],
  ],
  call,
  { status: true },
);
addResponses(
  lib,
  [
    [
      'rate',
      429,
      { message: 'You are being rate limited.', retry_after: 0.5, global: false },
      again('RATE_LIMITED', { retryAfterMs: 2000, within: 600 }),
      'RateLimitError: milliseconds in `retryAfter`',
      {
        'retry-after': '2',
        'x-ratelimit-scope': 'user',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-limit': '5',
        'x-ratelimit-reset-after': '2',
      },
    ],
  ],
  call,
  {},
);
// It aborts what takes too long, and says no more.
addTransportFaults(lib, call, { instead: { timeout: unclear('CANCELLED', 'TIMEOUT') } });
export default lib;
