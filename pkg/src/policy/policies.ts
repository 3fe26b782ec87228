/** One policy for each key: provider, model, tool. */

import { CircuitBreaker } from '../breaker/breaker.js';
import * as is from '../options.js';
import { type DrainOptions, type PolicyOptions, readDrainOptions, readPolicyOptions } from './options.js';
import { createPolicy, type Policy } from './policy.js';
import { settingsOf } from './settings.js';

/** Policies by key, each with its own breaker. */
export interface Policies<F = never> {
  /** The key's policy, made on first use. */
  get(key: string): Policy<F>;
  /** Those made so far, oldest first. */
  readonly all: readonly Policy<F>[];
  /** Like `drain` of each of them, all at once; later ones are disposed. The promise never rejects. */
  drain(options?: DrainOptions): Promise<void>;
  /** Disposes of all of them, and of those to come. */
  dispose(): void;
}

/**
 * One policy for each key, made on first use from the same options, each with its own breaker. Its name is the key,
 * after the name in the options if there is one.
 *
 * @throws TypeError for a wrong option, and for a `CircuitBreaker`: policies that share one are made with `createPolicy`.
 *
 * @example
 * ```ts
 * const models = createPolicies({ timeout: { attemptMs: 30_000 } });
 * await models.get('gpt-4o').execute(call);
 * ```
 */
export function createPolicies<F = never>(options?: PolicyOptions<F>): Policies<F> {
  const common = readPolicyOptions(options);
  if (common.breaker instanceof CircuitBreaker) {
    throw is.misuse('breaker', 'options, of which each key has a breaker of its own', common.breaker);
  }
  settingsOf('', common as PolicyOptions<unknown>);
  const made = new Map<string, Policy<F>>();
  let disposed = false;
  return {
    get(key) {
      if (typeof key !== 'string') throw is.misuse('key', is.text.expected, key);
      let policy = made.get(key);
      if (policy === undefined) {
        policy = createPolicy<F>({
          ...common,
          name: common.name === undefined ? key : `${common.name}:${key}`,
        });
        made.set(key, policy);
        if (disposed) policy.dispose();
      }
      return policy;
    },
    get all() {
      return [...made.values()];
    },
    drain(options) {
      readDrainOptions(options);
      disposed = true;
      return Promise.all([...made.values()].map((policy) => policy.drain(options))).then(() => {});
    },
    dispose() {
      disposed = true;
      for (const policy of made.values()) policy.dispose();
    },
  };
}
