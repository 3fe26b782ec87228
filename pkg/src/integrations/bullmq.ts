/** `halfopen/bullmq`: BullMQ's durable retries, decided by the classification. */

import type { ClassifyContext } from '../classify/types.js';
import { AgentError } from '../error/agent-error.js';
import * as is from '../options.js';
import { retryAdvice } from '../retry/advice.js';
import { calculateExponentialBackoff } from '../retry/backoff.js';
import type { RetryOptions } from '../retry/options.js';
import { waitShape } from './waits.js';

/** What BullMQ reads as "do not try again". */
const GIVE_UP = -1;

/** How long a failed job waits. */
export interface JobBackoffOptions
  extends Pick<RetryOptions, 'baseDelayMs' | 'maxDelayMs' | 'backoffFactor' | 'jitter'> {
  /** The longest hint (Retry-After) that is waited for, in milliseconds; a longer one fails the job. Default: 3600000. */
  maxRetryAfterMs?: number | undefined;
}

const shape: is.Shape = /* @__PURE__ */ is.without(waitShape, 'maxRetries');

const HOUR_MS = 3_600_000;

/**
 * Returns a backoff strategy for a BullMQ worker. A job that failed for good (a wrong key, a used-up quota, a prompt that is too
 * long) is not tried again; the others wait as long as the provider asks, until an open circuit may be closed, or with exponential
 * backoff and jitter. `attempts`
 * of the job bounds their number, as ever.
 *
 * Give the jobs `backoff: { type: 'custom' }`, and the policy inside of the processor `retry: false`, so that nothing is
 * retried twice: a wait in Redis outlives the process.
 *
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * const options = { connection, settings: { backoffStrategy: jobBackoff() } }; // of the Worker
 * await queue.add('welcome', data, { attempts: 5, backoff: { type: 'custom' } });
 * ```
 */
export function jobBackoff(
  options?: JobBackoffOptions,
): (attemptsMade: number, type?: string, error?: Error) => number {
  const { maxRetryAfterMs = HOUR_MS, ...backoff } = is.readOptions<JobBackoffOptions>(
    shape,
    options,
    'jobBackoff',
  );
  return (attemptsMade, _type, error) => {
    const { retry, waitMs = 0 } = retryAdvice(error);
    if (!retry || waitMs > maxRetryAfterMs) return GIVE_UP;
    return Math.ceil(Math.max(waitMs, calculateExponentialBackoff(attemptsMade, backoff)));
  };
}

/**
 * Returns the error for BullMQ to fail a job with: one that it does not try again (named `UnrecoverableError`) where another
 * attempt is pointless, else the AgentError. For workers with a built-in backoff (`fixed`, `exponential`); {@link jobBackoff}
 * decides the same by itself. BullMQ's own errors (`DelayedError`, `RateLimitError`, …) pass as they are.
 *
 * @param context - What is known of the call: provider, model, layer. Default: nothing.
 *
 * @example
 * ```ts
 * const processor = (job) =>
 *   send(job.data).catch((error) => {
 *     throw asJobError(error);
 *   });
 * ```
 */
export function asJobError(thrown: unknown, context: ClassifyContext = {}): Error {
  if (thrown instanceof Error && OWN.has(thrown.name)) return thrown;
  const error = AgentError.from(thrown, context);
  if (retryAdvice(error).retry) return error;
  const final = new Error(error.message, { cause: error });
  final.name = 'UnrecoverableError';
  return final;
}

/** Errors by which a processor steers BullMQ, known by their names as BullMQ itself does. */
const OWN: ReadonlySet<string> = new Set([
  'UnrecoverableError',
  'DelayedError',
  'RateLimitError',
  'WaitingError',
  'WaitingChildrenError',
]);
