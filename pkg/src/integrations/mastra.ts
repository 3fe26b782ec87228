/** `halfopen/mastra`: an error processor for Mastra's agents, decided by the classification. */

import * as is from '../options.js';
import { retryAdvice } from '../retry/advice.js';
import { calculateExponentialBackoff } from '../retry/backoff.js';
import type { RetryOptions } from '../retry/options.js';
import { waitShape } from './waits.js';

/** When the error processor tries again, and how long it waits. */
export interface ErrorProcessorOptions
  extends Pick<RetryOptions, 'baseDelayMs' | 'maxDelayMs' | 'backoffFactor' | 'jitter' | 'maxRetries'> {
  /** The longest hint (Retry-After) that is waited for, in milliseconds; a longer one gives up. Default: 60000. */
  maxRetryAfterMs?: number | undefined;
}

/** What is read of Mastra's arguments. */
interface FailedCall {
  readonly error: unknown;
  /** How many retries there were, over all processors. */
  readonly retryCount: number;
  readonly abortSignal?: AbortSignal | undefined;
}

/** An error processor of Mastra: an entry of an agent's `errorProcessors`. */
export interface RetryProcessor {
  /** Identifies the processor to Mastra. */
  readonly id: 'halfopen';
  /** The name that Mastra shows. */
  readonly name: string;
  /** Waits, then says whether the model is called again. */
  processAPIError(args: FailedCall): Promise<{ retry: boolean }>;
}

/**
 * Returns an error processor for an agent of Mastra: what the classification calls retryable is tried again after the wait that
 * the provider asks for, or with exponential backoff and jitter; everything else fails at once. It sees errors that a stream
 * reports too, which Mastra's own fallbacks do not.
 *
 * Set `maxRetries: 0` on the agent and `maxProcessorRetries` at least as high as `maxRetries` here (Mastra allows 3 at most).
 * For breakers, budgets and fallbacks guard the model instead, with `guardMiddleware` or `failoverModel` of `halfopen/ai-sdk`,
 * and leave this out: both would multiply.
 *
 * @param options - `maxRetries` defaults to 3; waits as in a policy's `retry`.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * const options = { id, name, instructions, model, maxRetries: 0, errorProcessors: [errorProcessor()] }; // of the Agent
 * ```
 */
export function errorProcessor(options?: ErrorProcessorOptions): RetryProcessor {
  const {
    maxRetries = 3,
    maxRetryAfterMs = 60_000,
    ...backoff
  } = is.readOptions<ErrorProcessorOptions>(waitShape, options, 'errorProcessor');
  return {
    id: 'halfopen',
    name: 'Halfopen',
    async processAPIError({ error, retryCount, abortSignal }) {
      const { retry, waitMs = 0 } = retryAdvice(error, { layer: 'model' });
      if (!retry || retryCount >= maxRetries || waitMs > maxRetryAfterMs) return { retry: false };
      await waited(Math.max(waitMs, calculateExponentialBackoff(retryCount + 1, backoff)), abortSignal);
      return { retry: abortSignal?.aborted !== true };
    },
  };
}

/** Resolves after the time, or when the run is aborted. */
function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
