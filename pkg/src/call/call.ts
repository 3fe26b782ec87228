/** One guarded call: follows the engine's steps, with promises, timers and signals, until its promise is settled. */

import type { Remedy } from '../classify/remedy.js';
import { isControlFlow } from '../control-flow.js';
import * as engine from '../core/engine.js';
import {
  AgentError,
  type AgentErrorCode,
  cancellation,
  cheapError,
  codeIndex,
  hasAudience,
} from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import { debugDetails } from '../error/debug-details.js';
import { errorOf, isNotOk, responseOf } from '../error/ensure-ok.js';
import type { Failure } from '../error/failure.js';
import { finished, wasGivenUpOn } from '../error/final-error.js';
import { traced } from '../error/stack.js';
import { observe } from '../event/events.js';
import { together } from '../event/usage.js';
import { disown } from '../promises.js';
import { retries } from '../retry/options.js';
import { listen, unlisten } from './abort-listeners.js';
import { Attempt, type AttemptOwner } from './attempt.js';
import { runAll, whenDone } from './callback.js';
import { Deadline } from './deadline.js';
import * as engineCall from './engine-call.js';
import { type EngineInput, UNKNOWN_TO_ENGINE } from './engine-call.js';
import { delayOf, failureFlags, misuseReport, readThrown } from './failures.js';
import { type CallHooks, NO_HOOKS } from './hooks.js';
import type { CallHost, StepCode } from './host.js';
import { CallInfo } from './info.js';
import type { OpenCall } from './open-calls.js';
import { runOperation } from './operation.js';
import type { CallOptions, HedgeOptions } from './options.js';
import type { QueuedCall } from './queue.js';
import { known, loserFailure, refusalOf, rejection, timeoutOf } from './refusal.js';
import { type Repair, type Repaired, Repairs } from './repairs.js';
import { type CallState, DECIDING, FAILED, type Running, SETTLED } from './state.js';
import type { Outcome } from './stats.js';
import { noteUnreadStream } from './unread-stream.js';
import { asMismatch, type Checked, checked, type Validate } from './validate.js';

/** The start of an attempt whose time is not needed. V8 boxes a number that is read from a property, 16 bytes a call. */
const UNTIMED = Number.NaN;

export class Call<T> extends CallInfo implements AttemptOwner, OpenCall, QueuedCall {
  /** The engine's number of the call, 0 when it knows none (any more). */
  handle: number;
  /** The instance of the core that knows the number. */
  instance: number;
  /** How many attempts have begun. */
  attempts: number;
  /** What the call had failed with, where its value is a fallback's. */
  degraded: AgentErrorCode | undefined;
  readonly promise: Promise<T>;
  /** The neighbours in the policy's list of open calls. */
  next: OpenCall | undefined;
  previous: OpenCall | undefined;
  private readonly perform: (attempt: Attempt) => T | PromiseLike<T>;
  private readonly hooks: CallHooks<T>;
  private resolve!: (value: T | PromiseLike<T>) => void;
  private state: CallState;
  private deadline: Deadline | undefined;
  /** Those of the attempts that failed. */
  private errors: AgentError[] | undefined;
  /** How the call ends, unless something better comes of it. */
  private outcome: Outcome;

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

  /** Begins: the operation is called at once where nothing stands against it. */
  start(): Promise<T> {
    try {
      this.begin();
    } catch (thrown) {
      this.crash(thrown);
    }
    return this.promise;
  }

  private begin(): void {
    const { host, options, times } = this;
    const { totalMs } = times;
    const signal = options?.signal;
    host.counts.calls++;
    const refusal = refusalOf(this);
    if (refusal !== undefined) {
      // The call must not begin: it fails before its first attempt.
      host.emitRefused(this, refusal);
      this.fail(refusal);
      return;
    }
    host.openCalls.enter(this);
    if (signal !== undefined) listen(signal, this);
    if (totalMs !== Number.POSITIVE_INFINITY) {
      this.deadline = new Deadline(host.time, totalMs, () => this.passDeadline());
    }
    if (host.gates.size > 0 && this.failsByGate()) return;
    const shared = host.shared?.admit(options?.estimatedTokens);
    if (shared === undefined) this.take(engineCall.begin(this, options));
    else shared.then(() => this.runStep(() => this.isOpen && this.take(engineCall.begin(this, options))));
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
    this.runStep(() => this.take(code));
  }

  private take(code: StepCode): void {
    const { host, lastFailure } = this;
    this.handle = engine.callOf(code);
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
        this.moveTo({ kind: 'queued', handle: this.handle });
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
    if (this.isOpen) this.runAttempt();
  }

  private runAttempt(): void {
    const { host, hedge } = this;
    if (this.attempts > 0) host.counts.retries++;
    const attempt = this.nextAttempt();
    const running: Running = { kind: 'running', attempts: [attempt], timer: undefined };
    this.moveTo(running);
    if (hedge !== undefined && this.hooks.refusesHedges !== true) this.hedgeLater(running, hedge);
    this.startAttempt(attempt);
  }

  /** After a while another attempt begins beside those that run, unless the engine is against it. */
  private hedgeLater(running: Running, { afterMs, max = 1 }: HedgeOptions): void {
    running.timer = this.host.time.after(afterMs, () =>
      this.runStep(() => {
        if (max > 1) this.hedgeLater(running, { afterMs, max: max - 1 });
        const code = engineCall.input(this, engine.hedge);
        this.host.follow(code, this);
        if ((code & engine.STEP) !== engine.ATTEMPT || this.state !== running) return;
        const attempt = this.nextAttempt();
        running.attempts.push(attempt);
        this.startAttempt(attempt);
      }),
    );
  }

  private nextAttempt(): Attempt {
    const { host, times } = this;
    const { attemptMs } = times;
    const isTimed = host.isTimed || attemptMs !== Number.POSITIVE_INFINITY;
    host.counts.attempts++;
    return new Attempt(this, ++this.attempts, isTimed ? host.time.now() : UNTIMED);
  }

  /** Calls the operation for an attempt. */
  private startAttempt(attempt: Attempt): void {
    const { host, times } = this;
    const { attemptMs } = times;
    this.hooks.attemptBegins?.(attempt);
    if (attemptMs !== Number.POSITIVE_INFINITY) {
      const cutOff = (): void => this.timedOut(attempt, attemptMs, 'Attempt');
      attempt.timer = host.time.after(attemptMs, cutOff, attempt.startedAt);
    }
    runOperation(
      this,
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
    if (attempts.length > 1) this.succeedBeside(attempt, value, attempts);
    else this.succeedAlone(attempt, value);
  }

  /** The attempts beside the one that has answered are over, and count for nothing. */
  private succeedBeside(winner: Attempt, value: T, attempts: readonly Attempt[]): void {
    const losers = attempts.filter((attempt) => attempt !== winner);
    const { lastFailure, lastUsage } = this;
    for (const loser of losers) {
      this.leave(loser);
      this.lastFailure = loserFailure();
      this.lastUsage = loser.facts?.usage;
      this.settleTokens(loser);
      this.host.follow(this.reportFailure(loser, this.lastFailure, 0), this);
      this.lastFailure = lastFailure;
      this.lastUsage = lastUsage;
    }
    // A listener may have ended the call.
    if (this.isRunning(winner)) this.succeedAlone(winner, value);
    for (const loser of losers) loser.abort(loserFailure().error);
  }

  private succeedAlone(attempt: Attempt, value: T): void {
    const { host, options } = this;
    if (attempt.facts !== undefined) this.settleTokens(attempt);
    const code = this.hooks.reportSuccess?.(attempt, value) ?? engineCall.succeed(this, attempt.startedAt);
    this.outcome = 'succeeded';
    if (options?.cacheKey !== undefined) this.keepAnswer(options.cacheKey, value);
    this.settle();
    this.resolve(value);
    if ((code & (engine.EVENTS | engine.READY)) !== 0) host.follow(code, this, attempt.facts);
  }

  /** Keeps the answer for later calls of the same key that fail. */
  private keepAnswer(key: string, value: T): void {
    const { host, settings } = this;
    if (this.hooks.refusesFallback === true) return;
    const stale = settings.options.staleIfError;
    if (stale !== undefined) host.earlierAnswers.keep(key, value, host.time.now(), stale);
  }

  /** The answer of an earlier call of the same key. */
  private earlierAnswer(): { value: unknown; ageMs: number } | undefined {
    const { host, options, settings } = this;
    const key = options?.cacheKey;
    const stale = settings.options.staleIfError;
    if (key === undefined || stale === undefined) return undefined;
    return host.earlierAnswers.find(key, host.time.now(), stale);
  }

  /** Cuts the attempt off, whether its operation listens to the signal or not. */
  timedOut(attempt: Attempt, ms: number, what: string): void {
    if (!this.isRunning(attempt)) return;
    this.runStep(() => {
      const failure = timeoutOf(what, ms, known(this));
      this.attemptFailed(attempt, failure, false);
      attempt.abort(failure.error);
    });
  }

  /** The attempt failed with what was thrown: by the operation, or by the check of its value (`invalid`). */
  failed(attempt: Attempt, thrown: unknown, invalid = false): void {
    if (!this.isRunning(attempt)) return;
    this.runStep(() => {
      if (isControlFlow(thrown)) {
        this.passOn(thrown, attempt);
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
      this.attemptFailed(attempt, failure, wasGivenUpOn(thrown));
    });
  }

  /** The engine decides what follows. `nested`: another policy has retried it already. */
  private attemptFailed(attempt: Attempt, read: Failure, nested: boolean): void {
    this.leave(attempt);
    const failure = this.hooks.attemptFails?.(attempt, read) ?? read;
    const { error } = failure;
    const flags = failureFlags(this, failure, nested);
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
      this.repairs?.has(error) !== true;
    if (mayRepair) this.repair(attempt, failure, flags, repair);
    else this.followFailure(attempt, failure, flags);
  }

  /** Has the request of the next attempt changed, while nothing of this one is left behind in the engine. */
  private repair(attempt: Attempt, failure: Failure, flags: number, repair: Repair): void {
    const { error } = failure;
    const own = flags & ~engine.OWN_DELAY;
    this.host.follow(this.reportFailure(attempt, failure, own | engine.REPAIR_PENDING), this);
    const done = (repaired: unknown): void =>
      this.runStep(() => {
        if (!this.isOpen) return;
        if (repaired) this.followFailure(attempt, failure, own | engine.REPAIRED, repaired as Repaired);
        else this.followFailure(attempt, failure, flags);
      });
    if (!this.isOpen) return;
    whenDone(
      () => repair(error.remedy as Remedy, error),
      done,
      (thrown) => {
        if (isControlFlow(thrown)) return this.runStep(() => this.passOn(thrown));
        misuseReport(this.settings)('repair threw; the request stays as it is', thrown);
        done(false);
      },
    );
  }

  /** Gives the failure to the engine, which decides what follows. `repaired`: what was changed of the request. */
  private followFailure(attempt: Attempt, failure: Failure, flags: number, repaired?: Repaired): void {
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
      this.repairs ??= new Repairs();
      const event = this.repairs.add(failure.error, repaired);
      this.renewKey();
      this.hooks.followsFailure?.(true);
      host.emit(this, { type: 'attempt.repaired', attempt: attempt.attempt, ...event });
      host.follow(code, this);
      this.wait(0);
    } else this.take(code);
  }

  /** The tokens that the attempt has used, where they are known, replace the estimate. */
  private settleTokens({ attempt, facts }: Attempt): void {
    if (!this.settings.countsTokens || facts?.usage === undefined) return;
    const { inputTokens = 0, outputTokens = 0 } = facts.usage;
    engineCall.used(this, attempt, inputTokens + outputTokens);
  }

  /** The same for those that run, as the call is over: the call's last event has what they used. */
  private settleRunning(): void {
    const { state } = this;
    if (state.kind !== 'running') return;
    for (const attempt of state.attempts) {
      this.settleTokens(attempt);
      this.openUsage = together(this.openUsage, attempt.facts?.usage);
    }
  }

  /** Gives the failure to the engine, and returns the step that follows. */
  private reportFailure(
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

  /** `onRetry`, then the wait. What `onRetry` throws ends the call. */
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
      (thrown) => this.runStep(() => this.endWith(thrown)),
    );
  }

  private wait(delayMs: number): void {
    if (!this.isOpen) return;
    if (delayMs >= this.remainingMs) {
      // `onRetry` took its time: the wait would not end before the deadline, and is not begun.
      const error = this.lastFailure?.error ?? cheapError('TIMEOUT', 'The deadline passed');
      this.abandon(error, engine.WHY_DEADLINE);
      return;
    }
    const waiting: CallState = { kind: 'waiting', timer: undefined };
    this.moveTo(waiting);
    const resume = (): void => this.resume();
    if (delayMs > 0) waiting.timer = this.host.time.after(delayMs, resume);
    else Promise.resolve().then(resume);
  }

  /** The wait before a retry is over. */
  resume(): void {
    if (this.state.kind !== 'waiting') return;
    this.runStep(() => {
      if (this.hooks.mayResume?.() === false) return;
      this.take(engineCall.input(this, engine.resume));
    });
  }

  private endWith(thrown: unknown): void {
    if (!this.isOpen) return;
    if (isControlFlow(thrown)) {
      this.passOn(thrown);
      return;
    }
    const failure = readThrown(this, thrown);
    if (!this.isOpen) return;
    this.lastFailure = failure;
    this.abandon(failure.error, engine.WHY_NOT_RETRYABLE);
  }

  /** Ends a call that waits with an error, whatever the engine would have done next. */
  private abandon(error: AgentError, why: number): void {
    const code = this.leaveEngine((policy, call, now) =>
      engine.abandon(policy, call, now, why, codeIndex(error.code)),
    );
    this.failAfter(code, error);
  }

  /** Ends the call with an error, after the engine's last step about it. */
  private failAfter(code: StepCode, error: AgentError): void {
    const { host } = this;
    // Taken first: `onError` and a fallback may make calls.
    const records = host.recordsOf(code);
    this.fail(error);
    host.report(records, this);
    host.follow(code & ~engine.EVENTS, this);
  }

  /** The engine's last input about the call, which is in no queue by then: should the core trap, those that wait run. */
  private leaveEngine(input: EngineInput): StepCode {
    this.moveTo(DECIDING);
    return engineCall.leave(this, input);
  }

  /** The call failed for good: observers are notified, then a fallback runs, or the promise rejects. */
  private fail(error: AgentError): void {
    this.hooks.followsFailure?.(false);
    const final = this.finalError(error);
    if (final.code === 'CANCELLED') this.outcome = 'cancelled';
    this.handle = 0;
    this.moveTo(FAILED);
    this.deadline?.clear();
    const { options, settings } = this;
    const { onError } = settings.options;
    if (onError !== undefined) observe(onError, this.span(), responseFor(final));
    // onError may have aborted the call.
    if (this.isSettled) return;
    const fallback = options?.fallback ?? settings.options.fallback;
    const fallsBack = this.hooks.refusesFallback !== true && final.code !== 'CANCELLED';
    const earlier = fallsBack ? this.earlierAnswer() : undefined;
    if (earlier !== undefined) {
      this.fellBack(final, earlier.value as T, earlier.ageMs);
      return;
    }
    if (!fallsBack || fallback === undefined) {
      this.reject(final);
      return;
    }
    const context = new Attempt(this, 0, Number.NaN);
    this.moveTo({ kind: 'falling-back', context });
    whenDone(
      () => fallback(final, context),
      (value) => this.runStep(() => this.fellBack(final, value as T)),
      (thrown) => this.runStep(() => this.fallbackFailed(final, thrown)),
    );
  }

  private fellBack({ code }: AgentError, value: T, ageMs?: number): void {
    if (this.isSettled) return;
    this.degraded = code;
    this.host.emit(this, { type: 'fallback.used', code, ageMs });
    this.host.counts.fallbacks++;
    this.settle();
    this.resolve(value);
  }

  private fallbackFailed(error: AgentError, thrown: unknown): void {
    if (this.isSettled) return;
    if (isControlFlow(thrown)) {
      // It goes elsewhere: that is what stands in for the value.
      this.fellBack(error, Promise.reject(thrown) as T);
      return;
    }
    const { error: own } = readThrown(this, thrown);
    if (this.isSettled) return;
    this.host.emit(this, { type: 'fallback.used', code: error.code, failed: true });
    this.reject(finished(own, { attempts: error.attempts, errors: error.errors, cause: error }));
  }

  // ── ends from outside

  /** The caller aborted. */
  handleEvent(): void {
    const reason: unknown = this.options?.signal?.reason;
    this.cancel(cancellation(reason), reason);
  }

  /** Ends the call with CANCELLED at once, wherever it is. */
  cancel(error: AgentError, reason: unknown): void {
    this.runStep(() => {
      const { state } = this;
      if (state.kind === 'settled') return;
      if (this.isOpen) {
        this.settleRunning();
        const code = this.leaveEngine(engine.cancel);
        this.failAfter(code, error);
      } else {
        this.outcome = 'cancelled';
        this.reject(this.finalError(error));
      }
      if (state.kind === 'running') for (const attempt of state.attempts) attempt.abort(reason ?? error);
      else if (state.kind === 'falling-back') state.context.abort(reason ?? error);
    });
  }

  /** Ends the call well, though not at its end: its consumer wants no more of it. */
  close(reason: unknown, value: T): void {
    const { state } = this;
    if (!this.isOpen) return;
    this.closeEarly(() => this.resolve(value));
    if (state.kind === 'running') for (const attempt of state.attempts) attempt.abort(reason);
  }

  /** Ends the call with control flow of its host, as it was thrown: that is no result, neither good nor bad. */
  private passOn(thrown: unknown, from?: Attempt): void {
    const { state } = this;
    if (!this.isOpen) return;
    this.closeEarly(() => this.rejectLater(thrown));
    if (state.kind !== 'running') return;
    for (const other of state.attempts) if (other !== from) other.abort(loserFailure().error);
  }

  private closeEarly(settle: () => void): void {
    this.settleRunning();
    const code = this.leaveEngine(engine.closeEarly);
    this.outcome = 'succeeded';
    this.settle();
    settle();
    this.host.follow(code, this);
  }

  /** Ends the call with TIMEOUT, wherever it is. */
  passDeadline(): void {
    this.deadline?.clear();
    if (!this.isOpen) return;
    const { totalMs: ms } = this.times;
    const { state } = this;
    if (state.kind === 'running') {
      for (const attempt of [...state.attempts]) this.timedOut(attempt, ms, 'Call');
      return;
    }
    this.runStep(() => {
      // In the queue, or before a retry: nothing runs that could be cut off.
      const failure = timeoutOf('Call', ms);
      this.lastFailure = failure;
      this.abandon(failure.error, engine.WHY_DEADLINE);
    });
  }

  // ── the state

  /** Whether the attempt runs: a result of any other is late and dropped. */
  isRunning(attempt: Attempt): boolean {
    const { state } = this;
    return state.kind === 'running' && state.attempts.includes(attempt);
  }

  /** The attempt is over. Where others run beside it they go on; else what comes next is to be decided. */
  private leave(attempt: Attempt): void {
    const { state } = this;
    if (state.kind !== 'running' || !state.attempts.includes(attempt)) return;
    if (state.attempts.length === 1) {
      this.moveTo(DECIDING);
      return;
    }
    state.attempts.splice(state.attempts.indexOf(attempt), 1);
    attempt.end();
  }

  /** Whether the call may still succeed by an attempt. */
  private get isOpen(): boolean {
    const { kind } = this.state;
    return kind !== 'failed' && kind !== 'falling-back' && kind !== 'settled';
  }

  get isWaiting(): boolean {
    const { kind } = this.state;
    return kind === 'queued' || kind === 'waiting';
  }

  private get isSettled(): boolean {
    return this.state.kind === 'settled';
  }

  /** Leaves a state with everything that belongs to it. */
  private moveTo(state: CallState): void {
    const left = this.state;
    this.state = state;
    if (state === SETTLED && left !== SETTLED) this.host.counts[this.outcome]++;
    if (left.kind === 'running') for (const attempt of left.attempts) attempt.end();
    if (left.kind === 'running' || left.kind === 'waiting') left.timer?.cancel();
    else if (left.kind === 'queued') this.host.queue.remove(left.handle);
  }

  /** The call is over, and nothing of it is left behind. */
  private settle(): void {
    this.moveTo(SETTLED);
    this.deadline?.clear();
    const { host, options } = this;
    if (options?.signal !== undefined) unlisten(options.signal, this);
    host.openCalls.leave(this);
  }

  /** Settles with an error: with the frames of its callers, but for refusals, which are frequent and say it all. */
  private reject(error: AgentError): void {
    this.settle();
    if (this.attempts > 0) this.resolve(traced(error));
    else this.rejectLater(error);
  }

  /**
   * Rejects the promise, unless it is settled. The caller may not have it yet: to reject at once would make Node report an
   * unhandled rejection. One function settles the promise, because a second one would cost each call in flight 64 bytes.
   */
  private rejectLater(error: unknown): void {
    const rejected = Promise.reject(error);
    disown(rejected);
    this.resolve(rejected);
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
   * now and then. Whatever happens, the promise is settled and the policy keeps nothing of the call.
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

  /** The error that the call rejects with: of its last attempt's class, with all that came before. */
  private finalError(error: AgentError): AgentError {
    let final = this.repairs?.explained(error) ?? error;
    // Without an attempt the error was made for this call: nothing to add.
    if (this.attempts > 0) {
      // A stream that broke off was not tried again: a call around it may begin anew.
      const isBroken = this.lastFailure?.isBrokenStream === true;
      const gaveUp = error.retryable && retries(this.retryOptions) && !isBroken;
      final = finished(final, { attempts: this.attempts, errors: this.errors ?? [], gaveUp });
    }
    const { audience } = this;
    if (audience !== undefined && !hasAudience(final)) final = finished(final, { audience });
    return this.hooks.finalError?.(final) ?? final;
  }
}
