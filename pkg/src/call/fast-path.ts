/** The short way of a call: the operation is called, answers, and that is all. A `Call` takes over whatever else happens. */

import * as engine from '../core/engine.js';
import type { AgentError } from '../error/agent-error.js';
import { isNotOk } from '../error/ensure-ok.js';
import type { Policy } from '../policy/policy.js';
import type { Settings } from '../policy/settings.js';
import type { Resolvers } from '../promises.js';
import type { Attempt, Usage } from './attempt.js';
import { Call } from './call.js';
import type { OpenCall } from './open-calls.js';
import type { AttemptContext, Operation } from './options.js';
import { runAs } from './parents.js';
import { isStreamResult } from './unread-stream.js';

/**
 * Runs the operation under a policy that is `plain` (nobody listens, no clock is read, nothing is timed), without
 * options of its own. What it costs beside the operation: one promise, one small object, two crossings into the core.
 */
export function callDirectly<T>(policy: Policy<unknown>, operation: Operation<T>): Promise<T> {
  let word: number;
  try {
    word = engine.beginPlain(policy.handle);
  } catch (error) {
    return Call.unguarded(policy, operation, error);
  }
  if ((word & engine.NOT_PLAIN) !== 0) return Call.begun(policy, operation, word);
  // `deferred()` written out: an object less for each call.
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((a, b) => {
    resolve = a;
    reject = b;
  });
  new Direct<T>(policy, operation, word, resolve, reject).run();
  return promise;
}

/** A call on its short way, and the context of its first attempt. */
export class Direct<T> implements AttemptContext, OpenCall, Resolvers<T> {
  readonly attempt: number;
  /** @internal */ readonly policy: Policy<unknown>;
  /** @internal */ readonly settings: Settings;
  /** @internal */ readonly operation: Operation<T>;
  /** @internal The engine's number of it. */ readonly handle: number;
  /** @internal The core's instance that knows the handle. */ readonly instance: number;
  /** @internal */ readonly resolve: (value: T | PromiseLike<T>) => void;
  /** @internal */ readonly reject: (error: unknown) => void;
  /** @internal */ next: OpenCall | undefined;
  /** @internal */ previous: OpenCall | undefined;
  /** The same attempt, of the call that took over. */
  private taken: Attempt | undefined;

  constructor(
    policy: Policy<unknown>,
    operation: Operation<T>,
    word: number,
    resolve: (value: T | PromiseLike<T>) => void,
    reject: (error: unknown) => void,
  ) {
    this.attempt = 1;
    this.policy = policy;
    this.settings = policy.settings;
    this.operation = operation;
    this.handle = engine.callOf(word);
    this.instance = engine.instanceNumber();
    this.resolve = resolve;
    this.reject = reject;
    this.next = undefined;
    this.previous = undefined;
    this.taken = undefined;
  }

  /** @internal */
  run(): void {
    const { operation } = this;
    this.policy.calls.enter(this);
    let result: T | PromiseLike<T>;
    try {
      result = runAs(this, operation, this);
      if (result instanceof Promise) {
        result.then(
          (value) => this.returned(value),
          (error) => this.threw(error),
        );
        return;
      }
    } catch (error) {
      this.threw(error);
      return;
    }
    if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
      const attempt = this.full;
      (attempt.call as Call<T>).take(attempt, result);
    } else this.returned(result);
  }

  private returned(value: T): void {
    const { policy } = this;
    const isNews = isNotOk(value) || (policy.settings.options.onDebug !== undefined && isStreamResult(value));
    const isLost = !policy.plain || this.instance !== engine.instanceNumber();
    if (this.taken !== undefined || isLost || isNews) {
      const attempt = this.full;
      (attempt.call as Call<T>).returned(attempt, value);
      return;
    }
    let word: number;
    try {
      word = engine.attemptOkPlain(policy.handle, this.handle);
    } catch (error) {
      policy.coreFailed(error);
      word = engine.DONE;
    }
    if ((word & engine.STEP) === engine.NEED_TIME) {
      const attempt = this.full;
      (attempt.call as Call<T>).returned(attempt, value);
      return;
    }
    policy.calls.leave(this);
    this.resolve(value);
    if ((word & engine.NOT_PLAIN & ~engine.STEP) !== 0) policy.follow(word);
  }

  private threw(error: unknown): void {
    const attempt = this.full;
    (attempt.call as Call<T>).failed(attempt, error);
  }

  /** @internal */
  cancel(error: AgentError, reason: unknown): void {
    (this.full.call as Call<T>).cancel(error, reason);
  }

  /** The attempt of a call that can do everything: made when the first thing is asked that this one cannot. */
  private get full(): Attempt {
    this.taken ??= Call.takingOver(this);
    return this.taken;
  }

  /** @internal */
  get id(): string {
    return this.full.callId;
  }

  /** @internal */
  get traceId(): string | undefined {
    return this.full.call.traceId;
  }

  get signal(): AbortSignal {
    return this.full.signal;
  }

  get remainingMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  get callId(): string {
    return this.full.callId;
  }

  get lastError(): AgentError | undefined {
    return this.taken?.lastError;
  }

  observe(facts: { headers?: unknown; usage?: Usage | undefined }): void {
    this.full.observe(facts);
  }
}
