/** One guarded call: obeys the engine's steps, with promises, timers and signals. */

import { listen } from './abort.js';
import { Attempt } from './attempt.js';
import { debugDetails } from './debug.js';
import { deferred } from './deferred.js';
import type { Direct } from './direct.js';
import { type CallOptions, Ending, RUNNING, SETTLED } from './ending.js';
import * as engine from './engine.js';
import { AgentError, cheapError, codeIndex } from './errors.js';
import { observe } from './events.js';
import { type Failure, mayHaveReachedProvider } from './failure.js';
import { parentId, runAs } from './nesting.js';
import { wasGivenUpOn } from './outcome.js';
import type { Policy } from './policy.js';
import type { Operation } from './policy-options.js';
import { retryVerdict } from './retry-options.js';

export type { CallOptions } from './ending.js';

/** Drives one call from its beginning to its promise's end. */
export class Call<T> extends Ending<T> {
  /** A call under the policy. Begins: the operation is called at once where nothing stands against it. */
  static start<T>(
    policy: Policy<unknown>,
    operation: Operation<T>,
    options: CallOptions | undefined,
  ): Promise<T> {
    const ends = deferred<T>();
    new Call(policy, operation, options, ends).start();
    return ends.promise;
  }

  /** A call whose begin the engine has answered with more than an attempt. */
  static begun<T>(policy: Policy<unknown>, operation: Operation<T>, word: number): Promise<T> {
    const ends = deferred<T>();
    const call = new Call(policy, operation, undefined, ends);
    if ((word & engine.STEP) === engine.NEED_TIME) call.start();
    else {
      call.enter();
      call.instance = engine.instanceNumber();
      call.obey(word);
    }
    return ends.promise;
  }

  /** A call whose begin has trapped the core. */
  static unguarded<T>(policy: Policy<unknown>, operation: Operation<T>, trap: unknown): Promise<T> {
    const ends = deferred<T>();
    const call = new Call(policy, operation, undefined, ends);
    call.enter();
    policy.coreFailed(trap);
    call.run();
    return ends.promise;
  }

  /** A call that has begun its first attempt on the short way, and needs more than that. */
  static takingOver<T>(direct: Direct<T>): Attempt {
    const { policy, operation, settings } = direct;
    const call = new Call(policy, operation, undefined, direct, settings);
    policy.calls.leave(direct);
    policy.calls.enter(call as Call<unknown>);
    call.handle = direct.handle;
    call.instance = direct.instance;
    call.attempts = 1;
    const attempt = new Attempt(call as Call<unknown>, 1, Number.NaN);
    call.attempt = attempt;
    return attempt;
  }

  /** Begins: the operation is called at once where nothing stands against it. */
  start(): void {
    const { policy, options, settings } = this;
    const signal = options?.signal;
    if (policy.disposed) {
      this.refuse(cheapError('CANCELLED', `Policy '${policy.name}' is disposed`));
      return;
    }
    if (signal?.aborted) {
      this.refuse(cancelled(signal.reason));
      return;
    }
    this.enter();
    if (signal !== undefined) listen(signal, this);
    const totalMs = options?.timeout?.totalMs ?? settings.totalMs;
    if (totalMs !== Number.POSITIVE_INFINITY) {
      this.boundBy(totalMs);
    }
    let word: number;
    try {
      word = policy.begin(this as Call<unknown>);
      this.instance = engine.instanceNumber();
    } catch (error) {
      policy.coreFailed(error);
      this.run();
      return;
    }
    this.obey(word);
  }

  /** The call is on its way, and somebody's child perhaps: told by events only, and named where they are. */
  private enter(): void {
    const { policy } = this;
    if (policy.isObserved) this.rest.parentId = parentId();
    policy.calls.enter(this as Call<unknown>);
  }

  private boundBy(totalMs: number): void {
    const { time } = this.policy;
    const now = time.now();
    this.rest.deadlineAt = now + totalMs;
    this.rest.deadline = time.after(totalMs, () => this.pastDeadline(), now);
  }

  /** The caller aborted. */
  handleEvent(): void {
    this.cancel(cancelled(this.options?.signal?.reason), this.options?.signal?.reason);
  }

  /** Ends the call with CANCELLED at once, wherever it is. */
  cancel(error: AgentError, reason: unknown): void {
    const { attempt } = this;
    if (this.phase === SETTLED) return;
    const { fallbackRun } = this.rest;
    this.detach();
    if (this.phase === RUNNING) {
      const word = this.tellEngine((handle, now) => engine.cancel(this.policy.handle, handle, now));
      this.handle = 0;
      this.fail(error, false);
      this.follow(word);
    } else {
      this.settle();
      this.ends.reject(this.final(error));
    }
    attempt?.abort(reason ?? error);
    fallbackRun?.abort(reason ?? error);
  }

  /** Ends the call without a failure: whoever wanted its value wants it no more. */
  protected closeNeutrally(reason: unknown, value: T): void {
    const { attempt } = this;
    if (this.phase !== RUNNING) return;
    this.detach();
    const word = this.tellEngine((handle, now) => engine.cancel(this.policy.handle, handle, now));
    this.handle = 0;
    this.settle();
    this.ends.resolve(value);
    this.follow(word);
    attempt?.abort(reason);
  }

  /** Whether the call is still on its way. */
  protected get isOpen(): boolean {
    return this.phase === RUNNING;
  }

  /** Does what the engine says next. */
  obey(word: number): void {
    this.handle = engine.callOf(word);
    if ((word & engine.EVENTS) !== 0) {
      this.policy.drain(this as Call<unknown>);
      // A listener may have aborted the call or disposed the policy.
      if (this.phase !== RUNNING) {
        this.follow(word & ~engine.EVENTS);
        return;
      }
    }
    switch (word & engine.STEP) {
      case engine.ATTEMPT:
        this.run();
        break;
      case engine.WAIT:
        this.beforeWaiting(engine.delayMs());
        break;
      case engine.QUEUED:
        this.policy.queued(this as Call<unknown>);
        break;
      case engine.REJECTED:
        this.handle = 0;
        this.fail(this.rejection(), true);
        break;
      case engine.GIVE_UP:
        this.handle = 0;
        this.fail(this.lastFailure?.error ?? cheapError('UNKNOWN', 'The call failed'), true);
        break;
      default:
        break;
    }
    if ((word & engine.READY) !== 0) this.policy.pump();
  }

  /** Goes on without the engine, which has lost it. */
  goUnguarded(): void {
    this.policy.coreReplaced();
    this.handle = 0;
    if (this.phase === RUNNING && this.attempt === undefined) this.run();
  }

  /** An operation's value: a subclass may hold the attempt open. */
  returned(attempt: Attempt, value: T): void {
    if (attempt !== this.attempt) return;
    const validate = this.options?.validate;
    if (validate === undefined) this.succeeded(attempt, value);
    else this.validated(attempt, value, validate);
  }

  /** The attempt is a success, and so is the call. */
  protected succeeded(attempt: Attempt, value: T): void {
    if (attempt !== this.attempt) return;
    this.attempt = undefined;
    if (attempt.timer !== undefined || attempt.watch !== undefined) attempt.end();
    const word = this.handle === 0 ? 0 : this.tellSuccess(attempt, value);
    this.settle();
    this.ends.resolve(value);
    if (word !== 0) this.follow(word, attempt);
  }

  /** Where nothing needs the time: two crossings in all, numbers only. */
  protected tellSuccess(attempt: Attempt, _value: T): number {
    const { policy, handle } = this;
    if (policy.timed) return this.tellTimed(attempt);
    if (this.instance !== engine.instanceNumber()) {
      policy.coreReplaced();
      return 0;
    }
    try {
      const word = engine.attemptOk(policy.handle, handle, Number.NaN, Number.NaN);
      return (word & engine.STEP) === engine.NEED_TIME
        ? engine.attemptOk(policy.handle, handle, policy.time.now(), Number.NaN)
        : word;
    } catch (error) {
      policy.coreFailed(error);
      return 0;
    }
  }

  private tellTimed({ startedAt }: Attempt): number {
    return this.tellEngine((handle, now) =>
      engine.attemptOk(this.policy.handle, handle, now, now - startedAt),
    );
  }

  /** The attempt failed with what the operation threw. */
  failed(attempt: Attempt, thrown: unknown, invalid = false): void {
    if (attempt !== this.attempt) return;
    this.attempt = undefined;
    attempt.end();
    const { settings, policy } = this;
    const context = {
      provider: this.provider,
      model: this.model,
      layer: 'agent' as const,
      now: policy.time.wall(),
    };
    let failure = this.read(thrown, context, settings.options.classify);
    if (invalid && failure.error.code === 'UNKNOWN') {
      // What nobody recognises, but the caller's own check threw: at least the value is known to be wrong.
      failure = {
        ...failure,
        error: cheapError('INVALID_RESPONSE', failure.error.message, { cause: thrown }),
      };
    }
    this.failedWith(attempt, failure, wasGivenUpOn(thrown));
  }

  protected failedWith(attempt: Attempt, failure: Failure, nested: boolean): void {
    const { settings, options, policy } = this;
    const { error } = failure;
    this.attempt = undefined;
    attempt.end();
    let flags = 0;
    if (error.retryable) flags |= engine.RETRYABLE;
    if (settings.countsAsFailure(error)) flags |= engine.COUNTS;
    if (nested) flags |= engine.NESTED;
    if (this.isBrokenStream) flags |= engine.BROKEN_STREAM;
    if (error.code === 'CANCELLED') flags |= engine.CANCELLED;
    const verdict = this.verdict(error);
    if (verdict === true) flags |= engine.FORCE_RETRY;
    if (verdict === false) flags |= engine.FORBID_RETRY;
    if (options?.idempotent === false && mayHaveReachedProvider(failure)) flags |= engine.NOT_IDEMPOTENT_SENT;
    // A classifier, a predicate or a getter of the thrown value may have ended the call.
    if (this.phase !== RUNNING) return;
    const { rest } = this;
    rest.lastFailure = failure;
    if (rest.errors === undefined) rest.errors = [error];
    else rest.errors.push(error);
    const { onDebug } = settings.options;
    if (onDebug !== undefined) observe(onDebug, ...debugDetails(failure, attempt.attempt));
    if (this.phase !== RUNNING) return;
    if (this.handle === 0 || this.instance !== engine.instanceNumber()) {
      if (this.handle !== 0) policy.coreReplaced();
      this.handle = 0;
      this.fail(error, true);
      return;
    }
    const now = policy.time.now();
    let word: number;
    try {
      word = engine.attemptFailed(
        policy.handle,
        this.handle,
        now,
        codeIndex(error.code),
        flags,
        error.retryAfterMs ?? Number.NaN,
        now - attempt.startedAt,
      );
    } catch (trap) {
      policy.coreFailed(trap);
      this.handle = 0;
      this.fail(error, true);
      return;
    }
    this.obey(word);
  }

  /** Begins an attempt. */
  private run(): void {
    const { operation, options, policy, settings } = this;
    const attemptMs = options?.timeout?.attemptMs ?? settings.attemptMs;
    const timed = attemptMs !== Number.POSITIVE_INFINITY;
    const now = timed || policy.timed ? policy.time.now() : Number.NaN;
    const attempt = new Attempt(this as Call<unknown>, ++this.attempts, now);
    this.attempt = attempt;
    this.prepare(attempt);
    if (timed) this.timeOut(attempt, attemptMs, now);
    let result: T | PromiseLike<T>;
    try {
      result = runAs(this, operation, attempt);
      if (result instanceof Promise) {
        this.await(attempt, result);
        return;
      }
    } catch (error) {
      this.failed(attempt, error);
      return;
    }
    this.take(attempt, result);
  }

  /** What the operation returned, where that is no promise of this realm. */
  take(attempt: Attempt, result: T | PromiseLike<T>): void {
    if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
      this.await(attempt, Promise.resolve(result));
    } else this.returned(attempt, result);
  }

  private await(attempt: Attempt, result: Promise<T>): void {
    result.then(
      (value) => this.returned(attempt, value),
      (error) => this.failed(attempt, error),
    );
  }

  private timeOut(attempt: Attempt, ms: number, now: number): void {
    attempt.timer = this.policy.time.after(ms, () => this.timedOut(attempt, ms, 'Attempt'), now);
  }

  /** Chunks were delivered, and the stream cannot go on or begin again. */
  protected get isBrokenStream(): boolean {
    return false;
  }

  /** Before the operation sees its attempt. */
  protected prepare(_attempt: Attempt): void {}

  /** Cuts the attempt off, whether it listens to its signal or not. */
  protected timedOut(attempt: Attempt, ms: number, what: string): void {
    if (attempt !== this.attempt) return;
    const error = cheapError('TIMEOUT', `${what} timed out after ${ms} ms`, {
      provider: definedOnly({ provider: this.provider, model: this.model }),
    });
    this.failedWith(attempt, { error, rule: 'policy.timeout', signals: { timeoutMs: ms } }, false);
    attempt.abort(error);
  }

  private validated(attempt: Attempt, value: T, validate: NonNullable<CallOptions['validate']>): void {
    let verdict: unknown;
    try {
      verdict = validate(value);
    } catch (error) {
      this.failed(attempt, error, true);
      return;
    }
    if (typeof verdict === 'object' && verdict !== null) {
      Promise.resolve(verdict).then(
        () => this.succeeded(attempt, value),
        (error) => this.failed(attempt, error, true),
      );
      return;
    }
    this.succeeded(attempt, value);
  }

  private verdict(error: AgentError): boolean | undefined {
    try {
      return retryVerdict(this.retryOptions?.retryOn, error);
    } catch (thrown) {
      this.debug('retryOn threw; the classification decides', thrown);
      return undefined;
    }
  }

  /** `onRetry`, then the wait. */
  private beforeWaiting(delayMs: number): void {
    const onRetry = this.retryOptions?.onRetry;
    if (onRetry === undefined || this.lastFailure === undefined) {
      this.waitFor(delayMs);
      return;
    }
    let told: unknown;
    try {
      told = onRetry(this.lastFailure.error, { attempt: this.attempts + 1, delayMs });
    } catch (error) {
      this.endWith(error);
      return;
    }
    if (this.phase !== RUNNING) return;
    if (typeof told === 'object' && told !== null) {
      Promise.resolve(told).then(
        () => this.waitFor(delayMs),
        (error) => this.endWith(error),
      );
      return;
    }
    this.waitFor(delayMs);
  }

  private waitFor(delayMs: number): void {
    if (this.phase !== RUNNING) return;
    if (delayMs >= this.remainingMs) {
      // `onRetry` took its time: the wait would not end before the deadline, and is not begun.
      this.abandon(
        this.lastFailure?.error ?? cheapError('TIMEOUT', 'The deadline passed'),
        engine.WHY_DEADLINE,
      );
      return;
    }
    if (delayMs > 0) this.rest.wait = this.policy.time.after(delayMs, () => this.resume());
    else Promise.resolve().then(() => this.resume());
  }

  /** The wait before a retry is over. */
  protected resume(): void {
    this.rest.wait = undefined;
    if (this.phase !== RUNNING) return;
    const { policy } = this;
    if (this.instance !== engine.instanceNumber()) {
      this.goUnguarded();
      return;
    }
    let word: number;
    try {
      word = engine.resume(policy.handle, this.handle, policy.time.now());
    } catch (error) {
      policy.coreFailed(error);
      this.goUnguarded();
      return;
    }
    this.obey(word);
  }

  /** What `onRetry` throws ends the call. */
  private endWith(thrown: unknown): void {
    if (this.phase !== RUNNING) return;
    const failure = this.read(thrown, { provider: this.provider, model: this.model });
    if (this.phase !== RUNNING) return;
    this.rest.lastFailure = failure;
    this.abandon(failure.error, engine.WHY_NOT_RETRYABLE);
  }

  /** Ends a call that waits with an error, whatever the engine would have done next. */
  private abandon(error: AgentError, why: number): void {
    const word = this.tellEngine((handle, now) =>
      engine.abandon(this.policy.handle, handle, now, why, codeIndex(error.code)),
    );
    this.handle = 0;
    this.fail(error, true);
    this.follow(word);
  }

  /** Ends the call with TIMEOUT, wherever it is. */
  pastDeadline(): void {
    this.rest.deadline = undefined;
    if (this.phase !== RUNNING) return;
    const ms = this.options?.timeout?.totalMs ?? this.settings.totalMs;
    const { attempt } = this;
    if (attempt !== undefined) {
      this.timedOut(attempt, ms, 'Call');
      return;
    }
    // Waiting for a place, or for `onRetry`: nothing runs that could be cut off.
    const error = cheapError('TIMEOUT', `Call timed out after ${ms} ms`);
    this.rest.lastFailure = { error, rule: 'policy.timeout', signals: { timeoutMs: ms } };
    this.abandon(error, engine.WHY_DEADLINE);
  }

  private rejection(): AgentError {
    const by = engine.rejectedBy();
    const wait = engine.retryAfterMs();
    const retryAfterMs = Number.isNaN(wait) ? undefined : wait;
    const when = retryAfterMs === undefined ? '' : `; try again in ${retryAfterMs} ms`;
    const { policy } = this;
    if (by === 'breaker') {
      const name = policy.breaker?.name ?? policy.name;
      return cheapError('CIRCUIT_OPEN', `Circuit '${name}' is open${when}`, { retryAfterMs });
    }
    const what = by === 'bulkhead' ? 'Bulkhead is full' : 'Rate limit is reached';
    return cheapError('CAPACITY_EXCEEDED', `${what}: policy '${policy.name}'${when}`, { retryAfterMs });
  }
}

function cancelled(reason: unknown): AgentError {
  return AgentError.is(reason) && reason.code === 'CANCELLED'
    ? reason
    : cheapError('CANCELLED', 'The call was cancelled', { cause: reason });
}

function definedOnly(record: {
  provider: string | undefined;
  model: string | undefined;
}): Record<string, string> {
  const kept: Record<string, string> = {};
  if (record.provider !== undefined) kept.provider = record.provider;
  if (record.model !== undefined) kept.model = record.model;
  return kept;
}
