/** What a response's headers say of the provider's limits. */

import { withHeaders } from '../classify/thrown.js';
import { limitsInLane } from '../core/errors.js';
import { onceMore } from '../core/instance.js';
import type { EventDetails } from './events.js';
import type { ObservedCall } from './observed-call.js';

/** One limit, as the core read it. */
export interface RateLimitHeader {
  provider?: string;
  unit: 'requests' | 'tokens';
  limit?: number;
  remaining: number;
  /** From now on, in milliseconds. */
  resetMs?: number;
}

/** Reads every limit in the headers of a response. Headers that cannot be read hold none. */
export function rateLimitsIn(headers: unknown, wall: number): RateLimitHeader[] {
  return onceMore(() => withHeaders(headers, (length) => limitsInLane(length, wall) as RateLimitHeader[]));
}

/** The event of a limit; `undefined` for one that is not known in full. */
export function limitsObserved(
  { provider, unit, limit, remaining, resetMs }: RateLimitHeader,
  call: ObservedCall,
  wall: number,
): EventDetails | undefined {
  if (limit === undefined) return undefined;
  return {
    type: 'limits.observed',
    provider: call.provider ?? provider ?? 'unknown',
    model: call.model,
    unit,
    limit,
    remaining,
    resetAt: resetMs === undefined ? undefined : wall + resetMs,
  };
}
