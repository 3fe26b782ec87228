/** A circuit breaker: refuses calls to a dependency that keeps failing, until a probe succeeds. */

import { systemClock, type Time, timeOf } from '../clock.js';
import * as engine from '../core/engine.js';
import { randomSeed } from '../core/option-numbers.js';
import type { BreakerState } from '../core/wire.js';
import { wantWords } from '../core/words.js';
import { AgentError, isRetryableCode } from '../error/agent-error.js';
import type { ReportMisuse } from '../error/failure.js';
import { type EventDetails, type EventListener, type EventSubject, emit, observe } from '../event/events.js';
import { drainRecords } from '../event/records.js';
import * as is from '../options.js';
import { disown } from '../promises.js';
import { type BreakerOptions, breakerNumbers, breakerShape, checkBreaker } from './options.js';
import { type BreakerSnapshot, snapshotNumbers, snapshotOf } from './snapshot.js';

export type { BreakerState } from '../core/wire.js';
export type { BreakerOptions } from './options.js';
export type { BreakerSnapshot } from './snapshot.js';

/**
 * The right to make one call. Settle it once, by one of its methods; later calls change nothing. If a probe is not
 * settled within `probeTimeoutMs`, another may run; a later success still counts.
 */
export interface BreakerPermit {
  /** Counts a success. `durationMs`, in milliseconds, matters to `slowCall` only. */
  success(durationMs?: number): void;
  /**
   * Counts a failure, unless `countsAsFailure` returns `false` for the error. If the breaker opens on it, the error's
   * `retryAfterMs` replaces the reset timeout of that opening.
   */
  failure(error?: unknown, durationMs?: number): void;
  /** Gives the permit back; nothing is counted. */
  release(): void;
}

/** A change of a breaker's state. `at` is wall time, in milliseconds since the Unix epoch. */
export interface BreakerChange {
  /** The state that it left. */
  from: BreakerState;
  /** The state that it entered. */
  to: BreakerState;
  /** Why, in a few words for developers. */
  reason: string;
  /** Wall time, in milliseconds since the Unix epoch. */
  at: number;
}

/**
 * A circuit breaker, by itself or shared by any number of policies. It opens when calls keep failing, and then refuses
 * them until probes succeed.
 *
 * @example
 * ```ts
 * const breaker = new CircuitBreaker({ failureThreshold: 3, resetTimeoutMs: 10_000 });
 * const permit = breaker.acquire();
 * if (permit === undefined) throw new Error(`refused for ${breaker.retryAfterMs} ms`);
 * try {
 *   await work();
 *   permit.success();
 * } catch (error) {
 *   permit.failure(error);
 * }
 * ```
 */
export class CircuitBreaker {
  /** The name in events and snapshots. Default: 'breaker'. */
  readonly name: string;
  /** @internal */ options: BreakerOptions;
  /** @internal */ time: Time;
  /** @internal */ private number = 0;
  /** @internal */ private instance = -1;
  /** @internal */ private seed: number | undefined = undefined;
  /** @internal */ private listeners: readonly ((change: BreakerChange) => void)[] = [];
  /** @internal The policies whose listeners are notified of this breaker's changes. */
  private readonly sinks = new Set<EventSink>();

  /** @throws TypeError for a wrong option. */
  constructor(options?: BreakerOptions) {
    this.options = is.readOptions<BreakerOptions>(breakerShape, options, 'CircuitBreaker');
    checkBreaker(this.options);
    this.name = this.options.name ?? 'breaker';
    this.time = timeOf(this.options.clock);
    wantWords();
  }

  /**
   * The present state. After the reset timeout it reads 'half_open'; the change is reported when the next call is
   * admitted, and not by this reading.
   */
  get state(): BreakerState {
    return (
      engine.STATES[engine.onceMore(() => engine.breakerState(this.handle, this.time.now()))] ?? 'closed'
    );
  }

  /** Milliseconds until a call is admitted: 0 if one may be now, `undefined` if it is isolated. */
  get retryAfterMs(): number | undefined {
    const wait = engine.onceMore(() => engine.breakerRetryAfter(this.handle, this.time.now()));
    return Number.isNaN(wait) ? undefined : wait;
  }

  /**
   * The share of calls that is refused now, 0 to 1: by `throttle`, or while `rampMs` lasts. 1 while it is open or
   * isolated, and while it is half-open with all probes in flight.
   */
  get refusalRate(): number {
    return engine.onceMore(() => engine.breakerRefusalRate(this.handle, this.time.now()));
  }

  /** @internal `true` if it may refuse a share of the calls while it is closed. */
  get mayRefuseShare(): boolean {
    const { throttle, rampMs = 0 } = this.options;
    return throttle !== undefined || rampMs > 0;
  }

  /**
   * Returns `true` if a call would be admitted now. Takes no permit. Under a `throttle` each draw decides, so the
   * result is `true` while `refusalRate` is below 1.
   */
  canExecute(): boolean {
    return engine.onceMore(() => engine.breakerCanExecute(this.handle, this.time.now()));
  }

  /** Takes a permit for one call; returns `undefined` if the call is refused. */
  acquire(): BreakerPermit | undefined {
    const permit = engine.onceMore(() => engine.breakerAcquire(this.handle, this.time.now()));
    const { handle } = this;
    this.announce();
    if (permit < 0) return undefined;
    return new Permit(this, handle, permit);
  }

  /**
   * Counts a success of a call that has no permit.
   *
   * @param durationMs - how long the call took, in milliseconds; matters to `slowCall` only.
   * @throws TypeError for a negative duration.
   */
  recordSuccess(durationMs?: number): void {
    const duration = readDuration(durationMs);
    engine.onceMore(() => engine.breakerRecord(this.handle, engine.SUCCESS, duration, this.time.now()));
    this.announce();
  }

  /**
   * Counts a failure of a call that has no permit.
   *
   * @param durationMs - how long the call took, in milliseconds; matters to `slowCall` only.
   * @throws TypeError for a negative duration.
   */
  recordFailure(durationMs?: number): void {
    const duration = readDuration(durationMs);
    engine.onceMore(() => engine.breakerRecord(this.handle, engine.FAILURE, duration, this.time.now()));
    this.announce();
  }

  /**
   * Refuses all calls until the returned handle is disposed. Isolations add up: disposing the last one ends them, and
   * the breaker returns to its earlier state. `reset` does not end them.
   */
  isolate(): { [Symbol.dispose](): void; dispose(): void } {
    engine.onceMore(() => engine.breakerControl(this.handle, engine.ISOLATE, this.time.now()));
    const { handle } = this;
    const { instance } = this;
    this.announce();
    let held = true;
    const dispose = (): void => {
      if (!held) return;
      held = false;
      engine.onceMore(() => {
        if (instance === engine.core.instanceNumber)
          engine.breakerControl(handle, engine.LIFT_ISOLATION, this.time.now());
      });
      this.announce();
    };
    return { dispose, [dispose_]: dispose } as { [Symbol.dispose](): void; dispose(): void };
  }

  /** Admits all calls and counts nothing, until `reset`. */
  disable(): void {
    engine.onceMore(() => engine.breakerControl(this.handle, engine.DISABLE, this.time.now()));
    this.announce();
  }

  /** Closes the breaker and forgets what it has counted. */
  reset(): void {
    engine.onceMore(() => engine.breakerControl(this.handle, engine.RESET, this.time.now()));
    this.announce();
  }

  /**
   * Returns the state as plain JSON, for `restore` in another process or a later run.
   *
   * @example
   * ```ts
   * localStorage.setItem('breaker', JSON.stringify(breaker.snapshot()));
   * breaker.restore(JSON.parse(localStorage.getItem('breaker') ?? ''));
   * ```
   */
  snapshot(): BreakerSnapshot {
    const numbers = engine.onceMore(() =>
      engine.breakerSnapshot(this.handle, this.time.now(), this.time.wall()),
    );
    return snapshotOf(this.name, numbers);
  }

  /**
   * Takes over the state of a snapshot. The time since then counts, so an open breaker may be half-open at once.
   * Results of calls that began before no longer count. Isolation is not restored.
   *
   * @throws TypeError for a snapshot of another version, or with a number that cannot be.
   */
  restore(snapshot: BreakerSnapshot): void {
    const numbers = snapshotNumbers(snapshot);
    engine.onceMore(() => engine.breakerRestore(this.handle, numbers, this.time.now(), this.time.wall()));
    this.announce();
  }

  /**
   * Calls the listener at every change of state.
   *
   * @returns a function that removes the listener.
   * @throws TypeError for a listener that is no function.
   */
  onStateChange(listener: (change: BreakerChange) => void): () => void {
    is.expectFunction(listener, 'onStateChange');
    const mine = (change: BreakerChange): void => listener(change);
    this.listeners = [...this.listeners, mine];
    return () => {
      this.listeners = this.listeners.filter((one) => one !== mine);
    };
  }

  /** @internal The core's handle of this breaker, made on first use. */
  get handle(): number {
    if (this.instance !== engine.core.instanceNumber) {
      this.number = engine.breakerNew(this.numbers);
      this.instance = engine.core.instanceNumber;
      engine.rememberBreaker(this.number, this);
      engine.freeWith(this, 'breaker', this.number);
    }
    return this.number;
  }

  /** @internal The options as numbers for the core. A breaker that draws has a seed. */
  private get numbers(): Float64Array {
    const { options } = this;
    if (options.throttle === undefined) return breakerNumbers(options);
    this.seed ??= randomSeed();
    return breakerNumbers({ seed: this.seed, ...options });
  }

  /**
   * @internal Returns `true` if an error counts against the dependency. A predicate that throws is reported; then the
   * code decides.
   */
  counts(error: AgentError, report: ReportMisuse = () => {}): boolean {
    const { countsAsFailure } = this.options;
    if (countsAsFailure !== undefined) {
      try {
        const counts: unknown = countsAsFailure(error);
        if (!disown(counts)) return counts === true;
        report('countsAsFailure must not return a promise; the code decides', counts);
      } catch (thrown) {
        report('countsAsFailure threw; the code decides', thrown);
      }
    }
    return countsByDefault(error);
  }

  /** @internal New options for the same state. */
  update(options: BreakerOptions): void {
    this.options = options;
    engine.onceMore(() => {
      if (this.instance === engine.core.instanceNumber) engine.breakerUpdate(this.number, this.numbers);
    });
  }

  /** @internal A breaker without a clock of its own uses the clock of the first policy that it belongs to. */
  adopt(time: Time): void {
    if (this.options.clock === undefined && this.instance === -1 && this.time.clock === systemClock)
      this.time = time;
  }

  /** @internal A breaker without a seed of its own uses that of the first policy that it belongs to. */
  adoptSeed(seed: number | undefined): void {
    this.seed ??= seed;
  }

  /** @internal */
  attach(sink: EventSink): () => void {
    this.sinks.add(sink);
    return () => {
      this.sinks.delete(sink);
    };
  }

  /** @internal Emits a change that the core recorded. */
  changed(change: engine.RecordedChange, subject: EventSubject): void {
    const at = this.time.wall();
    const { from, to, reason } = change;
    for (const listener of this.listeners) observe(listener, { from, to, reason, at });
    this.emit({ type: 'breaker.changed', breaker: this.name, ...change }, subject, at);
  }

  /** @internal Emits that the breaker refuses a share of the calls. */
  throttled(rate: number, subject: EventSubject): void {
    this.emit({ type: 'breaker.throttled', breaker: this.name, rate }, subject, this.time.wall());
  }

  /** @internal */
  private emit(details: EventDetails, subject: EventSubject, at: number): void {
    const listeners: EventListener[] = [];
    for (const sink of this.sinks) listeners.push(...sink.listeners);
    emit(subject, details, at, listeners);
  }

  /** @internal Emits changes that were made outside of a policy's calls. */
  private announce(): void {
    engine.onceMore(() => drainRecords());
  }
}

/** A policy as a breaker sees it: the listeners that get its changes. */
export interface EventSink {
  readonly listeners: readonly EventListener[];
}

const dispose_: symbol = Symbol.dispose ?? Symbol.for('Symbol.dispose');

class Permit implements BreakerPermit {
  private readonly breaker: CircuitBreaker;
  private readonly handle: number;
  private readonly permit: number;
  private readonly instance = engine.core.instanceNumber;
  private settled = false;

  constructor(breaker: CircuitBreaker, handle: number, permit: number) {
    this.breaker = breaker;
    this.handle = handle;
    this.permit = permit;
  }

  success(durationMs?: number): void {
    this.settle(engine.SUCCESS, readDuration(durationMs));
  }

  failure(error?: unknown, durationMs?: number): void {
    const duration = readDuration(durationMs);
    if (error === undefined) {
      this.settle(engine.FAILURE, duration);
      return;
    }
    const known = AgentError.from(error);
    const outcome = this.counts(known) ? engine.FAILURE : engine.NEUTRAL;
    this.settle(outcome, duration, known.retryAfterMs);
  }

  release(): void {
    this.settle(engine.NEUTRAL, Number.NaN);
  }

  /**
   * The caller reported a failure, so an unknown error counts too, unless the breaker's own predicate excludes it.
   */
  private counts(known: AgentError): boolean {
    if (known.code === 'UNKNOWN' && this.breaker.options.countsAsFailure === undefined) return true;
    return this.breaker.counts(known);
  }

  private settle(outcome: number, durationMs: number, hintMs = Number.NaN): void {
    if (this.settled || this.instance !== engine.core.instanceNumber) return;
    this.settled = true;
    engine.onceMore(() => {
      if (this.instance !== engine.core.instanceNumber) return;
      const now = this.breaker.time.now();
      engine.breakerSettle(this.handle, this.permit, outcome, hintMs, durationMs, now);
      drainRecords();
    });
  }
}

/**
 * Returns `true` if an error counts against the dependency: the retryable codes except CONFLICT, and INVALID_RESPONSE.
 * A dependency that reports contention works.
 */
export function countsByDefault({ code }: AgentError): boolean {
  return (isRetryableCode(code) && code !== 'CONFLICT') || code === 'INVALID_RESPONSE';
}

function readDuration(durationMs: number | undefined): number {
  if (durationMs === undefined) return Number.NaN;
  if (is.bound.read(durationMs, '') === durationMs) return durationMs;
  throw is.misuse('durationMs', is.bound.expected, durationMs);
}
