/** The operator's view of a fleet, and its controls. `npx halfopen fleet` uses this. */

import type { BreakerState } from '../breaker/breaker.js';
import { directoryKey, policyKey } from './keys.js';
import { deltaOf, ISOLATE, LIFT, namesIn, randomNode, viewOf } from './protocol.js';
import type { FleetStore, ResourceState } from './store.js';

/** One limit of a policy, as all processes together use it. */
export interface LimitStatus {
  /** 'requests', 'tokens', or 'concurrent' for concurrent calls. */
  unit: string;
  /** The limit of the whole fleet: uses in a window, or concurrent calls. */
  limit: number;
  /** The used part of the limit. */
  used: number;
  /**
   * When the whole limit is free again if nothing more is used: the store's time, in milliseconds since the Unix epoch.
   */
  resetAt: number;
}

/** One policy of a fleet. */
export interface PolicyStatus {
  /** The policy's name. */
  policy: string;
  /** The state of the breaker that the processes share. */
  state: BreakerState;
  /** The time since when it is in that state, by the store's clock, in milliseconds since the Unix epoch. */
  since: number;
  /** The number of processes that run it. */
  nodes: number;
  /** One entry for each limit that the policy shares; empty if it shares none. */
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
 * Returns the shared state of each policy of a fleet. It waits for the store until the store's client gives up.
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
 * Refuses all calls of a policy in every process until {@link lift}. A busy process learns of it with its next sync, an
 * idle one with its first call.
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
 * Ends the isolation that {@link isolate} began.
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
