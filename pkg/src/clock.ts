/** Time: the clock of a policy, which never runs backwards, and timers of any length. */

/**
 * The source of a policy's time and timers. All values are milliseconds.
 *
 * The default clock looks up `performance.now`, `Date.now` and `setTimeout` at each use, so that fake timers work.
 * When a timer that is due at t fires, the policy takes the time to be at least t.
 *
 * @example
 * ```ts
 * import { VirtualClock } from 'halfopen/testing';
 * const policy = createPolicy({ clock: new VirtualClock() });
 * ```
 */
export interface Clock {
  /** Returns the monotonic time, from any origin. */
  now(): number;
  /** Returns the time since the Unix epoch, for events, HTTP dates and snapshots. Default: `Date.now`. */
  wall?(): number;
  /** Calls back once, `ms` from now. Returns a handle for `clearTimeout`. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Cancels a timer, also one that has fired. */
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

/** A timer that was set. `cancel` is harmless after it has fired. */
export interface Timer {
  cancel(): void;
}

/** Lets the process end before the timer fires, where the platform can: Node's and Bun's timers can, Deno has a function. */
function unreference(handle: unknown): void {
  const { Deno } = globalThis as { Deno?: { unrefTimer?(id: number): void } };
  if (typeof handle === 'number') Deno?.unrefTimer?.(handle);
  else (handle as { unref?(): unknown } | null | undefined)?.unref?.();
}

/** A clock as policies read it: it never goes back, and is never earlier than the timers that have fired. */
export class Time {
  readonly clock: Clock;
  /** `true` if its timers keep the process alive. */
  readonly holdsProcess: boolean = true;
  protected floor = 0;
  private other: Time | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The same time, with timers that do not keep the process alive. */
  get unreferenced(): Time {
    this.other ??= new UnreferencedTime(this);
    return this.other;
  }

  now(): number {
    const now = this.clock.now();
    // A clock may stop under fake timers, go back, or return NaN. The floor then applies.
    if (now > this.floor) this.floor = now;
    return this.floor;
  }

  wall(): number {
    return this.clock.wall ? this.clock.wall() : Date.now();
  }

  /** Calls back `ms` after `now`, however long that is; never for `Infinity`. */
  after(ms: number, callback: () => void, now: number = this.now()): Timer {
    const wait = Math.max(0, ms);
    return new LongTimer(this, now + wait, wait, callback);
  }

  /** Notes that a timer fired which was due at `due`, so the time is `due` or later. */
  reached(due: number): void {
    if (due > this.floor) this.floor = due;
  }
}

/** Resolves after `ms` of the time; rejects with the signal's reason when it aborts. */
export function sleep(time: Time, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', aborted);
      reject(signal?.reason);
    };
    const timer = time.after(ms, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    signal?.addEventListener('abort', aborted);
  });
}

class UnreferencedTime extends Time {
  override readonly holdsProcess = false;
  private readonly time: Time;

  constructor(time: Time) {
    super(time.clock);
    this.time = time;
  }

  override now(): number {
    return this.time.now();
  }

  override reached(due: number): void {
    this.time.reached(due);
  }
}

/** A timer that fires this much too early belongs to a mock: platforms are early by a millisecond at most. */
const MOCKED_MS = 100;

/**
 * The system's clock. It also works under tests that replace it by a mock and restore it. The mocks of Vitest and Jest
 * begin at 0, and Node's does not replace `performance.now`. This clock continues from its last time, at the rate of
 * the present source.
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
    if (!this.time.holdsProcess) unreference(this.handle);
  }

  cancel(): void {
    const { handle } = this;
    this.callback = undefined;
    // Forgotten first: a clock that throws here does so once.
    this.handle = undefined;
    if (handle !== undefined) this.time.clock.clearTimeout(handle);
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
