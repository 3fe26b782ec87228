/** What a policy and a call may be told: types, and the tables that check them. */

import { CircuitBreaker } from '../breaker/breaker.js';
import { type BreakerOptions, breakerShape } from '../breaker/options.js';
import { type Check, type StandardSchemaV1, validateKind } from '../call/validate.js';
import type { Classifier } from '../classify/types.js';
import type { Clock } from '../clock.js';
import type { AgentError } from '../error/agent-error.js';
import type { AgentErrorResponse } from '../error/response-types.js';
import type { HalfopenEvent } from '../event/events.js';
import * as is from '../options.js';
import { type RetryOptions, retryPresets, retryShape } from '../retry/options.js';

/** What an attempt knows of its call. */
export interface AttemptContext {
  /** 1, 2, … */
  readonly attempt: number;
  /**
   * Aborts when the caller, the attempt's timeout or the total deadline does. Created on first read; aborted
   * already if that is late.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until the total deadline; Infinity without one. */
  readonly remainingMs: number;
  /** Made on first read. */
  readonly callId: string;
  readonly lastError?: AgentError | undefined;
  /**
   * What an answer said about limits and use. Both are shown (`limits.observed`, and `usage` on `attempt.succeeded`). Limits
   * in the headers count where a rate limit is set: "remaining 0, reset in 10 s" delays the next attempt up to its
   * `maxWaitMs`, else that is CAPACITY_EXCEEDED with the wait. The use of tokens is shown only.
   *
   * @param facts.headers `Headers`, a Map, a list of pairs or a plain object. What cannot be read says nothing.
   */
  observe(facts: {
    headers?: unknown;
    usage?: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined;
  }): void;
}

export type Operation<T> = (context: AttemptContext) => T | PromiseLike<T>;

/** Answers instead of a call that failed. Not asked for CANCELLED. What it throws becomes the call's error. */
export type Fallback<F> = (
  error: AgentError,
  context: { readonly signal: AbortSignal; readonly callId: string },
) => F | PromiseLike<F>;

/** The identity of a span, as in https://www.w3.org/TR/trace-context/. */
export interface SpanContext {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
}

export interface TimeoutOptions {
  /** For each attempt. Default: none. */
  attemptMs?: number | undefined;
  /** For the call with all its attempts and waits. Default: none. */
  totalMs?: number | undefined;
}

export interface BulkheadOptions {
  /** So many attempts run at once. */
  maxConcurrent: number;
  /** So many more wait, first in, first out. Default: 0. */
  maxQueued?: number | undefined;
}

export interface RateLimitOptions {
  /** At most so many attempts begin in any span of `windowMs`. */
  limit: number;
  windowMs: number;
  /** The longest wait for a place. Default: 0. */
  maxWaitMs?: number | undefined;
}

/**
 * Order, outermost first: fallback, total deadline, breaker (scope 'call'), retry, bulkhead, rate limit,
 * breaker (scope 'attempt'), attempt timeout, operation. So a call that waits to retry holds no place.
 */
export interface PolicyOptions<F = never> {
  /** Default: 'default'. */
  name?: string | undefined;
  /**
   * Where the defaults of `retry` come from, see `retryPresets`: 'agent' (3 retries, 1 s doubled up to 10 s, ±20 %),
   * 'capability' (3 retries, 1 s × 1.5 without a cap or jitter), 'service' (3 retries, 1 s doubled up to 30 s, no jitter,
   * only llm_failed, network and timeout). Default: 'agent'.
   */
  preset?: 'agent' | 'capability' | 'service' | undefined;
  retry?: RetryOptions | false | undefined;
  /** Default: on, 5 consecutive failures, 60 s. */
  breaker?: BreakerOptions | CircuitBreaker | false | undefined;
  /** Default: 'call', one exhausted sequence of retries is one failure. */
  breakerScope?: 'call' | 'attempt' | undefined;
  timeout?: TimeoutOptions | undefined;
  bulkhead?: BulkheadOptions | undefined;
  rateLimit?: RateLimitOptions | undefined;
  /**
   * A returned fetch `Response` with a status of 400 or above, or of type 'error', fails the attempt, classified by its
   * status, headers and body: before `validate`. A clone of it is read; the Response itself is the error's `cause`.
   * `policy.fetch` ignores this. Default: true.
   */
  failOnNotOk?: boolean | undefined;
  fallback?: Fallback<F> | undefined;
  /** A rule of the application's own, asked before the built-in ones. */
  classify?: Classifier | undefined;
  /**
   * 'provider': `AgentError.message` includes what the provider said, redacted and cut to 500 characters. It may quote the
   * prompt. Default: 'private', status, codes and names only.
   */
  messages?: 'private' | 'provider' | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  clock?: Clock | undefined;
  /** Makes jitter reproducible. */
  seed?: number | undefined;
  /** Told once for every call that failed for good, also when a fallback then answers. */
  onError?: ((context: SpanContext, error: AgentErrorResponse) => void) | undefined;
  onEvent?: ((event: HalfopenEvent) => void) | undefined;
  /** Full technical details, redacted. Never meant for users. */
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}

/** What one call may be told. `T` is the operation's value. */
// biome-ignore lint/suspicious/noExplicitAny: a value of any operation's type.
export interface ExecuteOptions<F = never, T = any> {
  signal?: AbortSignal | undefined;
  /** Instead of the policy's. */
  fallback?: Fallback<F> | undefined;
  /** Over the policy's, key by key. */
  retry?: RetryOptions | false | undefined;
  timeout?: TimeoutOptions | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  /**
   * A Standard Schema (zod, valibot, arktype), whose output becomes the value, or a function: what it throws, and `false`,
   * make the value a failure of the attempt. A mismatch is INVALID_RESPONSE: not retried unless `retryOn` names it, and
   * counted by the breaker. Of a stream, each chunk. What a fallback answers is not validated.
   */
  validate?: Check<T> | StandardSchemaV1 | undefined;
  /** Instead of the policy's. */
  failOnNotOk?: boolean | undefined;
  /** false: an attempt that may have reached the provider is not repeated. Default: true. */
  idempotent?: boolean | undefined;
  span?: SpanContext | undefined;
  /** Shown in reports and devtools. */
  task?: string | undefined;
}

/** What one stream may be told. `C` is its chunk. */
// biome-ignore lint/suspicious/noExplicitAny: a chunk of any operation's type.
export interface StreamOptions<C = any> extends Omit<ExecuteOptions<never, C>, 'fallback'> {
  /** No chunk for this long fails the attempt with TIMEOUT. The consumer's own time does not count. */
  stallTimeoutMs?: number | undefined;
  firstChunkTimeoutMs?: number | undefined;
}

const timeoutShape: is.Shape = { attemptMs: is.span, totalMs: is.span };
const retryOrNot = is.either(is.no, is.object(retryShape));

const policyShape: is.Shape = {
  name: is.text,
  preset: is.oneOf(...Object.keys(retryPresets)),
  retry: retryOrNot,
  breaker: is.either(
    is.no,
    is.instance('a CircuitBreaker', () => CircuitBreaker),
    is.object(breakerShape),
  ),
  breakerScope: is.oneOf('call', 'attempt'),
  timeout: is.object(timeoutShape),
  bulkhead: is.object({ maxConcurrent: is.positiveCount, maxQueued: is.countOrInfinity }),
  rateLimit: is.object({ limit: is.positiveCount, windowMs: is.finiteSpan, maxWaitMs: is.bound }),
  failOnNotOk: is.flag,
  fallback: is.callback,
  classify: is.syncCallback,
  messages: is.oneOf('private', 'provider'),
  provider: is.text,
  model: is.text,
  clock: is.clock,
  seed: is.finite,
  onError: is.callback,
  onEvent: is.callback,
  onDebug: is.callback,
};

const { name: _name, clock: _clock, seed: _seed, ...updateShape } = policyShape;

const executeShape: is.Shape = {
  signal: is.abortSignal,
  fallback: is.callback,
  retry: retryOrNot,
  timeout: is.object(timeoutShape),
  provider: is.text,
  model: is.text,
  validate: validateKind,
  failOnNotOk: is.flag,
  idempotent: is.flag,
  span: is.object({ traceId: is.text, spanId: is.text, parentSpanId: is.text }),
  task: is.text,
};

const { fallback: _fallback, ...withoutFallback } = executeShape;

const streamShape: is.Shape = {
  ...withoutFallback,
  stallTimeoutMs: is.span,
  firstChunkTimeoutMs: is.span,
  onBreak: is.oneOf('fail', 'restart', 'resume'),
};

const wrapShape: is.Shape = { ...executeShape, args: is.callback };

export function readPolicyOptions<F>(options: PolicyOptions<F> | undefined): PolicyOptions<F> {
  const read = is.readOptions<PolicyOptions<F>>(policyShape, options, 'createPolicy');
  required(read);
  return read;
}

export function readUpdate<F>(options: PolicyOptions<F>): PolicyOptions<F> {
  return is.readOptions(updateShape, options, 'update');
}

export function readExecuteOptions<F>(
  options: ExecuteOptions<F> | undefined,
  where: string,
): ExecuteOptions<F> | undefined {
  return options === undefined ? undefined : is.readOptions(executeShape, options, where);
}

export type OnBreak = 'fail' | 'restart' | 'resume';

export function readStreamOptions(options: unknown): StreamOptions & { onBreak?: OnBreak | undefined } {
  return is.readOptions(streamShape, options, 'stream');
}

export function readWrapOptions<O>(options: O | undefined): O {
  return is.readOptions(wrapShape, options, 'wrap');
}

/** The times of a call or a policy, as they were given. */
type Times = Pick<PolicyOptions<unknown>, 'retry' | 'timeout'>;

/**
 * A bound below what it bounds is a mistake, where both were given: by the policy, the call, or one by each. Defaults are
 * not looked at: the core caps delays at its own maximum.
 *
 * @throws TypeError that names both.
 */
export function checkTimes(own: Times, common: Times = {}): void {
  const retry = own.retry === false ? {} : { ...(common.retry || {}), ...own.retry };
  const timeout = { ...common.timeout, ...own.timeout };
  inOrder('retry.baseDelayMs', retry.baseDelayMs, 'retry.maxDelayMs', retry.maxDelayMs);
  // An endless attempt is one without a timeout of its own.
  if (timeout.attemptMs !== Number.POSITIVE_INFINITY)
    inOrder('timeout.attemptMs', timeout.attemptMs, 'timeout.totalMs', timeout.totalMs);
}

function inOrder(name: string, value: number | undefined, bound: string, most: number | undefined): void {
  if (value === undefined || most === undefined || value <= most) return;
  throw is.misuse(name, `at most ${bound} (${most})`, value);
}

/** The options that have no default. */
export function required(options: PolicyOptions<unknown>): void {
  const { bulkhead, rateLimit } = options;
  if (bulkhead && bulkhead.maxConcurrent === undefined) {
    throw is.misuse('bulkhead.maxConcurrent', is.positiveCount.expected, undefined);
  }
  if (rateLimit && rateLimit.limit === undefined) {
    throw is.misuse('rateLimit.limit', is.positiveCount.expected, undefined);
  }
  if (rateLimit && rateLimit.windowMs === undefined) {
    throw is.misuse('rateLimit.windowMs', is.finiteSpan.expected, undefined);
  }
}
