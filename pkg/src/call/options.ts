/** The options of a call and what its operation gets: types, and the tables that check them. */

import type { Remedy } from '../classify/remedy.js';
import type { AgentError } from '../error/agent-error.js';
import type { Usage } from '../event/usage.js';
import * as is from '../options.js';
import { type RetryOptions, retryShape } from '../retry/options.js';
import { AGENT } from '../retry/presets.js';
import { type Check, type StandardSchemaV1, validateKind } from './validate.js';

/** The argument of an operation: its attempt and its call. */
export interface AttemptContext {
  /** The number of the attempt: 1, 2, … */
  readonly attempt: number;
  /**
   * Aborts when the caller aborts, and at the attempt's timeout or the total deadline. It is created when first read, and
   * is then aborted already if one of these has happened.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until the total deadline; Infinity without one. */
  readonly remainingMs: number;
  /** The call's id, as in its events. Created when first read. */
  readonly callId: string;
  /**
   * The same for all attempts of the call: give it to an API that takes one, so that a request that arrives twice is carried
   * out once (`stripe.charges.create(charge, { idempotencyKey })`, or the header `Idempotency-Key`). It is the call's
   * option of that name, else a random UUID that is made when first read.
   *
   * From https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/.
   */
  readonly idempotencyKey: string;
  /** The error of the attempt before this one. */
  readonly lastError?: AgentError | undefined;
  /**
   * Reports what a response said about rate limits and usage. Both become events (`limits.observed`, and `usage` of
   * `attempt.succeeded`). With the option `rateLimit`, limits in the headers count too: "remaining 0, reset in 10 s" delays
   * the next attempt by up to `maxWaitMs`; beyond that it fails with CAPACITY_EXCEEDED and the wait. Under a limit on
   * tokens the usage replaces the `estimatedTokens` of the attempt.
   *
   * @param facts.headers `Headers`, a Map, a list of pairs or a plain object. Headers that cannot be read are ignored.
   */
  observe(facts: { headers?: unknown; usage?: Usage | undefined }): void;
}

/** The guarded function, called once for each attempt. It returns a value or a promise of one, or throws. */
export type Operation<T> = (context: AttemptContext) => T | PromiseLike<T>;

/** Returns a value instead of a failed call's. Not called for CANCELLED. Its own error becomes the call's error. */
export type Fallback<F> = (
  error: AgentError,
  context: { readonly signal: AbortSignal; readonly callId: string },
) => F | PromiseLike<F>;

/** The identity of a span, as in https://www.w3.org/TR/trace-context/. */
export interface SpanContext {
  /** 32 lower-case hexadecimal digits. */
  traceId: string;
  /** 16 lower-case hexadecimal digits. */
  spanId: string;
  /** 16 lower-case hexadecimal digits; absent for the root of a trace. */
  parentSpanId?: string | undefined;
}

/** How long attempts and calls may take, in milliseconds. */
export interface TimeoutOptions {
  /** For each attempt, of a stream until its first chunk; it then fails with TIMEOUT. Default: none. */
  attemptMs?: number | undefined;
  /** For the call with all its attempts and waits; it then fails with TIMEOUT. Default: none. */
  totalMs?: number | undefined;
}

/** Another attempt beside one that has not answered yet. */
export interface HedgeOptions {
  /** How long an attempt may run before another begins beside it, in milliseconds: the 95th percentile of what they take. */
  afterMs: number;
  /** How many begin at most beside the first attempt, and beside each retry. Default: 1. */
  max?: number | undefined;
}

/** The options of one call. `T` is the operation's value. */
// biome-ignore lint/suspicious/noExplicitAny: a value of any operation's type.
export interface ExecuteOptions<F = never, T = any> {
  /** Cancels the call: it rejects with CANCELLED. Default: none. */
  signal?: AbortSignal | undefined;
  /** Replaces the policy's fallback. Default: the policy's. */
  fallback?: Fallback<F> | undefined;
  /** Overrides the policy's retry options, one by one; `false` does not retry. Default: the policy's. */
  retry?: RetryOptions | false | undefined;
  /** Overrides the policy's timeouts, one by one, in milliseconds. Default: the policy's. */
  timeout?: TimeoutOptions | undefined;
  /** The provider that is called, for errors and events. Default: the policy's. */
  provider?: string | undefined;
  /** The model that is called, for errors and events. Default: the policy's. */
  model?: string | undefined;
  /**
   * Checks the operation's value; of a stream, each chunk. A Standard Schema (zod, valibot, arktype), whose output becomes
   * the value, or a function that throws or returns `false` for a value that it refuses. The attempt then fails with
   * INVALID_RESPONSE, which is not retried unless `retryOn` names it, and which the breaker counts. A fallback's value is
   * not checked. Default: none.
   */
  validate?: Check<T> | StandardSchemaV1 | undefined;
  /** `true` if a `Response` with a status of 400 or above fails the attempt. Default: the policy's. */
  failOnNotOk?: boolean | undefined;
  /**
   * How many tokens each attempt is expected to take, input and output, under a `rateLimit` on tokens: the usage that is
   * observed, or read from the answers of the common SDKs, replaces the estimate. More than the limit is refused with
   * CAPACITY_EXCEEDED. Default: 0, which counts as 1.
   */
  estimatedTokens?: number | undefined;
  /**
   * The question of the call, for `staleIfError` of the policy: calls of one key have the same answer. Not used by streams.
   * Default: none.
   */
  cacheKey?: string | undefined;
  /**
   * The value of `context.idempotencyKey` in all attempts of the call: the id of a job, so that a call that is made again after a
   * crash has the same. Not empty. Default: a random UUID.
   */
  idempotencyKey?: string | undefined;
  /** Replaces the policy's `hedge`; `false` for none. Never for streams, and with `idempotent: false`. Default: the policy's. */
  hedge?: HedgeOptions | false | undefined;
  /**
   * `false`: an attempt that may have been carried out is not repeated: TIMEOUT, NETWORK_ERROR after sending, SERVER_ERROR but a
   * 503 with Retry-After, INVALID_RESPONSE, and all that only words speak for. Default: true.
   */
  idempotent?: boolean | undefined;
  /**
   * Changes the request that the next attempt sends. Called when an attempt has failed with an error that says what to change
   * (`AgentError.remedy`): at most twice in a call, and once for the same code, kind of remedy, and name or reason. `true`: the
   * request is another one now, and the operation is called again at once, whether the error is retryable or not. The call
   * counts that against its deadline and its budget, but not as one of `maxRetries`. A function that throws has changed
   * nothing. Default: none.
   */
  repair?: ((remedy: Remedy, error: AgentError) => boolean | PromiseLike<boolean>) | undefined;
  /** The span that the call belongs to, for `onError` and for `traceId` in events. Default: none. */
  span?: SpanContext | undefined;
  /** The purpose of the call, shown in reports and devtools. Default: none. */
  task?: string | undefined;
}

/** The options of a call, whatever its operation returns. */
export type CallOptions = ExecuteOptions<unknown>;

/** The options of one stream. `C` is its chunk. */
// biome-ignore lint/suspicious/noExplicitAny: a chunk of any operation's type.
export interface StreamOptions<C = any> extends Omit<ExecuteOptions<never, C>, 'fallback'> {
  /**
   * No chunk for this many milliseconds fails the attempt with TIMEOUT. The time that the consumer takes does not count.
   * Default: none.
   */
  stallTimeoutMs?: number | undefined;
  /**
   * The same for the first chunk, in milliseconds. `timeout.attemptMs` bounds it too, and nothing after it. Default: `attemptMs`,
   * and without one `stallTimeoutMs`.
   */
  firstChunkTimeoutMs?: number | undefined;
}

/** How long a stream of a model may be silent, unless a guard's options say otherwise: longer than models think in between. */
const MODEL_STALL_MS = 120_000;

/** Times of a guard of models, with its default for silences; the first content is bounded by `attemptMs` alone then. */
export function modelTimes<O extends Pick<StreamOptions, 'stallTimeoutMs' | 'firstChunkTimeoutMs'>>(
  options: O,
): O {
  if (options.stallTimeoutMs !== undefined) return options;
  const { firstChunkTimeoutMs = Number.POSITIVE_INFINITY } = options;
  return { ...options, firstChunkTimeoutMs, stallTimeoutMs: MODEL_STALL_MS };
}

export const timeoutShape: is.Shape = { attemptMs: is.span, totalMs: is.span };
export const retryOrNot = is.either(is.no, is.object(retryShape));

export const hedgeOrNot = is.either(is.no, is.object({ afterMs: is.delay, max: is.positiveCount }));

const executeShape: is.Shape = {
  signal: is.abortSignal,
  fallback: is.callback,
  retry: retryOrNot,
  timeout: is.object(timeoutShape),
  provider: is.text,
  model: is.text,
  validate: validateKind,
  failOnNotOk: is.flag,
  hedge: hedgeOrNot,
  estimatedTokens: is.factor,
  cacheKey: is.text,
  idempotencyKey: is.filledText,
  idempotent: is.flag,
  repair: is.callback,
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
  const read = is.readOptions<CallOptions>(executeShape, options, where);
  checkHedge(read.hedge);
  return read;
}

export type OnBreak = 'fail' | 'restart' | 'resume';

export function readStreamOptions(options: unknown): StreamOptions & { onBreak?: OnBreak | undefined } {
  return is.readOptions(streamShape, options, 'stream');
}

export function readWrapOptions<O>(options: O | undefined): O {
  const read = is.readOptions<O>(wrapShape, options, 'wrap');
  checkHedge((read as CallOptions).hedge);
  return read;
}

/** @throws TypeError if it does not say when. */
function checkHedge(hedge: HedgeOptions | false | undefined): void {
  if (hedge && hedge.afterMs === undefined) throw is.misuse('hedge.afterMs', is.delay.expected, undefined);
}

/** The times of a call or a policy, as they were given. */
type Times = Pick<ExecuteOptions<unknown>, 'retry' | 'timeout'>;

/**
 * A bound below what it bounds is a mistake, where both were given: by the policy, the call, or one by each. Defaults are
 * not looked at: the core caps delays at its own maximum. So is a kind of jitter beside "no jitter".
 *
 * @throws TypeError that names both.
 */
export function checkTimes(own: Times, common: Times = {}): void {
  const retry = is.over<RetryOptions>(common.retry || {}, own.retry || {});
  const timeout = { ...common.timeout, ...own.timeout };
  // A copy of a preset has its jitter, which `enableJitter` may switch off.
  const { enableJitter, jitter = AGENT.jitter } = own.retry || {};
  if (enableJitter === false && jitter !== 0 && jitter !== AGENT.jitter)
    throw is.misuse('retry.jitter', 'left out where retry.enableJitter is false', jitter);
  inOrder('retry.baseDelayMs', retry.baseDelayMs, 'retry.maxDelayMs', retry.maxDelayMs);
  // An endless attempt is one without a timeout of its own.
  if (timeout.attemptMs !== Number.POSITIVE_INFINITY)
    inOrder('timeout.attemptMs', timeout.attemptMs, 'timeout.totalMs', timeout.totalMs);
}

function inOrder(name: string, value: number | undefined, bound: string, most: number | undefined): void {
  if (value === undefined || most === undefined || value <= most) return;
  throw is.misuse(name, `at most ${bound} (${most})`, value);
}
