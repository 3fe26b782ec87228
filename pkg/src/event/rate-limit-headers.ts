/** What a response's headers say of the provider's limits. */

import { type Limit, limitsIn } from '../classify/limits.js';
import type { EventDetails } from './events.js';
import type { ObservedCall } from './observed-call.js';

export type RateLimitHeader = Limit;

/** Reads every limit in the headers of a response. Headers that cannot be read hold none. */
export function rateLimitsIn(headers: unknown, wall: number): RateLimitHeader[] {
  return limitsIn(headers, wall);
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
