/** A server's answer to its own client after a failure: a problem (RFC 9457), with the status that the failure has there. */

import { AGENT_ERROR_CODES, type AgentErrorCode, isAgentErrorCode } from '../codes.js';
import { isControlFlow } from '../control-flow.js';
import type { Audience, Reader } from '../message/about.js';
import * as is from '../options.js';
import type { AgentError } from './agent-error.js';
import { sentenceOf } from './as-response.js';
import { steadyError } from './final-error.js';

/** How a server answers its client. */
export interface HttpResponseOptions extends Reader {
  /** The reader of `detail`. Default: `'visitor'`, because a server's client cannot check a key of the server's. */
  audience?: Audience | undefined;
  /** The status, from 400 to 599, or a function that returns it. Default: {@link httpStatusOf} the error's code. */
  status?: number | ((error: AgentError) => number) | undefined;
}

/** The codes that are no trouble of the server's own. Waiting helps with 503; the server itself sends too much, so 429 would be wrong. */
const STATUSES: Partial<Readonly<Record<AgentErrorCode, number>>> = {
  RATE_LIMITED: 503,
  PROVIDER_OVERLOADED: 503,
  CIRCUIT_OPEN: 503,
  CAPACITY_EXCEEDED: 503,
  TIMEOUT: 504,
  NETWORK_ERROR: 502,
  SERVER_ERROR: 502,
  INVALID_RESPONSE: 502,
  CONTEXT_LENGTH_EXCEEDED: 413,
  CONTENT_FILTERED: 422,
  MAX_ITERATIONS_EXCEEDED: 422,
  CONFLICT: 409,
  ALREADY_EXISTS: 409,
  CANCELLED: 499,
};

/** Those of https://www.iana.org/assignments/http-status-codes that an agent's server may answer, and nginx's 499. */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  424: 'Failed Dependency',
  429: 'Too Many Requests',
  451: 'Unavailable For Legal Reasons',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599;

const OPTIONS: is.Shape = {
  audience: is.oneOf('owner', 'visitor'),
  locale: is.text,
  status: is.kind(
    'a status from 400 to 599, or a function that returns one',
    (value) => isStatus(value) || typeof value === 'function',
  ),
};

/**
 * Returns the HTTP status of a server whose work failed with that code: 503 where waiting helps, 504 and 502 where the provider
 * failed, 413, 422 and 409 for requests that cannot be answered as they are, 499 for a client that has gone, and 500 for
 * everything else, because that is the server's own trouble: a key, a quota, a setting, a bug.
 *
 * @example
 * ```ts
 * httpStatusOf('RATE_LIMITED'); // 503
 * httpStatusOf('AUTHENTICATION_ERROR'); // 500: the server's key, not its client's
 * ```
 * @throws TypeError for what is no code.
 */
export function httpStatusOf(code: AgentErrorCode): number {
  if (!isAgentErrorCode(code)) throw is.misuse('code', 'an AgentErrorCode', code, AGENT_ERROR_CODES);
  return STATUSES[code] ?? 500;
}

/**
 * Returns a server's answer to its own client after a failure, as problem details (RFC 9457, `application/problem+json`): `title`
 * is the phrase of the status, `detail` the sentence for the user, `code` the error's code, `retryAfterMs` the wait in milliseconds.
 * If a wait is known, the header `Retry-After` has it in whole seconds, rounded up. Nothing else of the error leaves the server.
 * Takes anything that was thrown. A framework's redirect or "not found" passes through: it is thrown again.
 *
 * @throws TypeError for a wrong option, or a `status` function that returns no status.
 * @example
 * ```ts
 * app.onError((thrown) => toHttpResponse(thrown)); // Hono
 * // 503, Retry-After: 20
 * // { title: 'Service Unavailable', status: 503, detail: 'Too many …', code: 'RATE_LIMITED', retryAfterMs: 20000 }
 * ```
 */
export function toHttpResponse(error: unknown, options?: HttpResponseOptions): Response {
  const {
    audience = 'visitor',
    locale,
    status: wanted,
  } = is.readOptions<HttpResponseOptions>(OPTIONS, options, 'toHttpResponse');
  // A promise for React's Suspense is no error, and is not thrown where a response is made.
  if (isControlFlow(error) && error instanceof Error) throw error;
  const found = steadyError(error, { audience, locale });
  const { code, retryAfterMs } = found;
  const status = typeof wanted === 'function' ? wanted(found) : (wanted ?? httpStatusOf(code));
  if (!isStatus(status)) throw is.misuse('status()', 'a status from 400 to 599', status);
  const problem = {
    // A status that is not known is understood as the first of its hundred (RFC 9110 §15).
    title: PHRASES[status] ?? PHRASES[status < 500 ? 400 : 500],
    status,
    detail: sentenceOf(found, { audience, locale }),
    code,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  return new Response(JSON.stringify(problem), { status, headers });
}
