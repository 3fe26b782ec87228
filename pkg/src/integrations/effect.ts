/** `halfopen/effect`: effects under a policy, for Effect 4. */

import type { Effect } from 'effect';
import * as effects from 'effect';
import type { ExecuteOptions } from '../call/options.js';
import { AgentError } from '../error/agent-error.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';

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

/** Effect 3 has another name for it. */
function expectEffect(): void {
  expectHost('halfopen/effect', 'effect', '4', {
    'Effect.runPromiseWith': effects.Effect?.runPromiseWith,
  });
}
