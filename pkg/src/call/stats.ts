/** A policy's counters of its calls. */

import type { BreakerState } from '../core/wire.js';

/** How a call ended. */
export type Outcome = 'succeeded' | 'failed' | 'rejected' | 'cancelled';

/** The counters that are incremented as calls end. */
export interface CallCounts extends Record<Outcome, number> {
  calls: number;
  attempts: number;
  retries: number;
  fallbacks: number;
}

/** The counters of a policy since it was made, as plain JSON. `calls` is the sum of the four outcomes and `inFlight`. */
export interface PolicyStats {
  /** Calls that began: of `execute`, `respond`, `wrap`, `stream`, `fetch` and `failover`. */
  calls: number;
  /** Those that returned their operation's value. A stream that its consumer closed is one of them. */
  succeeded: number;
  /** Those whose operation failed for good, also where a fallback returned a value. */
  failed: number;
  /** Those that the breaker, the bulkhead, the adaptive limit, the rate limit or a `costLimit` refused, also where a fallback returned a value. */
  rejected: number;
  /** Those that their caller, or `dispose`, ended. */
  cancelled: number;
  /** How often operations were called. */
  attempts: number;
  /** Attempts that followed a failed one. A hedge is an attempt and no retry. */
  retries: number;
  /** Values that a fallback, or an earlier answer (`staleIfError`), returned in place of a call's. */
  fallbacks: number;
  /** Calls that have begun and not ended. */
  inFlight: number;
  /** Those of them that wait: for a slot, for their turn, or before a retry. */
  waiting: number;
  /** The state of the policy's breaker; absent without one. */
  breaker?: BreakerState | undefined;
  /** How many attempts may run at once by the adaptive limit, as it is now; absent without one. */
  limit?: number | undefined;
}

export function noCalls(): CallCounts {
  return {
    calls: 0,
    succeeded: 0,
    failed: 0,
    rejected: 0,
    cancelled: 0,
    attempts: 0,
    retries: 0,
    fallbacks: 0,
  };
}
