/** Advice on an error for a host that retries by itself. */

import { classify } from '../classify/classify.js';
import type { ClassifyContext } from '../classify/types.js';
import type { AgentErrorCode } from '../error/agent-error.js';

/** The advice on another attempt. */
export interface RetryAdvice {
  /** `true` if another attempt may succeed. */
  retry: boolean;
  /** The least time to wait, in milliseconds; absent if no wait is stated, or no retry is advised. */
  waitMs?: number | undefined;
  /** The error's code. */
  code: AgentErrorCode;
}

/**
 * Returns advice on an error for a host that retries by itself: a queue, a workflow engine or a framework. A retryable
 * error is worth another attempt, after the wait that the provider requests. So is CIRCUIT_OPEN: an open circuit
 * refuses a call for now, and states when it may close. The host bounds the number of attempts and the wait.
 *
 * @param error - Any thrown value.
 * @param context - What is known of the call: provider, model, layer. Default: nothing.
 *
 * @example
 * ```ts
 * const { retry, waitMs = 1000 } = retryAdvice(error);
 * if (retry) await queue.add('welcome', data, { delay: waitMs });
 * ```
 */
export function retryAdvice(error: unknown, context: ClassifyContext = {}): RetryAdvice {
  const { code, retryable, retryAfterMs } = classify(error, context);
  const retry = retryable || code === 'CIRCUIT_OPEN';
  return retry && retryAfterMs !== undefined ? { retry, waitMs: retryAfterMs, code } : { retry, code };
}
