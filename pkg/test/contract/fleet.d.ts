// The contract of `halfopen/fleet`: processes that share what they know. A call never waits for the store, except for what is
// marked exact. The store away, slow or flushed changes no call's outcome beyond `onStoreLost`.
import type { BreakerState } from 'halfopen';

export interface FleetOptions {
  store: FleetStore;
  name: string;                        // what processes share; with the policy's name, the key
  /** The name of a shared quota: 'org-1/gpt-5'. A hint (Retry-After) that one process gets holds for its scope; failover passes over targets of an exhausted scope. */
  quotaScope?: string | undefined;
  evidence?: 'quorum' | 'any' | undefined;     // 'quorum': failures from two processes at least open the shared breaker
  exact?: readonly ('rateLimit' | 'bulkhead' | 'probe')[] | undefined;   // ['probe']
  onStoreLost?: 'local' | 'allow' | 'deny' | undefined;                  // 'local': own state, and the safe share of a limit
  storeTimeoutMs?: number | undefined;         // 50
  syncMs?: { min?: number | undefined; max?: number | undefined } | undefined;   // 250, 10000; the store's load sets the pace
}
export interface Fleet {
  readonly status: 'joined' | 'degraded' | 'left';
  readonly nodes: number;
  readonly stalenessMs: number;        // age of the local view
  close(): Promise<void>;
}
/** Given as PolicyOptions.fleet. */
export function fleet(options: FleetOptions): Fleet;

/** One resource, one key. Atomic on the store's side; `now` is the store's clock. */
export interface FleetStore {
  sync(resources: readonly { key: string; delta: Uint8Array }[], signal: AbortSignal): Promise<readonly { key: string; state: Uint8Array; now: number }[]>;
  subscribe?(keys: readonly string[], onChange: (key: string) => void): () => void;
  close(): Promise<void>;
}
/** Applies a delta to a store; the state of a resource is opaque to adapters. Commutative and idempotent by the delta's number. */
export function mergeResource(state: Uint8Array | undefined, delta: Uint8Array, now: number): Uint8Array;
export function memoryStore(): FleetStore;
/** The view and the actions of an operator; `npx halfopen fleet` is this. */
export function inspect(store: FleetStore, name: string): Promise<readonly { policy: string; state: BreakerState; since: number; nodes: number; limits: readonly { unit: string; limit: number; used: number; resetAt: number }[] }[]>;
export function isolate(store: FleetStore, name: string, policy: string): Promise<void>;
export function lift(store: FleetStore, name: string, policy: string): Promise<void>;
