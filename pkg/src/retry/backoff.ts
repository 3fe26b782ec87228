/** The delay before a retry, on its own. */

import * as engine from '../core/engine.js';
import { numbersOf } from '../core/option-numbers.js';
import { RETRY_OPTIONS } from '../core/wire.js';
import * as is from '../options.js';
import { ownDelay, type RetryOptions, retryShape, retryValues } from './options.js';
import { AGENT } from './presets.js';

/**
 * Returns the delay in milliseconds before retry `attempt` (1 is the first): min(maxDelay, base · factor^(attempt-1))
 * with jitter, or the result of `backoff`, up to maxDelay. Attempt 0 has a delay of 0. Never NaN, negative or above
 * `maxDelayMs`.
 *
 * @param random - draws from [0, 1). Default: `Math.random`.
 * @param previousMs - the delay before, for decorrelated jitter and `backoff`. Default: `baseDelayMs`.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * calculateExponentialBackoff(3, { enableJitter: false }); // 4000
 * ```
 */
export function calculateExponentialBackoff(
  attempt: number,
  options?: RetryOptions,
  random: () => number = Math.random,
  previousMs?: number,
): number {
  if (typeof attempt !== 'number' || Number.isNaN(attempt)) throw is.misuse('attempt', 'a number', attempt);
  const read = is.readOptions<RetryOptions>(retryShape, options, 'calculateExponentialBackoff');
  const { backoff, maxDelayMs = AGENT.maxDelayMs } = read;
  const own = backoff === undefined || attempt < 1 ? Number.NaN : ownDelay(backoff, attempt, previousMs);
  if (!Number.isNaN(own)) return Math.min(maxDelayMs, own);
  const numbers = numbersOf(RETRY_OPTIONS, retryValues(read));
  return engine.backoffDelay(numbers, attempt, random(), previousMs ?? Number.NaN);
}
