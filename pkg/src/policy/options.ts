/** The options of a policy: types, and the tables that check them. */

import { CircuitBreaker } from '../breaker/breaker.js';
import { type BreakerOptions, breakerShape } from '../breaker/options.js';
import type { StaleIfErrorOptions } from '../call/earlier-answers.js';
import {
  type Fallback,
  type HedgeOptions,
  hedgeOrNot,
  retryOrNot,
  type SpanContext,
  type TimeoutOptions,
  timeoutShape,
} from '../call/options.js';
import type { Audience, Classifier } from '../classify/types.js';
import type { Clock } from '../clock.js';
import type { AgentErrorResponse } from '../error/response-types.js';
import type { HalfopenEvent } from '../event/events.js';
import * as is from '../options.js';
import { type RetryOptions, retryPresets } from '../retry/options.js';

/** Limits how many attempts of a policy run at once. */
export interface BulkheadOptions {
  /** How many attempts may run at once. */
  maxConcurrent: number;
  /** How many more may wait, first in, first out; beyond that calls fail with CAPACITY_EXCEEDED. Default: 0. */
  maxQueued?: number | undefined;
}

/** The bounds of the adaptive limit, and how it moves. */
export interface AdaptiveLimitOptions {
  /** The limit never falls below this. Default: 1. */
  min?: number | undefined;
  /** The limit never rises above this. Default: 1000. */
  max?: number | undefined;
  /** The initial number of concurrent attempts, within the bounds. Default: 20. */
  initial?: number | undefined;
  /** Overload multiplies the number of running attempts by this. Default: 0.7. */
  decrease?: number | undefined;
}

/** Limits how many attempts of a policy begin in a time range, or how many tokens they take. */
export interface RateLimit {
  /** How many attempts may begin within any `windowMs`, or how many tokens they may take. */
  limit: number;
  /** The length of the time range, in milliseconds. */
  windowMs: number;
  /**
   * The unit of `limit`. An attempt takes the `estimatedTokens` of its call when it begins, at least 1; the observed
   * usage replaces the estimate. Default: 'requests'.
   */
  unit?: 'requests' | 'tokens' | undefined;
  /** How long an attempt may wait for its turn, in milliseconds; beyond that it fails with CAPACITY_EXCEEDED. Default: 0. */
  maxWaitMs?: number | undefined;
}

/** The same as `RateLimit`. */
export type RateLimitOptions = RateLimit;

/**
 * The options of a policy. Its layers, outermost first: fallback, total deadline, breaker (scope 'call'), retry,
 * bulkhead, adaptive limit, rate limit, breaker (scope 'attempt'), attempt timeout, operation. So a call that waits to
 * retry holds no permit.
 */
export interface PolicyOptions<F = never> {
  /** The name in events and errors. Default: 'default'. */
  name?: string | undefined;
  /**
   * Other defaults, see `retryPresets`: 'agent' (3 retries, 1 s doubled up to 10 s, ±20 %), 'capability' (3 retries,
   * 1 s × 1.5 without a cap or jitter), 'service' (3 retries, 1 s doubled up to 30 s, no jitter, only llm_failed,
   * network and timeout; its breaker opens for 60 s, with one probe). Default: 'agent'.
   */
  preset?: 'agent' | 'capability' | 'service' | undefined;
  /**
   * The retries; `false` for none. An option that is given replaces only itself. Default: by `preset`, from a quota of
   * the policy's own, see docs/defaults.md.
   */
  retry?: RetryOptions | false | undefined;
  /**
   * A breaker's options, a breaker to share, or `false` for none. An option that is given replaces only itself.
   * Default: it opens after 5 consecutive failures for 1 s, with three probes that have 3 s each.
   */
  breaker?: BreakerOptions | CircuitBreaker | false | undefined;
  /**
   * The unit that the breaker counts as one failure: a call with all its retries, or each attempt. Default: 'call'.
   */
  breakerScope?: 'call' | 'attempt' | undefined;
  /** How long attempts and calls may take, in milliseconds. Default: no limit. */
  timeout?: TimeoutOptions | undefined;
  /** How many attempts run at once. Default: no limit. */
  bulkhead?: BulkheadOptions | undefined;
  /**
   * Learns how many concurrent attempts the provider can handle. Good answers raise the limit while it is used: by one
   * for each until the first overload; then one round of good answers (their number is the limit) raises it by one, the next
   * by two, and so on. Overload (RATE_LIMITED without a wait above 1 s, PROVIDER_OVERLOADED, a SERVER_ERROR such as 503
   * with `Retry-After`, TIMEOUT) lowers it to a share of the running attempts, once for the attempts that ran together;
   * a few among many good answers do not. A call beyond it waits, first in, first out. If it would not be served before
   * its deadline (`totalMs`), it is refused at once with CAPACITY_EXCEEDED and `retryAfterMs`. It holds beside
   * `bulkhead`. Each process learns its own, also in a `fleet`. `true` means all defaults. After Chiu and Jain,
   * https://doi.org/10.1016/0169-7552(89)90019-6. Default: no limit.
   *
   * @example
   * ```ts
   * createPolicy({ adaptive: { max: 200 }, timeout: { attemptMs: 60_000, totalMs: 120_000 } });
   * ```
   */
  adaptive?: AdaptiveLimitOptions | boolean | undefined;
  /**
   * How many attempts begin in a time range, or how many tokens they take. With several limits, each must admit an
   * attempt, and each makes it wait as long as its `maxWaitMs` allows. Default: no limit.
   *
   * @example
   * ```ts
   * createPolicy({
   *   rateLimit: [
   *     { limit: 500, windowMs: 60_000, maxWaitMs: 10_000 },
   *     { limit: 200_000, windowMs: 60_000, unit: 'tokens', maxWaitMs: 10_000 },
   *   ],
   * });
   * ```
   */
  rateLimit?: RateLimit | readonly RateLimit[] | undefined;
  /**
   * A returned fetch `Response` with a status of 400 or above, or of type 'error', fails the attempt before `validate`.
   * It is classified by its status, headers and body, read from a clone; the Response itself is the error's `cause`.
   * `policy.fetch` ignores this. Default: true.
   */
  failOnNotOk?: boolean | undefined;
  /**
   * The policy's timers do not keep the process alive, so it may end while a call waits to retry, for its turn or for
   * its timeout. Only Node, Bun and Deno have such timers. Default: false.
   */
  unref?: boolean | undefined;
  /**
   * Begins another attempt if one has not answered for `afterMs`, up to `max` (1) of them. The first success, after
   * `validate`, is the call's result. The others are aborted by their signals and count for nothing. A failure waits
   * for the others, and retries depend on the last one. A hedge is counted in `attempts` but is no retry; it has its
   * own `attemptMs`. It does not begin without a free slot of the bulkhead and of the adaptive limit, a turn of the
   * rate limit and a retry of the budget, under a breaker that is not closed, for a probe, a stream, a request whose
   * body streams, and with `idempotent: false`. After Dean and Barroso, "The Tail at Scale",
   * https://doi.org/10.1145/2408776.2408794. Default: none.
   *
   * @example
   * ```ts
   * createPolicy({ hedge: { afterMs: 2000 } });
   * ```
   */
  hedge?: HedgeOptions | false | undefined;
  /**
   * Keeps the answers of calls with a `cacheKey`. If a call of the same key fails, is refused or passes its deadline,
   * the last answer is returned before `fallback`, if it is not older than `maxAgeMs`. Answers stay in memory until
   * `dispose`, and are returned uncopied. A `Response` or a stream can be read only once, so it is not kept. After
   * https://www.rfc-editor.org/rfc/rfc5861#section-4. Default: none.
   */
  staleIfError?: StaleIfErrorOptions | undefined;
  /** Returns a value instead of a failed call's error. Default: none. */
  fallback?: Fallback<F> | undefined;
  /** The application's own classification, called before the built-in rules; `undefined` leaves an error to them. */
  classify?: Classifier | undefined;
  /**
   * How much of a server's response `AgentError.message` and the event `attempt.failed` contain. 'provider': status,
   * the vendor's codes and parameter, and its words, redacted and cut to 300 characters. 'private': no words, because a
   * provider may quote the prompt. Messages for users, `metadata.technicalDetails` and OpenTelemetry never have them.
   * The words of an application's own error are always in its message. Default: 'provider'.
   */
  messages?: 'private' | 'provider' | undefined;
  /**
   * The reader of the messages for users. An 'owner' runs the agent. A 'visitor' uses an agent that you host: no
   * message sends visitors to a key, a setting or a quota. Default: 'owner'.
   */
  audience?: Audience | undefined;
  /** The called provider, for errors and events. Default: none. */
  provider?: string | undefined;
  /** The called model, for errors and events. Default: none. */
  model?: string | undefined;
  /**
   * Shares state with the policies of the same name in other processes: a `fleet({ store, name })` of `halfopen/fleet`.
   * Default: nothing.
   */
  fleet?: object | undefined;
  /** Where time and timers come from. Default: the system's. */
  clock?: Clock | undefined;
  /** The seed of jitter, which makes it reproducible. Default: a random one. */
  seed?: number | undefined;
  /** Called once for every call that finally failed, even if a fallback then succeeds. */
  onError?: ((context: SpanContext, error: AgentErrorResponse) => void) | undefined;
  /** Called with every event of the policy. */
  onEvent?: ((event: HalfopenEvent) => void) | undefined;
  /** Called with full technical details, redacted, for developers. */
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}

/** Options of `drain`. */
export interface DrainOptions {
  /** How long running calls may take to end, in milliseconds; then they are cancelled. Default: 30000. */
  timeoutMs?: number | undefined;
}

/** Returns how long calls may take to end, in milliseconds. */
export function readDrainOptions(options: DrainOptions | undefined): number {
  return is.readOptions<DrainOptions>({ timeoutMs: is.bound }, options, 'drain').timeoutMs ?? 30_000;
}

const rateLimit = is.object({
  limit: is.positiveCount,
  windowMs: is.finiteSpan,
  unit: is.oneOf('requests', 'tokens'),
  maxWaitMs: is.bound,
});

type Joined = { join?: unknown } | null | undefined;

const policyShape: is.Shape = {
  name: is.text,
  preset: is.oneOf(...Object.keys(retryPresets)),
  retry: retryOrNot,
  breaker: is.either(is.no, is.instance('a CircuitBreaker', CircuitBreaker), is.object(breakerShape)),
  breakerScope: is.oneOf('call', 'attempt'),
  timeout: is.object(timeoutShape),
  bulkhead: is.object({ maxConcurrent: is.positiveCount, maxQueued: is.countOrInfinity }),
  adaptive: is.either(
    is.flag,
    is.object({
      min: is.positiveCount,
      max: is.positiveCount,
      initial: is.positiveCount,
      decrease: is.rate,
    }),
  ),
  rateLimit: is.either(is.list(rateLimit), rateLimit),
  failOnNotOk: is.flag,
  unref: is.flag,
  hedge: hedgeOrNot,
  staleIfError: is.object({ maxAgeMs: is.span, maxEntries: is.positiveCount }),
  fallback: is.callback,
  classify: is.syncCallback,
  messages: is.oneOf('private', 'provider'),
  audience: is.oneOf('owner', 'visitor'),
  provider: is.text,
  model: is.text,
  fleet: is.kind('a fleet of halfopen/fleet', (fleet) => typeof (fleet as Joined)?.join === 'function'),
  clock: is.clock,
  seed: is.finite,
  onError: is.callback,
  onEvent: is.callback,
  onDebug: is.callback,
};

const updateShape = is.without(policyShape, 'name', 'fleet', 'clock', 'seed');

export function readPolicyOptions<F>(options: PolicyOptions<F> | undefined): PolicyOptions<F> {
  const read = is.readOptions<PolicyOptions<F>>(policyShape, options, 'createPolicy');
  required(read);
  return read;
}

/**
 * Returns the changes. An option that is given as `undefined` is taken back, and stays in the result as `undefined`.
 */
export function readUpdate<F>(options: PolicyOptions<F>): PolicyOptions<F> {
  const read = is.readOptions<Record<string, unknown>>(updateShape, options, 'update');
  for (const name in options) if (!(name in read)) read[name] = undefined;
  return read as PolicyOptions<F>;
}

/** The options without a default, and their kinds. */
const REQUIRED = [
  ['bulkhead', 'maxConcurrent', is.positiveCount],
  ['rateLimit', 'limit', is.positiveCount],
  ['rateLimit', 'windowMs', is.finiteSpan],
  ['hedge', 'afterMs', is.delay],
  ['staleIfError', 'maxAgeMs', is.span],
] as const;

/** @throws TypeError where an option is not given that has no default. */
export function required(options: PolicyOptions<unknown>): void {
  for (const [option, name, { expected }] of REQUIRED) {
    const given: object | readonly object[] | false | undefined = options[option];
    const several = Array.isArray(given);
    for (const [index, one] of (several ? given : given ? [given] : []).entries()) {
      if (!(name in one)) {
        throw is.misuse(`${option}${several ? `[${index}]` : ''}.${name}`, expected, undefined);
      }
    }
  }
}

/** @throws TypeError where the bounds of the adaptive limit contradict one another. */
export function checkAdaptive({ adaptive }: PolicyOptions<unknown>): void {
  if (typeof adaptive !== 'object') return;
  const { min = 1, max = Math.max(1000, min) } = adaptive;
  if (max < min) throw is.misuse('adaptive.max', `a whole number, adaptive.min (${min}) or more`, max);
}

/** Returns the limits of a policy: none, one or several. */
export function rateLimits({ rateLimit = [] }: PolicyOptions<unknown>): readonly RateLimit[] {
  return 'limit' in rateLimit ? [rateLimit] : rateLimit;
}
