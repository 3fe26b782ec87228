/** Advice on an error for a host that retries by itself. */

import { classify } from '../classify/classify.js';
import type { ClassifyContext } from '../classify/types.js';
import type { AgentErrorCode } from '../error/agent-error.js';

/** The advice on another attempt. */
export interface RetryAdvice {
  /** `true` if another attempt may succeed. */
  retry: boolean;
  /** How long to wait at least, in milliseconds; absent where nothing says it, or nothing is to be retried. */
  waitMs?: number | undefined;
  /** The error's code. */
  code: AgentErrorCode;
}

/**
 * Returns what a host should do with an error: a queue, a workflow engine or a framework that retries by itself. An error that
 * the classification calls retryable is worth another attempt, after the wait that the provider asks for. So is CIRCUIT_OPEN:
 * an open circuit refuses a call for now, and says when it may be closed. The host bounds the number of attempts and the wait.
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
