/** A policy: what keeps its calls alive, and the list of those that are open. */

import type { BreakerSnapshot, CircuitBreaker } from '../breaker/breaker.js';
import type { Attempt } from '../call/attempt.js';
import { Call, type CallOptions } from '../call/call.js';
import { guardedFetch } from '../call/fetch.js';
import { OpenCalls } from '../call/open-calls.js';
import {
  type AttemptContext,
  checkTimes,
  type ExecuteOptions,
  type OnBreak,
  type Operation,
  readExecuteOptions,
  readStreamOptions,
  readWrapOptions,
  type StreamOptions,
} from '../call/options.js';
import { wantParents } from '../call/parents.js';
import type { Ending } from '../call/state.js';
import { type Chunks, guardedStream, type STREAM_RESET, type StreamContext } from '../call/stream.js';
import type { Check, StandardSchemaV1 } from '../call/validate.js';
import { WaitingCalls } from '../call/waiting-calls.js';
import { type Time, timeOf } from '../clock.js';
import * as engine from '../core/engine.js';
import { type AgentError, disposedError } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import type { AgentResponse } from '../error/response-types.js';
import {
  type EventDetails,
  type EventListener,
  type EventSubject,
  emitRestarts,
  type HalfopenEvent,
  observe,
  processObserved,
  send,
  tell,
} from '../event/events.js';
import { callStarted, drainRecords } from '../event/records.js';
import { expectFunction } from '../options.js';
import { deferred } from '../promises.js';
import { coreOptions, coreOverrides, PolicyBudgets } from './core-options.js';
import { type PolicyOptions, readPolicyOptions, readUpdate } from './options.js';
import { type Settings, settingsOf, told, updated } from './settings.js';

/** A stream's options whose schema, if there is one, makes an `O` of each chunk. */
type Parsed<C, O> = Omit<StreamOptions<C>, 'validate'> & {
  validate?: Check<C> | StandardSchemaV1<unknown, O> | undefined;
};

/** What puts the attempt's signal into a wrapped function's arguments. */
interface WrapArgs<A> {
  args?: ((args: A, context: AttemptContext) => A) | undefined;
}

/** Known to this module alone: a policy's constructor is private at run time too. */
const MADE_HERE = Symbol('made by createPolicy');

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
  /** @internal */ readonly calls = new OpenCalls();
  /** @internal Whether anybody listens, as the engine knows it. */ observed = false;
  /** @internal Whether onDebug knows of a stream result that an operation returned. */ streamResultNoted = false;
  /** @internal Those who listen to this policy. */ listeners: readonly EventListener[] = [];

  /** @internal The core's number of it, made with its first call. */ handle = 0;
  /** @internal */ private instance = -1;
  /** @internal */ private seed: number | undefined;
  /** @internal The instance after whose loss `onDebug` was told. */
  private toldOf = -1;
  /** @internal */ private configured = false;
  private readonly waiting = new WaitingCalls(this as Policy<unknown>);
  private readonly budgets: PolicyBudgets;
  /** @internal */ private guarded: typeof fetch | undefined = undefined;
  /** @internal */ private detachBreaker: (() => void) | undefined = undefined;

  private constructor(options: PolicyOptions<F>, made: typeof MADE_HERE) {
    if (made !== MADE_HERE) {
      throw new TypeError('halfopen: a Policy is made by createPolicy(options), not by new Policy()');
    }
    emitRestarts();
    this.name = options.name ?? 'default';
    this.seed = options.seed;
    this.settings = settingsOf(this.name, options as PolicyOptions<unknown>);
    const { breaker } = this.settings;
    const clock = options.clock ?? breaker?.options.clock;
    this.time = timeOf(clock);
    this.budgets = new PolicyBudgets(this.time);
    breaker?.adopt(this.time);
    if (options.onEvent !== undefined) {
      this.listeners = [options.onEvent];
      wantParents();
    }
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
  execute<T, O, G = O>(
    operation: Operation<T>,
    options: ExecuteOptions<G, T> & { validate: StandardSchemaV1<unknown, O> },
  ): Promise<O | F | G>;
  execute<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G, T>): Promise<T | F | G>;
  execute<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G, T>): Promise<T | F | G> {
    expectPolicy(this, 'execute');
    expectFunction(operation, 'execute');
    const policy = this as Policy<unknown>;
    const read = options === undefined ? undefined : readCallOptions(policy, options, 'execute');
    return Call.start(policy, operation, read) as Promise<T | F | G>;
  }

  /**
   * As `execute`, but never rejects: the error is a response, and cancellation too.
   *
   * @throws TypeError at once for a wrong option.
   */
  respond<T, O, G = O>(
    operation: Operation<T>,
    options: ExecuteOptions<G, T> & { validate: StandardSchemaV1<unknown, O> },
  ): Promise<AgentResponse<O | F | G>>;
  respond<T, G = T>(
    operation: Operation<T>,
    options?: ExecuteOptions<G, T>,
  ): Promise<AgentResponse<T | F | G>>;
  respond<T, G = T>(
    operation: Operation<T>,
    options?: ExecuteOptions<G, T>,
  ): Promise<AgentResponse<T | F | G>> {
    expectPolicy(this, 'respond');
    expectFunction(operation, 'respond');
    const ends = deferred<T>();
    const policy = this as Policy<unknown>;
    const call = new Call(policy, operation, readCallOptions(policy, options, 'respond'), ends);
    call.start();
    return ends.promise.then(
      (value): AgentResponse<T | F | G> => {
        const response = { success: true as const, result: value as T | F | G, message: 'OK' };
        return call.degraded === undefined ? response : { ...response, degraded: call.degraded };
      },
      (error: AgentError) => responseFor(error),
    );
  }

  /**
   * A stream under the policy: retried until its first chunk, then as `onBreak` says. No chunk is pulled before it
   * is asked for. Closing the iterator aborts the attempt and is no failure.
   */
  stream<C, O = C>(
    operation: (context: AttemptContext) => Chunks<C>,
    options?: Parsed<C, O> & { onBreak?: 'fail' | undefined },
  ): AsyncIterableIterator<O>;
  stream<C, O = C>(
    operation: (context: AttemptContext) => Chunks<C>,
    options: Parsed<C, O> & { onBreak: 'restart' },
  ): AsyncIterableIterator<O | typeof STREAM_RESET>;
  stream<C, O = C>(
    operation: (context: StreamContext) => Chunks<C>,
    options: Parsed<C, O> & { onBreak: 'resume' },
  ): AsyncIterableIterator<O>;
  stream<C, O = C>(
    operation: (context: StreamContext) => Chunks<C>,
    options: Parsed<C, O> & { onBreak?: OnBreak | undefined },
  ): AsyncIterableIterator<O | typeof STREAM_RESET>;
  stream<C>(
    operation: (context: StreamContext) => Chunks<C>,
    options?: StreamOptions<C> & { onBreak?: OnBreak | undefined },
  ): AsyncIterableIterator<C | typeof STREAM_RESET> {
    expectPolicy(this, 'stream');
    expectFunction(operation, 'stream');
    const read = readStreamOptions(options);
    checkTimes(read, this.settings.given);
    return guardedStream(this as Policy<unknown>, operation, read);
  }

  /** A function with the same `this` and parameters, every call of it under the policy. */
  wrap<This, A extends unknown[] | [], T, O, G = O>(
    fn: (this: This, ...args: A) => T | PromiseLike<T>,
    options: ExecuteOptions<G, T> & WrapArgs<A> & { validate: StandardSchemaV1<unknown, O> },
  ): (this: This, ...args: A) => Promise<O | F | G>;
  wrap<This, A extends unknown[] | [], T, G = T>(
    fn: (this: This, ...args: A) => T | PromiseLike<T>,
    options?: ExecuteOptions<G, T> & WrapArgs<A>,
  ): (this: This, ...args: A) => Promise<T | F | G>;
  wrap<This, A extends unknown[] | [], T, G = T>(
    fn: (this: This, ...args: A) => T | PromiseLike<T>,
    options?: ExecuteOptions<G, T> & WrapArgs<A>,
  ): (this: This, ...args: A) => Promise<T | F | G> {
    expectPolicy(this, 'wrap');
    expectFunction(fn, 'wrap');
    const { args: replace, ...common } = readWrapOptions(options) ?? {};
    checkTimes(common, this.settings.given);
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
    expectPolicy(this, 'update');
    const changes = readUpdate(options as PolicyOptions<unknown>);
    const old = this.settings;
    const next = updated(old.given, changes);
    const own = old.given.breaker === old.breaker ? undefined : old.breaker;
    this.settings = settingsOf(this.name, next, own);
    this.breaker?.adopt(this.time);
    if (changes.onEvent !== undefined) {
      wantParents();
      this.listeners = [
        changes.onEvent,
        ...this.listeners.filter((listener) => listener !== old.options.onEvent),
      ];
    }
    this.unlessTrapped(() => {
      if (!this.isKnown) return;
      const breaker = this.breaker?.handle ?? 0;
      const { options } = this.settings;
      engine.policyUpdate(this.handle, coreOptions(options), breaker, this.budgets.handle(options.retry));
      // Who waits may go now, or at another time.
      this.waiting.pump();
    });
    this.detachBreaker?.();
    this.detachBreaker = undefined;
    this.configured = false;
    this.unlessTrapped(() => this.watch());
  }

  /** Told of everything that happens under this policy. Returns how to stop. */
  onEvent(listener: (event: HalfopenEvent) => void): () => void {
    expectPolicy(this, 'onEvent');
    expectFunction(listener, 'onEvent');
    const mine: EventListener = (event) => listener(event);
    this.listeners = [...this.listeners, mine];
    wantParents();
    if (!this.disposed) this.detachBreaker ??= this.breaker?.attach(this);
    return () => {
      this.listeners = this.listeners.filter((one) => one !== mine);
      if (this.listeners.length > 0) return;
      this.detachBreaker?.();
      this.detachBreaker = undefined;
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
    const reason = disposedError(this.name);
    this.calls.cancel(reason);
    this.waiting.stop();
    this.detachBreaker?.();
    this.detachBreaker = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  // What a call asks of its policy.

  /** @internal The engine's first word on a call. */
  begin(call: Ending<unknown>): number {
    if (!this.isKnown) this.open();
    if (this.isObserved !== this.observed) this.watch();
    const now = this.timed ? this.time.now() : Number.NaN;
    const common = this.settings.options;
    const own = coreOverrides(common, call.options);
    if (own !== undefined) {
      return engine.beginWith(this.handle, this.time.now(), own, this.budgets.handle(call.options?.retry));
    }
    const word = engine.begin(this.handle, now);
    const needsTime = (word & engine.STEP) === engine.NEED_TIME;
    return needsTime ? engine.begin(this.handle, this.time.now()) : word;
  }

  /** @internal The call is over. */
  leave(call: Ending<unknown>): void {
    this.calls.leave(call);
    if (call.queuedAs !== 0) this.waiting.remove(call);
  }

  /** @internal What a word says beside its step: events to tell, and queued calls that can go. */
  follow(word: number, call?: Ending<unknown>, attempt?: Attempt): void {
    if ((word & engine.EVENTS) !== 0) this.drain(call, attempt);
    if ((word & engine.READY) !== 0) this.pump();
  }

  /** @internal The call waits for a place or a turn. */
  queued(call: Call<unknown>): void {
    this.waiting.add(call);
  }

  /** @internal Lets queued calls go that can. */
  pump(): void {
    this.waiting.pump();
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

  /** @internal A call that ends before the engine knows of it leaves its trace all the same. */
  emitRefused(call: Ending<unknown>, error: AgentError): void {
    if (!this.isObserved) return;
    this.seed ??= randomSeed();
    this.unlessTrapped(() => this.watch());
    const about = this.subject(call);
    const wall = this.time.wall();
    send(callStarted(call, about, wall), this.listeners);
    const userMessage = responseFor(error).message;
    const details = { attempts: 0, durationMs: 0, code: error.code, userMessage };
    tell(about, { type: 'call.failed', why: 'cancelled', ...details }, wall, this.listeners);
  }

  /** @internal */
  subject(call: Ending<unknown>): EventSubject {
    return {
      policy: this.name,
      call: call.id,
      parentCall: call.parentId,
      traceId: call.traceId,
    };
  }

  /** @internal The core trapped: a fresh instance is made, and policies open anew with their next call. */
  coreFailed(error: unknown): void {
    const trap = engine.restart(error, (details) =>
      tell({ policy: this.name }, details, this.time.wall(), this.listeners),
    );
    // Where it was another module that trapped, the policy's own state is as it was.
    if (!this.isKnown) this.coreReplaced(trap);
  }

  /** @internal After a trap the policy is opened anew, as it is now, with its next call. */
  private unlessTrapped(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.coreFailed(error);
    }
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

  /** @internal */ private open(): void {
    this.seed ??= randomSeed();
    this.handle = engine.policyNew(
      coreOptions(this.settings.options),
      this.breaker?.handle ?? 0,
      this.budgets.handle(this.settings.options.retry),
      this.seed,
    );
    this.instance = engine.instanceNumber();
    this.observed = false;
    this.timed = (engine.policyNeeds(this.handle) & 1) !== 0;
    engine.freeWith(this, 'policy', this.handle);
  }

  /** @internal Whether the present instance of the core knows the policy. */
  get isKnown(): boolean {
    return this.instance === engine.instanceNumber();
  }

  /** @internal Whether anybody listens to this policy's calls. */
  get isObserved(): boolean {
    return this.listeners.length > 0 || processObserved();
  }

  /** @internal Brings the engine to know whether anybody listens. */
  private watch(): void {
    const observed = this.isObserved;
    if (this.isKnown) engine.policyObserve(this.handle, observed);
    this.observed = observed;
    if (this.isKnown) this.timed = (engine.policyNeeds(this.handle) & 1) !== 0;
    if (!observed) return;
    wantParents();
    if (this.listeners.length > 0 && !this.disposed) this.detachBreaker ??= this.breaker?.attach(this);
    if (this.configured || this.seed === undefined) return;
    this.configured = true;
    tell(
      { policy: this.name },
      { type: 'policy.configured', options: told(this.settings.options), seed: this.seed },
      this.time.wall(),
      this.listeners,
    );
  }
}

/** @throws TypeError where a method was taken off its policy: `const { execute } = policy`. */
function expectPolicy(self: unknown, method: string): void {
  if (self instanceof Policy) return;
  throw new TypeError(
    `halfopen: ${method} was called without its policy: call policy.${method}(…), or pass (…) => policy.${method}(…)`,
  );
}

/** A call's options, checked for themselves and with its policy's. */
function readCallOptions(
  policy: Policy<unknown>,
  options: ExecuteOptions<unknown> | undefined,
  where: string,
): ExecuteOptions<unknown> | undefined {
  const read = readExecuteOptions(options, where);
  if (read !== undefined) checkTimes(read, policy.settings.given);
  return read;
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
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
  // The constructor is private; and a class that named itself would print as `_Policy` when it is bundled.
  return Reflect.construct(Policy, [readPolicyOptions(options), MADE_HERE]) as Policy<F>;
}
