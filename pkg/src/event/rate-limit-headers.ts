/** The provider's limits as a response's headers state them. */

import { type Limit, limitsIn } from '../classify/limits.js';
import type { EventDetails } from './events.js';
import type { ObservedCall } from './observed-call.js';

export type RateLimitHeader = Limit;

/** Reads every limit in the headers of a response. Unreadable headers contain none. */
export function rateLimitsIn(headers: unknown, wall: number): RateLimitHeader[] {
  return limitsIn(headers, wall);
}

/**
 * Returns the headers of an answer: of a `Response`, of the results of `withResponse()` and the AI SDK, of their
 * errors. `undefined` without headers. Never throws.
 */
export function headersOf(value: unknown): object | undefined {
  try {
    if (typeof value !== 'object' || value === null) return undefined;
    const { headers, responseHeaders, response } = value as Record<string, unknown>;
    const found =
      headers ?? responseHeaders ?? (response as { headers?: unknown } | null | undefined)?.headers;
    return typeof found === 'object' && found !== null ? found : undefined;
  } catch {
    return undefined; // A getter or a proxy that throws.
  }
}

/** Returns the event of a limit; `undefined` if parts of the limit are missing. */
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
