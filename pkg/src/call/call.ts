/** One guarded call: obeys the engine's steps, with promises, timers and signals. */

import * as engine from '../core/engine.js';
import { type AgentError, cancellation, cheapError, codeIndex, disposedError } from '../error/agent-error.js';
import type { Policy } from '../policy/policy.js';
import { deferred } from '../promises.js';
import { listen } from './abort-listeners.js';
import { Attempting, definedOnly } from './attempts.js';
import type { Operation } from './options.js';
import { parentHere, wantParents } from './parents.js';
import { type CallOptions, RUNNING, SETTLED } from './state.js';

export type { CallOptions } from './state.js';

/** Drives one call from its beginning to its promise's end. */
export class Call<T> extends Attempting<T> {
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

  /** Begins: the operation is called at once where nothing stands against it. */
  start(): void {
    this.surely(() => this.begin());
  }

  private begin(): void {
    const { policy, options, settings } = this;
    const signal = options?.signal;
    if (policy.disposed) {
      this.refused(disposedError(policy.name));
      return;
    }
    if (signal?.aborted) {
      this.refused(cancellation(signal.reason, CANCELLED));
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

  /** The call must not begin: it fails before its first attempt. */
  private refused(error: AgentError): void {
    const { policy } = this;
    this.adopt();
    policy.emitRefused(this as Call<unknown>, error);
    this.refuse(error);
  }

  /** The call is on its way, and somebody's child perhaps: told by events only, and named where they are. */
  private enter(): void {
    this.adopt();
    this.policy.calls.enter(this as Call<unknown>);
  }

  /** The call that this one is made within, if any. */
  private adopt(): void {
    if (this.options?.span !== undefined) wantParents();
    const parent = parentHere();
    if (parent !== undefined) this.rest.parent = parent;
  }

  private boundBy(totalMs: number): void {
    const { time } = this.policy;
    const now = time.now();
    this.rest.deadlineAt = now + totalMs;
    this.rest.deadline = time.after(totalMs, () => this.surely(() => this.pastDeadline()), now);
  }

  /** The caller aborted. */
  handleEvent(): void {
    const reason: unknown = this.options?.signal?.reason;
    this.cancel(cancellation(reason, CANCELLED), reason);
  }

  /** Ends the call with CANCELLED at once, wherever it is. */
  cancel(error: AgentError, reason: unknown): void {
    this.surely(() => this.cancelNow(error, reason));
  }

  private cancelNow(error: AgentError, reason: unknown): void {
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
      this.reject(this.final(error));
    }
    attempt?.abort(reason ?? error);
    fallbackRun?.abort(reason ?? error);
  }

  /** Ends the call well, though not at its end: its consumer wants no more of it. */
  protected closeEarly(reason: unknown, value: T): void {
    const { attempt } = this;
    if (this.phase !== RUNNING) return;
    this.detach();
    const word = this.tellEngine((handle, now) => engine.closeEarly(this.policy.handle, handle, now));
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
    try {
      this.proceed(word);
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  private proceed(word: number): void {
    this.handle = engine.callOf(word);
    const step = word & engine.STEP;
    // Read first: listeners may call policies, whose steps are written to the same place.
    const delayMs = step === engine.WAIT ? engine.delayMs() : 0;
    const rejection = step === engine.REJECTED ? this.rejection() : undefined;
    if ((word & engine.EVENTS) !== 0) {
      this.policy.drain(this as Call<unknown>);
      // A listener may have aborted the call or disposed the policy.
      if (this.phase !== RUNNING) {
        this.follow(word & ~engine.EVENTS);
        return;
      }
    }
    // The core has trapped meanwhile, and its successor does not know the call.
    if (this.handle !== 0 && this.instance !== engine.instanceNumber()) {
      this.goUnguarded();
      return;
    }
    switch (step) {
      case engine.ATTEMPT:
        this.run();
        break;
      case engine.WAIT:
        this.beforeWaiting(delayMs);
        break;
      case engine.QUEUED:
        this.policy.queued(this as Call<unknown>);
        break;
      case engine.REJECTED:
        this.handle = 0;
        this.fail(rejection ?? this.rejection(), true);
        break;
      case engine.GIVE_UP:
        this.handle = 0;
        this.fail(this.lastFailure?.error ?? cheapError('UNKNOWN', 'The call failed'), true);
        break;
      default:
        // No other step leads on: the engine does not know the call.
        this.goUnguarded();
        return;
    }
    if ((word & engine.READY) !== 0) this.policy.pump();
  }

  /** Goes on without the engine, which has lost it. */
  goUnguarded(): void {
    this.policy.coreReplaced();
    this.handle = 0;
    if (this.phase === RUNNING && this.attempt === undefined) this.run();
  }

  /** `onRetry`, then the wait. */
  private beforeWaiting(delayMs: number): void {
    const onRetry = this.retryOptions?.onRetry;
    if (onRetry === undefined || this.lastFailure === undefined) {
      this.waitFor(delayMs);
      return;
    }
    let result: unknown;
    try {
      result = onRetry(this.lastFailure.error, { attempt: this.attempts + 1, delayMs });
      if (typeof result === 'object' && result !== null) {
        Promise.resolve(result).then(
          () => this.surely(() => this.waitFor(delayMs)),
          (error) => this.surely(() => this.endWith(error)),
        );
        return;
      }
    } catch (error) {
      this.endWith(error);
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
    const resume = (): void => this.surely(() => this.resume());
    if (delayMs > 0) this.rest.wait = this.policy.time.after(delayMs, resume);
    else Promise.resolve().then(resume);
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
    const failure = this.read(thrown);
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
      return cheapError('CIRCUIT_OPEN', `Circuit '${name}' is open${when}`, {
        retryAfterMs,
        provider: definedOnly({ provider: this.provider, model: this.model }),
      });
    }
    const what = by === 'bulkhead' ? 'Bulkhead is full' : 'Rate limit is reached';
    return cheapError('CAPACITY_EXCEEDED', `${what}: policy '${policy.name}'${when}`, { retryAfterMs });
  }
}

const CANCELLED = 'The call was cancelled';
