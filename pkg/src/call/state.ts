/** What every call has, and how it ends: observers are told, a fallback is asked, the promise settles. */

import type { ClassifyContext } from '../classify/types.js';
import type { Timer } from '../clock.js';
import * as engine from '../core/engine.js';
import { AgentError, type AgentErrorCode, codeIndex } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import { type Failure, type ReportMisuse, readFailure } from '../error/failure.js';
import { finished } from '../error/final-error.js';
import { rejectTraced } from '../error/stack.js';
import { observe, processName, randomHex } from '../event/events.js';
import { observeLimits } from '../event/rate-limit-headers.js';
import { stackOf, wordsOf } from '../message/for-log.js';
import type { Policy } from '../policy/policy.js';
import type { Settings } from '../policy/settings.js';
import type { Resolvers } from '../promises.js';
import { mergedRetry, type RetryOptions, retries, retryPresets } from '../retry/options.js';
import { unlisten } from './abort-listeners.js';
import { Attempt } from './attempt.js';
import type { OpenCall } from './open-calls.js';
import type { ExecuteOptions, Fallback, Operation, SpanContext } from './options.js';
import type { Parent } from './parents.js';

/** What a call may be told, whoever makes it. */
export type CallOptions = ExecuteOptions<unknown>;

export const RUNNING = 0;
export const FALLING_BACK = 1;
export const SETTLED = 2;

let calls = 0;

/** What most calls never need: made when the first part of it is. */
class Rest {
  lastFailure: Failure | undefined = undefined;
  degraded: AgentErrorCode | undefined = undefined;
  parent: Parent | undefined = undefined;
  errors: AgentError[] | undefined = undefined;
  wait: Timer | undefined = undefined;
  deadline: Timer | undefined = undefined;
  deadlineAt: number = Number.POSITIVE_INFINITY;
  name: string | undefined = undefined;
  fallbackRun: Attempt | undefined = undefined;
}

/** A call's state, and its ends. */
export abstract class Ending<T> implements OpenCall {
  readonly policy: Policy<unknown>;
  readonly settings: Settings;
  readonly options: CallOptions | undefined;
  /** The engine's number of it, 0 when the engine does not know it (any more). */
  handle: number;
  /** Its number in its policy's queue, 0 when it is in none. */
  queuedAs: number;
  /** Attempts begun. */
  attempts: number;
  /** The neighbours in the policy's list of open calls. */
  next: OpenCall | undefined;
  previous: OpenCall | undefined;
  protected readonly operation: Operation<T>;
  /** The attempt that runs; results of any other are late and dropped. */
  protected attempt: Attempt | undefined;
  protected phase: number;
  /** The core's instance that knows the handle. */
  protected instance: number;
  /** Where the call's value or its AgentError goes. */
  protected readonly ends: Resolvers<T>;
  private more: Rest | undefined;

  constructor(
    policy: Policy<unknown>,
    operation: Operation<T>,
    options: CallOptions | undefined,
    ends: Resolvers<T>,
  ) {
    this.policy = policy;
    this.settings = policy.settings;
    this.options = options;
    this.handle = 0;
    this.queuedAs = 0;
    this.attempts = 0;
    this.next = undefined;
    this.previous = undefined;
    this.operation = operation;
    this.attempt = undefined;
    this.phase = RUNNING;
    this.instance = -1;
    this.more = undefined;
    this.ends = ends;
  }

  /** Ends the call with CANCELLED at once, wherever it is. */
  abstract cancel(error: AgentError, reason: unknown): void;

  /** The caller aborted. */
  abstract handleEvent(): void;

  protected get rest(): Rest {
    this.more ??= new Rest();
    return this.more;
  }

  get id(): string {
    const { rest } = this;
    rest.name ??= `${processName().slice(0, 8)}-${++calls}`;
    return rest.name;
  }

  get parentId(): string | undefined {
    return this.more?.parent?.id;
  }

  /** Of the trace that the application has named, for this call or for the one around it. */
  get traceId(): string | undefined {
    return this.options?.span?.traceId ?? this.more?.parent?.traceId;
  }

  /** What the last failed attempt failed with. */
  get lastFailure(): Failure | undefined {
    return this.more?.lastFailure;
  }

  /** What had failed, where a fallback answered. */
  get degraded(): AgentErrorCode | undefined {
    return this.more?.degraded;
  }

  get remainingMs(): number {
    const at = this.more?.deadlineAt ?? Number.POSITIVE_INFINITY;
    return at === Number.POSITIVE_INFINITY ? at : Math.max(0, at - this.policy.time.now());
  }

  get task(): string | undefined {
    return this.options?.task;
  }

  get provider(): string | undefined {
    return this.options?.provider ?? this.settings.options.provider;
  }

  get model(): string | undefined {
    return this.options?.model ?? this.settings.options.model;
  }

  /** What a classifier gets beside the error. A policy that was given a name stands for a capability. */
  protected get failureContext(): ClassifyContext {
    const { policy, settings } = this;
    return {
      provider: this.provider,
      model: this.model,
      layer: 'agent',
      capability: settings.options.name,
      task: this.options?.task,
      messages: settings.options.messages,
      now: policy.time.wall(),
    };
  }

  /** Headers of an answer that tell of the provider's limits. */
  observeLimits(headers: unknown): void {
    observeLimits(this as Ending<unknown>, headers);
  }

  /** Whether a fallback may answer. */
  protected get fallsBack(): boolean {
    return true;
  }

  /** Reads what was thrown by whichever function of the call, with a fresh core where the old one cannot. */
  protected read(thrown: unknown): Failure {
    const instance = engine.instanceNumber();
    const failure = readFailure(thrown, this.failureContext, this.settings.options.classify, this.report);
    const trap = engine.lastTrap();
    if (instance !== engine.instanceNumber() && trap !== undefined) this.policy.coreReplaced(trap);
    return failure;
  }

  protected get retryOptions(): RetryOptions | undefined {
    const { options } = this.settings;
    return mergedRetry(options.retry, this.options?.retry, retryPresets[options.preset ?? 'agent']);
  }

  /** The call failed for good: observers are told, then the fallback is asked, or the promise rejects. */
  protected fail(error: AgentError, mayFallBack: boolean): void {
    const final = this.final(error);
    this.clearDeadline();
    const { onError } = this.settings.options;
    const fallback =
      this.options?.fallback ?? (this.settings.options.fallback as Fallback<unknown> | undefined);
    this.phase = FALLING_BACK;
    if (onError !== undefined) observe(onError, this.span(), responseFor(final));
    // onError may have aborted the call.
    if ((this.phase as number) === SETTLED) return;
    if (!mayFallBack || !this.fallsBack || fallback === undefined || final.code === 'CANCELLED') {
      this.settle();
      this.reject(final);
      return;
    }
    this.fallBack(fallback, final);
  }

  /** Rejects the call's promise: with the frames of its callers, but for refusals, which are frequent and say it all. */
  protected reject(error: AgentError): void {
    if (this.attempts > 0) rejectTraced(this.ends as Resolvers<never>, error);
    // The caller does not have the promise yet. Rejecting now would make Node report an unhandled rejection.
    else Promise.resolve().then(() => this.ends.reject(error));
  }

  /** Does a step of the call. Should it throw, the promise is settled all the same. */
  protected surely(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  /**
   * Settles the call when a step of it threw, which none should: a clock that throws, an error whose getters throw only
   * now and then. Whatever happens, the promise is settled and the policy keeps nothing of the call.
   */
  protected broke(thrown: unknown): void {
    const error = AgentError.from(thrown);
    const clean: (() => void)[] = [
      () => this.detach(),
      () => this.settle(),
      () => {
        const { handle } = this;
        if (handle === 0) return;
        const word = this.tellEngine((_, now) =>
          engine.abandon(this.policy.handle, handle, now, engine.WHY_NOT_RETRYABLE, codeIndex(error.code)),
        );
        this.handle = 0;
        this.follow(word);
      },
      () => this.debug('A step of the call threw; the call has ended with it', thrown),
    ];
    this.phase = SETTLED;
    for (const step of clean) {
      try {
        step();
      } catch {
        // The next step may work all the same.
      }
    }
    this.ends.reject(error);
  }

  private fallBack(fallback: Fallback<unknown>, error: AgentError): void {
    const run = new Attempt(this as Ending<unknown>, 0, 0);
    this.rest.fallbackRun = run;
    const answered = (value: unknown): void =>
      this.surely(() => {
        if (this.phase === SETTLED) return;
        this.rest.degraded = error.code;
        this.policy.tell(this as Ending<unknown>, { type: 'fallback.used', code: error.code });
        this.settle();
        this.ends.resolve(value as T);
      });
    const threw = (thrown: unknown): void =>
      this.surely(() => {
        if (this.phase === SETTLED) return;
        const { error: own } = this.read(thrown);
        if ((this.phase as number) === SETTLED) return;
        this.policy.tell(this as Ending<unknown>, { type: 'fallback.used', code: error.code, failed: true });
        this.settle();
        this.reject(finished(own, { attempts: error.attempts, errors: error.errors, cause: error }));
      });
    let result: unknown;
    try {
      result = fallback(error, run);
      if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
        Promise.resolve(result).then(answered, threw);
        return;
      }
    } catch (thrown) {
      threw(thrown);
      return;
    }
    answered(result);
  }

  /** The error that the call rejects with: of its last attempt's class, with all that came before. */
  protected final(error: AgentError): AgentError {
    // No attempt ran, so the error was made for this call: nothing to add.
    if (this.attempts === 0) return error;
    const gaveUp = error.retryable && retries(this.retryOptions);
    return finished(error, { attempts: this.attempts, errors: this.more?.errors ?? [], gaveUp });
  }

  protected refuse(error: AgentError): void {
    this.phase = FALLING_BACK;
    const { onError } = this.settings.options;
    if (onError !== undefined) observe(onError, this.span(), responseFor(error));
    this.phase = SETTLED;
    this.ends.reject(error);
  }

  private span(): SpanContext {
    return this.options?.span ?? { traceId: this.traceId ?? randomHex(16), spanId: randomHex(8) };
  }

  /** `debug`, to be handed on. */
  protected get report(): ReportMisuse {
    return (message, value) => this.debug(message, value);
  }

  /** Reports a mistake of the application's own functions. */
  protected debug(message: string, thrown: unknown): void {
    const { onDebug } = this.settings.options;
    if (onDebug === undefined) return;
    const stack = stackOf(thrown);
    const error = wordsOf(thrown) || (thrown === null ? 'null' : typeof thrown);
    observe(onDebug, message, { error, ...(stack !== undefined && { stack }) });
  }

  /** No attempt, wait or deadline any more. */
  protected detach(): void {
    this.attempt?.end();
    this.attempt = undefined;
    if (this.more === undefined) return;
    this.more.wait?.cancel();
    this.more.wait = undefined;
    this.clearDeadline();
  }

  private clearDeadline(): void {
    if (this.more === undefined) return;
    this.more.deadline?.cancel();
    this.more.deadline = undefined;
  }

  /** Nothing of the call is left behind. */
  protected settle(): void {
    this.phase = SETTLED;
    if (this.more !== undefined) this.clearDeadline();
    const signal = this.options?.signal;
    if (signal !== undefined) unlisten(signal, this);
    this.policy.leave(this as Ending<unknown>);
  }

  /** Tells the engine of an end, where it still knows the call. */
  protected tellEngine(input: (handle: number, now: number) => number): number {
    if (this.handle === 0 || this.instance !== engine.instanceNumber()) return 0;
    try {
      return input(this.handle, this.policy.time.now());
    } catch (error) {
      this.policy.coreFailed(error);
      return 0;
    }
  }

  /** After the call's end: its last events, and the calls that its place is for. */
  protected follow(word: number, attempt?: Attempt): void {
    this.policy.follow(word, this as Ending<unknown>, attempt);
  }
}
