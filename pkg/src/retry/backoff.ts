/** The delay before a retry, on its own. */

import * as engine from '../core/engine.js';
import { JITTERS } from '../core/wire.js';
import * as is from '../options.js';
import { type RetryOptions, retryShape } from './options.js';

/**
 * The delay in milliseconds before retry `attempt` (1 is the first): min(maxDelay, base · factor^(attempt-1)),
 * jittered. Attempt 0 is 0. Never NaN, negative or above `maxDelayMs`.
 *
 * @param random - draws from [0, 1). Default: `Math.random`.
 * @param previousMs - the delay before, for decorrelated jitter. Default: `baseDelayMs`.
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
  const { baseDelayMs = 1000, maxDelayMs = 10_000, backoffFactor = 2, enableJitter = true } = read;
  const jitter = enableJitter ? (read.jitter ?? 0.2) : 0;
  const named = typeof jitter === 'string';
  return engine.backoffDelay(
    attempt,
    baseDelayMs,
    maxDelayMs,
    backoffFactor,
    JITTERS.indexOf(named ? jitter : jitter > 0 ? 'proportion' : 'none'),
    named ? 0 : jitter,
    random(),
    previousMs ?? baseDelayMs,
  );
}
