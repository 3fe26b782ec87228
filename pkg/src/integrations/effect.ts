/** `halfopen/effect`: effects under a policy, and a schedule that follows the classification, for Effect 4. */

import type { Duration, Effect, Schedule } from 'effect';
import * as effects from 'effect';
import type { ExecuteOptions } from '../call/options.js';
import { classify } from '../classify/classify.js';
import { AgentError } from '../error/agent-error.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { calculateExponentialBackoff } from '../retry/backoff.js';
import type { RetryOptions } from '../retry/options.js';
import { waitShape } from './waits.js';

/**
 * Runs an effect under the policy: retried, timed, counted by the breaker; failures and defects become the AgentError in its
 * error channel. Interrupting the fiber ends the call, and an attempt's timeout interrupts the effect. Its services are those of
 * the fiber that runs it.
 *
 * Leave out `Effect.retry`, `HttpClient.retryTransient` and Effect's own circuit breaker around the same effect.
 *
 * @param options - Those of the call; `signal` is the fiber's.
 * @throws TypeError for something that is no policy.
 *
 * @example
 * ```ts
 * const guarded = effect.pipe(underPolicy(policy));
 * ```
 */
export function underPolicy(
  policy: Policy<never>,
  options?: Omit<ExecuteOptions, 'signal' | 'fallback' | 'validate'>,
): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, AgentError, R> {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  expectEffect();
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effects.Effect.flatMap(effects.Effect.context<R>(), (services) =>
      effects.Effect.tryPromise({
        try: (signal) =>
          policy.execute(
            (attempt) => effects.Effect.runPromiseWith(services)(effect, { signal: attempt.signal }),
            {
              ...options,
              signal,
            },
          ),
        catch: (thrown) => AgentError.from(thrown),
      }),
    );
}

/** How often and how late an effect is tried again. */
export interface RetryScheduleOptions
  extends Pick<RetryOptions, 'maxRetries' | 'baseDelayMs' | 'maxDelayMs' | 'backoffFactor' | 'jitter'> {
  /** The longest hint (Retry-After) that is waited for, in milliseconds; a longer one ends the schedule. Default: 60000. */
  maxRetryAfterMs?: number | undefined;
}

/**
 * Returns a schedule for `Effect.retry`: it goes on while the classification calls the error retryable, waits as long as the
 * provider asks, or with exponential backoff and jitter, and ends with everything else. For effects without a policy.
 *
 * @param options - `maxRetries` defaults to 3; waits as in a policy's `retry`.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * const schedule = retrySchedule({ maxRetries: 5 });
 * ```
 */
export function retrySchedule(options?: RetryScheduleOptions): Schedule.Schedule<Duration.Duration, unknown> {
  const {
    maxRetries = 3,
    maxRetryAfterMs = 60_000,
    ...backoff
  } = is.readOptions<RetryScheduleOptions>(waitShape, options, 'retrySchedule');
  expectEffect();
  const step = ({ input, attempt }: Schedule.InputMetadata<unknown>) => {
    const { retryable, retryAfterMs = 0 } = classify(input);
    if (!retryable || attempt > maxRetries || retryAfterMs > maxRetryAfterMs)
      return effects.Cause.done(effects.Duration.zero);
    const delay = effects.Duration.millis(
      Math.max(retryAfterMs, calculateExponentialBackoff(attempt, backoff)),
    );
    return effects.Effect.succeed<[Duration.Duration, Duration.Duration]>([delay, delay]);
  };
  return effects.Schedule.fromStepWithMetadata(effects.Effect.succeed(step));
}

/** Effect 3 has other names for these. */
function expectEffect(): void {
  expectHost('halfopen/effect', 'effect', '4', {
    'Effect.runPromiseWith': effects.Effect?.runPromiseWith,
    'Schedule.fromStepWithMetadata': effects.Schedule?.fromStepWithMetadata,
    'Cause.done': effects.Cause?.done,
  });
}
