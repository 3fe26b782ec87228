/** A breaker's snapshot: plain JSON for people's storage, numbers for the core. */

import { numbersOf } from '../core/option-numbers.js';
import { type BreakerState, SNAPSHOT, STATES } from '../core/wire.js';
import * as is from '../options.js';

/** A breaker's state as plain JSON, for another process or a later run. Durations and `at` (wall time) are milliseconds. */
export interface BreakerSnapshot {
  /** The version of this format. `restore` refuses others. */
  version: 1;
  /** The breaker's name. */
  name: string;
  /** The state; of an isolated breaker, the one underneath. */
  state: BreakerState;
  /** Raised by each change. Results of calls from an earlier generation are ignored. */
  generation: number;
  /** When it was taken: wall time, in milliseconds since the Unix epoch. */
  at: number;
  /** Failures in a row while closed. */
  consecutiveFailures: number;
  /** The number of half-open phases in a row that ended open again, for `resetBackoffFactor`. */
  failedProbes: number;
  /** How long it would have stayed open, in milliseconds. Absent unless it was open. */
  retryAfterMs?: number | undefined;
  /**
   * The results of a count window, oldest first: 0 succeeded, 1 failed, 2 slow, 3 failed and slow. Of a time window, four numbers
   * for each part, oldest first: age in milliseconds, calls, failures, slow calls. Absent without a window.
   */
  window?: number[] | undefined;
  /** The counts in the window of a `throttle`. */
  throttle?: { requests: number; accepts: number } | undefined;
}

const amount = is.kind('a number, 0 or more', (value) => typeof value === 'number' && value >= 0);

const shape: is.Shape = {
  version: is.kind('1', (value) => value === 1),
  name: is.text,
  state: is.oneOf(...STATES),
  generation: amount,
  at: amount,
  consecutiveFailures: is.count,
  failedProbes: is.count,
};

const optionalShape: is.Shape = {
  retryAfterMs: amount,
  window: is.kind(
    'an array of numbers, 0 or more',
    (value) => Array.isArray(value) && value.every((number) => typeof number === 'number' && number >= 0),
  ),
  throttle: is.kind('{ requests, accepts }, both whole numbers, 0 or more', isDemand),
};

/** Fields of later versions are ignored. */
function isDemand(value: unknown): boolean {
  const { requests, accepts } = (value ?? {}) as Record<string, unknown>;
  return [requests, accepts].every((given) => Number.isSafeInteger(given) && (given as number) >= 0);
}

/** Returns the snapshot of these numbers from the core. */
export function snapshotOf(name: string, numbers: Float64Array): BreakerSnapshot {
  const at = (field: (typeof SNAPSHOT)[number]): number => numbers[SNAPSHOT.indexOf(field)] ?? Number.NaN;
  const snapshot: BreakerSnapshot = {
    version: 1,
    name,
    state: STATES[at('state')] ?? 'closed',
    generation: at('generation'),
    at: at('at'),
    consecutiveFailures: at('consecutiveFailures'),
    failedProbes: at('failedProbes'),
  };
  if (!Number.isNaN(at('retryAfterMs'))) snapshot.retryAfterMs = at('retryAfterMs');
  if (!Number.isNaN(at('windowLength'))) snapshot.window = [...numbers.subarray(SNAPSHOT.length)];
  if (!Number.isNaN(at('requests'))) snapshot.throttle = { requests: at('requests'), accepts: at('accepts') };
  return snapshot;
}

/**
 * The numbers of a snapshot. Fields that a later version has added are ignored.
 *
 * @throws TypeError on a value that is no snapshot, or one of another version.
 */
export function snapshotNumbers(snapshot: BreakerSnapshot): Float64Array {
  const known: Record<string, unknown> = {};
  if (typeof snapshot !== 'object' || snapshot === null) {
    throw is.misuse('snapshot', 'a snapshot of a breaker', snapshot);
  }
  const given = snapshot as unknown as Record<string, unknown>;
  for (const name in shape) {
    // Absent ones are not what they must be.
    known[name] = given[name] ?? null;
  }
  for (const name in optionalShape) known[name] = given[name] ?? undefined;
  const read = is.object({ ...shape, ...optionalShape }).read(known, 'snapshot') as BreakerSnapshot;
  const { window, throttle } = read;
  const numbers = numbersOf(SNAPSHOT, {
    ...read,
    state: STATES.indexOf(read.state),
    windowLength: window?.length,
    requests: throttle?.requests,
    accepts: throttle?.accepts,
  });
  return Float64Array.of(...numbers, ...(window ?? []));
}
