/** The settings of a policy that the processes must agree on, and a hash of them. */

import type { BreakerOptions } from '../breaker/options.js';
import type { PolicyOptions } from '../policy/options.js';
import type { DeltaValues } from './protocol.js';

/** A window of a number of calls is shared as a time window of this length, in milliseconds. */
const COUNTED_MS = 60_000;

/** Returns a breaker's settings in the shared form. Without a breaker, the policy can only be isolated. */
export function termsOf({ breaker }: PolicyOptions<unknown>, options: BreakerOptions = {}): DeltaValues {
  const { window, slowCall, throttle } = options;
  const resetMs = options.resetTimeoutMs ?? 60_000;
  const terms: DeltaValues = {
    resetMs,
    resetBackoff: options.resetBackoffFactor ?? 1,
    maxResetMs: Math.max(options.maxResetTimeoutMs ?? 600_000, resetMs),
    maxProbes: options.halfOpenMaxCalls ?? 1,
    successes: options.successThreshold ?? 1,
    probeTimeoutMs: options.probeTimeoutMs ?? resetMs,
  };
  // A throttling breaker never opens.
  if (breaker === false || throttle !== undefined) return terms;
  if (window === undefined) return { ...terms, threshold: options.failureThreshold ?? 5 };
  return {
    ...terms,
    windowMs: window.kind === 'time' ? window.durationMs : COUNTED_MS,
    failureRate: window.failureRate,
    minimumCalls: window.minimumCalls ?? (window.kind === 'count' ? window.size : 10),
    slowRate: slowCall?.rate ?? 0,
  };
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function optionsHash(
  terms: DeltaValues,
  limits: readonly { limit: number; windowMs: number; ofTokens: boolean }[],
  { isQuorum }: { isQuorum: boolean },
): number {
  const own = limits.map(({ limit, windowMs, ofTokens }) => [limit, windowMs, ofTokens]);
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify([terms, own, isQuorum])) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash >>> 0;
}
