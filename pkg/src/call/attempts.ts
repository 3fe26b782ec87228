/** The attempts of a call: the operation is run, what it came to is read, and the engine is told. */

import * as engine from '../core/engine.js';
import { AgentError, cheapError, codeIndex } from '../error/agent-error.js';
import { debugDetails } from '../error/debug-details.js';
import { errorOf, isNotOk, responseOf } from '../error/ensure-ok.js';
import { type Failure, mayHaveReachedProvider } from '../error/failure.js';
import { finished, wasGivenUpOn } from '../error/final-error.js';
import { copyStack } from '../error/stack.js';
import { observe } from '../event/events.js';
import { disown } from '../promises.js';
import { retryVerdict } from '../retry/options.js';
import { Attempt } from './attempt.js';
import { runAs } from './parents.js';
import { type CallOptions, Ending, RUNNING } from './state.js';
import { isStreamResult, UNREAD_STREAM } from './unread-stream.js';
import { type Checked, checked, type Validate } from './validate.js';

/** What is thrown by a check of the value, if it says no more than that: a schema's own class of error is VALIDATION_ERROR. */
const IS_MISMATCH: ReadonlySet<string> = new Set(['UNKNOWN', 'VALIDATION_ERROR']);

/** Runs attempts; what follows from them is the call's. */
export abstract class Attempting<T> extends Ending<T> {
  /** Does what the engine says next. */
  abstract obey(word: number): void;

  /** Begins an attempt. */
  protected run(): void {
    const { operation, options, policy, settings } = this;
    const attemptMs = options?.timeout?.attemptMs ?? settings.attemptMs;
    const timed = attemptMs !== Number.POSITIVE_INFINITY;
    const now = timed || policy.timed ? policy.time.now() : Number.NaN;
    const attempt = new Attempt(this as Ending<unknown>, ++this.attempts, now);
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
    let promise: Promise<T> | undefined;
    try {
      // `Promise.resolve` reads the constructor of a promise of another realm, which may throw.
      if ((typeof result === 'object' && result !== null) || typeof result === 'function')
        promise = Promise.resolve(result);
    } catch (error) {
      this.failed(attempt, error);
      return;
    }
    if (promise === undefined) this.returned(attempt, result as T);
    else this.await(attempt, promise);
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
    try {
      const error = cheapError('TIMEOUT', `${what} timed out after ${ms} ms`, {
        provider: definedOnly({ provider: this.provider, model: this.model }),
      });
      this.failedWith(attempt, { error, rule: 'policy.timeout', signals: { timeoutMs: ms } }, false);
      attempt.abort(error);
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  /** Goes on with the value that `validate` makes of it, or fails the attempt. */
  protected validated<V>(
    attempt: Attempt,
    value: V,
    validate: NonNullable<CallOptions['validate']>,
    goOn: (value: V) => void,
  ): void {
    const settle = (result: Checked<V>): void =>
      this.surely(() => {
        if (attempt !== this.attempt) return;
        if ('value' in result) goOn(result.value);
        else this.failed(attempt, result.thrown, true);
      });
    const result = checked(value, validate as Validate);
    if (result instanceof Promise) result.then(settle);
    else settle(result);
  }

  /** Whether a failing `Response` fails the attempt. */
  protected get failsOnNotOk(): boolean {
    return this.options?.failOnNotOk ?? this.settings.options.failOnNotOk ?? true;
  }

  /** The AI SDK's stream results count as a success before anything has come of them: that is said, once a policy. */
  private noteStreamResult(attempt: Attempt): void {
    attempt.facts.unreadStream = true;
    const { policy } = this;
    const { onDebug } = this.settings.options;
    if (onDebug === undefined || policy.streamResultNoted) return;
    policy.streamResultNoted = true;
    observe(onDebug, UNREAD_STREAM, { policy: policy.name, attempt: attempt.attempt });
  }

  private verdict(error: AgentError): boolean | undefined {
    try {
      const verdict = retryVerdict(this.retryOptions?.retryOn, error);
      if (!disown(verdict)) return verdict;
      this.debug('retryOn must not return a promise; the classification decides', verdict);
      return undefined;
    } catch (thrown) {
      this.debug('retryOn threw; the classification decides', thrown);
      return undefined;
    }
  }

  /** An operation's value: a subclass may hold the attempt open. */
  returned(attempt: Attempt, value: T): void {
    if (attempt !== this.attempt) return;
    if (typeof value === 'object' && value !== null) {
      if (isNotOk(value) && this.failsOnNotOk) {
        const failed = (error: unknown): void => this.failed(attempt, error);
        errorOf(value, this.policy.time).then(failed, failed);
        return;
      }
      if (isStreamResult(value)) this.noteStreamResult(attempt);
    }
    const validate = this.options?.validate;
    try {
      if (validate === undefined) this.succeeded(attempt, value);
      else this.validated(attempt, value, validate, (output) => this.succeeded(attempt, output));
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  /** The attempt is a success, and so is the call. */
  protected succeeded(attempt: Attempt, value: T): void {
    if (attempt !== this.attempt) return;
    this.attempt = undefined;
    if (attempt.timer !== undefined || attempt.watch !== undefined) attempt.end();
    if (this.policy.observed) attempt.answered(value);
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
    try {
      this.attempt = undefined;
      attempt.end();
      let failure = this.read(thrown);
      if (invalid && IS_MISMATCH.has(failure.error.code) && !AgentError.is(thrown)) {
        // The caller's own check threw it: whatever it is, the value is known to be wrong.
        const { message, provider, metadata } = failure.error;
        const error = cheapError('INVALID_RESPONSE', message, { cause: thrown, provider, metadata });
        copyStack(error, failure.error);
        failure = { ...failure, error };
      }
      const response = responseOf(thrown);
      if (response !== undefined) {
        failure = { ...failure, error: finished(failure.error, { cause: response }) };
      }
      this.failedWith(attempt, failure, wasGivenUpOn(thrown));
    } catch (broken) {
      this.broke(broken);
    }
  }

  protected failedWith(attempt: Attempt, failure: Failure, nested: boolean): void {
    const { settings, options, policy } = this;
    const { error } = failure;
    this.attempt = undefined;
    attempt.end();
    let flags = 0;
    if (error.retryable) flags |= engine.RETRYABLE;
    if (settings.countsAsFailure(error, this.report)) flags |= engine.COUNTS;
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
}

/** The names that are known. */
export function definedOnly(record: {
  provider?: string | undefined;
  model?: string | undefined;
}): Record<string, string> {
  const kept: Record<string, string> = {};
  if (record.provider !== undefined) kept.provider = record.provider;
  if (record.model !== undefined) kept.model = record.model;
  return kept;
}
