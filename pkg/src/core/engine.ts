/** The engine's inputs, words and lane, as `core/src/js/policy.rs` has them: numbers in, a number out. */

import type { CircuitBreaker } from '../breaker/breaker.js';
import * as instance from './instance.js';
import * as functions from './policy.js';
import { core } from './policy.js';

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

// A word: the call's handle times 32, READY, EVENTS, and the step in the lowest three bits.
export const STEP = 7;
export const ATTEMPT = 0;
export const WAIT = 1;
export const QUEUED = 2;
export const REJECTED = 3;
export const GIVE_UP = 4;
export const DONE = 5;
export const NEED_TIME = 6;
export const EVENTS = 8;
export const READY = 16;

/** The call that a word is about; 0 when it is over. */
export function callOf(word: number): number {
  return word >>> 5;
}

// Flags of a failure.
export const RETRYABLE = 1;
export const COUNTS = 2;
export const NESTED = 4;
export const CANCELLED = 8;
export const FORCE_RETRY = 16;
export const FORBID_RETRY = 32;
export const NOT_IDEMPOTENT_SENT = 64;
export const BROKEN_STREAM = 128;

// Outcomes of a permit.
export const SUCCESS = 0;
export const FAILURE = 1;
export const NEUTRAL = 2;

// How an answer ended that had begun well.
export const COMPLETED = 0;
export const BROKEN_OFF = 1;

// What `breakerControl` does.
export const ISOLATE = 0;
export const LIFT_ISOLATION = 1;
export const DISABLE = 2;
export const RESET = 3;

/** Reasons for giving up, by their numbers. */
export const WHY = [
  'not-retryable',
  'exhausted',
  'hint',
  'deadline',
  'budget',
  'nested',
  'cancelled',
  'broken-stream',
] as const;
export const WHY_NOT_RETRYABLE = 0;
export const WHY_DEADLINE = 3;

/** Who refuses a call or makes it wait, by their numbers. */
export const LAYERS = ['breaker', 'bulkhead', 'rate-limit'] as const;

/** States of a breaker, by their numbers. */
export const STATES = ['closed', 'open', 'half_open', 'isolated', 'disabled'] as const;

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
    lane = new Float64Array(memory().buffer, pointer, 4);
  }
  return lane[place] ?? Number.NaN;
}

/** WAIT: how long, in milliseconds. */
export function delayMs(): number {
  return laneAt(0);
}

/** REJECTED: by which layer. */
export function rejectedBy(): (typeof LAYERS)[number] {
  return LAYERS[laneAt(1)] ?? 'breaker';
}

/** REJECTED: until a call may be admitted, in milliseconds; NaN when that is not known. */
export function retryAfterMs(): number {
  return laneAt(2);
}

/** After `attemptAnswered`: the breaker's word for it, for `breakerEnd`; NaN when it changed nothing. */
export function answerBegun(): number {
  return laneAt(3);
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
