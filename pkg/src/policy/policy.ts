/** A policy as applications see it. The interface for its calls is in host.ts. */

import type { BreakerSnapshot, CircuitBreaker } from '../breaker/breaker.js';
import { Call } from '../call/call.js';
import { guardedFetch } from '../call/fetch.js';
import {
  type AttemptContext,
  type CallOptions,
  checkTimes,
  type ExecuteOptions,
  type OnBreak,
  type Operation,
  readExecuteOptions,
  readStreamOptions,
  readWrapOptions,
  type StreamOptions,
} from '../call/options.js';
import type { PolicyStats } from '../call/stats.js';
import { type Chunks, guardedStream, type STREAM_RESET, type StreamContext } from '../call/stream.js';
import type { Check, StandardSchemaV1 } from '../call/validate.js';
import { isControlFlow } from '../control-flow.js';
import type { AgentError } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import type { AgentResponse } from '../error/response-types.js';
import type { HalfopenEvent } from '../event/events.js';
import { expectFunction } from '../options.js';
import { PolicyHost } from './host.js';
import {
  type DrainOptions,
  type PolicyOptions,
  readDrainOptions,
  readPolicyOptions,
  readUpdate,
} from './options.js';

/** A stream's options whose schema, if there is one, makes an `O` of each chunk. */
type Parsed<C, O> = Omit<StreamOptions<C>, 'validate'> & {
  validate?: Check<C> | StandardSchemaV1<unknown, O> | undefined;
};

/** Puts the attempt's signal into a wrapped function's arguments. */
interface WrapArgs<A> {
  args?: ((args: A, context: AttemptContext) => A) | undefined;
}

/** Known to this module only, so that a policy's constructor is private at run time too. */
const MADE_HERE = Symbol('made by createPolicy');

/** A policy's state as plain JSON, for another process or a later run. */
export interface PolicySnapshot {
  /** The version of this format. `restore` refuses others. */
  version: 1;
  /** The policy's name. */
  name: string;
  /** The state of the policy's breaker; absent without one. */
  breaker?: BreakerSnapshot | undefined;
}

/**
 * Guards calls: classifies and retries their failures, refuses them while a circuit is open, bounds them in time and
 * number, replaces them by a fallback, and emits events about them. `F` is its fallback's result: the bare name
 * `Policy` is one without a fallback, `Policy<unknown>` is any.
 *
 * @example
 * ```ts
 * const policy = createPolicy({ name: 'openai', timeout: { attemptMs: 30_000 } });
 * const answer = await policy.execute(({ signal }) => client.responses.create(request, { signal }));
 * ```
 */
export class Policy<out F = never> {
  /** The option `name`, which appears in events and errors. */
  readonly name: string;
  /** @internal The interface for its calls, the core and other modules of this package. */
  readonly host: PolicyHost;
  private guarded: typeof fetch | undefined = undefined;

  private constructor(options: PolicyOptions<F>, made: typeof MADE_HERE) {
    if (made !== MADE_HERE) {
      throw new TypeError('halfopen: make a Policy with createPolicy(options), not with new Policy()');
    }
    this.host = new PolicyHost(options as PolicyOptions<unknown>);
    this.name = this.host.name;
  }

  /** The policy's breaker; `undefined` without one. */
  get breaker(): CircuitBreaker | undefined {
    return this.host.settings.breaker;
  }

  /**
   * Runs the operation under the policy, and parses its value with the schema `validate`.
   *
   * @returns the value that the schema returns, or the fallback's.
   * @throws AgentError (as a rejection), of the thrown error's class if that was an AgentError.
   * @throws TypeError at once for a wrong option.
   */
  execute<T, O, G = O>(
    operation: Operation<T>,
    options: ExecuteOptions<G, T> & { validate: StandardSchemaV1<unknown, O> },
  ): Promise<O | F | G>;
  /**
   * Runs the operation under the policy.
   *
   * @returns the operation's value or the fallback's.
   * @throws AgentError (as a rejection), of the thrown error's class if that was an AgentError.
   * @throws TypeError at once for a wrong option.
   */
  execute<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G, T>): Promise<T | F | G>;
  execute<T, G = T>(operation: Operation<T>, options?: ExecuteOptions<G, T>): Promise<T | F | G> {
    expectPolicy(this, 'execute');
    expectFunction(operation, 'execute');
    const read = options === undefined ? undefined : readCallOptions(this.host, options, 'execute');
    const call = new Call(this.host, operation, read);
    call.given = operation;
    return call.start();
  }

  /**
   * Like `execute`, but never rejects: the error is a response, and so is a cancellation. Only a host's control flow
   * (an interrupt of LangGraph, a redirect of Next) passes as it was thrown.
   *
   * @throws TypeError at once for a wrong option.
   */
  respond<T, O, G = O>(
    operation: Operation<T>,
    options: ExecuteOptions<G, T> & { validate: StandardSchemaV1<unknown, O> },
  ): Promise<AgentResponse<O | F | G>>;
  /**
   * Like `execute`, but never rejects: the error is a response, and so is a cancellation. Only a host's control flow
   * (an interrupt of LangGraph, a redirect of Next) passes as it was thrown.
   *
   * @throws TypeError at once for a wrong option.
   */
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
    const read = options === undefined ? undefined : readCallOptions(this.host, options, 'respond');
    const call = new Call(this.host, operation, read);
    call.given = operation;
    return call.start().then(
      (value): AgentResponse<T | F | G> => {
        const response = { success: true as const, result: value as T | F | G, message: 'OK' };
        return call.degraded === undefined ? response : { ...response, degraded: call.degraded };
      },
      (error: AgentError) => {
        if (isControlFlow(error)) throw error;
        return responseFor(error);
      },
    );
  }

  /**
   * Runs a stream under the policy: retries it until its first chunk, and passes on a later error. It pulls a chunk
   * only when the consumer wants it. Closing the iterator aborts the attempt and is no failure.
   */
  stream<C, O = C>(
    operation: (context: AttemptContext) => Chunks<C>,
    options?: Parsed<C, O> & { onBreak?: 'fail' | undefined },
  ): AsyncIterableIterator<O>;
  /**
   * Runs a stream under the policy: retries it until its first chunk, and restarts it if it breaks off later:
   * `STREAM_RESET` among the chunks voids those before it. It pulls a chunk only when the consumer wants it. Closing
   * the iterator aborts the attempt and is no failure.
   */
  stream<C, O = C>(
    operation: (context: AttemptContext) => Chunks<C>,
    options: Parsed<C, O> & { onBreak: 'restart' },
  ): AsyncIterableIterator<O | typeof STREAM_RESET>;
  /**
   * Runs a stream under the policy: retries it until its first chunk, and continues it if it breaks off later: the
   * context's `received` has the chunks so far. It pulls a chunk only when the consumer wants it. Closing the iterator
   * aborts the attempt and is no failure.
   */
  stream<C, O = C>(
    operation: (context: StreamContext) => Chunks<C>,
    options: Parsed<C, O> & { onBreak: 'resume' },
  ): AsyncIterableIterator<O>;
  /**
   * Runs a stream under the policy: retries it until its first chunk, then follows `onBreak`. It pulls a chunk only
   * when the consumer wants it. Closing the iterator aborts the attempt and is no failure.
   */
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
    checkTimes(read, this.host.settings.given);
    return guardedStream(this.host, operation, read);
  }

  /**
   * Returns a function with the same `this` and parameters, whose every call runs under the policy. The schema
   * `validate` parses its result. Write the type of a parameter with a default, `(city: string, days: number = 3) =>
   * …`: otherwise TypeScript infers `unknown` for the parameter.
   */
  wrap<This, A extends unknown[] | [], T, O, G = O>(
    fn: (this: This, ...args: A) => T | PromiseLike<T>,
    options: ExecuteOptions<G, T> & WrapArgs<A> & { validate: StandardSchemaV1<unknown, O> },
  ): (this: This, ...args: A) => Promise<O | F | G>;
  /**
   * Returns a function with the same `this` and parameters, whose every call runs under the policy. Write the type of a
   * parameter with a default, `(city: string, days: number = 3) => …`: otherwise TypeScript infers `unknown` for the
   * parameter.
   */
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
    const { args: replace, ...own } = readWrapOptions(options);
    const { host } = this;
    checkTimes(own, host.settings.given);
    const wrapped = function (this: This, ...args: A): Promise<T | F | G> {
      const operation: Operation<T> = (context) =>
        fn.apply(this, replace === undefined ? args : replace(args, context));
      const call = new Call(host, operation, own as CallOptions);
      call.given = fn;
      return call.start();
    };
    // Libraries that accept a tool as a function use the function's name as the tool's.
    return Object.defineProperty(wrapped, 'name', { value: fn.name, configurable: true });
  }

  /**
   * A guarded `fetch` for clients that accept one: failures and retryable statuses are retried under the policy, bodies
   * stream, limits in the headers are observed. The last response that is not ok is returned, as fetch does.
   */
  get fetch(): typeof fetch {
    this.guarded ??= guardedFetch(this.host);
    return this.guarded;
  }

  /**
   * Given options replace the old ones whole, over the defaults (`update({ retry: { maxRetries: 1 } })` takes back any
   * other option of `retry`), and the others stay. One that is given as `undefined` is taken back, as if it had never
   * been given. Calls in flight finish under the old options; the breaker's state is kept.
   */
  update(options: Omit<PolicyOptions<F>, 'name' | 'clock' | 'seed'>): void {
    expectPolicy(this, 'update');
    this.host.update(readUpdate(options as PolicyOptions<unknown>));
  }

  /** Calls the listener with every event of this policy. Returns a function that stops it. */
  onEvent(listener: (event: HalfopenEvent) => void): () => void {
    expectPolicy(this, 'onEvent');
    expectFunction(listener, 'onEvent');
    return this.host.onEvent((event) => listener(event));
  }

  /**
   * Returns the policy's counters since it was made, as plain JSON. It works without any listener.
   *
   * @example
   * ```ts
   * const { calls, failed, inFlight } = policy.stats();
   * ```
   */
  stats(): PolicyStats {
    const { counts, openCalls } = this.host;
    const stats: PolicyStats = { ...counts, ...openCalls.count() };
    if (this.breaker !== undefined) stats.breaker = this.breaker.state;
    const { limit } = this.host;
    if (limit !== undefined) stats.limit = limit;
    return stats;
  }

  /** Returns the state of the policy's breaker as plain JSON, for `restore` in another process or a later run. */
  snapshot(): PolicySnapshot {
    const snapshot: PolicySnapshot = { version: 1, name: this.name };
    if (this.breaker !== undefined) snapshot.breaker = this.breaker.snapshot();
    return snapshot;
  }

  /**
   * Takes over the breaker's state of a snapshot.
   *
   * @throws TypeError for a snapshot of another version or with a number that cannot be, and, if this policy was given a name, for
   * one of a policy with another name.
   */
  restore(snapshot: PolicySnapshot): void {
    if (typeof snapshot !== 'object' || snapshot === null || snapshot.version !== 1) {
      throw new TypeError('halfopen: restore expects a policy snapshot of version 1');
    }
    if (this.host.settings.given.name !== undefined && snapshot.name !== this.name) {
      throw new TypeError(
        `halfopen: restore expects a snapshot of the policy '${this.name}', got one of '${snapshot.name}': restore it into the policy of that name`,
      );
    }
    if (snapshot.breaker !== undefined) this.breaker?.restore(snapshot.breaker);
  }

  /**
   * Refuses new calls with CANCELLED, waits until running calls have ended, including their retries and queued ones,
   * and disposes. After `timeoutMs` (30000) the remaining calls are cancelled.
   *
   * @returns a promise that never rejects.
   * @throws TypeError at once for a wrong option.
   *
   * @example
   * ```ts
   * process.once('SIGTERM', () => server.close(() => policy.drain({ timeoutMs: 10_000 })));
   * ```
   */
  drain(options?: DrainOptions): Promise<void> {
    expectPolicy(this, 'drain');
    return this.host.drain(readDrainOptions(options));
  }

  /** Rejects queued and waiting calls with CANCELLED, aborts attempts, refuses new calls with CANCELLED. Idempotent. */
  dispose(): void {
    this.host.dispose();
  }

  /** As `dispose`, at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** @throws TypeError where a method was taken off its policy: `const { execute } = policy`. */
function expectPolicy(self: unknown, method: string): void {
  if (self instanceof Policy) return;
  throw new TypeError(
    `halfopen: ${method} was called without its policy: call policy.${method}(…), or pass (…) => policy.${method}(…)`,
  );
}

/** Returns a call's options, checked alone and together with its policy's. */
function readCallOptions(host: PolicyHost, options: CallOptions, where: string): CallOptions {
  const read = readExecuteOptions(options, where);
  checkTimes(read, host.settings.given);
  return read;
}

/**
 * Creates a policy. It draws no randomness, sets no timer and touches no global until its first call.
 *
 * @throws TypeError for a wrong option, naming it, what was expected and what came.
 *
 * @example
 * ```ts
 * const policy = createPolicy({ name: 'openai', fallback: () => 'Try again later.' });
 * ```
 */
export function createPolicy<F = never>(options?: PolicyOptions<F>): Policy<F> {
  // The constructor is private, and a class that refers to itself would print as `_Policy` when it is bundled.
  return Reflect.construct(Policy, [readPolicyOptions(options), MADE_HERE]) as Policy<F>;
}
