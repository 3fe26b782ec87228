// @slack/web-api: `code` slack_webapi_*, `data.error`; errors come with status 200.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@slack/web-api'] });
const call = async ({ url, timeout }) => {
  const { LogLevel, WebClient } = await import('@slack/web-api');
  const client = new WebClient(SECRET, {
    slackApiUrl: `${url}/api/`,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    logger: {
      debug() {},
      info() {},
      warn() {},
      error() {},
      setLevel() {},
      setName() {},
      getLevel: () => 'error',
    },
    timeout: timeout ?? 5000,
  });
  return client.chat.postMessage({ channel: '#general', text: 'Hello' });
};
for (const [error, expect, why, more] of [
  ['invalid_auth', final('AUTHENTICATION_ERROR'), 'the token'],
  ['token_revoked', final('AUTHENTICATION_ERROR'), 'the token'],
  ['not_authed', final('AUTHENTICATION_ERROR', 'PROVIDER_NOT_CONFIGURED'), 'no token'],
  ['account_inactive', final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'), 'the user is gone'],
  ['missing_scope', final('PERMISSION_DENIED'), 'a scope', { needed: 'chat:write', provided: 'users:read' }],
  [
    'not_in_channel',
    final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'NOT_FOUND'),
    'the bot has to be invited',
  ],
  ['channel_not_found', final('NOT_FOUND'), 'no such channel'],
  [
    'is_archived',
    final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'CONFLICT', 'NOT_FOUND'),
    'the channel is archived',
  ],
  ['msg_too_long', final('VALIDATION_ERROR'), 'the message'],
  ['no_text', final('VALIDATION_ERROR'), 'the message'],
  ['name_taken', final('ALREADY_EXISTS'), 'a channel of this name is there'],
  ['ratelimited', again('RATE_LIMITED'), 'a rate limit with status 200'],
  ['internal_error', again('SERVER_ERROR'), 'a failure of the server with status 200'],
  ['fatal_error', unclear('SERVER_ERROR'), 'Slack says that part of it may have happened'],
  [
    'service_unavailable',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'a failure of the server with status 200',
  ],
  ['request_timeout', unclear('TIMEOUT'), 'the body was missing or cut off'],
]) {
  lib.add(error, expect, why, async () =>
    call({ url: (await serve({ body: { ok: false, error, ...more } })).url }),
  );
}
lib.add(
  'rate-429',
  again('RATE_LIMITED', { retryAfterMs: 30_000 }),
  'slack_webapi_rate_limited_error has seconds in `retryAfter`',
  async () =>
    call({
      url: (
        await serve({
          status: 429,
          headers: { 'retry-after': '30' },
          body: { ok: false, error: 'ratelimited' },
        })
      ).url,
    }),
);
lib.add('http-500', again('SERVER_ERROR', { status: 500 }), 'slack_webapi_http_error', async () =>
  call({ url: (await serve({ status: 500, body: 'oops' })).url }),
);
addTransportFaults(lib, call, { abort: false, skip: ['cut-body'] });
export default lib;
