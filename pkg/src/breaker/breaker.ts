/** A circuit breaker: calls to what keeps failing are refused until a probe succeeds. */

import { systemClock, type Time, timeOf } from '../clock.js';
import * as engine from '../core/engine.js';
import type { BreakerState } from '../core/wire.js';
import { AgentError, isRetryableCode } from '../error/agent-error.js';
import type { ReportMisuse } from '../error/failure.js';
import { type EventListener, type EventSubject, observe, tell } from '../event/events.js';
import { drainRecords } from '../event/records.js';
import * as is from '../options.js';
import { disown } from '../promises.js';
import { type BreakerOptions, breakerShape, checkBreaker, coreOptions } from './options.js';

export type { BreakerState } from '../core/wire.js';
export type { BreakerOptions } from './options.js';

/** Plain JSON. `at` is wall time: a restore after a pause counts the time between. */
export interface BreakerSnapshot {
  version: 1;
  name: string;
  state: BreakerState;
  generation: number;
  at: number;
  consecutiveFailures: number;
  failedProbes: number;
  retryAfterMs?: number | undefined;
  window?: number[] | undefined;
}

/** A place in a breaker. Settled once; later calls change nothing. */
export interface BreakerPermit {
  success(durationMs?: number): void;
  /** The error's `retryAfterMs`, if the breaker opens on it, replaces the reset timeout of that opening. */
  failure(error?: unknown, durationMs?: number): void;
  release(): void;
}

/** A change of a breaker's state, `at` in wall time. */
export interface BreakerChange {
  from: BreakerState;
  to: BreakerState;
  reason: string;
  at: number;
}

interface ChangeDetails {
  generation: number;
  retryAt: number | undefined;
  window: { total: number; failures: number; slow: number; last: number[] };
}

/**
 * A circuit breaker, on its own or shared by policies.
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
  readonly name: string;
  /** @internal */ options: BreakerOptions;
  /** @internal */ time: Time;
  /** @internal */ private number = 0;
  /** @internal */ private instance = -1;
  /** @internal */ private listeners: readonly ((change: BreakerChange) => void)[] = [];
  /** @internal Policies that tell their own listeners of this breaker's changes. */
  private readonly sinks = new Set<EventSink>();

  /** @throws TypeError for a wrong option. */
  constructor(options?: BreakerOptions) {
    this.options = is.readOptions<BreakerOptions>(breakerShape, options, 'CircuitBreaker');
    checkBreaker(this.options);
    this.name = this.options.name ?? 'breaker';
    this.time = timeOf(this.options.clock);
  }

  /**
   * As of now: an elapsed reset timeout reads 'half_open'; the change is announced at the first admission, not by
   * reading.
   */
  get state(): BreakerState {
    return (
      engine.STATES[engine.onceMore(() => engine.breakerState(this.handle, this.time.now()))] ?? 'closed'
    );
  }

  /** Milliseconds until a probe is admitted; 0 when calls are admitted; undefined when isolated. */
  get retryAfterMs(): number | undefined {
    const wait = engine.onceMore(() => engine.breakerRetryAfter(this.handle, this.time.now()));
    return Number.isNaN(wait) ? undefined : wait;
  }

  /** Whether a call would be admitted now. Does not take a probe's place. */
  canExecute(): boolean {
    return engine.onceMore(() => engine.breakerCanExecute(this.handle, this.time.now()));
  }

  /** Takes a place, or undefined when refused. */
  acquire(): BreakerPermit | undefined {
    const permit = engine.onceMore(() => engine.breakerAcquire(this.handle, this.time.now()));
    const { handle } = this;
    this.announce();
    if (permit < 0) return undefined;
    return new Permit(this, handle, permit);
  }

  /** For callers without permits: counts as a result of the present generation. */
  recordSuccess(durationMs?: number): void {
    const duration = readDuration(durationMs);
    engine.onceMore(() => engine.breakerRecord(this.handle, engine.SUCCESS, duration, this.time.now()));
    this.announce();
  }

  /** For callers without permits: counts as a result of the present generation. */
  recordFailure(durationMs?: number): void {
    const duration = readDuration(durationMs);
    engine.onceMore(() => engine.breakerRecord(this.handle, engine.FAILURE, duration, this.time.now()));
    this.announce();
  }

  /** Counted: refuses until every handle is disposed, then the state underneath shows. `reset` does not lift it. */
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
        if (instance === engine.instanceNumber())
          engine.breakerControl(handle, engine.LIFT_ISOLATION, this.time.now());
      });
      this.announce();
    };
    return { dispose, [dispose_]: dispose } as { [Symbol.dispose](): void; dispose(): void };
  }

  /** Admits everything and counts nothing, until `reset`. */
  disable(): void {
    engine.onceMore(() => engine.breakerControl(this.handle, engine.DISABLE, this.time.now()));
    this.announce();
  }

  /** Closed, with nothing counted. */
  reset(): void {
    engine.onceMore(() => engine.breakerControl(this.handle, engine.RESET, this.time.now()));
    this.announce();
  }

  snapshot(): BreakerSnapshot {
    return engine.onceMore(() =>
      engine.breakerSnapshot(this.handle, this.name, this.time.now(), this.time.wall()),
    ) as BreakerSnapshot;
  }

  /**
   * Raises the generation above both; isolation is not restored.
   *
   * @throws TypeError on a snapshot it does not know.
   */
  restore(snapshot: BreakerSnapshot): void {
    try {
      engine.onceMore(() => engine.breakerRestore(this.handle, snapshot, this.time.now(), this.time.wall()));
    } catch (error) {
      throw new TypeError(`halfopen: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.announce();
  }

  /** Told of every change of state. Returns how to stop. */
  onStateChange(listener: (change: BreakerChange) => void): () => void {
    is.expectFunction(listener, 'onStateChange');
    const mine = (change: BreakerChange): void => listener(change);
    this.listeners = [...this.listeners, mine];
    return () => {
      this.listeners = this.listeners.filter((one) => one !== mine);
    };
  }

  /** @internal The core's number of it, made on first use. */
  get handle(): number {
    if (this.instance !== engine.instanceNumber()) {
      this.number = engine.breakerNew(coreOptions(this.options));
      this.instance = engine.instanceNumber();
      engine.known(this.number, this);
      engine.freeWith(this, 'breaker', this.number);
    }
    return this.number;
  }

  /** @internal Whether an error counts against the dependency. A predicate that throws is reported, and says nothing. */
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
      if (this.instance === engine.instanceNumber()) engine.breakerUpdate(this.number, coreOptions(options));
    });
  }

  /** @internal A breaker without a clock of its own takes the one of the first policy that it is given to. */
  adopt(time: Time): void {
    if (this.options.clock === undefined && this.instance === -1 && this.time.clock === systemClock)
      this.time = time;
  }

  /** @internal */
  attach(sink: EventSink): () => void {
    this.sinks.add(sink);
    return () => {
      this.sinks.delete(sink);
    };
  }

  /** @internal Tells of a change that the core recorded. */
  changed(change: Omit<BreakerChange, 'at'> & ChangeDetails, subject: EventSubject): void {
    const at = this.time.wall();
    const { from, to, reason } = change;
    for (const listener of this.listeners) observe(listener, { from, to, reason, at });
    const told: EventListener[] = [];
    for (const sink of this.sinks) for (const listener of sink.listeners) told.push(listener);
    tell(subject, { type: 'breaker.changed', breaker: this.name, ...change }, at, told);
  }

  /** @internal Changes that were made outside of a policy's calls. */
  private announce(): void {
    engine.onceMore(() => drainRecords());
  }
}

/** Whose listeners hear of a breaker. */
export interface EventSink {
  readonly listeners: readonly EventListener[];
}

const dispose_: symbol = Symbol.dispose ?? Symbol.for('Symbol.dispose');

class Permit implements BreakerPermit {
  private readonly breaker: CircuitBreaker;
  private readonly handle: number;
  private readonly permit: number;
  private readonly instance = engine.instanceNumber();
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

  /** The caller calls it a failure: what nobody recognises is one, unless the breaker's own predicate says no. */
  private counts(known: AgentError): boolean {
    if (known.code === 'UNKNOWN' && this.breaker.options.countsAsFailure === undefined) return true;
    return this.breaker.counts(known);
  }

  private settle(outcome: number, durationMs: number, hintMs = Number.NaN): void {
    if (this.settled || this.instance !== engine.instanceNumber()) return;
    this.settled = true;
    engine.onceMore(() => {
      if (this.instance !== engine.instanceNumber()) return;
      const now = this.breaker.time.now();
      engine.breakerSettle(this.handle, this.permit, outcome, hintMs, durationMs, now);
      drainRecords();
    });
  }
}

/** The retryable codes and INVALID_RESPONSE. */
export function countsByDefault(error: AgentError): boolean {
  return isRetryableCode(error.code) || error.code === 'INVALID_RESPONSE';
}

function readDuration(durationMs: number | undefined): number {
  if (durationMs === undefined) return Number.NaN;
  if (is.bound.read(durationMs, '') === durationMs) return durationMs;
  throw is.misuse('durationMs', is.bound.expected, durationMs);
}
