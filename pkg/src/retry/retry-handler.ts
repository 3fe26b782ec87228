/** The per-task retry counter on its own, for loops that are not a function call. */

import { type Clock, sleep, type Time, timeOf } from '../clock.js';
import { isControlFlow } from '../control-flow.js';
import {
  AgentError,
  type AgentErrorCode,
  cancellation,
  cheapError,
  type ErrorType,
  errorTypeOf,
  isAgentErrorCode,
  isRetryableCode,
} from '../error/agent-error.js';
import { finished, pastOf } from '../error/final-error.js';
import * as is from '../options.js';
import { disown } from '../promises.js';
import { calculateExponentialBackoff } from './backoff.js';
import { RetryBudget } from './budget.js';
import { type RetryOptions, retryShape } from './options.js';

const shape: is.Shape = { ...retryShape, clock: is.clock };
const runShape: is.Shape = { taskId: is.text, signal: is.abortSignal };

/** A code for each type, for a predicate that expects an error. */
const EXAMPLES: Readonly<Record<ErrorType, AgentErrorCode>> = {
  timeout: 'TIMEOUT',
  network: 'NETWORK_ERROR',
  llm_failed: 'SERVER_ERROR',
  tool_failed: 'TOOL_EXECUTION_ERROR',
  validation: 'VALIDATION_ERROR',
  unknown: 'UNKNOWN',
};

/**
 * Counts retries for each task. Defaults: 3 retries, 1000 ms ×2 up to 60 s, no jitter, retryOn llm_failed, network,
 * timeout.
 *
 * @example
 * ```ts
 * const handler = new RetryHandler({ maxRetries: 2 });
 * const answer = await handler.executeWithRetry(callModel, { taskId: 'summary' });
 * ```
 */
export class RetryHandler {
  private readonly options: RetryOptions;
  private readonly time: Time;
  private readonly budget: RetryBudget | undefined;
  private readonly attempts = new Map<string, number>();

  /** @throws TypeError for a wrong option. */
  constructor(options?: RetryOptions & { clock?: Clock | undefined }) {
    const { clock, ...given } = is.readOptions<RetryOptions & { clock?: Clock }>(
      shape,
      options,
      'RetryHandler',
    );
    this.time = timeOf(clock);
    this.options = {
      maxRetries: 3,
      baseDelayMs: 1000,
      maxDelayMs: 60_000,
      backoffFactor: 2,
      enableJitter: given.jitter !== undefined,
      retryOn: ['llm_failed', 'network', 'timeout'],
      maxRetryAfterMs: 60_000,
      ...given,
    };
    const { budget } = given;
    if (budget instanceof RetryBudget && budget.described === 'default')
      throw is.misuse('budget', 'one with numbers: a quota is for policies', budget);
    if (budget instanceof RetryBudget) this.budget = budget;
    else if (budget) this.budget = new RetryBudget({ ...budget, clock: this.time.clock });
  }

  /** Returns `true` if the task has retries left, and errors of this type (or code) are retried. Counts nothing. */
  shouldRetry(error: { taskId: string; errorType: ErrorType | AgentErrorCode }): boolean {
    const { taskId, errorType } = error;
    const { enabled = true, maxRetries = 3, retryOn } = this.options;
    if (!enabled || (this.attempts.get(taskId) ?? 0) >= maxRetries || retryOn === undefined) return false;
    if (typeof retryOn === 'function') {
      const code = isAgentErrorCode(errorType) ? errorType : EXAMPLES[errorType];
      return this.allows(cheapError(code, code));
    }
    if (isAgentErrorCode(errorType)) return listAllows(retryOn, errorType, isRetryableCode(errorType));
    return (retryOn as readonly string[]).includes(errorType);
  }

  /** Milliseconds to wait before the task's next retry. */
  getDelay(taskId: string): number {
    return this.delayBefore(taskId);
  }

  private delayBefore(taskId: string, previousMs?: number): number {
    const { retryOn: _on, onRetry: _callback, budget: _budget, ...backoff } = this.options;
    return calculateExponentialBackoff(
      (this.attempts.get(taskId) ?? 0) + 1,
      backoff,
      Math.random,
      backoff.backoff && previousMs,
    );
  }

  /** One retry of the task. */
  recordAttempt(taskId: string): void {
    this.attempts.set(taskId, (this.attempts.get(taskId) ?? 0) + 1);
  }

  /** Resets the task's retries. */
  reset(taskId: string): void {
    this.attempts.delete(taskId);
  }

  /**
   * Runs the operation, and again while `shouldRetry` says so. The task's counter is reset at the end.
   *
   * @throws AgentError (as a rejection) when retries are used up, the error is not retried, or the signal aborts.
   */
  executeWithRetry<T>(
    operation: () => T | PromiseLike<T>,
    options: { taskId: string; signal?: AbortSignal | undefined },
  ): Promise<T> {
    if (typeof operation !== 'function') throw is.misuse('operation', is.callback.expected, operation);
    const { taskId, signal } = is.readOptions<typeof options>(runShape, options, 'executeWithRetry');
    if (taskId === undefined) throw is.misuse('taskId', is.text.expected, taskId);
    return this.run(operation, taskId, signal);
  }

  private async run<T>(
    operation: () => T | PromiseLike<T>,
    taskId: string,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const errors: AgentError[] = [];
    let attempts = 0;
    let previousMs: number | undefined;
    try {
      this.budget?.deposit();
      for (;;) {
        if (signal?.aborted) throw cancellation(signal.reason);
        let error: AgentError;
        let nested = false;
        attempts++;
        try {
          return await operation();
        } catch (thrown) {
          if (isControlFlow(thrown)) throw thrown;
          error = AgentError.from(thrown, { now: this.time.wall() });
          nested = pastOf(thrown).gaveUp;
        }
        errors.push(error);
        if (signal?.aborted) throw cancellation(signal.reason);
        const delayMs = this.delayFor(taskId, error, nested, previousMs);
        if (delayMs === undefined) throw error;
        if (error.retryAfterMs === undefined) previousMs = delayMs;
        this.recordAttempt(taskId);
        await this.options.onRetry?.(error, { attempt: attempts + 1, delayMs });
        // Aborted meanwhile: the loop ends at its beginning.
        await sleep(this.time, delayMs, signal).catch(() => {});
      }
    } catch (thrown) {
      if (isControlFlow(thrown)) throw thrown;
      throw finished(AgentError.from(thrown), { attempts, errors });
    } finally {
      this.reset(taskId);
    }
  }

  private delayFor(
    taskId: string,
    error: AgentError,
    nested: boolean,
    previousMs: number | undefined,
  ): number | undefined {
    const { enabled = true, maxRetries = 3, retryNested = false, maxRetryAfterMs = 60_000 } = this.options;
    if (!enabled || (this.attempts.get(taskId) ?? 0) >= maxRetries) return undefined;
    if (error.code === 'CANCELLED' || (nested && !retryNested) || !this.allows(error)) return undefined;
    const hint = error.retryAfterMs;
    if (hint !== undefined && hint > maxRetryAfterMs) return undefined;
    if (this.budget !== undefined && !this.budget.withdraw()) return undefined;
    return hint ?? this.delayBefore(taskId, previousMs);
  }

  private allows(error: AgentError): boolean {
    const { retryOn } = this.options;
    if (typeof retryOn === 'function') {
      const verdict = retryOn(error);
      return disown(verdict) ? error.retryable : (verdict ?? error.retryable);
    }
    return retryOn !== undefined && listAllows(retryOn, error.code, error.retryable);
  }
}

/** Returns `true` if a `retryOn` list names the code, or the type of a retryable error. */
function listAllows(list: readonly string[], code: AgentErrorCode, retryable: boolean): boolean {
  return list.includes(code) || (retryable && list.includes(errorTypeOf(code)));
}
