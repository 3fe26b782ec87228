/** The engine's inputs and its shared buffer, as `core/src/js/policy.rs` has them: numbers in, a number out. */

import * as handles from './handles.js';
import * as instance from './instance.js';
import * as functions from './policy.js';
import { core } from './policy.js';
import * as wire from './wire.js';

export {
  abandon,
  attemptAnswered,
  attemptFailed,
  attemptOk,
  backoffDelay,
  begin,
  beginWith,
  breakerAcquire,
  breakerCanExecute,
  breakerControl,
  breakerEnd,
  breakerNew,
  breakerRecord,
  breakerRestore,
  breakerRetryAfter,
  breakerSettle,
  breakerSnapshot,
  breakerState,
  breakerUpdate,
  budgetAvailable,
  budgetDeposit,
  budgetNew,
  budgetWithdraw,
  cancel,
  closeEarly,
  dequeue,
  nextReady,
  policyNeeds,
  policyNew,
  policyObserve,
  policyObserveLimit,
  policyUpdate,
  pollTimeout,
  reasonText,
  resume,
} from './policy.js';
export * from './wire.js';

/** The call that a packed step is about; 0 when it is over. */
export function callOf(packed: number): number {
  return packed >>> wire.CALL_SHIFT;
}

/** Which instance of the module runs: a handle of another one is void. */
export function instanceNumber(): number {
  return core.instanceNumber;
}

/** The trap that the present instance was made after, if it is not the first. */
export function lastTrap(): WebAssembly.RuntimeError | undefined {
  return core.lastTrap;
}

function memory(): WebAssembly.Memory {
  // Where there is a pointer there is an instance.
  return core.memory as WebAssembly.Memory;
}

/** What is kept of the present instance of the module. */
class Kept {
  /** The shared buffer: what the last step reports beside its packed number. */
  buffer: Float64Array | undefined;
  /** Where the core writes records. */
  rows: Float64Array | undefined;
  /** Breakers by the core's handle, which records name them by. */
  readonly breakers = new Map<number, { deref(): KnownBreaker | undefined }>();
  /** Policies with calls that wait for the core to start them. */
  readonly queues = new Set<{ goUnguarded(): void }>();

  constructor() {
    core.replaced.add(() => this.forget());
  }

  /** After the instance was replaced: views of its memory and handles are void, and queued calls go on unguarded. */
  private forget(): void {
    this.buffer = undefined;
    this.rows = undefined;
    this.breakers.clear();
    const waiting = [...this.queues];
    this.queues.clear();
    for (const queue of waiting) queue.goUnguarded();
  }
}

const kept = /* @__PURE__ */ new Kept();

function bufferAt(slot: number): number {
  // Memory that has grown detaches its old buffer: a view of it is empty.
  if (kept.buffer === undefined || kept.buffer.length === 0) {
    let pointer: number;
    try {
      pointer = functions.slotsPointer();
    } catch (error) {
      // Its contents are gone with the instance. The call notices that the instance is another.
      instance.restart(error);
      return Number.NaN;
    }
    kept.buffer = new Float64Array(memory().buffer, pointer, wire.SLOTS);
  }
  return kept.buffer[slot] ?? Number.NaN;
}

/** WAIT: how long, in milliseconds. */
export function delayMs(): number {
  return bufferAt(wire.SLOT_DELAY);
}

/** REJECTED: by which layer. */
export function rejectedBy(): (typeof wire.LAYERS)[number] {
  return wire.LAYERS[bufferAt(wire.SLOT_BY)] ?? 'breaker';
}

/** REJECTED: until a call may be admitted, in milliseconds; NaN when that is not known. */
export function retryAfterMs(): number {
  return bufferAt(wire.SLOT_RETRY_AFTER);
}

/** After `attemptAnswered`: the breaker's packed answer, for `breakerEnd`; NaN when it changed nothing. */
export function answerBegun(): number {
  return bufferAt(wire.SLOT_ANSWER);
}

/** How many numbers the core writes at once, at most. */
const ROWS = 256;
/** How many drains in a row can return records: the core keeps 1024, and writes at least 15 of them at once. */
const MOST_DRAINS = 70;

/**
 * All records since the last drain, oldest first, each as its kind, how many numbers follow, and these. A copy, because
 * listeners of one record may cause more.
 *
 * @throws WebAssembly.RuntimeError, as the core does, when the records do not end: its memory is broken.
 */
export function drainEvents(): number[] {
  const numbers: number[] = [];
  let drains = 0;
  do {
    const count = functions.drainEvents();
    drains += 1;
    if (count > ROWS || drains > MOST_DRAINS) {
      throw core.trapped('drainEvents', new WebAssembly.RuntimeError('The records have no end'));
    }
    if (kept.rows === undefined || kept.rows.length === 0) {
      kept.rows = new Float64Array(memory().buffer, functions.rowsPointer(), ROWS);
    }
    const { rows } = kept;
    for (let at = 0; at < count; at += 1) numbers.push(rows[at] ?? Number.NaN);
  } while (functions.hasEvents());
  return numbers;
}

/** Policies with calls that wait for the core to start them. */
export function queues(): Set<{ goUnguarded(): void }> {
  return kept.queues;
}

/** Goes on after a trap, with a new instance. */
export const restart = instance.restart;
/** Runs the function, and once more on a new instance after a trap. Read handles within it: they are others then. */
export const onceMore = instance.onceMore;

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
  policy: functions.policyFree,
  budget: functions.budgetFree,
  breaker(handle: number): void {
    kept.breakers.delete(handle);
    functions.breakerFree(handle);
  },
};
