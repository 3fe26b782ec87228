/** A breaker's options: their types, their checks, and what the core takes of them. */

import type { Clock } from '../clock.js';
import { numbersOf } from '../core/option-numbers.js';
import { BREAKER_OPTIONS } from '../core/wire.js';
import type { AgentError } from '../error/agent-error.js';
import * as is from '../options.js';

/** When a breaker opens and how it closes again. Durations are milliseconds. */
export interface BreakerOptions {
  /** The name in events, errors and snapshots. Default: 'breaker', or the name of its policy. */
  name?: string | undefined;
  /** How many consecutive failures open it. Ignored with a `window`. Default: 5. */
  failureThreshold?: number | undefined;
  /**
   * How long it stays open before it admits a probe. A wait that the provider requests (Retry-After) with the failure
   * that opens it, or with a failed probe, replaces this wait once, up to `maxResetTimeoutMs`. With scope 'call' the
   * last error's wait counts. Waits requested while the breaker is open change nothing. Default: 60000.
   */
  resetTimeoutMs?: number | undefined;
  /**
   * Each failed probe multiplies the next reset timeout by this factor. A failed probe with a requested wait counts
   * too, but that opening lasts as long as the wait. Default: 1.
   */
  resetBackoffFactor?: number | undefined;
  /**
   * The longest reset timeout, whether it grew by the factor or was requested. Default: ten times `resetTimeoutMs`.
   */
  maxResetTimeoutMs?: number | undefined;
  /** How many probes may run at once while half-open. Default: 1; 3 for the breaker of a policy that sets no `breaker`. */
  halfOpenMaxCalls?: number | undefined;
  /** How many probes must succeed to close it. Default: 1. */
  successThreshold?: number | undefined;
  /**
   * If an attempt of a probe does not end within this time, another probe may run. Its success counts all the same, its
   * failure does not. Default: `resetTimeoutMs`.
   */
  probeTimeoutMs?: number | undefined;
  /**
   * Opens by the share of failures instead of consecutive ones: of the last `size` calls (`count`), or of the calls of the
   * last `durationMs` milliseconds (`time`). `failureRate` is above 0 and at most 1. Below `minimumCalls` the breaker does
   * not open. Default: no window.
   */
  window?:
    | { kind: 'count'; size: number; failureRate: number; minimumCalls?: number | undefined }
    | { kind: 'time'; durationMs: number; failureRate: number; minimumCalls?: number | undefined }
    | undefined;
  /**
   * With a `window`: it also opens when this share (`rate`) of all calls takes `durationMs` or longer. Default: off.
   */
  slowCall?: { durationMs: number; rate: number } | undefined;
  /**
   * Refuses a share of the calls instead of opening. The probability is max(0, (requests - k × accepts) / (requests +
   * 1)) over the last `windowMs` milliseconds; below `minimumCalls` requests it is 0. Requests are calls that requested
   * admission, including refused ones and those in flight; accepts are calls that ended in any way but a failure. A
   * refusal is CIRCUIT_OPEN without a wait; the state stays 'closed'. `k` is 1 or more. From
   * https://sre.google/sre-book/handling-overload/. Not together with `failureThreshold`, `window`, `slowCall` or
   * `rampMs`. Default: none; `{}` is `{ k: 2, windowMs: 120_000, minimumCalls: 20 }`.
   */
  throttle?:
    | { k?: number | undefined; windowMs?: number | undefined; minimumCalls?: number | undefined }
    | undefined;
  /** Makes the draws of `throttle` reproducible. Default: the seed of the first policy that it belongs to, else a random one. */
  seed?: number | undefined;
  /**
   * After the probes have closed it, the share of admitted calls grows from 0 to 1 over this many milliseconds, so that
   * a dependency which has just recovered does not get all of them at once. A refused call gets CIRCUIT_OPEN and the
   * wait until one is admitted. `reset()` and `restore()` start no ramp. Default: 0, all at once.
   */
  rampMs?: number | undefined;
  /**
   * Returns `true` if an error counts against the dependency. Default: the retryable codes except CONFLICT, and
   * INVALID_RESPONSE.
   */
  countsAsFailure?: ((error: AgentError) => boolean) | undefined;
  /** The source of time. Default: the clock of the first policy that it belongs to, otherwise the system's. */
  clock?: Clock | undefined;
}

const windowShape: is.Shape = {
  kind: is.oneOf('count', 'time'),
  size: is.positiveCount,
  durationMs: is.finiteSpan,
  failureRate: is.rate,
  minimumCalls: is.positiveCount,
};

const throttleShape: is.Shape = { k: is.growth, windowMs: is.finiteSpan, minimumCalls: is.positiveCount };

/** Options that have no effect on a breaker that never opens. */
const NOT_WITH_THROTTLE = ['failureThreshold', 'window', 'slowCall', 'rampMs'] as const;

export const breakerShape: is.Shape = {
  name: is.text,
  failureThreshold: is.positiveCount,
  resetTimeoutMs: is.delay,
  resetBackoffFactor: is.growth,
  maxResetTimeoutMs: is.delay,
  halfOpenMaxCalls: is.positiveCount,
  successThreshold: is.positiveCount,
  probeTimeoutMs: is.delay,
  window: is.object(windowShape),
  slowCall: is.object({ durationMs: is.delay, rate: is.rate }),
  throttle: is.object(throttleShape),
  seed: is.finite,
  rampMs: is.delay,
  countsAsFailure: is.callback,
  clock: is.clock,
};

/** Checks that depend on several options, and required options. */
export function checkBreaker(options: BreakerOptions, path = ''): void {
  const { window, slowCall, throttle } = options;
  for (const name of throttle === undefined ? [] : NOT_WITH_THROTTLE) {
    if (options[name] !== undefined) {
      throw is.misuse(`${path}${name}`, `left out together with ${path}throttle`, options[name]);
    }
  }
  if (window !== undefined) {
    if (window.kind === undefined) throw is.misuse(`${path}window.kind`, "'count' or 'time'", undefined);
    const [needed, other] = window.kind === 'count' ? ['size', 'durationMs'] : ['durationMs', 'size'];
    const given = window as Record<string, unknown>;
    if (given[needed as string] === undefined) {
      throw is.misuse(`${path}window.${needed}`, `given for kind '${window.kind}'`, undefined);
    }
    if (given[other as string] !== undefined) {
      throw is.misuse(`${path}window.${other}`, `left out for kind '${window.kind}'`, given[other as string]);
    }
    if (window.failureRate === undefined) {
      throw is.misuse(`${path}window.failureRate`, is.rate.expected, undefined);
    }
  }
  if (slowCall !== undefined) {
    if (window === undefined) throw is.misuse(`${path}slowCall`, 'given together with a window', slowCall);
    if (slowCall.durationMs === undefined || slowCall.rate === undefined) {
      throw is.misuse(`${path}slowCall`, '{ durationMs, rate }', slowCall);
    }
  }
}

/** Returns the options as numbers for the core, which has the defaults. */
export function breakerNumbers({ window, slowCall, throttle, ...given }: BreakerOptions): Float64Array {
  const size = window?.kind === 'count' ? window.size : undefined;
  const minimumCalls = window?.minimumCalls;
  return numbersOf(BREAKER_OPTIONS, {
    ...given,
    windowSize: size,
    windowMs: window?.kind === 'time' ? window.durationMs : undefined,
    failureRate: window?.failureRate,
    // The window cannot hold more calls than its size, so a larger minimum would never be reached (resilience4j does
    // the same).
    minimumCalls:
      size === undefined || minimumCalls === undefined ? minimumCalls : Math.min(minimumCalls, size),
    slowMs: slowCall?.durationMs,
    slowRate: slowCall?.rate,
    throttle: throttle && true,
    throttleK: throttle?.k,
    throttleWindowMs: throttle?.windowMs,
    throttleMinimumCalls: throttle?.minimumCalls,
  });
}
