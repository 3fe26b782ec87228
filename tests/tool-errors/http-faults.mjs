// The responses of a tool's failing HTTP API, made with every HTTP client.
import { again, final, unclear } from './expect.mjs';
import { abortAfter, closedPort, serve } from './servers/net.mjs';

export const REQUEST_ID = 'reqCANARY0002';
const problem = (status, type, title, detail, more = {}) => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'x-request-id': REQUEST_ID },
  body: JSON.stringify({ type: `https://api.example.com/problems/${type}`, title, status, detail, ...more }),
});
const json = (status, body, headers = {}) => ({
  status,
  headers: { 'x-request-id': REQUEST_ID, ...headers },
  body,
});

/** name: [response, what is right, why, what is right when the body was not read] */
export const RESPONSES = {
  invalid: [
    problem(400, 'invalid-parameter', 'Invalid parameter', 'limit must be between 1 and 100', {
      field: 'limit',
    }),
    final('VALIDATION_ERROR'),
    'the request is wrong and will stay so',
  ],
  'bad-token': [
    json(
      401,
      { error: 'invalid_token', error_description: 'The access token expired' },
      { 'www-authenticate': 'Bearer error="invalid_token"' },
    ),
    final('AUTHENTICATION_ERROR'),
    'the same token is refused again',
  ],
  forbidden: [
    json(403, { error: { code: 'forbidden', message: 'Your role does not allow this action' } }),
    final('PERMISSION_DENIED'),
    'a role does not change by waiting',
  ],
  missing: [
    json(404, { message: 'No such document' }),
    final('NOT_FOUND'),
    'a missing document is no missing model',
  ],
  gone: [
    json(410, { message: 'This resource was deleted' }),
    final('NOT_FOUND'),
    'what is gone does not return',
  ],
  'request-timeout': [
    json(408, { message: 'Request Timeout' }),
    again('TIMEOUT', 'NETWORK_ERROR'),
    'RFC 9110: the client may repeat the request',
  ],
  conflict: [
    json(409, { message: 'Conflict' }),
    again('CONFLICT'),
    'a bare 409: the state changed under the request',
  ],
  taken: [
    json(409, { error: { code: 'already_exists', message: 'A project with this name already exists' } }),
    final('ALREADY_EXISTS', 'CONFLICT'),
    'the name stays taken',
    again('CONFLICT', 'ALREADY_EXISTS'),
  ],
  precondition: [
    json(412, { message: 'If-Match does not match the current ETag' }),
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    'the state changed; it must be read again before the request can succeed',
  ],
  'too-large': [
    json(413, { message: 'Payload of 12 MB exceeds the limit of 10 MB' }),
    final('VALIDATION_ERROR'),
    'the same payload is as large again',
  ],
  unprocessable: [
    json(422, { errors: [{ field: 'email', message: 'is not a valid address' }] }),
    final('VALIDATION_ERROR'),
    'the field stays invalid',
  ],
  locked: [
    json(423, { message: 'The resource is locked' }),
    again('CONFLICT', 'PERMISSION_DENIED'),
    'locks are given back',
  ],
  throttled: [
    json(429, { message: 'Too many requests' }, { 'retry-after': '7' }),
    again('RATE_LIMITED', { retryAfterMs: 7000 }),
    'the server says when to come back',
  ],
  'monthly-limit': [
    json(429, {
      error: {
        code: 'quota_exceeded',
        message: 'Monthly request limit of your plan reached. Upgrade your plan.',
      },
    }),
    final('QUOTA_EXCEEDED'),
    'waiting a few seconds does not renew a month',
    unclear('RATE_LIMITED', 'QUOTA_EXCEEDED'),
  ],
  broken: [
    json(500, { message: 'Internal Server Error' }),
    again('SERVER_ERROR'),
    'a server that failed once can succeed',
  ],
  unavailable: [
    {
      status: 503,
      headers: { 'retry-after': '30', 'x-request-id': REQUEST_ID, 'content-type': 'text/html' },
      body: '<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>',
    },
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { retryAfterMs: 30_000 }),
    'maintenance passes',
  ],
  'gateway-timeout': [
    {
      status: 504,
      headers: { 'content-type': 'text/html', 'x-request-id': REQUEST_ID },
      body: '<html><head><title>504 Gateway Time-out</title></head></html>',
    },
    again('TIMEOUT', 'SERVER_ERROR'),
    'the gateway gave up on a slow backend',
  ],
};

/**
 * Adds the faults of HTTP to a library.
 * @param lib the library
 * @param call makes one request of `{ url, timeout?, signal? }` without retries and reads the response as JSON
 * @param keeps the parts of the response that the thrown value carries: `status`, `hint`, `id`, `body`; `instead`: the
 *   right expectation if it says less
 */
export function addHttpFaults(lib, call, keeps = {}) {
  const {
    status = true,
    hint = true,
    id = true,
    body = true,
    abort = true,
    timeout = true,
    cut = true,
    skip = [],
    instead = {},
  } = keeps;
  for (const [name, [response, right, why, unread]] of Object.entries(RESPONSES)) {
    if (skip.includes(name)) continue;
    const { retryAfterMs, ...expect } = body ? right : (unread ?? right);
    lib.add(
      name,
      {
        ...expect,
        ...(status && { status: response.status }),
        ...(hint && retryAfterMs && { retryAfterMs }),
        ...(id && { requestId: REQUEST_ID }),
      },
      why,
      async () => call({ url: (await serve(response)).url }),
    );
  }
  lib.add('refused', again('NETWORK_ERROR'), 'the server may be starting', async () =>
    call({ url: `http://127.0.0.1:${await closedPort()}` }),
  );
  lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
    call({ url: 'http://nonexistent.invalid' }),
  );
  lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
    call({ url: (await serve({ reset: true })).url }),
  );
  lib.add(
    'self-signed',
    final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
    'a certificate that is not trusted is not trusted the next time',
    async () => call({ url: (await serve({ body: {} }, { tls: true })).url }),
  );
  if (timeout) {
    lib.add(
      'timeout',
      instead.timeout ?? again('TIMEOUT'),
      'the client waited as long as it was to',
      async () => call({ url: (await serve({ silent: true })).url, timeout: 150 }),
    );
  }
  if (abort) {
    lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
      call({ url: (await serve({ silent: true })).url, signal: abortAfter(60) }),
    );
    lib.add(
      'signal-timeout',
      again('TIMEOUT'),
      'AbortSignal.timeout is a timeout, though it comes as an abort',
      async () => call({ url: (await serve({ silent: true })).url, signal: AbortSignal.timeout(80) }),
    );
  }
  if (cut) {
    lib.add('cut-body', again('NETWORK_ERROR', 'INVALID_RESPONSE'), 'the body broke off', async () =>
      call({
        url: (
          await serve({
            headers: { 'content-type': 'application/json' },
            body: '{"items":[{"id":1},{"id":2}]}',
            cut: 15,
          })
        ).url,
      }),
    );
  }
  if (!skip.includes('cut-json')) {
    lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
      call({
        url: (
          await serve({ headers: { 'content-type': 'application/json' }, body: '{"items":[{"id":1},{"i' })
        ).url,
      }),
    );
  }
}
