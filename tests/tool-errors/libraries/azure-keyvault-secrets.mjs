// @azure/keyvault-secrets: RestError of core-rest-pipeline, with Key Vault's `error.code` and `error.innererror.code`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve } from '../servers/net.mjs';

const lib = library({
  packages: ['@azure/keyvault-secrets'],
  setup: () => {
    // It speaks HTTPS only; the stub's certificate is its own.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  },
});
const call = async ({ url, timeout, signal }) => {
  const { SecretClient } = await import('@azure/keyvault-secrets');
  const credential = {
    getToken: async () => ({ token: SECRET, expiresOnTimestamp: Date.now() + 3_600_000 }),
  };
  const client = new SecretClient(url, credential, {
    retryOptions: { maxRetries: 0 },
    disableChallengeResourceVerification: true,
  });
  return client.getSecret('db-password', {
    abortSignal: signal,
    requestOptions: timeout && { timeout },
  });
};
const ID = 'a7d1CANARY-0011';
// learn.microsoft.com/azure/key-vault/general/rest-error-codes
for (const [name, status, code, message, expect, why, inner, headers] of [
  [
    'missing',
    404,
    'SecretNotFound',
    'A secret with (name/id) db-password was not found in this key vault.',
    final('NOT_FOUND'),
    'no such secret',
  ],
  [
    'bad-issuer',
    401,
    'Unauthorized',
    'AKV10032: Invalid issuer. Expected one of https://sts.windows.net/1/, found https://sts.windows.net/2/.',
    final('AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
    'a token of another tenant',
  ],
  [
    'policy',
    403,
    'Forbidden',
    'The user, group or application does not have secrets get permission on key vault.',
    final('PERMISSION_DENIED'),
    'no right in the access policy',
    'ForbiddenByPolicy',
  ],
  [
    'firewall',
    403,
    'Forbidden',
    'Client address is not authorized and caller is not a trusted service.',
    final('PERMISSION_DENIED', 'CONFIG_ERROR'),
    'the firewall of the vault',
    'ForbiddenByFirewall',
  ],
  [
    'disabled',
    403,
    'Forbidden',
    'Operation get is not allowed on a disabled secret.',
    final('PERMISSION_DENIED', 'CONFLICT', 'VALIDATION_ERROR'),
    'the secret is switched off',
    'SecretDisabled',
  ],
  [
    'bad-name',
    400,
    'BadParameter',
    'The request URI contains an invalid name: db_password',
    final('VALIDATION_ERROR'),
    'a name that cannot be',
  ],
  [
    'deleted',
    409,
    'Conflict',
    'Secret db-password is currently in a deleted but recoverable state, and its name cannot be reused; in this state, the secret can only be recovered or purged.',
    final('CONFLICT', 'ALREADY_EXISTS'),
    'until somebody recovers or purges it',
    'ObjectIsDeletedButRecoverable',
  ],
  [
    'being-deleted',
    409,
    'Conflict',
    'Secret db-password is currently being deleted and cannot be re-created; retry later.',
    again('CONFLICT'),
    'it says to come again',
    'ObjectIsBeingDeleted',
  ],
  [
    'throttled',
    429,
    'Throttled',
    'Request was not processed because too many requests were received. Reason: VaultRequestTypeLimitReached',
    again('RATE_LIMITED', { retryAfterMs: 4000 }),
    'it says how long',
    'VaultRequestTypeLimitReached',
    { 'retry-after': '4' },
  ],
  ['broken', 500, 'InternalServerError', 'An internal error occurred.', again('SERVER_ERROR'), '500'],
  [
    'unavailable',
    503,
    'ServiceUnavailable',
    'The service is temporarily unavailable.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '503',
  ],
  [
    'no-hsm',
    400,
    'NotSupported',
    'The vault does not support keys that are protected by hardware.',
    final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    'another kind of vault',
  ],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(name, { ...right, status, requestId: ID, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({
      url: (
        await serve(
          {
            status,
            headers: { 'x-ms-request-id': ID, ...headers },
            body: { error: { code, message, ...(inner && { innererror: { code: inner } }) } },
          },
          { tls: true },
        )
      ).url,
    }),
  );
}
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  call({ url: `https://127.0.0.1:${await closedPort()}` }),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  call({ url: 'https://nonexistent.invalid' }),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
  call({ url: (await serve({ reset: true }, { tls: true })).url }),
);
lib.add('cut-json', again('INVALID_RESPONSE', 'NETWORK_ERROR'), 'the body broke off', async () =>
  call({
    url: (
      await serve(
        { headers: { 'content-type': 'application/json' }, body: '{"value":"x","id":"https:' },
        { tls: true },
      )
    ).url,
  }),
);
lib.add(
  'timeout',
  unclear('CANCELLED', 'TIMEOUT'),
  'the client ended it, and says no more than that it was aborted',
  async () => call({ url: (await serve({ silent: true }, { tls: true })).url, timeout: 150 }),
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
  call({ url: (await serve({ silent: true }, { tls: true })).url, signal: abortAfter(80) }),
);
lib.add(
  'plain-http',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'a token does not go over plain HTTP',
  async () => call({ url: (await serve({ body: {} })).url }),
);
export default lib;
