/** The options of a policy: types, and the tables that check them. */

import { CircuitBreaker } from '../breaker/breaker.js';
import { type BreakerOptions, breakerShape } from '../breaker/options.js';
import {
  type Fallback,
  retryOrNot,
  type SpanContext,
  type TimeoutOptions,
  timeoutShape,
} from '../call/options.js';
import type { Classifier } from '../classify/types.js';
import type { Clock } from '../clock.js';
import type { AgentErrorResponse } from '../error/response-types.js';
import type { HalfopenEvent } from '../event/events.js';
import * as is from '../options.js';
import { type RetryOptions, retryPresets } from '../retry/options.js';

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

const updateShape = is.without(policyShape, 'name', 'clock', 'seed');

export function readPolicyOptions<F>(options: PolicyOptions<F> | undefined): PolicyOptions<F> {
  const read = is.readOptions<PolicyOptions<F>>(policyShape, options, 'createPolicy');
  required(read);
  return read;
}

export function readUpdate<F>(options: PolicyOptions<F>): PolicyOptions<F> {
  return is.readOptions(updateShape, options, 'update');
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
