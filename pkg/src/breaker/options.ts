/** What a breaker may be told: its options, their check, and what the core takes of them. */

import type { Clock } from '../clock.js';
import type { AgentError } from '../error/agent-error.js';
import * as is from '../options.js';

/** When a breaker opens and how it closes again. Durations in milliseconds. */
export interface BreakerOptions {
  /** Default: 'breaker', or its policy's name. */
  name?: string | undefined;
  /** So many consecutive failures open it. Default: 5. */
  failureThreshold?: number | undefined;
  /**
   * From open to half-open. A positive hint (Retry-After) on the failure that opens it, a failed probe's too, replaces the
   * wait of this opening, at most `maxResetTimeoutMs`; with scope 'call' it is the last error's. Hints that arrive while
   * the breaker is open change nothing. Default: 60000.
   */
  resetTimeoutMs?: number | undefined;
  /**
   * Each failed probe multiplies the next reset timeout by it. Openings with a hint count, and keep to the hint.
   * Default: 1.
   */
  resetBackoffFactor?: number | undefined;
  /** The longest wait, grown or asked for by a hint. Default: ten times resetTimeoutMs. */
  maxResetTimeoutMs?: number | undefined;
  /** Probes at a time. Default: 1. */
  halfOpenMaxCalls?: number | undefined;
  /** So many successful probes close it. Default: 1. */
  successThreshold?: number | undefined;
  /** A probe silent for longer gives its place back. Default: resetTimeoutMs. */
  probeTimeoutMs?: number | undefined;
  /** Instead of consecutive failures: a share of the last calls, or of a span of time. */
  window?:
    | { kind: 'count'; size: number; failureRate: number; minimumCalls?: number | undefined }
    | { kind: 'time'; durationMs: number; failureRate: number; minimumCalls?: number | undefined }
    | undefined;
  /** With a window: calls that took durationMs or longer trip it too, when they are this share. */
  slowCall?: { durationMs: number; rate: number } | undefined;
  /** Which errors count against the dependency. Default: the retryable codes and INVALID_RESPONSE. */
  countsAsFailure?: ((error: AgentError) => boolean) | undefined;
  clock?: Clock | undefined;
}

const windowShape: is.Shape = {
  kind: is.oneOf('count', 'time'),
  size: is.positiveCount,
  durationMs: is.finiteSpan,
  failureRate: is.rate,
  minimumCalls: is.positiveCount,
};

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
  countsAsFailure: is.callback,
  clock: is.clock,
};

/** What goes together, and what has no default. */
export function checkBreaker(options: BreakerOptions, path = ''): void {
  const { window, slowCall } = options;
  if (window !== undefined) {
    if (window.kind === undefined) throw is.misuse(`${path}window.kind`, "'count' or 'time'", undefined);
    const [needed, other] = window.kind === 'count' ? ['size', 'durationMs'] : ['durationMs', 'size'];
    const given = window as Record<string, unknown>;
    if (given[needed as string] === undefined) {
      throw is.misuse(`${path}window.${needed}`, `given for kind '${window.kind}'`, undefined);
    }
    if (given[other as string] !== undefined) {
      throw is.misuse(`${path}window.${other}`, `absent for kind '${window.kind}'`, given[other as string]);
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

/** What the core takes of the options; it has the defaults. */
export function coreOptions(options: BreakerOptions): Record<string, unknown> {
  const { name: _name, clock: _clock, countsAsFailure: _counts, window, ...core } = options;
  if (window === undefined) return core;
  // More calls than the window holds would never be reached (as resilience4j does).
  const minimumCalls =
    window.kind === 'count' ? Math.min(window.minimumCalls ?? window.size, window.size) : window.minimumCalls;
  return { ...core, window: minimumCalls === undefined ? window : { ...window, minimumCalls } };
}
