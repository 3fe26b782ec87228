/**
 * The data that the module `policy` leaves in its memory beside the number that a function returns: a step's details,
 * and records.
 */

import * as instance from './instance.js';
import { core, drainEvents, hasEvents, rowsPointer, slotsPointer } from './policy.js';
import * as wire from './wire.js';

/** Numbers in the memory of the module, seen through a view that is made when it is needed. */
class Numbers {
  private view = new Float64Array();
  /** The instance that the view is of. */
  private instance = -1;

  constructor(
    private readonly pointer: () => number,
    private readonly length: number,
  ) {}

  at(index: number): number {
    // Memory that has grown detaches its old buffer: a view of it is empty.
    if (this.instance !== core.instanceNumber || this.view.length === 0) {
      const pointer = this.pointer();
      // If there is a pointer, there is an instance.
      const { buffer } = core.memory as WebAssembly.Memory;
      this.view = new Float64Array(buffer, pointer, this.length);
      this.instance = core.instanceNumber;
    }
    return this.view[index] ?? Number.NaN;
  }
}

/** The details of the last step beside its packed number. */
const slots = /* @__PURE__ */ new Numbers(slotsPointer, wire.SLOTS);

/** The number in that slot of the shared buffer. */
export function slot(index: number): number {
  try {
    return slots.at(index);
  } catch (error) {
    // Its contents are gone with the instance. The call notices that the instance is another.
    instance.restart(error);
    return Number.NaN;
  }
}

/** WAIT: how long, in milliseconds. NEED_DELAY: the delay before, NaN before the first retry. */
export function delayMs(): number {
  return slot(wire.SLOT_DELAY);
}

/** NEED_DELAY: which retry it is for, 1 is the first. */
export function retryNumber(): number {
  return slot(wire.SLOT_RETRY);
}

/** REJECTED: by which layer. */
export function rejectedBy(): (typeof wire.LAYERS)[number] {
  return wire.LAYERS[slot(wire.SLOT_BY)] ?? 'breaker';
}

/** REJECTED: until a call may be admitted, in milliseconds; NaN when that is not known. */
export function retryAfterMs(): number {
  return slot(wire.SLOT_RETRY_AFTER);
}

/** After `attemptAnswered`: the breaker's packed answer, for `breakerEnd`; NaN when it changed nothing. */
export function answerBegun(): number {
  return slot(wire.SLOT_ANSWER);
}

/** How many numbers the core writes at once, at most. */
const ROWS = 256;
/** Where the core writes records. */
const rows = /* @__PURE__ */ new Numbers(rowsPointer, ROWS);
/** How many drains in a row can return records: the core keeps 1024, and writes at least 15 of them at once. */
const MOST_DRAINS = 70;

/**
 * All records since the last drain, oldest first, each as its kind, how many numbers follow, and these. A copy, because
 * listeners of one record may cause more.
 *
 * @throws a trap, as the core does, when the records do not end: its memory is broken.
 */
export function takeRecords(): number[] {
  const numbers: number[] = [];
  let drains = 0;
  do {
    const count = drainEvents();
    drains += 1;
    if (count > ROWS || drains > MOST_DRAINS) {
      throw core.trapped('drainEvents', instance.trap('The records have no end'));
    }
    for (let at = 0; at < count; at += 1) numbers.push(rows.at(at));
  } while (hasEvents());
  return numbers;
}
