/** `halfopen/cloudflare-agents`: the retries of Cloudflare's Agents SDK, decided by the classification. */

import type { ClassifyContext } from '../classify/types.js';
import { retryAdvice } from '../retry/advice.js';

/** The cap of the SDK on its own waits, in milliseconds. */
const SHORT_WAIT_MS = 3000;

/**
 * Returns a `shouldRetry` for `this.retry` of Cloudflare's Agents SDK, whose default retries every error, a wrong key too. What
 * is not worth another attempt is thrown at once. So is an error whose hint (Retry-After) is longer than 3000 milliseconds,
 * the most that `this.retry` waits by default: let `this.schedule` come back later, and the agent sleep.
 *
 * For a policy's own retries leave `this.retry` out, or give it `maxAttempts: 1`.
 *
 * @param context - What is known of the call: provider, model, layer. Default: nothing.
 *
 * @example
 * ```ts
 * const answer = await agent.retry(() => client.responses.create(request), { maxAttempts: 4, shouldRetry: retryable() });
 * ```
 */
export function retryable(context: ClassifyContext = {}): (error: unknown) => boolean {
  return (error) => {
    const { retry, waitMs = 0 } = retryAdvice(error, context);
    return retry && waitMs <= SHORT_WAIT_MS;
  };
}
