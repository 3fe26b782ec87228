/** What an operator sees of a fleet, and does: `npx halfopen fleet` is this. */

import type { BreakerState } from '../breaker/breaker.js';
import { directoryKey, policyKey } from './keys.js';
import { deltaOf, ISOLATE, LIFT, namesIn, randomNode, viewOf } from './protocol.js';
import type { FleetStore, ResourceState } from './store.js';

/** One limit of a policy, as all processes together use it. */
export interface LimitStatus {
  /** 'requests', 'tokens', or 'concurrent' for what runs at once. */
  unit: string;
  /** How much the whole fleet may use in a window, or run at once. */
  limit: number;
  /** How much is used, or runs. */
  used: number;
  /** When all of it is free again if nothing more is used: the store's time, in milliseconds since the Unix epoch. */
  resetAt: number;
}

/** One policy of a fleet. */
export interface PolicyStatus {
  /** The policy's name. */
  policy: string;
  /** The state of the breaker that the processes share. */
  state: BreakerState;
  /** Since when, by the store's time, in milliseconds since the Unix epoch. */
  since: number;
  /** How many processes run it. */
  nodes: number;
  /** One for each limit that the policy shares; empty without any. */
  limits: readonly LimitStatus[];
}

const READ = /* @__PURE__ */ new Uint8Array();

async function sync(
  store: FleetStore,
  resources: readonly { key: string; delta: Uint8Array }[],
): Promise<readonly ResourceState[]> {
  if (resources.length === 0) return [];
  return store.sync(resources, new AbortController().signal);
}

/**
 * Returns what processes share of each policy of a fleet. It waits for the store for as long as the store's client does.
 *
 * @example
 * ```ts
 * const policies = await inspect(memoryStore(), 'workers');
 * for (const { policy, state, nodes } of policies) console.log(policy, state, nodes);
 * ```
 */
export async function inspect(
  store: FleetStore,
  name: string,
): Promise<
  readonly {
    policy: string;
    state: BreakerState;
    since: number;
    nodes: number;
    limits: readonly { unit: string; limit: number; used: number; resetAt: number }[];
  }[]
> {
  const [directory] = await sync(store, [{ key: directoryKey(name), delta: READ }]);
  const policies = directory === undefined ? [] : namesIn(directory.state);
  const states = await sync(
    store,
    policies.map((policy) => ({ key: policyKey(name, policy), delta: READ })),
  );
  return states.map(({ state, now }, index): PolicyStatus => {
    const view = viewOf(state, 0, now);
    const limits = view.limits.map(({ limit, windowMs, ofTokens, used, resetMs }) => ({
      unit: windowMs === 0 ? 'concurrent' : ofTokens ? 'tokens' : 'requests',
      limit,
      used,
      resetAt: now + resetMs,
    }));
    const { since, nodes } = view;
    return { policy: policies[index] ?? '', state: view.state, since, nodes, limits };
  });
}

/**
 * Refuses all calls of a policy in every process, until {@link lift}: by their next sync, and of idle ones by their first call.
 *
 * @example
 * ```ts
 * await isolate(memoryStore(), 'workers', 'openai');
 * ```
 */
export async function isolate(store: FleetStore, name: string, policy: string): Promise<void> {
  await order(store, name, policy, ISOLATE);
}

/**
 * Lifts what {@link isolate} has said.
 *
 * @example
 * ```ts
 * await lift(memoryStore(), 'workers', 'openai');
 * ```
 */
export async function lift(store: FleetStore, name: string, policy: string): Promise<void> {
  await order(store, name, policy, LIFT);
}

async function order(store: FleetStore, name: string, policy: string, kind: number): Promise<void> {
  const listed = deltaOf({ node: randomNode(), number: 1 }, [], [policy]);
  await sync(store, [
    { key: policyKey(name, policy), delta: deltaOf({ node: randomNode(), number: 1, kind }) },
    { key: directoryKey(name), delta: listed },
  ]);
}
