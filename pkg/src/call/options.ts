/** What a call and its operation may be given: types, and the tables that check them. */

import type { AgentError } from '../error/agent-error.js';
import * as is from '../options.js';
import { type RetryOptions, retryShape } from '../retry/options.js';
import { type Check, type StandardSchemaV1, validateKind } from './validate.js';

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

/** The options of one call. `T` is the operation's value. */
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

/** The options of a call, whatever its operation returns. */
export type CallOptions = ExecuteOptions<unknown>;

/** The options of one stream. `C` is its chunk. */
// biome-ignore lint/suspicious/noExplicitAny: a chunk of any operation's type.
export interface StreamOptions<C = any> extends Omit<ExecuteOptions<never, C>, 'fallback'> {
  /** No chunk for this long fails the attempt with TIMEOUT. The consumer's own time does not count. */
  stallTimeoutMs?: number | undefined;
  firstChunkTimeoutMs?: number | undefined;
}

export const timeoutShape: is.Shape = { attemptMs: is.span, totalMs: is.span };
export const retryOrNot = is.either(is.no, is.object(retryShape));

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

const streamShape: is.Shape = {
  ...is.without(executeShape, 'fallback'),
  stallTimeoutMs: is.span,
  firstChunkTimeoutMs: is.span,
  onBreak: is.oneOf('fail', 'restart', 'resume'),
};

const wrapShape: is.Shape = { ...executeShape, args: is.callback };

export function readExecuteOptions(options: CallOptions, where: string): CallOptions {
  return is.readOptions(executeShape, options, where);
}

export type OnBreak = 'fail' | 'restart' | 'resume';

export function readStreamOptions(options: unknown): StreamOptions & { onBreak?: OnBreak | undefined } {
  return is.readOptions(streamShape, options, 'stream');
}

export function readWrapOptions<O>(options: O | undefined): O {
  return is.readOptions(wrapShape, options, 'wrap');
}

/** The times of a call or a policy, as they were given. */
type Times = Pick<ExecuteOptions<unknown>, 'retry' | 'timeout'>;

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
