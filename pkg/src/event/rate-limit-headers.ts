/** What an answer's headers say of the provider's limits: the core reads them, and counts them where a rate limit is set. */

import type { Ending } from '../call/state.js';
import { withHeaders } from '../classify/thrown.js';
import { policyObserveLimit } from '../core/engine.js';
import { limitsInLane } from '../core/errors.js';
import { onceMore } from '../core/instance.js';

/** One limit, as the core read it. */
interface Limit {
  provider?: string;
  unit: 'requests' | 'tokens';
  limit?: number;
  remaining: number;
  resetMs?: number;
}

/** Takes note of every limit in the headers of an answer. Headers that cannot be read say nothing. */
export function observeLimits(call: Ending<unknown>, headers: unknown): void {
  const { policy } = call;
  const counted = policy.isKnown && policy.settings.options.rateLimit !== undefined;
  if (!counted && !policy.observed) return;
  const { time } = policy;
  const wall = time.wall();
  let limits: Limit[];
  try {
    // Reading headers may run anything: before the policy's handle is read, which a trap in it may change.
    limits = onceMore(() => withHeaders(headers, (length) => limitsInLane(length, wall) as Limit[]));
    if (counted && policy.isKnown) {
      for (const { unit, remaining, resetMs } of limits) {
        policyObserveLimit(policy.handle, unit === 'requests', remaining, resetMs ?? Number.NaN, time.now());
      }
    }
  } catch (error) {
    policy.coreFailed(error);
    return;
  }
  for (const { provider, unit, limit, remaining, resetMs } of limits) {
    if (limit === undefined) continue;
    policy.tell(call, {
      type: 'limits.observed',
      provider: call.provider ?? provider ?? 'unknown',
      model: call.model,
      unit,
      limit,
      remaining,
      resetAt: resetMs === undefined ? undefined : wall + resetMs,
    });
  }
  // Who waits for a turn may go now, or later than was thought.
  if (counted) policy.pump();
}
