/** The interface of a fleet's store, the merge that every store performs, and a store in memory. */

import { type Clock, timeOf } from '../clock.js';
import { fleetMerge } from '../core/fleet.js';
import { misfit } from './misfit.js';
import { type View, viewOf } from './protocol.js';

/**
 * The state of one resource, returned by a sync. `now` is the store's time in milliseconds, the only time that
 * processes use.
 */
export interface ResourceState {
  key: string;
  state: Uint8Array;
  now: number;
}

/**
 * A store that processes share. One resource is one key, and its state is opaque. For each delta a store performs
 * {@link mergeResource}, atomically for each key, with one time that is the same for all processes.
 */
export interface FleetStore {
  /**
   * Merges each delta into its resource, and returns the states in the same order. If the store cannot, it rejects or
   * never settles: the caller waits no longer than its own timer, and then aborts `signal`.
   */
  sync(
    resources: readonly { key: string; delta: Uint8Array }[],
    signal: AbortSignal,
  ): Promise<readonly { key: string; state: Uint8Array; now: number }[]>;
  /**
   * `true` if a process's report can be lost when another one syncs at the same time. The process then reports it
   * again. Nothing is exact in such a store, and `fleet` refuses an `exact` limit. Default: `false`.
   */
  readonly isEventual?: boolean | undefined;
  /**
   * Calls back when the breaker, the isolation or the cool-down of a resource has changed. This only shortens the wait:
   * the next sync sees a missed change. Returns a function that ends the subscription. Never throws.
   */
  subscribe?(keys: readonly string[], onChange: (key: string) => void): () => void;
  /** Closes everything that the store itself opened. A client that was passed to it belongs to the caller. */
  close(): Promise<void>;
}

/**
 * Returns the state of a resource after a delta; this is a store's whole task. An empty delta changes nothing.
 *
 * @param state - the state before; `undefined` for a new resource.
 * @param delta - the report of a process. A delta that arrives twice counts once.
 * @param now - the store's time, in milliseconds. A time that goes back counts as the latest one.
 * @throws TypeError for bytes that are neither a state nor a delta, or of another version of this package.
 *
 * @example
 * ```ts
 * const states = new Map<string, Uint8Array>();
 * const merge = (key: string, delta: Uint8Array) =>
 *   states.set(key, mergeResource(states.get(key), delta, Date.now()));
 * ```
 */
export function mergeResource(state: Uint8Array | undefined, delta: Uint8Array, now: number): Uint8Array {
  return mergeAll(state, [delta], [now]);
}

/** Returns the state after several deltas, each at its time. */
export function mergeAll(
  state: Uint8Array | undefined,
  deltas: readonly Uint8Array[],
  times: readonly number[],
): Uint8Array {
  const bytes = new Uint8Array(deltas.reduce((sum, delta) => sum + delta.length, 0));
  let end = 0;
  for (const delta of deltas) {
    bytes.set(delta, end);
    end += delta.length;
  }
  const lengths = Uint32Array.from(deltas, (delta) => delta.length);
  const merged = fleetMerge(state ?? new Uint8Array(), bytes, lengths, Float64Array.from(times));
  if (merged.length === 0) throw misfit();
  return merged;
}

/** Returns `true` if a delta changed something that the other processes should know before their next sync. */
export function hasNews(before: Uint8Array | undefined, after: Uint8Array, now: number): boolean {
  const [was, is] = [before, after].map((state) => (state === undefined ? undefined : viewOf(state, 0, now)));
  if (is === undefined) return false;
  const isolated = (view: View | undefined) => view?.state === 'isolated';
  return (
    (was !== undefined && was.generation !== is.generation) ||
    isolated(was) !== isolated(is) ||
    is.coolForMs > (was?.coolForMs ?? 0)
  );
}

/** The subscribers of each key. */
export class Subscribers {
  private readonly byKey = new Map<string, Set<(key: string) => void>>();

  /** Returns a function that removes the subscriber. */
  add(key: string, onChange: (key: string) => void): () => void {
    const called = this.byKey.get(key) ?? new Set();
    const once = (changed: string) => onChange(changed);
    this.byKey.set(key, called.add(once));
    return () => {
      called.delete(once);
      if (called.size === 0 && this.byKey.get(key) === called) this.byKey.delete(key);
    };
  }

  has(key: string): boolean {
    return this.byKey.has(key);
  }

  notify(key: string): void {
    for (const call of this.byKey.get(key) ?? []) call(key);
  }
}

/**
 * Returns a store in the memory of this process, for tests and for the policies of one process.
 *
 * @param options - `clock`, the store's time. Default: the system's.
 *
 * @example
 * ```ts
 * const workers = fleet({ store: memoryStore(), name: 'workers' });
 * ```
 */
export function memoryStore(options: { clock?: Clock | undefined } = {}): FleetStore {
  const time = timeOf(options.clock);
  const states = new Map<string, Uint8Array>();
  const subscribers = new Subscribers();
  return {
    async sync(resources) {
      return resources.map(({ key, delta }) => {
        const now = Math.floor(time.wall());
        const before = states.get(key);
        const state = mergeResource(before, delta, now);
        states.set(key, state);
        if (subscribers.has(key) && hasNews(before, state, now)) subscribers.notify(key);
        return { key, state, now };
      });
    },
    subscribe(keys, onChange) {
      const ends = keys.map((key) => subscribers.add(key, onChange));
      return () => {
        for (const end of ends) end();
      };
    },
    async close() {
      states.clear();
    },
  };
}
