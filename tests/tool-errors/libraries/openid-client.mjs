// openid-client: ClientError (`code` OAUTH_…), ResponseBodyError (`error`, `status`), WWW-Authenticate challenges.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve } from '../servers/net.mjs';

const lib = library({ packages: ['openid-client'] });
const metadata = (url) => ({
  issuer: url,
  token_endpoint: `${url}/token`,
  userinfo_endpoint: `${url}/userinfo`,
  authorization_endpoint: `${url}/authorize`,
});
const configuration = async (url, timeout = 2) => {
  const { Configuration, allowInsecureRequests } = await import('openid-client');
  const config = new Configuration(metadata(url), 'agent', SECRET);
  allowInsecureRequests(config);
  config.timeout = timeout;
  return config;
};
const refresh = async (url, timeout) => {
  const { refreshTokenGrant } = await import('openid-client');
  return refreshTokenGrant(await configuration(url, timeout), `rt-${SECRET}`);
};
// RFC 6749 section 5.2, RFC 8628 section 3.5.
for (const [name, status, error, description, expect, why] of [
  [
    'invalid-grant',
    400,
    'invalid_grant',
    'Token has been expired or revoked.',
    final('AUTHENTICATION_ERROR'),
    'a 400: the user has to sign in again',
  ],
  [
    'invalid-client',
    400,
    'invalid_client',
    'Invalid client credentials',
    final('AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
    'a 400 about the secret',
  ],
  [
    'unauthorized-client',
    400,
    'unauthorized_client',
    'The client is not authorized to use this grant type',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
    'a 400 about rights',
  ],
  [
    'invalid-scope',
    400,
    'invalid_scope',
    'The requested scope is unknown',
    final('VALIDATION_ERROR', 'PERMISSION_DENIED'),
    'invalid_scope',
  ],
  [
    'invalid-request',
    400,
    'invalid_request',
    'Missing parameter: refresh_token',
    final('VALIDATION_ERROR'),
    'invalid_request',
  ],
  [
    'grant-type',
    400,
    'unsupported_grant_type',
    'Grant type is not supported',
    final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    'unsupported_grant_type',
  ],
  ['slow-down', 400, 'slow_down', 'Polling too often', again('RATE_LIMITED'), 'RFC 8628: five seconds more'],
  [
    'temporarily-unavailable',
    503,
    'temporarily_unavailable',
    'The server is overloaded',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'the Response is the cause, and its body is not read',
  ],
  ['server-error', 500, 'server_error', 'Internal error', again('SERVER_ERROR'), 'server_error'],
  ['too-many', 429, 'too_many_requests', 'Rate limit of the tenant', again('RATE_LIMITED'), '429'],
]) {
  lib.add(name, { ...expect, status }, why, async () =>
    refresh((await serve({ status, body: { error, error_description: description } })).url),
  );
}
lib.add(
  'challenge',
  final('AUTHENTICATION_ERROR', { status: 401 }),
  'WWWAuthenticateChallengeError at the token endpoint',
  async () =>
    refresh(
      (
        await serve({
          status: 401,
          headers: { 'www-authenticate': 'Basic realm="tokens"' },
          body: { error: 'invalid_client' },
        })
      ).url,
    ),
);
const userinfo = async (answer) => {
  const { fetchUserInfo, skipSubjectCheck } = await import('openid-client');
  return fetchUserInfo(await configuration((await serve(answer)).url), SECRET, skipSubjectCheck);
};
lib.add(
  'userinfo-expired',
  final('AUTHENTICATION_ERROR', { status: 401 }),
  'RFC 6750: invalid_token in a challenge',
  () =>
    userinfo({
      status: 401,
      headers: {
        'www-authenticate': 'Bearer error="invalid_token", error_description="The access token expired"',
      },
      body: {},
    }),
);
lib.add(
  'userinfo-scope',
  final('PERMISSION_DENIED', { status: 403 }),
  'RFC 6750: insufficient_scope in a challenge',
  () =>
    userinfo({
      status: 403,
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="profile"' },
      body: {},
    }),
);
lib.add(
  'userinfo-503',
  again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { status: 503 }),
  'the Response is the cause',
  () => userinfo({ status: 503, body: 'Service Unavailable' }),
);
lib.add(
  'html-502',
  again('SERVER_ERROR', { status: 502 }),
  'a proxy in between fails: the Response is the cause',
  async () =>
    refresh(
      (
        await serve({
          status: 502,
          headers: { 'content-type': 'text/html' },
          body: '<html><head><title>502 Bad Gateway</title></head></html>',
        })
      ).url,
    ),
);
lib.add('html', unclear('INVALID_RESPONSE'), 'a page instead of JSON, with status 200', async () =>
  refresh((await serve({ headers: { 'content-type': 'text/html' }, body: '<html>Login</html>' })).url),
);
lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
  refresh(
    (await serve({ headers: { 'content-type': 'application/json' }, body: '{"access_token":"a","expi' })).url,
  ),
);
lib.add('no-token', unclear('INVALID_RESPONSE'), 'a response without access_token', async () =>
  refresh((await serve({ body: { token_type: 'bearer' } })).url),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  refresh(`http://127.0.0.1:${await closedPort()}`),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  refresh('http://login.invalid'),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
  refresh((await serve({ reset: true })).url),
);
lib.add('timeout', again('TIMEOUT'), 'OAUTH_TIMEOUT', async () =>
  refresh((await serve({ silent: true })).url, 0.15),
);
lib.add('abort', final('CANCELLED'), 'OAUTH_ABORT: the user wanted it to end', async () => {
  const { customFetch, refreshTokenGrant } = await import('openid-client');
  const config = await configuration((await serve({ silent: true })).url);
  config[customFetch] = (url, options) => fetch(url, { ...options, signal: abortAfter(60) });
  return refreshTokenGrant(config, 'rt');
});
lib.add(
  'plain-http',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'OAUTH_HTTP_REQUEST_FORBIDDEN: only requests to HTTPS are allowed',
  async () => {
    const { Configuration, refreshTokenGrant } = await import('openid-client');
    return refreshTokenGrant(new Configuration(metadata('http://login.example.com'), 'agent', SECRET), 'rt');
  },
);
const discover = async (answer) => {
  const { discovery, allowInsecureRequests } = await import('openid-client');
  return discovery(new URL((await serve(answer)).url), 'agent', SECRET, undefined, {
    execute: [allowInsecureRequests],
    timeout: 2,
  });
};
lib.add(
  'no-issuer',
  final('NOT_FOUND', 'CONFIG_ERROR', { status: 404 }),
  'there is no discovery document: the Response is the cause',
  () => discover({ status: 404, body: 'Not Found' }),
);
lib.add(
  'other-issuer',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'INVALID_RESPONSE', 'PERMISSION_DENIED'),
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: the document is of another issuer',
  () => discover({ body: metadata('https://login.example.com') }),
);
const callback = async (query) => {
  const { authorizationCodeGrant } = await import('openid-client');
  return authorizationCodeGrant(
    await configuration('http://127.0.0.1:1'),
    new URL(`http://localhost/callback?${query}`),
    { expectedState: 'abc' },
  );
};
lib.add(
  'access-denied',
  final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'CANCELLED'),
  'AuthorizationResponseError: the user did not consent',
  () => callback('error=access_denied&error_description=The+user+denied+the+request&state=abc'),
);
lib.add(
  'login-required',
  final('AUTHENTICATION_ERROR'),
  'AuthorizationResponseError: the user has to sign in',
  () => callback('error=login_required&state=abc'),
);
lib.add(
  'state',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'INVALID_RESPONSE', 'PERMISSION_DENIED'),
  'the state is not the one that was sent',
  () => callback('code=x&state=other'),
);
lib.add(
  'no-endpoint',
  final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR'),
  'OAUTH_MISSING_SERVER_METADATA',
  async () => {
    const { Configuration, refreshTokenGrant } = await import('openid-client');
    return refreshTokenGrant(
      new Configuration({ issuer: 'https://login.example.com' }, 'agent', SECRET),
      'rt',
    );
  },
);
export default lib;
