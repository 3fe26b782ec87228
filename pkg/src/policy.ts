/** A policy: what keeps its calls alive, and the list of those that are open. */

import type { Attempt } from './attempt.js';
import type { BreakerSnapshot, CircuitBreaker } from './breaker.js';
import { RetryBudget } from './budget.js';
import { Call, type CallOptions } from './call.js';
import { type Time, timeOf } from './clock.js';
import { deferred } from './deferred.js';
import { callDirectly } from './direct.js';
import type { Ending } from './ending.js';
import * as engine from './engine.js';
import { type AgentError, cheapError } from './errors.js';
import {
  type EventDetails,
  type EventListener,
  type EventSubject,
  type HalfopenEvent,
  observe,
  processObserved,
  tell,
} from './events.js';
import { guardedFetch } from './fetch.js';
import { wantParents } from './nesting.js';
import { OpenCalls } from './open-calls.js';
import {
  type AttemptContext,
  type ExecuteOptions,
  type OnBreak,
  type Operation,
  type PolicyOptions,
  readExecuteOptions,
  readPolicyOptions,
  readStreamOptions,
  readUpdate,
  readWrapOptions,
  type StreamOptions,
} from './policy-options.js';
import { drainRecords } from './records.js';
import type { AgentResponse } from './responses.js';
import { mergedRetry, type RetryOptions, retryPresets } from './retry-options.js';
import { type Settings, settingsOf, told, updated } from './settings.js';
import { type Chunks, guardedStream, type STREAM_RESET, type StreamContext } from './stream.js';

/** Plain JSON: what a policy knows, for another process or a later run. */
export interface PolicySnapshot {
  version: 1;
  name: string;
  breaker?: BreakerSnapshot | undefined;
}

/**
 * Calls run under it: classified, retried, broken, bounded, answered by a fallback, and told of.
 *
 * @example
 * ```ts
 * const policy = createPolicy({ name: 'openai', timeout: { attemptMs: 30_000 } });
 * const answer = await policy.execute(({ signal }) => client.responses.create(request, { signal }));
 * ```
 */
export class Policy<out F = never> {
  readonly name: string;
  /** @internal */ readonly time: Time;
  /** @internal */ settings: Settings;
  /** @internal */ disposed = false;
  /** @internal Whether a success needs the time. */ timed = false;
  /** @internal Whether a call without options of its own may go the short way. */ plain = false;
  /** @internal */ readonly calls = new OpenCalls();
  /** @internal Whether anybody listens, as the engine knows it. */ observed = false;
  /** @internal Those who listen to this policy. */ listeners: readonly EventListener[] = [];

  /** @internal The core's number of it, made with its first call. */ handle = 0;
  /** @internal */ private instance = -1;
  /** @internal */ private seed: number | undefined;
  /** @internal The last call was refused: the next one's answer depends on the time as well. */
  private wary = false;
  /** @internal The instance after whose loss `onDebug` was told. */
  private toldOf = -1;
  /** @internal */ private configured = false;
  /** @internal Calls that wait for a place, by the engine's number. */
  private readonly waiting = new Map<number, Call<unknown>>();
  /** @internal */ private queueTimer: { cancel(): void } | undefined = undefined;
  /** @internal */ private queueDueAt = Number.POSITIVE_INFINITY;
  /** @internal */ private readonly budgets = new Map<string, RetryBudget>();
  /** @internal */ private guarded: typeof fetch | undefined = undefined;
  /** @internal */ private detachBreaker: (() => void) | undefined = undefined;

  private constructor(options: PolicyOptions<F>) {
    this.name = options.name ?? 'default';
    this.seed = options.seed;
    this.settings = settingsOf(this.name, options as PolicyOptions<unknown>);
    const { breaker } = this.settings;
    const clock = options.clock ?? breaker?.options.clock;
    this.time = timeOf(clock);
    breaker?.adopt(this.time);
    if (options.onEvent !== undefined) {
      this.listeners = [options.onEvent];
      wantParents();
    }
  }

  /** @internal */
  static make<F>(options: PolicyOptions<F> | undefined): Policy<F> {
    return new Policy(readPolicyOptions(options));
  }

  get breaker(): CircuitBreaker | undefined {
    return this.settings.breaker;
  }

  /**
   * Runs the operation under the policy.
   *
   * @returns the operation's value or the fallback's.
   * @throws AgentError (as a rejection), of the thrown one's class where that was one.
   * @throws TypeError at once for a wrong option.
   */
  execute<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G>): Promise<T | F | G> {
    if (typeof operation !== 'function') throw new TypeError('halfopen: execute expects a function');
    const policy = this as Policy<unknown>;
    return (
      options === undefined && this.isPlain
        ? callDirectly(policy, operation)
        : Call.start(policy, operation, readExecuteOptions(options))
    ) as Promise<T | F | G>;
  }

  /**
   * As `execute`, but never rejects: the error is a response, and cancellation too.
   *
   * @throws TypeError at once for a wrong option.
   */
  respond<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G>): Promise<AgentResponse<T | F | G>> {
    if (typeof operation !== 'function') throw new TypeError('halfopen: respond expects a function');
    const ends = deferred<T>();
    const call = new Call(this as Policy<unknown>, operation, readExecuteOptions(options), ends);
    call.start();
    return ends.promise.then(
      (value): AgentResponse<T | F | G> => {
        const response = { success: true as const, result: value as T | F | G, message: 'OK' };
        return call.degraded === undefined ? response : { ...response, degraded: call.degraded };
      },
      (error: AgentError) => error.toResponse(),
    );
  }

  /**
   * A stream under the policy: retried until its first chunk, then as `onBreak` says. No chunk is pulled before it
   * is asked for. Closing the iterator aborts the attempt and is no failure.
   */
  stream<C>(
    operation: (context: AttemptContext) => Chunks<C>,
    options?: StreamOptions & { onBreak?: 'fail' | undefined },
  ): AsyncIterableIterator<C>;
  stream<C>(
    operation: (context: AttemptContext) => Chunks<C>,
    options: StreamOptions & { onBreak: 'restart' },
  ): AsyncIterableIterator<C | typeof STREAM_RESET>;
  stream<C>(
    operation: (context: StreamContext) => Chunks<C>,
    options: StreamOptions & { onBreak: 'resume' },
  ): AsyncIterableIterator<C>;
  stream<C>(
    operation: (context: StreamContext) => Chunks<C>,
    options: StreamOptions & { onBreak?: OnBreak | undefined },
  ): AsyncIterableIterator<C | typeof STREAM_RESET>;
  stream<C>(
    operation: (context: StreamContext) => Chunks<C>,
    options?: StreamOptions & { onBreak?: OnBreak | undefined },
  ): AsyncIterableIterator<C | typeof STREAM_RESET> {
    if (typeof operation !== 'function') throw new TypeError('halfopen: stream expects a function');
    return guardedStream(this as Policy<unknown>, operation, readStreamOptions(options));
  }

  /** A function with the same `this` and parameters, every call of it under the policy. */
  wrap<This, A extends unknown[], T, G = T>(
    fn: (this: This, ...args: A) => T | PromiseLike<T>,
    options?: ExecuteOptions<G> & { args?: ((args: A, context: AttemptContext) => A) | undefined },
  ): (this: This, ...args: A) => Promise<T | F | G> {
    if (typeof fn !== 'function') throw new TypeError('halfopen: wrap expects a function');
    const { args: replace, ...common } = readWrapOptions(options) ?? {};
    const given: CallOptions | undefined =
      Object.keys(common).length === 0 ? undefined : (common as CallOptions);
    const execute = (operation: Operation<T>) =>
      given === undefined ? this.execute(operation) : Call.start(this as Policy<unknown>, operation, given);
    return function (this: This, ...args: A): Promise<T | F | G> {
      const operation: Operation<T> = (context) =>
        fn.apply(this, replace === undefined ? args : replace(args, context));
      return execute(operation) as Promise<T | F | G>;
    };
  }

  /**
   * A guarded `fetch` for clients that take one: failures and retryable statuses are retried under the policy, bodies
   * stream, limits in the headers are observed. The last response that is not ok is returned, as fetch does.
   */
  get fetch(): typeof fetch {
    this.guarded ??= guardedFetch(this as Policy<unknown>);
    return this.guarded;
  }

  /** The given keys replace, the others stay; calls in flight finish under the old ones; breaker state is kept. */
  update(options: Omit<PolicyOptions<F>, 'name' | 'clock' | 'seed'>): void {
    const changes = readUpdate(options as PolicyOptions<unknown>);
    const old = this.settings;
    const next = updated(old.options, changes);
    const own = old.options.breaker === old.breaker ? undefined : old.breaker;
    this.settings = settingsOf(this.name, next, own);
    this.breaker?.adopt(this.time);
    if (changes.onEvent !== undefined) {
      wantParents();
      this.listeners = [
        changes.onEvent,
        ...this.listeners.filter((listener) => listener !== old.options.onEvent),
      ];
    }
    engine.onceMore(() => {
      if (this.instance !== engine.instanceNumber()) return;
      const breaker = this.breaker?.handle ?? 0;
      engine.policyUpdate(this.handle, this.coreOptions(), breaker, this.budgetHandle());
      // Who waits may go now, or at another time.
      if (this.waiting.size > 0) this.pump();
    });
    this.detachBreaker?.();
    this.detachBreaker = undefined;
    this.configured = false;
    this.watch();
  }

  /** Told of everything that happens under this policy. Returns how to stop. */
  onEvent(listener: (event: HalfopenEvent) => void): () => void {
    if (typeof listener !== 'function') throw new TypeError('halfopen: onEvent expects a function');
    const mine: EventListener = (event) => listener(event);
    this.listeners = [...this.listeners, mine];
    wantParents();
    this.detachBreaker ??= this.breaker?.attach(this);
    return () => {
      this.listeners = this.listeners.filter((one) => one !== mine);
    };
  }

  snapshot(): PolicySnapshot {
    const snapshot: PolicySnapshot = { version: 1, name: this.name };
    if (this.breaker !== undefined) snapshot.breaker = this.breaker.snapshot();
    return snapshot;
  }

  /** @throws TypeError on a snapshot it does not know. */
  restore(snapshot: PolicySnapshot): void {
    if (typeof snapshot !== 'object' || snapshot === null || snapshot.version !== 1) {
      throw new TypeError('halfopen: restore expects a policy snapshot of version 1');
    }
    if (snapshot.breaker !== undefined) this.breaker?.restore(snapshot.breaker);
  }

  /** Rejects queued and waiting calls with CANCELLED, aborts attempts, refuses new calls with CANCELLED. Idempotent. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    const reason = cheapError('CANCELLED', `Policy '${this.name}' is disposed`);
    this.plain = false;
    this.calls.cancel(reason);
    this.queueTimer?.cancel();
    this.queueTimer = undefined;
    this.detachBreaker?.();
    this.detachBreaker = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  // What a call asks of its policy.

  /** @internal The engine's first word on a call. */
  begin(call: Ending<unknown>): number {
    if (this.instance !== engine.instanceNumber()) this.open();
    if (this.isObserved !== this.observed) this.watch();
    const { options } = call;
    const now = this.timed || this.wary ? this.time.now() : Number.NaN;
    if (options !== undefined && (options.retry !== undefined || options.timeout?.totalMs !== undefined)) {
      return this.beginWith(options);
    }
    let word = engine.begin(this.handle, now);
    if ((word & engine.STEP) === engine.NEED_TIME) word = engine.begin(this.handle, this.time.now());
    this.wary = (word & engine.STEP) === engine.REJECTED;
    if (this.wary === this.plain) this.look();
    return word;
  }

  /** @internal The call is over. */
  leave(call: Ending<unknown>): void {
    this.calls.leave(call);
    if (call.queuedAs !== 0) {
      this.waiting.delete(call.queuedAs);
      call.queuedAs = 0;
      this.wakeAt();
    }
  }

  /** @internal What a word says beside its step: events to tell, and queued calls that can go. */
  follow(word: number, call?: Ending<unknown>, attempt?: Attempt): void {
    if ((word & engine.EVENTS) !== 0) this.drain(call, attempt);
    if ((word & engine.READY) !== 0) this.pump();
  }

  /** @internal The call waits for a place or a turn. */
  queued(call: Call<unknown>): void {
    call.queuedAs = call.handle;
    this.waiting.set(call.handle, call);
    engine.queues.add(this);
    this.wakeAt();
  }

  /** @internal Lets queued calls go that can. */
  pump(): void {
    while (this.waiting.size > 0 && this.instance === engine.instanceNumber()) {
      let word: number;
      let call: Call<unknown> | undefined;
      try {
        const now = this.time.now();
        const next = engine.nextReady(this.handle, now);
        call = this.waiting.get(next);
        if (call === undefined) break;
        if (call.remainingMs === 0) {
          call.pastDeadline();
          continue;
        }
        word = engine.dequeue(this.handle, next, now);
      } catch (error) {
        this.coreFailed(error);
        return;
      }
      this.waiting.delete(call.queuedAs);
      call.queuedAs = 0;
      call.obey(word & ~engine.READY);
    }
    this.wakeAt();
  }

  /** @internal Turns the engine's records of one call into events. */
  drain(call?: Ending<unknown>, attempt?: Attempt): void {
    try {
      drainRecords(call, attempt);
    } catch (error) {
      this.coreFailed(error);
    }
  }

  /** @internal Tells of something that happened to a call. */
  tell(call: Ending<unknown>, details: EventDetails): void {
    if (!this.observed) return;
    tell(this.subject(call), details, this.time.wall(), this.listeners);
  }

  /** @internal */
  subject(call: Ending<unknown>): EventSubject {
    return {
      policy: this.name,
      call: call.id,
      parentCall: call.parentId,
      traceId: call.options?.span?.traceId,
    };
  }

  /** @internal The core trapped: a fresh instance is made, and policies open anew with their next call. */
  coreFailed(error: unknown): void {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    engine.startAfresh();
    this.coreReplaced(error);
  }

  /** @internal Told once for each instance that was lost under this policy's calls. */
  coreReplaced(error?: WebAssembly.RuntimeError): void {
    if (this.toldOf === engine.instanceNumber()) return;
    this.toldOf = engine.instanceNumber();
    this.configured = false;
    const { onDebug } = this.settings.options;
    if (onDebug === undefined) return;
    const message = 'The core failed; a fresh one was started and the call let through unguarded';
    observe(onDebug, message, { error: error?.message, stack: error?.stack });
  }

  /** @internal The core that the queued calls waited for is gone. */
  goUnguarded(): void {
    const stranded = [...this.waiting.values()];
    this.waiting.clear();
    this.wakeAt();
    for (const call of stranded) {
      call.queuedAs = 0;
      call.goUnguarded();
    }
  }

  /** @internal */ private open(): void {
    this.seed ??= Math.floor(Math.random() * 2 ** 32);
    this.handle = engine.policyNew(
      this.coreOptions(),
      this.breaker?.handle ?? 0,
      this.budgetHandle(),
      this.seed,
    );
    this.instance = engine.instanceNumber();
    this.observed = false;
    this.timed = (engine.policyNeeds(this.handle) & 1) !== 0;
    this.look();
    engine.freeWith(this, 'policy', this.handle);
  }

  /** @internal */ private look(): void {
    const { attemptMs, totalMs } = this.settings;
    const bounded = Math.min(attemptMs, totalMs) !== Number.POSITIVE_INFINITY;
    this.plain = !(bounded || this.timed || this.observed || this.wary || this.disposed);
  }

  /** @internal Whether anybody listens to this policy's calls. */
  get isObserved(): boolean {
    return this.listeners.length > 0 || processObserved();
  }

  /** @internal */ private get isPlain(): boolean {
    return this.plain && this.instance === engine.instanceNumber() && !this.isObserved;
  }

  /** @internal Brings the engine to know whether anybody listens. */
  private watch(): void {
    const observed = this.isObserved;
    if (this.instance === engine.instanceNumber()) engine.policyObserve(this.handle, observed);
    this.observed = observed;
    if (this.instance === engine.instanceNumber()) this.timed = (engine.policyNeeds(this.handle) & 1) !== 0;
    this.look();
    if (!observed) return;
    wantParents();
    if (this.listeners.length > 0) this.detachBreaker ??= this.breaker?.attach(this);
    if (this.configured || this.seed === undefined) return;
    this.configured = true;
    tell(
      { policy: this.name },
      { type: 'policy.configured', options: told(this.settings.options), seed: this.seed },
      this.time.wall(),
      this.listeners,
    );
  }

  /** @internal A call with retries or a deadline of its own. */
  private beginWith(options: CallOptions): number {
    const own: Record<string, unknown> = {};
    let budget = 0;
    if (options.retry !== undefined) {
      const common = this.settings.options;
      const retry = mergedRetry(common.retry, options.retry, retryPresets[common.preset ?? 'agent']);
      own.retry = retry === undefined ? { enabled: false } : coreRetry(retry);
      if (options.retry !== false && options.retry.budget !== undefined) {
        budget = this.budgetFor(options.retry.budget).handle;
      }
    }
    if (options.timeout?.totalMs !== undefined) own.timeout = { totalMs: options.timeout.totalMs };
    return engine.beginWith(this.handle, this.time.now(), own, budget);
  }

  /** @internal */ private coreOptions(): Record<string, unknown> {
    const { retry, breakerScope, timeout, bulkhead, rateLimit } = this.settings.options;
    const core: Record<string, unknown> = {
      retry: retry === false || retry === undefined ? { enabled: false } : coreRetry(retry),
    };
    if (breakerScope !== undefined) core.breakerScope = breakerScope;
    if (timeout?.totalMs !== undefined) core.timeout = { totalMs: timeout.totalMs };
    if (bulkhead !== undefined) core.bulkhead = bulkhead;
    if (rateLimit !== undefined) core.rateLimit = rateLimit;
    return core;
  }

  /** @internal */ private budgetHandle(): number {
    const { retry } = this.settings.options;
    if (retry === undefined || retry === false || retry.budget === undefined) return 0;
    return this.budgetFor(retry.budget).handle;
  }

  /** @internal A shared budget, or one of this policy's own: the same for the same numbers, for as long as the policy lives. */
  private budgetFor(budget: NonNullable<RetryOptions['budget']>): RetryBudget {
    if (budget instanceof RetryBudget) {
      budget.adopt(this.time);
      return budget;
    }
    const key = `${budget.ratio}/${budget.minPerSecond}`;
    let own = this.budgets.get(key);
    if (own === undefined) {
      own = new RetryBudget({ ...budget, clock: this.time.clock });
      this.budgets.set(key, own);
    }
    return own;
  }

  /** @internal */ private nextTurnAt(): number {
    return this.instance === engine.instanceNumber()
      ? engine.pollTimeout(this.handle)
      : Number.POSITIVE_INFINITY;
  }

  /** @internal A timer for the queue, where time alone brings its first call forward; none while nobody waits. */
  private wakeAt(): void {
    const dueAt =
      this.waiting.size > 0 && this.instance === engine.instanceNumber()
        ? engine.onceMore(() => this.nextTurnAt())
        : Number.POSITIVE_INFINITY;
    if (this.waiting.size === 0) engine.queues.delete(this);
    if (dueAt === this.queueDueAt) return;
    this.queueTimer?.cancel();
    this.queueTimer = undefined;
    this.queueDueAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.queueTimer = this.time.after(dueAt - this.time.now(), () => {
      this.queueTimer = undefined;
      this.queueDueAt = Number.POSITIVE_INFINITY;
      this.pump();
    });
  }
}

/** What the core decides of the retries; predicates and callbacks stay here. */
function coreRetry(options: RetryOptions): Record<string, unknown> {
  const { retryOn: _on, onRetry: _callback, budget: _budget, ...core } = options;
  return core;
}

/**
 * Makes a policy. It draws no randomness, sets no timer and touches no global until its first call.
 *
 * @throws TypeError for a wrong option, naming it, what was expected and what came.
 *
 * @example
 * ```ts
 * const policy = createPolicy({ name: 'openai', fallback: () => 'Try again later.' });
 * ```
 */
export function createPolicy<F = never>(options?: PolicyOptions<F>): Policy<F> {
  return Policy.make(options);
}
