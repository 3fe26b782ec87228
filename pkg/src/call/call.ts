/** One guarded call: follows the engine's steps, with promises, timers and signals, until its promise is settled. */

import { thisContext } from '../async-context.js';
import { isControlFlow } from '../control-flow.js';
import * as engine from '../core/engine.js';
import { whenWords, wordsAreHere } from '../core/words.js';
import {
  AgentError,
  type AgentErrorCode,
  cancellation,
  cheapError,
  codeIndex,
} from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import { debugDetails } from '../error/debug-details.js';
import { errorOf, isNotOk, responseOf } from '../error/ensure-ok.js';
import type { Failure } from '../error/failure.js';
import { finished, NO_PAST, type Past, pastOf } from '../error/final-error.js';
import { traced } from '../error/stack.js';
import { observe } from '../event/events.js';
import { deferred, Rejection } from '../promises.js';
import { listen, unlisten } from './abort-listeners.js';
import { Attempt, type AttemptOwner } from './attempt.js';
import { runAll, whenDone } from './callback.js';
import { Deadline } from './deadline.js';
import type { DrivenCall } from './driven-call.js';
import { abandon, cancel, endWith, finalError, passDeadline, passOn } from './ends.js';
import * as engineCall from './engine-call.js';
import { UNKNOWN_TO_ENGINE } from './engine-call.js';
import { delayOf, failureFlags, misuseReport, readThrown } from './failures.js';
import { keepAnswer, standIn } from './fallback.js';
import { hedgeLater, succeedBeside } from './hedge.js';
import { HeldSlots } from './held-slots.js';
import { type CallHooks, NO_HOOKS } from './hooks.js';
import type { CallHost, StepCode } from './host.js';
import { CallInfo } from './info.js';
import type { OpenCall } from './open-calls.js';
import { runOperation } from './operation.js';
import type { CallOptions } from './options.js';
import { type Holder, holderOf, parentOf } from './parents.js';
import type { QueuedCall } from './queue.js';
import { known, refusalOf, rejection, timeoutOf } from './refusal.js';
import { repairFirst } from './repair.js';
import { type Repair, type Repaired, Repairs } from './repairs.js';
import { type CallState, DECIDING, FAILED, type Running, SETTLED } from './state.js';
import type { Outcome } from './stats.js';
import { noteUnreadStream } from './unread-stream.js';
import { asMismatch, type Checked, checked, type Validate } from './validate.js';

/** The start of an attempt whose time is not needed. V8 boxes a number that is read from a property, 16 bytes a call. */
const UNTIMED = Number.NaN;

// Its fields are declarations: as definitions, each would be written twice, first by a function of its own.
export class Call<T> extends CallInfo implements DrivenCall<T>, AttemptOwner, OpenCall, QueuedCall {
  /** The engine's number of the call, 0 when it knows none (any more). */
  declare handle: number;
  /** The instance of the core that knows the number. */
  declare instance: number;
  /** How many attempts have begun. */
  declare attempts: number;
  /** The code that the call failed with, if its value is a fallback's. */
  declare degraded: AgentErrorCode | undefined;
  declare readonly promise: Promise<T>;
  /** The neighbours in the policy's list of open calls. */
  declare next: OpenCall | undefined;
  declare previous: OpenCall | undefined;
  declare private readonly perform: (attempt: Attempt) => T | PromiseLike<T>;
  declare readonly hooks: CallHooks<T>;
  declare resolve: (value: T | PromiseLike<T>) => void;
  declare state: CallState;
  declare deadline: Deadline | undefined;
  /** Those of the attempts that failed. */
  declare errors: AgentError[] | undefined;
  /** How the call ends, unless a later attempt ends better. */
  declare outcome: Outcome;

  constructor(
    host: CallHost,
    operation: (attempt: Attempt) => T | PromiseLike<T>,
    options: CallOptions | undefined,
    hooks: CallHooks<T> = NO_HOOKS,
  ) {
    super(host, options);
    this.handle = 0;
    this.instance = -1;
    this.attempts = 0;
    this.degraded = undefined;
    this.next = undefined;
    this.previous = undefined;
    this.perform = operation;
    this.hooks = hooks;
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.state = DECIDING;
    this.deadline = undefined;
    this.errors = undefined;
    this.outcome = 'failed';
  }

  // ── the way of a call: begin, attempts, waits, the end

  /** Begins: the operation is called at once unless the policy queues or refuses it. */
  start(): Promise<T> {
    const { host, options, settings, times, promise } = this;
    const { totalMs } = times;
    const signal = options?.signal;
    try {
      host.counts.calls++;
      const refusal = refusalOf(this);
      if (refusal !== undefined) {
        // The call must not begin: it fails before its first attempt.
        host.emitRefused(this, refusal);
        this.fail(refusal);
        return promise;
      }
      host.openCalls.enter(this);
      if (signal !== undefined) listen(signal, this);
      if (totalMs !== Number.POSITIVE_INFINITY) {
        this.deadline = new Deadline(host.time, totalMs, () => this.passDeadline());
      }
      if (host.gates.size > 0 && this.failsByGate()) return promise;
      if (settings.limits === 'none' && host.shared === undefined)
        this.take(engineCall.begin(this, options, false));
      else this.beginWithin();
    } catch (thrown) {
      this.crash(thrown);
    }
    return promise;
  }

  /** Begins a call that takes slots, or that other processes must admit. */
  private beginWithin(): void {
    const { host, options, settings } = this;
    // A stream begins where its first chunk is requested.
    if (settings.limits !== 'none') this.parent = parentOf(options?.signal) ?? this.parent;
    const isWithin = this.holder !== undefined;
    const begin = (): void => this.take(engineCall.begin(this, options, isWithin));
    const shared = isWithin ? undefined : host.shared?.admit(options?.estimatedTokens);
    if (shared === undefined) begin();
    else shared.then(() => this.runStep(() => this.isOpen && begin()));
  }

  /** The attempt of another call of the policy that holds the slots for this one, if there is one. */
  private get holder(): Holder | undefined {
    return this.settings.limits === 'none' ? undefined : holderOf(this.host, this.parent);
  }

  private slotsOf(attempt: Attempt): Holder | undefined {
    return this.holder === undefined ? new HeldSlots(this, attempt) : undefined;
  }

  /** Fails the call where a cap of the application's is against it. Returns whether it did. */
  private failsByGate(): boolean {
    const { host } = this;
    for (const gate of host.gates) {
      const refused = gate();
      if (refused === undefined) continue;
      this.outcome = 'rejected';
      host.emitRefused(this, refused);
      this.fail(refused);
      return true;
    }
    return false;
  }

  /** Takes the engine's next step. */
  advance(code: StepCode): void {
    this.inContext(() => this.runStep(() => this.take(code)));
  }

  /** Goes on in the call's own async context: whoever ends a wait in the queue runs in another one. */
  private inContext(step: () => void): void {
    const { state } = this;
    if (state.kind === 'queued') state.context(step);
    else step();
  }

  private take(code: StepCode): void {
    const { host, lastFailure } = this;
    this.handle = code >>> engine.CALL_SHIFT;
    const step = code & engine.STEP;
    // Read first: listeners may call policies, whose steps are written to the same shared buffer.
    const delayMs = step === engine.WAIT ? engine.delayMs() : 0;
    const refused = step === engine.REJECTED ? rejection(this) : undefined;
    const records = (code & engine.EVENTS) === 0 ? undefined : host.recordsOf(code);
    this.hooks.followsFailure?.(step === engine.WAIT);
    if (records !== undefined) host.report(records, this);
    // A listener may have aborted the call or disposed the policy.
    if (!this.isOpen) {
      host.follow(code & ~engine.EVENTS, this);
      return;
    }
    // The core has trapped meanwhile, and its successor does not know the call.
    if (engineCall.isLost(this)) {
      this.goUnguarded();
      return;
    }
    switch (step) {
      case engine.ATTEMPT:
        this.runAttempt();
        break;
      case engine.WAIT:
        this.beforeWaiting(delayMs);
        break;
      case engine.QUEUED:
        this.moveTo({ kind: 'queued', handle: this.handle, context: thisContext() });
        host.queue.add(this);
        host.shared?.wanting(this.options?.estimatedTokens);
        break;
      case engine.REJECTED:
      case engine.GIVE_UP:
        if (step === engine.REJECTED) {
          this.outcome = 'rejected';
          // The others cannot help against an open breaker.
          if (refused?.code !== 'CIRCUIT_OPEN') host.shared?.wanting(this.options?.estimatedTokens);
        }
        this.fail(refused ?? lastFailure?.error ?? cheapError('UNKNOWN', 'The call failed'));
        break;
      default:
        this.goUnguarded();
        return;
    }
    if ((code & engine.READY) !== 0) host.queue.pump();
  }

  /** Goes on without the engine, which does not know the call any more. */
  goUnguarded(): void {
    this.host.coreReplaced();
    this.handle = 0;
    if (this.isOpen) this.inContext(() => this.runAttempt());
  }

  private runAttempt(): void {
    const { host, hedge } = this;
    if (this.attempts > 0) host.counts.retries++;
    const attempt = this.nextAttempt();
    const running: Running = { kind: 'running', attempts: [attempt], timer: undefined };
    this.moveTo(running);
    if (hedge !== undefined && this.hooks.refusesHedges !== true) hedgeLater(this, running, hedge);
    this.startAttempt(attempt);
  }

  nextAttempt(): Attempt {
    const { host, times } = this;
    const { attemptMs } = times;
    const isTimed = host.isTimed || attemptMs !== Number.POSITIVE_INFINITY;
    host.counts.attempts++;
    return new Attempt(this, ++this.attempts, isTimed ? host.time.now() : UNTIMED);
  }

  /** Calls the operation for an attempt. */
  startAttempt(attempt: Attempt): void {
    const { host, times } = this;
    const { attemptMs } = times;
    this.hooks.attemptBegins?.(attempt);
    if (attemptMs !== Number.POSITIVE_INFINITY) {
      const cutOff = (): void => this.timedOut(attempt, attemptMs, 'Attempt');
      attempt.timer = host.time.after(attemptMs, cutOff, attempt.startedAt);
    }
    runOperation(
      this,
      this.settings.limits === 'none' ? undefined : this.slotsOf(attempt),
      this.perform,
      attempt,
      (value) => this.returned(attempt, value),
      (thrown) => this.failed(attempt, thrown),
    );
  }

  /** The operation returned a value. */
  private returned(attempt: Attempt, value: T): void {
    if (!this.isRunning(attempt)) return;
    try {
      if (typeof value === 'object' && value !== null) {
        if (isNotOk(value) && this.failsOnNotOk) {
          const failed = (error: unknown): void => this.failed(attempt, error);
          errorOf(value, this.host.time).then(failed, failed);
          return;
        }
        noteUnreadStream(value, attempt, this);
        if (this.readsUsage) attempt.noteResponse(value);
        // A getter may have ended the call.
        if (!this.isRunning(attempt)) return;
      }
      const validate = this.options?.validate;
      if (validate === undefined) this.succeed(attempt, value);
      else this.validate(attempt, value, validate, (output) => this.succeed(attempt, output));
    } catch (thrown) {
      this.crash(thrown);
    }
  }

  /** Goes on with the value that `validate` makes of it, or fails the attempt. */
  validate<V>(attempt: Attempt, value: V, validate: Validate, goOn: (value: V) => void): void {
    const settle = (result: Checked<V>): void =>
      this.runStep(() => {
        if (!this.isRunning(attempt)) return;
        if ('value' in result) goOn(result.value);
        else this.failed(attempt, result.thrown, true);
      });
    const result = checked(value, validate);
    if (result instanceof Promise) result.then(settle);
    else settle(result);
  }

  /** The attempt, which runs, is a success, and so is the call. */
  succeed(attempt: Attempt, value: T): void {
    const { attempts } = this.state as Running;
    if (attempts.length > 1) {
      succeedBeside(this, attempt, value, attempts);
      return;
    }
    const { host, options } = this;
    if (attempt.facts !== undefined) this.settleTokens(attempt);
    const code = this.hooks.reportSuccess?.(attempt, value) ?? engineCall.succeed(this, attempt.startedAt);
    this.outcome = 'succeeded';
    if (options?.cacheKey !== undefined) keepAnswer(this, options.cacheKey, value);
    this.settle();
    this.resolve(value);
    if ((code & (engine.EVENTS | engine.READY)) !== 0) host.follow(code, this, attempt.facts);
  }

  /** Cuts the attempt off, whether its operation listens to the signal or not. */
  timedOut(attempt: Attempt, ms: number, what: string): void {
    if (!this.isRunning(attempt)) return;
    this.runStep(() => {
      const failure = timeoutOf(what, ms, known(this));
      this.attemptFailed(attempt, failure, NO_PAST);
      attempt.abort(failure.error);
    });
  }

  /** The attempt failed with what was thrown: by the operation, or by the check of its value (`invalid`). */
  failed(attempt: Attempt, thrown: unknown, invalid = false): void {
    if (!this.isRunning(attempt)) return;
    if (wordsAreHere()) {
      this.decideOn(attempt, thrown, invalid);
      return;
    }
    // It is over and only its meaning is not known: it cannot time out any more, and takes no longer.
    const { time } = this.host;
    const failedAt = time.now();
    attempt.end();
    whenWords(() => {
      attempt.startedAt += time.now() - failedAt;
      this.decideOn(attempt, thrown, invalid);
    });
  }

  private decideOn(attempt: Attempt, thrown: unknown, invalid: boolean): void {
    if (!this.isRunning(attempt)) return;
    this.runStep(() => {
      if (isControlFlow(thrown)) {
        passOn(this, thrown, attempt);
        return;
      }
      this.leave(attempt);
      if (this.readsUsage) attempt.noteResponse(thrown);
      let failure = readThrown(this, thrown);
      if (invalid) failure = asMismatch(failure, thrown);
      const response = responseOf(thrown);
      if (response !== undefined) {
        failure = { ...failure, error: finished(failure.error, { cause: response }) };
      }
      this.attemptFailed(attempt, failure, pastOf(thrown));
    });
  }

  /** The engine decides what follows. A failure that a call within has retried, or should have, is not retried here. */
  private attemptFailed(attempt: Attempt, read: Failure, past: Past): void {
    const nested = past.gaveUp || past.failed.includes(this.host);
    this.leave(attempt);
    const failure = this.hooks.attemptFails?.(attempt, read) ?? read;
    const { error } = failure;
    const flags = failureFlags(this, failure, nested, past);
    // A classifier, a predicate or a getter of the thrown value may have ended the call.
    if (!this.isOpen) return;
    this.lastFailure = failure;
    this.lastUsage = attempt.facts?.usage;
    this.settleTokens(attempt);
    this.errors ??= [];
    this.errors.push(error);
    const { onDebug } = this.settings.options;
    if (onDebug !== undefined) observe(onDebug, ...debugDetails(failure, attempt.attempt));
    if (!this.isOpen) return;
    if (error.retryAfterMs !== undefined && !nested) this.host.shared?.hinted(error.code, error.retryAfterMs);
    const repair: Repair | undefined = this.options?.repair;
    const mayRepair =
      repair !== undefined &&
      error.remedy !== undefined &&
      this.state.kind !== 'running' &&
      !nested &&
      failure.isBrokenStream !== true &&
      (this.repairs ?? new Repairs(repair)).allows(error);
    if (mayRepair) repairFirst(this, attempt, failure, flags, repair);
    else this.followFailure(attempt, failure, flags);
  }

  /** Gives the failure to the engine, which decides what follows. `repaired`: what was changed of the request. */
  followFailure(attempt: Attempt, failure: Failure, flags: number, repaired?: Repaired): void {
    const { host } = this;
    let code = this.reportFailure(attempt, failure, flags);
    if ((code & engine.STEP) === engine.NEED_DELAY) {
      const delayMs = delayOf(this);
      if (!this.isOpen) return;
      code = this.reportFailure(attempt, failure, flags & ~engine.OWN_DELAY, delayMs);
    }
    // Others run beside it: they may yet succeed.
    if (this.state.kind === 'running') host.follow(code, this);
    else if ((code & engine.STEP) === UNKNOWN_TO_ENGINE) this.fail(failure.error);
    else if (repaired !== undefined && (code & engine.STEP) === engine.WAIT) {
      this.repairs ??= new Repairs(this.options?.repair as Repair);
      const event = this.repairs.add(failure.error, repaired);
      this.renewKey();
      this.hooks.followsFailure?.(true);
      host.emit(this, { type: 'attempt.repaired', attempt: attempt.attempt, ...event });
      host.follow(code, this);
      this.wait(0);
    } else this.take(code);
  }

  /** Replaces the estimate by the tokens that the attempt has used, if they are known. */
  settleTokens({ attempt, facts, place }: Attempt): void {
    if (this.settings.limits !== 'tokens' || facts?.usage === undefined) return;
    const { inputTokens = 0, outputTokens = 0 } = facts.usage;
    const tokens = inputTokens + outputTokens;
    const { holder } = this;
    if (holder !== undefined) holder.used(tokens);
    else engineCall.used(this, attempt, Math.max(tokens, place?.holder?.tokens ?? 0));
  }

  /** Gives the failure to the engine, and returns the step that follows. */
  reportFailure(
    running: Attempt,
    { error: { code, retryAfterMs = Number.NaN } }: Failure,
    flags: number,
    delayMs = Number.NaN,
  ): StepCode {
    const { attempt, startedAt } = running;
    const now = this.host.time.now();
    const [index, tookMs] = [codeIndex(code), now - startedAt];
    return engineCall.input(
      this,
      (policy, call) =>
        engine.attemptFailed(policy, call, now, index, flags, retryAfterMs, tookMs, delayMs, attempt),
      now,
    );
  }

  /** Calls `onRetry`, then waits. An error of `onRetry` ends the call. */
  private beforeWaiting(delayMs: number): void {
    const { lastFailure, retryOptions } = this;
    const onRetry = retryOptions?.onRetry;
    if (onRetry === undefined || lastFailure === undefined) {
      this.wait(delayMs);
      return;
    }
    const { error } = lastFailure;
    const attempt = this.attempts + 1;
    whenDone(
      () => onRetry(error, { attempt, delayMs }),
      () => this.runStep(() => this.wait(delayMs)),
      (thrown) => this.runStep(() => endWith(this, thrown)),
    );
  }

  private wait(delayMs: number): void {
    if (!this.isOpen) return;
    if (delayMs >= this.remainingMs) {
      // `onRetry` took its time: the wait would not end before the deadline, and is not begun.
      const error = this.lastFailure?.error ?? cheapError('TIMEOUT', 'The deadline passed');
      abandon(this, error, engine.WHY_DEADLINE);
      return;
    }
    const waiting: CallState = { kind: 'waiting', timer: undefined };
    this.moveTo(waiting);
    const { promise, resolve } = deferred<void>();
    // A reaction to a promise runs in the context in which it was added; the timer of a virtual clock, in that of its test.
    promise.then(() => this.resume());
    if (delayMs > 0) waiting.timer = this.host.time.after(delayMs, resolve);
    else resolve();
  }

  /** The wait before a retry is over. */
  resume(): void {
    if (this.state.kind !== 'waiting') return;
    this.runStep(() => {
      if (this.hooks.mayResume?.() === false) return;
      this.take(engineCall.input(this, engine.resume));
    });
  }

  /** The call failed for good: observers are notified, then a fallback runs, or the promise rejects. */
  fail(error: AgentError): void {
    this.hooks.followsFailure?.(false);
    const final = finalError(this, error);
    if (final.code === 'CANCELLED') this.outcome = 'cancelled';
    this.handle = 0;
    this.moveTo(FAILED);
    this.deadline?.clear();
    // A cancelled call ends at once; any other error has its message when it is seen.
    if (wordsAreHere() || final.code === 'CANCELLED') this.failedFor(final);
    else whenWords(() => this.runStep(() => this.failedFor(final)));
  }

  private failedFor(final: AgentError): void {
    if (this.isSettled) return;
    const { onError } = this.settings.options;
    if (onError !== undefined) observe(onError, this.span(), responseFor(final));
    // onError may have aborted the call.
    if (this.isSettled) return;
    standIn(this, final);
  }

  // ── ends from outside

  /** The caller aborted. */
  handleEvent(): void {
    const reason: unknown = this.options?.signal?.reason;
    cancel(this, cancellation(reason), reason);
  }

  cancel(error: AgentError, reason: unknown): void {
    cancel(this, error, reason);
  }

  passDeadline(): void {
    this.inContext(() => passDeadline(this));
  }

  // ── the state

  /** Returns `true` if the attempt runs: a result of any other is late and dropped. */
  isRunning(attempt: Attempt): boolean {
    const { state } = this;
    return state.kind === 'running' && state.attempts.includes(attempt);
  }

  /** The attempt is over. Where others run beside it they go on; else what comes next is to be decided. */
  leave(attempt: Attempt): void {
    const { state } = this;
    if (state.kind !== 'running' || !state.attempts.includes(attempt)) return;
    if (state.attempts.length === 1) {
      this.moveTo(DECIDING);
      return;
    }
    state.attempts.splice(state.attempts.indexOf(attempt), 1);
    attempt.end();
  }

  /** `true` if the call may still succeed by an attempt. */
  get isOpen(): boolean {
    const { kind } = this.state;
    return kind !== 'failed' && kind !== 'falling-back' && kind !== 'settled';
  }

  get isWaiting(): boolean {
    const { kind } = this.state;
    return kind === 'queued' || kind === 'waiting';
  }

  get isSettled(): boolean {
    return this.state.kind === 'settled';
  }

  /** Leaves a state with everything that belongs to it. */
  moveTo(state: CallState): void {
    const left = this.state;
    this.state = state;
    if (state === SETTLED && left !== SETTLED) this.host.counts[this.outcome]++;
    if (left.kind === 'running') for (const attempt of left.attempts) attempt.end();
    if (left.kind === 'running' || left.kind === 'waiting') left.timer?.cancel();
    else if (left.kind === 'queued') this.host.queue.remove(left.handle);
  }

  /** The call is over, and nothing of it is left behind. */
  settle(): void {
    this.moveTo(SETTLED);
    this.deadline?.clear();
    const { host, options } = this;
    if (options?.signal !== undefined) unlisten(options.signal, this);
    host.openCalls.leave(this);
  }

  /** Settles with an error: with the frames of its callers, except for refusals, which are frequent and need none. */
  reject(error: AgentError): void {
    this.settle();
    if (this.attempts > 0) this.resolve(traced(error));
    else this.rejectLater(error);
  }

  /**
   * Rejects the promise, unless it is settled. The caller may not have it yet: to reject at once would make Node report an
   * unhandled rejection. One function settles the promise, because a second one would cost each call in flight 64 bytes.
   */
  rejectLater(error: unknown): void {
    this.resolve(new Rejection(error));
  }

  /** Runs a step of the call that a timer, a signal or a promise brings: should it throw, the call is settled all the same. */
  runStep(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.crash(thrown);
    }
  }

  /**
   * Settles the call when a step of it threw, which none should: a clock that throws, an error whose getters throw only
   * now and then. In every case the promise is settled and the policy keeps nothing of the call.
   */
  private crash(thrown: unknown): void {
    const error = AgentError.from(thrown);
    const code = codeIndex(error.code);
    runAll([
      () => this.moveTo(SETTLED),
      () => this.deadline?.clear(),
      () => this.settle(),
      () => {
        const abandoned = engineCall.leave(this, (policy, call, now) =>
          engine.abandon(policy, call, now, engine.WHY_NOT_RETRYABLE, code),
        );
        this.host.follow(abandoned, this);
      },
      () => misuseReport(this.settings)('A step of the call threw; the call has ended with it', thrown),
    ]);
    this.rejectLater(error);
  }

  // ── what others read of it

  get remainingMs(): number {
    return this.deadline?.remainingMs ?? Number.POSITIVE_INFINITY;
  }

  observeLimits(headers: unknown): void {
    this.host.observeLimits(this, headers, true);
  }

  showLimits(headers: object): void {
    this.host.observeLimits(this, headers, false);
  }
}
