/** Time: the clock of a policy, never running backwards, with timers of any length. */

/**
 * Where a policy takes its time and its timers from. All values in milliseconds.
 *
 * The default looks `performance.now`, `Date.now` and `setTimeout` up at each use, so that fake timers work.
 * When a timer due at t fires, the policy takes the time to be at least t.
 *
 * @example
 * ```ts
 * import { VirtualClock } from 'halfopen/testing';
 * const policy = createPolicy({ clock: new VirtualClock() });
 * ```
 */
export interface Clock {
  /** Monotonic time. */
  now(): number;
  /** Time since the Unix epoch, for events, HTTP dates and snapshots. Default: `Date.now`. */
  wall?(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof setTimeout>),
};

/** The longest delay of a platform timer: a longer one fires at once (HTML, "timers": a signed 32-bit long). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A timer that was set; `cancel` takes it back, also after it fired. */
export interface Timer {
  cancel(): void;
}

/** A clock as the policies read it: monotone, and never earlier than the timers that have fired. */
export class Time {
  readonly clock: Clock;
  protected floor = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  now(): number {
    const now = this.clock.now();
    // A clock that stands still under fake timers, goes back, or says NaN: the floor holds.
    if (now > this.floor) this.floor = now;
    return this.floor;
  }

  wall(): number {
    return this.clock.wall ? this.clock.wall() : Date.now();
  }

  /** Calls back after `ms` from `now`, however long that is; never for Infinity. */
  after(ms: number, callback: () => void, now: number = this.now()): Timer {
    const wait = Math.max(0, ms);
    return new LongTimer(this, now + wait, wait, callback);
  }

  /** A timer that was due at `due` has fired: it is that late at least. */
  reached(due: number): void {
    if (due > this.floor) this.floor = due;
  }
}

/** A timer that fires so long before its time is one of a mock's: platforms are early by a millisecond at most. */
const MOCKED_MS = 100;

/**
 * The system's clock under tests that put a mock in its place and take it away. Vitest's and Jest's begin at 0, Node's
 * leaves `performance.now` alone: ours goes on from where it was, at the rate of whichever clock there is.
 */
class SystemTime extends Time {
  private ahead = 0;
  private source: (() => number) | undefined;

  override now(): number {
    const { now: source } = performance;
    let now = performance.now() + this.ahead;
    const behind = this.floor - now;
    const replaced = source !== this.source && this.source !== undefined && source === performance.now;
    if (replaced || behind > MOCKED_MS) {
      this.ahead += behind;
      now = this.floor;
    }
    this.source = source;
    if (now > this.floor) this.floor = now;
    return this.floor;
  }

  override reached(due: number): void {
    const early = due - this.now();
    if (early > MOCKED_MS) this.ahead += early;
    super.reached(due);
  }
}

class LongTimer implements Timer {
  private handle: unknown;
  private readonly time: Time;
  private readonly due: number;
  private callback: (() => void) | undefined;

  constructor(time: Time, due: number, wait: number, callback: () => void) {
    this.time = time;
    this.due = due;
    this.callback = callback;
    this.arm(wait);
  }

  private arm(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY) return;
    const leg = Math.min(ms, LONGEST_TIMER_MS);
    const legEnd = ms > LONGEST_TIMER_MS ? this.due - ms + leg : this.due;
    this.handle = this.time.clock.setTimeout(() => {
      this.handle = undefined;
      this.time.reached(legEnd);
      const callback = this.callback;
      if (callback === undefined) return;
      if (legEnd < this.due) {
        this.arm(this.due - legEnd);
        return;
      }
      this.callback = undefined;
      callback();
    }, leg);
  }

  cancel(): void {
    this.callback = undefined;
    if (this.handle === undefined) return;
    this.time.clock.clearTimeout(this.handle);
    this.handle = undefined;
  }
}

const times = new WeakMap<Clock, Time>();

/** The one `Time` of a clock, shared by everything that runs on it. */
export function timeOf(clock: Clock | undefined): Time {
  const key = clock ?? systemClock;
  let time = times.get(key);
  if (time === undefined) {
    time = key === systemClock ? new SystemTime(key) : new Time(key);
    times.set(key, time);
  }
  return time;
}
