/** LangChain's own retries, decided by the classification. */

import type { ClassifyContext } from '../classify/types.js';
import { AgentError } from '../error/agent-error.js';
import { retryAdvice } from '../retry/advice.js';

/** The longest hint that LangChain waits for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Where LangChain's `getRetryable` looks, in every copy of it. */
const RETRYABLE = Symbol.for('langchain.errors.retryable');

/**
 * Returns an `onFailedAttempt` for LangChain's models: its own retries then follow Halfopen's classification. What is not
 * worth another attempt is thrown at once, and so is a hint (Retry-After) above 60000 milliseconds; a shorter hint is waited
 * for. LangChain's default throws every 429 without a hint, and retries what it does not know.
 *
 * Use it where LangChain shall retry by itself. Under a policy set `maxRetries: 0` on the model instead.
 *
 * @param context - What is known of the model: provider, model. Default: nothing.
 * @returns a function that throws the AgentError where no retry shall follow.
 *
 * @example
 * ```ts
 * const options = { model: 'gpt-5', maxRetries: 3, onFailedAttempt: failedAttemptHandler() };
 * ```
 */
export function failedAttemptHandler(context: ClassifyContext = {}): (error: unknown) => void {
  return (error) => {
    const { retry, waitMs = 0 } = retryAdvice(error, context);
    if (!retry || waitMs > MAX_RETRY_AFTER_MS) throw stamped(AgentError.from(error, context), retry);
    if (typeof error !== 'object' || error === null) return;
    stamped(error, true);
    if (waitMs > 0) Reflect.set(error, 'retryAfterMs', waitMs);
  };
}

/** The verdict where other parts of LangChain look for it. */
function stamped<T extends object>(error: T, retryable: boolean): T {
  Reflect.defineProperty(error, RETRYABLE, { value: retryable, configurable: true });
  return error;
}
