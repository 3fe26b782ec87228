/** The engine's inputs and its shared buffer, as `core/src/js/policy.rs` has them: numbers in, a number out. */

import type { CircuitBreaker } from '../breaker/breaker.js';
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

// The lane: what the last step said beside its word.
let lane: Float64Array | undefined;

function laneAt(place: number): number {
  // Memory that has grown detaches its old buffer: a view of it is empty.
  if (lane === undefined || lane.length === 0) {
    let pointer: number;
    try {
      pointer = functions.lanePointer();
    } catch (error) {
      // What stood there is lost. The call sees that the instance is another.
      instance.restart(error);
      return Number.NaN;
    }
    lane = new Float64Array(memory().buffer, pointer, wire.SLOTS);
  }
  return lane[place] ?? Number.NaN;
}

/** WAIT: how long, in milliseconds. */
export function delayMs(): number {
  return laneAt(wire.SLOT_DELAY);
}

/** REJECTED: by which layer. */
export function rejectedBy(): (typeof wire.LAYERS)[number] {
  return wire.LAYERS[laneAt(wire.SLOT_BY)] ?? 'breaker';
}

/** REJECTED: until a call may be admitted, in milliseconds; NaN when that is not known. */
export function retryAfterMs(): number {
  return laneAt(wire.SLOT_RETRY_AFTER);
}

/** After `attemptAnswered`: the breaker's word for it, for `breakerEnd`; NaN when it changed nothing. */
export function answerBegun(): number {
  return laneAt(wire.SLOT_ANSWER);
}

/** How many numbers the core writes at once, at most. */
const ROWS = 256;
/** Drains in a row that can bring something: the core keeps 1024 records, and writes at least 15 of them at once. */
const MOST_DRAINS = 70;
let rows: Float64Array | undefined;

/**
 * All records since the last drain, oldest first, each as its kind, how many numbers follow, and these. A copy, for who
 * is told of one may cause more.
 *
 * @throws WebAssembly.RuntimeError, as the core does, where there is no end to them: its memory is broken.
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
    if (rows === undefined || rows.length === 0) {
      rows = new Float64Array(memory().buffer, functions.rowsPointer(), ROWS);
    }
    for (let place = 0; place < count; place += 1) numbers.push(rows[place] ?? Number.NaN);
  } while (functions.hasEvents());
  return numbers;
}

/** Policies with calls that wait for the core's word. */
export const queues = new Set<{ goUnguarded(): void }>();

/** The instance was replaced: what the old one's memory held is void, and who waits for its word is let go. */
function forget(): void {
  lane = undefined;
  rows = undefined;
  breakers.clear();
  const stranded = [...queues];
  queues.clear();
  for (const queue of stranded) queue.goUnguarded();
}
core.replaced.add(forget);

/** Goes on after a trap, with a new instance. */
export const restart = instance.restart;
/** Once more, on a new instance, after a trap. The handle must be read within: it is another then. */
export const onceMore = instance.onceMore;

// Breakers by the core's number: records name them so.
const breakers = new Map<number, { deref(): CircuitBreaker | undefined }>();

export function known(handle: number, breaker: CircuitBreaker): void {
  // Workers before their compatibility date of May 2025 have neither this nor the registry below: they keep it.
  breakers.set(handle, typeof WeakRef === 'undefined' ? { deref: () => breaker } : new WeakRef(breaker));
}

export function breakerOf(handle: number): CircuitBreaker | undefined {
  return breakers.get(handle)?.deref();
}

interface Held {
  readonly kind: 'policy' | 'breaker' | 'budget';
  readonly handle: number;
  readonly instance: number;
}

let registry: FinalizationRegistry<Held> | undefined;

/** Frees the core's part of an object when the object is collected. */
export function freeWith(owner: object, kind: Held['kind'], handle: number): void {
  if (typeof FinalizationRegistry === 'undefined') return;
  registry ??= new FinalizationRegistry(free);
  registry.register(owner, { kind, handle, instance: core.instanceNumber });
}

const FREE = {
  policy: functions.policyFree,
  budget: functions.budgetFree,
  breaker(handle: number): void {
    breakers.delete(handle);
    functions.breakerFree(handle);
  },
};

function free({ kind, handle, instance: made }: Held): void {
  if (made === core.instanceNumber) instance.unlessTrapped(() => FREE[kind](handle));
}
