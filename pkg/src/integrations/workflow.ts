/** `halfopen/workflow`: what a step of Vercel's Workflow throws, decided by the classification. */

import type { ClassifyContext } from '../classify/types.js';
import { AgentError } from '../error/agent-error.js';
import { retryAdvice } from '../retry/advice.js';

/** Workflow's own default, in milliseconds: how long a step waits that says nothing about it. */
const LEAST_WAIT_MS = 1000;

/**
 * Returns the error for a step of Workflow to throw: a `FatalError`, which ends the step, where another attempt is pointless;
 * else a `RetryableError` that waits as long as the provider asks, or until an open circuit may be closed (at least a second). The wait is durable: the process may end meanwhile.
 * Workflow's own two errors pass as they are. They are known by their names, as `FatalError.is` and `RetryableError.is` do,
 * so this needs no import of `workflow`. The AgentError is the `cause`.
 *
 * Give a policy that runs inside of a step `retry: false`, and let the step's `maxRetries` (3 by default) bound the attempts.
 *
 * @param context - What is known of the call: provider, model, layer. Default: nothing.
 *
 * @example
 * ```ts
 * async function summarise(text: string) {
 *   'use step';
 *   try {
 *     return await policy.execute(({ signal }) => client.responses.create({ model, input: text }, { signal }));
 *   } catch (error) {
 *     throw asWorkflowError(error);
 *   }
 * }
 * ```
 */
export function asWorkflowError(thrown: unknown, context: ClassifyContext = {}): Error {
  if (thrown instanceof Error && (thrown.name === 'FatalError' || thrown.name === 'RetryableError'))
    return thrown;
  const { retry, waitMs = 0 } = retryAdvice(thrown, context);
  const cause = AgentError.from(thrown, context);
  const error = new Error(cause.message, { cause });
  if (!retry) return Object.assign(error, { name: 'FatalError', fatal: true });
  return Object.assign(error, {
    name: 'RetryableError',
    retryAfter: new Date(Date.now() + Math.max(waitMs, LEAST_WAIT_MS)),
  });
}
