/** One guarded call: obeys the engine's steps, with promises, timers and signals. */

import { Attempt } from './attempt.js';
import type { Classifier, ClassifyContext } from './classification.js';
import type { Timer } from './clock.js';
import { debugDetails } from './debug.js';
import * as engine from './engine.js';
import { AgentError, type AgentErrorCode, cheapError, codeIndex } from './errors.js';
import { clip, observe, processName, randomHex } from './events.js';
import { type Failure, mayHaveReachedProvider, readFailure } from './failure.js';
import { tellLimits } from './limits.js';
import { finished, wasGivenUpOn } from './outcome.js';
import type { Policy } from './policy.js';
import type { ExecuteOptions, Fallback, Operation, SpanContext } from './policy-options.js';
import { mergedRetry, type RetryOptions, retries, retryPresets, retryVerdict } from './retry-options.js';
import type { Settings } from './settings.js';

/** What a call may be told, whoever makes it. */
export type CallOptions = ExecuteOptions<unknown>;

const RUNNING = 0;
const FALLING_BACK = 1;
const SETTLED = 2;

let calls = 0;
/** The call whose operation is being started: what it starts at once is its child. */
let parent: Call<unknown> | undefined;

/** Drives one call from its beginning to its promise's end. */
export class Call<T> {
  /** The call's value or its AgentError. */
  readonly promise: Promise<T>;
  readonly policy: Policy<unknown>;
  readonly settings: Settings;
  readonly options: CallOptions | undefined;
  /** The engine's number of it, 0 when the engine does not know it (any more). */
  handle = 0;
  /** Attempts begun. */
  attempts = 0;
  /** What the last failed attempt failed with. */
  lastFailure: Failure | undefined = undefined;
  /** What had failed, where a fallback answered. */
  degraded: AgentErrorCode | undefined = undefined;
  parentId: string | undefined = undefined;
  /** Its number in its policy's queue, 0 when it is in none. */
  queuedAs = 0;
  /** The neighbours in the policy's list of open calls. */
  next: Call<unknown> | undefined = undefined;
  previous: Call<unknown> | undefined = undefined;

  /** The attempt that runs; results of any other are late and dropped. */
  protected attempt: Attempt | undefined = undefined;
  protected phase: number = RUNNING;
  /** Whether a fallback may answer. */
  protected fallsBack = true;
  /** Chunks were delivered, and the stream cannot go on or begin again. */
  protected brokenStream = false;
  protected errors: AgentError[] | undefined = undefined;
  private readonly operation: Operation<T>;
  private resolve!: (value: T) => void;
  private reject!: (error: unknown) => void;
  private instance = -1;
  private wait: Timer | undefined = undefined;
  private deadline: Timer | undefined = undefined;
  private deadlineAt = Number.POSITIVE_INFINITY;
  private name: string | undefined = undefined;
  /** Whose `abort` the signal that a fallback got listens to. */
  private fallbackRun: Attempt | undefined = undefined;

  constructor(policy: Policy<unknown>, operation: Operation<T>, options: CallOptions | undefined) {
    this.policy = policy;
    this.settings = policy.settings;
    this.operation = operation;
    this.options = options;
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get id(): string {
    this.name ??= `${processName().slice(0, 8)}-${(++calls).toString(36)}`;
    return this.name;
  }

  get remainingMs(): number {
    if (this.deadlineAt === Number.POSITIVE_INFINITY) return this.deadlineAt;
    return Math.max(0, this.deadlineAt - this.policy.time.now());
  }

  /** Begins: the operation is called at once where nothing stands against it. */
  start(): this {
    const { policy, options, settings } = this;
    const signal = options?.signal;
    if (policy.disposed) {
      this.refuse(cheapError('CANCELLED', `Policy '${policy.name}' is disposed`));
      return this;
    }
    if (signal?.aborted) {
      this.refuse(cancelled(signal.reason));
      return this;
    }
    if (parent !== undefined) this.parentId = parent.id;
    policy.enter(this as Call<unknown>);
    signal?.addEventListener('abort', this);
    const totalMs = options?.timeout?.totalMs ?? settings.totalMs;
    if (totalMs !== Number.POSITIVE_INFINITY) {
      this.deadlineAt = policy.time.now() + totalMs;
      this.deadline = policy.time.after(totalMs, () => this.pastDeadline());
    }
    let word: number;
    try {
      word = policy.begin(this as Call<unknown>);
      this.instance = engine.instanceNumber();
    } catch (error) {
      policy.coreFailed(error);
      this.run();
      return this;
    }
    this.obey(word);
    return this;
  }

  /** For `AbortSignal.addEventListener`: the caller aborted. */
  handleEvent(): void {
    this.cancel(cancelled(this.options?.signal?.reason), this.options?.signal?.reason);
  }

  /** Ends the call with CANCELLED at once, wherever it is. */
  cancel(error: AgentError, reason: unknown): void {
    const { attempt, fallbackRun } = this;
    if (this.phase === SETTLED) return;
    this.detach();
    if (this.phase === RUNNING) {
      const word = this.tellEngine((handle, now) => engine.cancel(this.policy.handle, handle, now));
      this.handle = 0;
      this.fail(error, false);
      this.follow(word);
    } else {
      this.settle();
      this.reject(this.final(error));
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
    this.resolve(value);
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
    this.handle = 0;
    if (this.phase === RUNNING && this.attempt === undefined) this.run();
  }

  /** Headers of an answer that tell of the provider's limits. */
  observeLimits(headers: unknown): void {
    if (!this.policy.observed) return;
    tellLimits(this as Call<unknown>, headers);
  }

  get task(): string | undefined {
    return this.options?.task === undefined ? undefined : clip(this.options.task, 200);
  }

  get provider(): string | undefined {
    return this.options?.provider ?? this.settings.options.provider;
  }

  get model(): string | undefined {
    return this.options?.model ?? this.settings.options.model;
  }

  /** An operation's value: a subclass may hold the attempt open. */
  protected returned(attempt: Attempt, value: T): void {
    if (attempt !== this.attempt) return;
    const validate = this.options?.validate;
    if (validate === undefined) this.succeeded(attempt, value);
    else this.validated(attempt, value, validate);
  }

  /** The attempt is a success, and so is the call. */
  protected succeeded(attempt: Attempt, value: T): void {
    if (attempt !== this.attempt) return;
    this.attempt = undefined;
    attempt.end();
    const { policy } = this;
    let word = 0;
    if (this.handle !== 0) {
      if (policy.timed) {
        word = this.tellEngine((handle, now) =>
          engine.attemptOk(policy.handle, handle, now, now - attempt.startedAt),
        );
      } else if (this.instance === engine.instanceNumber()) {
        try {
          word = engine.attemptOk(policy.handle, this.handle, Number.NaN, Number.NaN);
        } catch (error) {
          policy.coreFailed(error);
        }
        if ((word & engine.STEP) === engine.NEED_TIME) {
          word = this.tellEngine((handle, now) => engine.attemptOk(policy.handle, handle, now, Number.NaN));
        }
      }
    }
    this.settle();
    this.resolve(value);
    if (word !== 0) this.follow(word, attempt);
  }

  /** The attempt failed with what the operation threw. */
  protected failed(attempt: Attempt, thrown: unknown, invalid = false): void {
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

  /** Reads what was thrown, with a fresh core where the old one cannot. */
  private read(thrown: unknown, context: ClassifyContext, classifier?: Classifier): Failure {
    try {
      return readFailure(thrown, context, classifier);
    } catch (trap) {
      this.policy.coreFailed(trap);
      return readFailure(thrown, context, classifier);
    }
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
    if (this.brokenStream) flags |= engine.BROKEN_STREAM;
    if (error.code === 'CANCELLED') flags |= engine.CANCELLED;
    const verdict = this.verdict(error);
    if (verdict === true) flags |= engine.FORCE_RETRY;
    if (verdict === false) flags |= engine.FORBID_RETRY;
    if (options?.idempotent === false && mayHaveReachedProvider(failure)) flags |= engine.NOT_IDEMPOTENT_SENT;
    // A classifier, a predicate or a getter of the thrown value may have ended the call.
    if (this.phase !== RUNNING) return;
    this.lastFailure = failure;
    if (this.errors === undefined) this.errors = [error];
    else this.errors.push(error);
    const { onDebug } = settings.options;
    if (onDebug !== undefined) observe(onDebug, ...debugDetails(failure, attempt.attempt));
    if (this.phase !== RUNNING) return;
    if (this.handle === 0 || this.instance !== engine.instanceNumber()) {
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
    const timed = attemptMs !== Number.POSITIVE_INFINITY || policy.timed;
    const attempt = new Attempt(
      this as Call<unknown>,
      ++this.attempts,
      timed ? policy.time.now() : Number.NaN,
      this.lastFailure?.error,
    );
    this.attempt = attempt;
    this.prepare(attempt);
    if (attemptMs !== Number.POSITIVE_INFINITY) {
      attempt.timer = policy.time.after(attemptMs, () => this.timedOut(attempt, attemptMs, 'Attempt'));
    }
    const outer = parent;
    parent = this as Call<unknown>;
    let result: T | PromiseLike<T>;
    try {
      result = operation(attempt);
      parent = outer;
      if (result instanceof Promise) {
        result.then(
          (value) => this.returned(attempt, value),
          (error) => this.failed(attempt, error),
        );
        return;
      }
    } catch (error) {
      parent = outer;
      this.failed(attempt, error);
      return;
    }
    if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
      Promise.resolve(result).then(
        (value) => this.returned(attempt, value),
        (error) => this.failed(attempt, error),
      );
      return;
    }
    this.returned(attempt, result as T);
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

  private get retryOptions(): RetryOptions | undefined {
    const { options } = this.settings;
    return mergedRetry(options.retry, this.options?.retry, retryPresets[options.preset ?? 'agent']);
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
    if (delayMs > 0) this.wait = this.policy.time.after(delayMs, () => this.resume());
    else Promise.resolve().then(() => this.resume());
  }

  private resume(): void {
    this.wait = undefined;
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
    const { error } = failure;
    this.lastFailure = failure;
    const word = this.tellEngine((handle, now) =>
      engine.abandon(this.policy.handle, handle, now, engine.WHY_NOT_RETRYABLE, codeIndex(error.code)),
    );
    this.handle = 0;
    this.fail(error, true);
    this.follow(word);
  }

  private pastDeadline(): void {
    this.deadline = undefined;
    if (this.phase !== RUNNING) return;
    const ms = this.options?.timeout?.totalMs ?? this.settings.totalMs;
    const { attempt } = this;
    if (attempt !== undefined) {
      this.timedOut(attempt, ms, 'Call');
      return;
    }
    // Waiting for a place, or for `onRetry`: nothing runs that could be cut off.
    const error = cheapError('TIMEOUT', `Call timed out after ${ms} ms`);
    this.lastFailure = { error, rule: 'policy.timeout', signals: { timeoutMs: ms } };
    const word = this.tellEngine((handle, now) =>
      engine.abandon(this.policy.handle, handle, now, engine.WHY_DEADLINE, codeIndex('TIMEOUT')),
    );
    this.handle = 0;
    this.fail(error, true);
    this.follow(word);
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

  /** The call failed for good: observers are told, then the fallback is asked, or the promise rejects. */
  private fail(error: AgentError, mayFallBack: boolean): void {
    const final = this.final(error);
    this.deadline?.cancel();
    this.deadline = undefined;
    const { onError } = this.settings.options;
    const fallback =
      this.options?.fallback ?? (this.settings.options.fallback as Fallback<unknown> | undefined);
    this.phase = FALLING_BACK;
    if (onError !== undefined) observe(onError, this.span(), final.toResponse());
    // onError may have aborted the call.
    if ((this.phase as number) === SETTLED) return;
    if (!mayFallBack || !this.fallsBack || fallback === undefined || final.code === 'CANCELLED') {
      this.settle();
      this.reject(final);
      return;
    }
    this.fallBack(fallback, final);
  }

  private fallBack(fallback: Fallback<unknown>, error: AgentError): void {
    const run = new Attempt(this as Call<unknown>, 0, Number.NaN, error);
    this.fallbackRun = run;
    const answered = (value: unknown): void => {
      if (this.phase === SETTLED) return;
      this.degraded = error.code;
      this.policy.tell(this as Call<unknown>, { type: 'fallback.used', code: error.code });
      this.settle();
      this.resolve(value as T);
    };
    const threw = (thrown: unknown): void => {
      if (this.phase === SETTLED) return;
      const { error: own } = this.read(thrown, { provider: this.provider, model: this.model });
      if ((this.phase as number) === SETTLED) return;
      this.policy.tell(this as Call<unknown>, { type: 'fallback.used', code: error.code, failed: true });
      this.settle();
      this.reject(finished(own, { attempts: error.attempts, errors: error.errors, cause: error }));
    };
    let result: unknown;
    try {
      result = fallback(error, run);
    } catch (thrown) {
      threw(thrown);
      return;
    }
    if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
      Promise.resolve(result).then(answered, threw);
      return;
    }
    answered(result);
  }

  /** The error that the call rejects with: of its last attempt's class, with all that came before. */
  protected final(error: AgentError): AgentError {
    // Made for this call and no other: it is what it shall be.
    if (this.attempts === 0) return error;
    const gaveUp = error.retryable && retries(this.retryOptions);
    return finished(error, { attempts: this.attempts, errors: this.errors ?? [], gaveUp });
  }

  private refuse(error: AgentError): void {
    this.phase = FALLING_BACK;
    const { onError } = this.settings.options;
    if (onError !== undefined) observe(onError, this.span(), error.toResponse());
    this.phase = SETTLED;
    this.reject(error);
  }

  private span(): SpanContext {
    return this.options?.span ?? { traceId: randomHex(16), spanId: randomHex(8) };
  }

  private debug(message: string, thrown: unknown): void {
    const { onDebug } = this.settings.options;
    if (onDebug !== undefined) observe(onDebug, message, { error: String(thrown) });
  }

  /** No attempt, wait or deadline any more. */
  private detach(): void {
    this.attempt?.end();
    this.attempt = undefined;
    this.wait?.cancel();
    this.wait = undefined;
    this.deadline?.cancel();
    this.deadline = undefined;
  }

  /** Nothing of the call is left behind. */
  private settle(): void {
    this.phase = SETTLED;
    if (this.deadline !== undefined) this.detach();
    this.options?.signal?.removeEventListener('abort', this);
    this.policy.leave(this as Call<unknown>);
  }

  /** Tells the engine of an end, where it still knows the call. */
  private tellEngine(input: (handle: number, now: number) => number): number {
    if (this.handle === 0 || this.instance !== engine.instanceNumber()) return 0;
    try {
      return input(this.handle, this.policy.time.now());
    } catch (error) {
      this.policy.coreFailed(error);
      return 0;
    }
  }

  /** After the call's end: its last events, and the calls that its place is for. */
  private follow(word: number, attempt?: Attempt): void {
    if ((word & engine.EVENTS) !== 0) this.policy.drain(this as Call<unknown>, attempt);
    if ((word & engine.READY) !== 0) this.policy.pump();
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
