/** A stream under a policy: retried until its first chunk, then as `onBreak` says. */

import { isControlFlow } from '../control-flow.js';
import type { AgentError } from '../error/agent-error.js';
import { errorOf, isNotOk } from '../error/ensure-ok.js';
import type { Failure } from '../error/failure.js';
import { finished } from '../error/final-error.js';
import { traced } from '../error/stack.js';
import { deferred, type Resolvers } from '../promises.js';
import type { Attempt } from './attempt.js';
import { Call } from './call.js';
import { close } from './ends.js';
import type { CallHooks } from './hooks.js';
import type { CallHost } from './host.js';
import type { AttemptContext, OnBreak, StreamOptions } from './options.js';
import { within } from './parents.js';
import { charactersOf, closeSource, iteratorOf } from './stream-source.js';

/** Yielded by a stream with `onBreak: 'restart'`: forget what came before, it begins again. */
export const STREAM_RESET: unique symbol = Symbol.for('halfopen.STREAM_RESET') as never;

/** A stream of chunks, or a promise of one. */
export type Chunks<C> = AsyncIterable<C> | PromiseLike<AsyncIterable<C>>;

/** The argument of an operation that streams. */
export interface StreamContext extends AttemptContext {
  /** With `onBreak: 'resume'`: the chunks that were delivered before this attempt. */
  // biome-ignore lint/suspicious/noExplicitAny: chunks of any operation's type.
  readonly received: readonly any[];
}

type Options = StreamOptions & { onBreak?: OnBreak | undefined };
type Item<C> = C | typeof STREAM_RESET;

/** The shortest time between two `stream.chunk` events of one call, in milliseconds. */
const CHUNK_EVENT_EVERY_MS = 100;

/** An iterator over the guarded stream. Nothing begins before the first `next()`. */
export function guardedStream<C>(
  host: CallHost,
  operation: (context: StreamContext) => Chunks<C>,
  options: Options,
): AsyncIterableIterator<Item<C>> {
  return new Reader(new StreamSource(host, operation, options));
}

/** The reason of an attempt that is aborted because its iterator was closed. React Native has no DOMException. */
function closedReason(): Error {
  const text = 'The iterator was closed';
  if (typeof DOMException !== 'undefined') return new DOMException(text, 'AbortError');
  return Object.assign(new Error(text), { name: 'AbortError' });
}

/** Closes the sources of readers that were forgotten: neither read to the end nor closed. */
let forgotten: FinalizationRegistry<WeakRef<{ close(): Promise<void> }>> | undefined;

/** The consumer's iterator: one chunk is pulled for each that it requests. */
class Reader<C> implements AsyncIterableIterator<Item<C>>, AsyncDisposable {
  private readonly source: StreamSource<C>;
  private started = false;
  private over = false;
  /** Requests are served one after the other, however many come at once. */
  private last: Promise<void> = Promise.resolve();

  constructor(source: StreamSource<C>) {
    this.source = source;
  }

  next(): Promise<IteratorResult<Item<C>, undefined>> {
    const before = this.last;
    const { promise, resolve } = deferred<void>();
    this.last = promise;
    // Only the consumer waits for the result, because V8 finds the awaiting function of a promise only if there is one.
    return this.after(before, resolve);
  }

  private async after(
    before: Promise<void>,
    pulled: () => void,
  ): Promise<IteratorResult<Item<C>, undefined>> {
    await before;
    try {
      return await this.pull();
    } finally {
      pulled();
    }
  }

  async return(): Promise<IteratorResult<Item<C>, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<Item<C>, undefined>> {
    await this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  // Not in the published type, which is that of an iterator: for `await using` in plain JavaScript.
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async pull(): Promise<IteratorResult<Item<C>, undefined>> {
    if (this.over) return { done: true, value: undefined };
    const requested = this.source.request();
    if (!this.started) {
      this.started = true;
      if (typeof FinalizationRegistry !== 'undefined') {
        forgotten ??= new FinalizationRegistry((source) => source.deref()?.close());
        // Weakly: a source that is waited for leads to its reader. The policy holds it for as long as its call is open.
        forgotten.register(this, new WeakRef(this.source), this);
      }
      this.source.start();
    }
    const result = await requested;
    if (result.done === true) forgotten?.unregister(this);
    return result;
  }

  private async close(): Promise<void> {
    this.over = true;
    forgotten?.unregister(this);
    if (this.started) await this.source.close();
  }
}

/**
 * The source of a guarded stream. Its call sees an operation that succeeds with the last chunk: the source says itself
 * when an attempt has succeeded or failed.
 */
class StreamSource<C> implements CallHooks<undefined> {
  readonly refusesFallback = true;
  readonly refusesHedges = true;
  private readonly call: Call<undefined>;
  private readonly options: Options;
  private attempt: Attempt | undefined = undefined;
  private iterator: AsyncIterator<C> | undefined = undefined;
  /** `true` if a chunk was requested of the iterator and has not come. */
  private isPulling = false;
  /** The answers to the next requests: a chunk that came, or a reset. */
  private readonly ready: Item<C>[] = [];
  private waiting: Resolvers<IteratorResult<Item<C>, undefined>> | undefined = undefined;
  private hasBroken = false;
  /** An attempt that broke off, until it is known what follows. */
  private broken: { attempt: number; received: number } | undefined = undefined;
  /** `true` until the attempt's first chunk has come. */
  private firstDue = true;
  private delivered = 0;
  private characters = 0;
  private chunksEmittedAt = Number.NEGATIVE_INFINITY;
  private readonly kept: C[] = [];
  /** `true` if the wait before the next attempt is over, but no chunk of it has been requested. */
  private isParked = false;
  private ended: { error?: AgentError } | undefined = undefined;

  constructor(host: CallHost, operation: (context: StreamContext) => Chunks<C>, options: Options) {
    const { validate: _validate, ...own } = options;
    this.options = options;
    this.call = new Call<undefined>(host, (attempt) => this.open(operation, attempt), own, this);
    this.call.given = operation;
    this.call.promise.then(
      () => this.end({}),
      (error) => {
        const { iterator } = this;
        // Thrown by `validate`: the source does not know of it.
        if (iterator !== undefined && isControlFlow(error)) closeSource(iterator);
        this.end({ error });
      },
    );
  }

  start(): void {
    this.call.start();
  }

  /** The consumer requests the next item. */
  request(): Promise<IteratorResult<Item<C>, undefined>> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.serve();
    });
  }

  /** The consumer wants no more: the attempt is aborted, and nothing has failed. */
  async close(): Promise<void> {
    const { iterator, isPulling } = this;
    this.iterator = undefined;
    close(this.call, closedReason(), undefined);
    this.end({});
    if (iterator === undefined) return;
    const closed = closeSource(iterator);
    // A source in the middle of a chunk may not hear of it before the chunk comes.
    if (!isPulling) await closed;
  }

  // ── what the call leaves to it

  attemptBegins(attempt: Attempt): void {
    const { onBreak, firstChunkTimeoutMs, stallTimeoutMs } = this.options;
    if (onBreak === 'resume') attempt.received = Object.freeze([...this.kept]);
    this.attempt = attempt;
    this.iterator = undefined;
    this.firstDue = true;
    // Where the attempt has a bound, that is the first chunk's too.
    const isBounded = this.call.times.attemptMs !== Number.POSITIVE_INFINITY;
    this.setChunkTimer(
      attempt,
      firstChunkTimeoutMs ?? (isBounded ? undefined : stallTimeoutMs),
      'First chunk',
    );
  }

  attemptFails(attempt: Attempt, failure: Failure): Failure {
    const { iterator, delivered } = this;
    this.iterator = undefined;
    if (iterator !== undefined) closeSource(iterator);
    if (delivered > 0) {
      this.hasBroken = true;
      this.broken = { attempt: attempt.attempt, received: delivered };
    }
    // The user's sentence depends on it: the service was reached, then the connection broke.
    const error = delivered > 0 ? finished(failure.error, { received: delivered }) : failure.error;
    return { ...failure, error, isBrokenStream: this.hasBroken && this.onBreak === 'fail' };
  }

  followsFailure(retries: boolean): void {
    const { broken } = this;
    if (broken === undefined) return;
    this.broken = undefined;
    const action = retries ? this.onBreak : 'fail';
    this.call.host.emit(this.call, { type: 'stream.broken', ...broken, action });
    if (action !== 'restart') return;
    this.delivered = 0;
    this.characters = 0;
    this.ready.push(STREAM_RESET);
    this.serve();
  }

  /** Without a reader, an attempt would be pulled from for nothing, and its timeout would run. */
  mayResume(): boolean {
    this.isParked = this.waiting === undefined;
    return !this.isParked;
  }

  finalError(error: AgentError): AgentError {
    return this.delivered > 0 || this.hasBroken ? finished(error, { received: this.delivered }) : error;
  }

  // ── chunks

  private get onBreak(): OnBreak {
    return this.options.onBreak ?? 'fail';
  }

  /** Opens the source. The attempt stays open until its last chunk: the promise settles only where this fails. */
  private async open(operation: (context: StreamContext) => Chunks<C>, attempt: Attempt): Promise<never> {
    const { call } = this;
    const chunks: unknown = await operation(attempt);
    if (isNotOk(chunks) && call.failsOnNotOk) throw await errorOf(chunks, call.host.time);
    const iterator = iteratorOf(chunks as AsyncIterable<C>);
    if (call.isRunning(attempt)) {
      this.iterator = iterator;
      this.isPulling = false;
      this.serve();
    } else closeSource(iterator);
    return new Promise(() => {});
  }

  /** Gives the consumer what is there, or requests it of the source. */
  private serve(): void {
    const { waiting } = this;
    if (waiting === undefined) return;
    if (this.ready.length > 0) {
      this.waiting = undefined;
      waiting.resolve({ done: false, value: this.ready.shift() as Item<C> });
    } else if (this.ended !== undefined) {
      const { error } = this.ended;
      this.waiting = undefined;
      this.ended = {};
      waiting.resolve(error === undefined ? { done: true, value: undefined } : traced(error));
    } else if (this.isParked) {
      this.call.resume();
    } else {
      const { attempt, iterator } = this;
      const isOpen = attempt !== undefined && iterator !== undefined && this.call.isRunning(attempt);
      if (isOpen && !this.isPulling) this.pull(attempt, iterator);
    }
  }

  private pull(attempt: Attempt, iterator: AsyncIterator<C>): void {
    const { call } = this;
    this.isPulling = true;
    // The first chunk has been waited for since its attempt began.
    if (!this.firstDue) this.setChunkTimer(attempt, this.options.stallTimeoutMs, 'Stream');
    let next: PromiseLike<IteratorResult<C>>;
    try {
      const { place } = attempt;
      // A generator runs where its next chunk is requested.
      next = Promise.resolve(
        place === undefined ? iterator.next() : within(place, () => iterator.next(), undefined),
      );
    } catch (error) {
      call.failed(attempt, error);
      return;
    }
    next.then(
      (result) =>
        call.runStep(() => {
          if (call.isRunning(attempt)) this.received(attempt, result);
        }),
      (error) => call.failed(attempt, error),
    );
  }

  private received(attempt: Attempt, result: IteratorResult<C>): void {
    const { call } = this;
    const { host } = call;
    attempt.clearChunkTimer();
    this.isPulling = false;
    if (this.firstDue) {
      this.firstDue = false;
      const { startedAt } = attempt;
      if (!Number.isNaN(startedAt)) attempt.know({ firstChunkMs: host.time.now() - startedAt });
    }
    if (typeof result !== 'object' || result === null) {
      call.failed(attempt, new TypeError('The stream did not return an iterator result'));
      return;
    }
    let done: boolean;
    let value: C | undefined;
    try {
      done = result.done === true;
      value = done ? undefined : result.value;
    } catch (thrown) {
      call.failed(attempt, thrown);
      return;
    }
    if (done) {
      this.iterator = undefined;
      // A getter of the result may have ended the call.
      if (call.isRunning(attempt)) call.succeed(attempt, undefined);
      return;
    }
    const chunk = value as C;
    if (call.readsUsage) attempt.noteResponse(chunk);
    const { validate } = this.options;
    if (validate === undefined) this.deliver(attempt, chunk);
    else call.validate(attempt, chunk, validate, (output) => this.deliver(attempt, output));
  }

  private deliver(attempt: Attempt, chunk: C): void {
    // The stream flows: silences and the call's deadline bound it from here on, not the attempt's timeout.
    attempt.clearTimer();
    this.delivered++;
    if (this.options.onBreak === 'resume') this.kept.push(chunk);
    this.ready.push(chunk);
    if (this.call.host.isObserved) this.emitChunk(attempt, chunk);
    this.serve();
  }

  private emitChunk({ attempt }: Attempt, chunk: C): void {
    const { call } = this;
    this.characters += charactersOf(chunk);
    const now = call.host.time.now();
    if (now - this.chunksEmittedAt < CHUNK_EVENT_EVERY_MS) return;
    this.chunksEmittedAt = now;
    const { delivered: chunks, characters } = this;
    call.host.emit(call, { type: 'stream.chunk', attempt, chunks, characters });
  }

  /** Begins to wait for the next chunk: a stream that stalls ends in TIMEOUT, but not while a tool of it runs. */
  private setChunkTimer(attempt: Attempt, ms: number | undefined, what: string): void {
    if (ms === undefined || ms === Number.POSITIVE_INFINITY) return;
    const { call } = this;
    attempt.chunkTimer = call.host.time.after(ms, () => {
      if (attempt.runsTools) this.setChunkTimer(attempt, ms, what);
      else call.timedOut(attempt, ms, what);
    });
  }

  private end(ended: { error?: AgentError }): void {
    this.ended = ended;
    this.serve();
  }
}
