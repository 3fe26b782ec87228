/** Test helpers: a clock that the test moves, operations that fail on purpose, and a record of a policy's events. */

import type { Clock } from './clock.js';
import type { HalfopenEvent } from './event/events.js';
import * as is from './options.js';
import type { PolicyOptions } from './policy/options.js';
import type { Policy } from './policy/policy.js';

interface PendingTimer {
  due: number;
  callback: () => void;
}

// Taken while importing: a test that fakes the platform's timers must not stop the virtual clock.
const nextTask: (callback: () => void) => void = platformTask();

function platformTask(): (callback: () => void) => void {
  // Next's edge runtime has setImmediate and MessageChannel, and both throw when they are used.
  const throws = 'EdgeRuntime' in globalThis;
  if (!throws && typeof setImmediate === 'function') return setImmediate;
  // Workers before their compatibility date of August 2025 have no MessageChannel.
  if (throws || typeof MessageChannel === 'undefined') {
    const { setTimeout } = globalThis;
    return (callback) => void setTimeout(callback, 0);
  }
  return (callback) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      callback();
    };
    port2.postMessage(undefined);
  };
}

/**
 * A clock whose time only advances when the test calls {@link VirtualClock.advance}. Waits of hours take no real time.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * const policy = createPolicy({ clock, retry: { enableJitter: false } });
 * const result = policy.execute(script(new Error('ECONNRESET'), 'fine'));
 * await clock.advance(1000);
 * console.log(await result); // fine
 * ```
 */
export class VirtualClock implements Clock {
  private time: number;
  private readonly timers = new Set<PendingTimer>();

  /**
   * @param start - the first reading, in milliseconds; `wall` reads it as time since the Unix epoch. Default: 0.
   * @throws TypeError for a negative number, `NaN` or `Infinity`.
   */
  constructor(start = 0) {
    if (!Number.isFinite(start) || start < 0) throw is.misuse('start', is.delay.expected, start);
    this.time = start;
  }

  /** Returns the current time in milliseconds. */
  now(): number {
    return this.time;
  }

  /** Returns the same time, as milliseconds since the Unix epoch. */
  wall(): number {
    return this.time;
  }

  /** Sets a timer that fires when {@link VirtualClock.advance} has moved the clock on by `ms` milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown {
    const timer = { due: this.time + (ms > 0 ? ms : 0), callback };
    this.timers.add(timer);
    return timer;
  }

  /** Cancels a timer. Ignores one that has fired already. */
  clearTimeout(handle: unknown): void {
    this.timers.delete(handle as PendingTimer);
  }

  /** How many timers are set and have not fired. */
  get pending(): number {
    return this.timers.size;
  }

  /**
   * Moves the clock on by `ms` milliseconds. Timers that become due fire in order, each at its own time, and promises
   * settle between them.
   *
   * @throws TypeError for a negative number, `NaN` or `Infinity`.
   */
  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) throw is.misuse('ms', is.delay.expected, ms);
    const end = this.time + ms;
    await settled();
    for (let timer = this.earliest(end); timer !== undefined; timer = this.earliest(end)) {
      this.timers.delete(timer);
      if (timer.due > this.time) this.time = timer.due;
      timer.callback();
      await settled();
    }
    if (end > this.time) this.time = end;
    await settled();
  }

  private earliest(end: number): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.timers) {
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }
}

/** Waits for one task of the event loop, by which every promise that can settle has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => nextTask(resolve));
}

const chaosShape: is.Shape = {
  seed: is.finite,
  failureRate: is.share,
  error: is.callback,
  latencyMs: is.either(is.bound, is.callback),
  clock: is.clock,
};

/**
 * Wraps an operation so that some of its calls fail or are slow. The same seed gives the same sequence.
 *
 * @param options - `seed` of the random numbers (default 1); `failureRate`, the share of calls that fail, from 0 to 1
 * (default 0.1); `error`, which makes the thrown value (default: an error with status 503); `latencyMs`, how long each
 * call waits first, in milliseconds (default 0; `Infinity` never returns); `clock` for that wait (default: the system's).
 * `error` and a `latencyMs` that is a function get a random number from [0, 1).
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * import { chaos } from 'halfopen/testing';
 * const flaky = chaos(() => fetch('https://api.example.com'), { seed: 7, failureRate: 0.3, latencyMs: 200 });
 * await policy.execute(flaky);
 * ```
 */
export function chaos<T>(
  operation: () => T | PromiseLike<T>,
  options: {
    seed?: number | undefined;
    failureRate?: number | undefined;
    error?: ((random: number) => unknown) | undefined;
    latencyMs?: number | ((random: number) => number) | undefined;
    clock?: Clock | undefined;
  },
): () => Promise<T> {
  const {
    seed = 1,
    failureRate = 0.1,
    error = () => Object.assign(new Error('chaos: 503 service unavailable'), { status: 503 }),
    latencyMs = 0,
    clock,
  } = is.readOptions<Parameters<typeof chaos>[1]>(chaosShape, options, 'chaos');
  const random = mulberry32(seed);
  return async () => {
    const latency = typeof latencyMs === 'function' ? latencyMs(random()) : latencyMs;
    const fails = random() < failureRate;
    const drawn = random();
    if (latency > 0) await pause(latency, clock);
    if (fails) throw error(drawn);
    return operation();
  };
}

function pause(ms: number, clock: Clock | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (ms === Number.POSITIVE_INFINITY) return;
    if (clock === undefined) setTimeout(resolve, ms);
    else clock.setTimeout(resolve, ms);
  });
}

/** Tommy Ettinger's Mulberry32: small, and the same everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Makes an operation whose first call has the first outcome, the second call the second, and so on; the last outcome
 * repeats. It returns values, throws `Error`s and calls functions. Its property `calls` counts the calls.
 *
 * @throws TypeError without an outcome.
 *
 * @example
 * ```ts
 * import { script } from 'halfopen/testing';
 * const operation = script(new Error('ECONNRESET'), 'fine');
 * await policy.execute(operation); // 'fine'
 * operation.calls; // 2
 * ```
 */
export function script<T>(
  ...outcomes: readonly (T | Error | (() => T | PromiseLike<T>))[]
): (() => Promise<T>) & { readonly calls: number } {
  if (outcomes.length === 0) throw new TypeError('halfopen: script expects at least one outcome');
  let calls = 0;
  const run = async (): Promise<T> => {
    const outcome = outcomes[Math.min(calls++, outcomes.length - 1)];
    if (typeof outcome === 'function') return (outcome as () => T | PromiseLike<T>)();
    if (outcome instanceof Error) throw outcome;
    return outcome as T;
  };
  return Object.defineProperty(run, 'calls', { get: () => calls }) as typeof run & { readonly calls: number };
}

/**
 * Returns the options that a policy was made with, for a copy of it on the clock of a test. Options are returned as they are.
 * The copy belongs to no fleet.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * const copy = createPolicy({ ...optionsOf(policy), clock, seed: 1 });
 * ```
 */
export function optionsOf<F>(policy: Policy<F> | PolicyOptions<F>): PolicyOptions<F> {
  if (typeof policy !== 'object' || policy === null)
    throw is.misuse('policy', 'a policy or its options', policy);
  const { fleet: _, ...options } = (
    'host' in policy ? { ...policy.host.settings.given, name: policy.name } : policy
  ) as PolicyOptions<F>;
  return options as PolicyOptions<F>;
}

/**
 * Keeps every event of a policy from now on, until `stop()`.
 *
 * @example
 * ```ts
 * import { recordEvents } from 'halfopen/testing';
 * const { events, stop } = recordEvents(policy);
 * await policy.execute(() => 'fine');
 * stop();
 * console.log(events.map((event) => event.type)); // call.started, attempt.started, …
 * ```
 */
export function recordEvents(policy: Policy<unknown>): {
  readonly events: readonly HalfopenEvent[];
  stop(): void;
} {
  const events: HalfopenEvent[] = [];
  const stop = policy.onEvent((event) => events.push(event));
  return { events, stop };
}
