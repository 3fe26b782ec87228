/** Objects that the module `policy` knows by a handle, and what becomes of them when it is replaced or they are collected. */

import * as handles from './handles.js';
import { breakerFree, budgetFree, core, policyFree } from './policy.js';
import type * as wire from './wire.js';

/** The handles that are kept for the present instance of the module. */
class Kept {
  /** Breakers by the core's handle, which records name them by. */
  readonly breakers = new Map<number, { deref(): KnownBreaker | undefined }>();
  /** Policies with calls that wait for the core to start them. */
  readonly queues = new Set<{ goUnguarded(): void }>();

  constructor() {
    core.replaced.add(() => this.forget());
  }

  /** After the instance was replaced: handles are void, and queued calls go on unguarded. */
  private forget(): void {
    this.breakers.clear();
    const waiting = [...this.queues];
    this.queues.clear();
    for (const queue of waiting) queue.goUnguarded();
  }
}

const kept = /* @__PURE__ */ new Kept();

/** Policies with calls that wait for the core to start them. */
export function queues(): Set<{ goUnguarded(): void }> {
  return kept.queues;
}

/** A breaker's change of state, as the core records it. */
export interface RecordedChange {
  from: wire.BreakerState;
  to: wire.BreakerState;
  reason: string;
  generation: number;
  /** Wall time, in milliseconds since the Unix epoch. */
  retryAt: number | undefined;
  window: { total: number; failures: number; slow: number; last: number[] };
}

/** A breaker, as records need it. */
export interface KnownBreaker {
  readonly time: { now(): number; wall(): number };
  /** Emits a change; `subject` is the call, as events name it. */
  changed(change: RecordedChange, subject: object): void;
  /** Emits that it refuses a share of the calls. */
  throttled(rate: number, subject: object): void;
}

/** Makes a breaker known under its handle, for as long as somebody else holds it. */
export function rememberBreaker(handle: number, breaker: KnownBreaker): void {
  // Workers before their compatibility date of May 2025 have neither WeakRef nor the registry below: they keep it.
  kept.breakers.set(handle, typeof WeakRef === 'undefined' ? { deref: () => breaker } : new WeakRef(breaker));
}

/** The breaker of a handle, if it still exists. */
export function breakerOf(handle: number): KnownBreaker | undefined {
  return kept.breakers.get(handle)?.deref();
}

/** Frees the core's part of an object when the object is collected. */
export function freeWith(owner: object, kind: keyof typeof FREE, handle: number): void {
  handles.freeWith(owner, core, handle, FREE[kind]);
}

const FREE = {
  policy: policyFree,
  budget: budgetFree,
  breaker(handle: number): void {
    kept.breakers.delete(handle);
    breakerFree(handle);
  },
};
