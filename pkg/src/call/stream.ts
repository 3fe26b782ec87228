/** A stream under a policy: retried until its first chunk, then as `onBreak` says. */

import * as engine from '../core/engine.js';
import { AgentError } from '../error/agent-error.js';
import { errorOf, isNotOk } from '../error/ensure-ok.js';
import type { Failure } from '../error/failure.js';
import { finished } from '../error/final-error.js';
import { traced } from '../error/stack.js';
import type { Policy } from '../policy/policy.js';
import { deferred, type Resolvers } from '../promises.js';
import type { Attempt } from './attempt.js';
import { Call } from './call.js';
import type { AttemptContext, OnBreak, StreamOptions } from './options.js';
import type { Ending } from './state.js';

/** Yielded by a stream with `onBreak: 'restart'`: forget what came before, it begins again. */
export const STREAM_RESET: unique symbol = Symbol.for('halfopen.STREAM_RESET') as never;

export type Chunks<C> = AsyncIterable<C> | PromiseLike<AsyncIterable<C>>;

/** What an attempt of a stream knows. */
export interface StreamContext extends AttemptContext {
  /** With `onBreak: 'resume'`: the chunks that were delivered before this attempt. */
  // biome-ignore lint/suspicious/noExplicitAny: chunks of any operation's type.
  readonly received: readonly any[];
}

type Options = StreamOptions & { onBreak?: OnBreak | undefined };
type Item<C> = C | typeof STREAM_RESET;

/** The most `stream.chunk` events of one call: one in so many milliseconds. */
const CHUNK_EVENT_EVERY_MS = 100;

/** An iterator over the guarded stream. Nothing begins before the first `next()`. */
export function guardedStream<C>(
  policy: Policy<unknown>,
  operation: (context: StreamContext) => Chunks<C>,
  options: Options,
): AsyncIterableIterator<Item<C>> {
  return new Reader(new StreamCall(policy, operation, options));
}

/** What the consumer holds: one chunk is pulled for each that is asked for. */
class Reader<C> implements AsyncIterableIterator<Item<C>> {
  private readonly call: StreamCall<C>;
  private started = false;
  private over = false;
  /** Requests are answered one after the other, however many come at once. */
  private last: Promise<void> = Promise.resolve();

  constructor(call: StreamCall<C>) {
    this.call = call;
  }

  next(): Promise<IteratorResult<Item<C>, undefined>> {
    const before = this.last;
    const { promise, resolve } = deferred<void>();
    this.last = promise;
    // Nobody but the consumer waits for the result: V8 finds who awaits a promise only where that is one alone.
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

  private async pull(): Promise<IteratorResult<Item<C>, undefined>> {
    if (this.over) return { done: true, value: undefined };
    const asked = this.call.ask();
    if (!this.started) {
      this.started = true;
      this.call.start();
    }
    try {
      const result = await asked;
      if (result.done === true) this.over = true;
      return result;
    } catch (error) {
      this.over = true;
      throw error;
    }
  }

  private async close(): Promise<void> {
    this.over = true;
    if (this.started) await this.call.close();
  }
}

class StreamCall<C> extends Call<AsyncIterator<C>> {
  private readonly streamOptions: Options;
  private iterator: AsyncIterator<C> | undefined = undefined;
  /** Whether the source was asked for a chunk and has not answered, or a new one is being opened. */
  private pulling = false;
  /** What the next request is answered with: a chunk that was asked for, or a reset. */
  private readonly ready: Item<C>[] = [];
  private waiting: Resolvers<IteratorResult<Item<C>, undefined>> | undefined = undefined;
  private hasBroken = false;
  /** An attempt that broke off, until it is known what is done about it. */
  private broken: { attempt: number; received: number } | undefined = undefined;
  /** Whether the attempt's first chunk is still to come. */
  private firstDue = true;
  private delivered = 0;
  private characters = 0;
  private chunksTold = Number.NEGATIVE_INFINITY;
  private readonly kept: C[] = [];
  /** The wait before the next attempt is over, but nobody has asked for what it would bring. */
  private parked = false;
  private ended: { error?: unknown } | undefined = undefined;

  constructor(policy: Policy<unknown>, operation: (context: StreamContext) => Chunks<C>, options: Options) {
    const { validate: _validate, ...call } = options;
    const ends = deferred<AsyncIterator<C>>();
    super(policy, (context) => this.open(operation, context as Attempt & StreamContext), call, ends);
    this.streamOptions = options;
    ends.promise.then(
      () => this.end({}),
      (error) => this.end({ error }),
    );
  }

  /** The consumer asks for the next item. */
  ask(): Promise<IteratorResult<Item<C>, undefined>> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.answer();
    });
  }

  /** The consumer wants no more: the attempt is aborted, and nothing has failed. */
  async close(): Promise<void> {
    const { iterator, pulling } = this;
    this.iterator = undefined;
    this.closeEarly(new DOMException('The iterator was closed', 'AbortError'), undefined as never);
    this.end({});
    if (iterator === undefined) return;
    const closed = closeSource(iterator);
    // A source in the middle of a chunk may not hear of it before the chunk comes.
    if (!pulling) await closed;
  }

  protected override get fallsBack(): boolean {
    return false;
  }

  /** The consumer awaits a chunk, not the call. */
  protected override reject(error: AgentError): void {
    Promise.resolve().then(() => this.ends.reject(error));
  }

  protected override get isBrokenStream(): boolean {
    return this.hasBroken && (this.streamOptions.onBreak ?? 'fail') === 'fail';
  }

  protected override prepare(attempt: Attempt): void {
    const { onBreak, firstChunkTimeoutMs, stallTimeoutMs } = this.streamOptions;
    attempt.facts.received = Object.freeze(onBreak === 'resume' ? [...this.kept] : []);
    this.iterator = undefined;
    this.pulling = true;
    this.firstDue = true;
    this.watchFor(attempt, firstChunkTimeoutMs ?? stallTimeoutMs, 'First chunk');
  }

  /** The source is there. The attempt stays open until its last chunk. */
  override returned(attempt: Attempt, iterator: AsyncIterator<C>): void {
    if (attempt !== this.attempt) {
      closeSource(iterator);
      return;
    }
    this.iterator = iterator;
    this.pulling = false;
    this.answer();
  }

  /** An attempt for nobody would be pulled from for nobody, and its timeout would run. */
  protected override resume(): void {
    this.parked = this.waiting === undefined;
    if (!this.parked) super.resume();
  }

  protected override failedWith(attempt: Attempt, failure: Failure, nested: boolean): void {
    const { iterator } = this;
    this.iterator = undefined;
    this.pulling = false;
    const { onBreak = 'fail' } = this.streamOptions;
    const broken = this.delivered > 0;
    if (broken) {
      this.hasBroken = true;
      this.broken = { attempt: attempt.attempt, received: this.delivered };
    }
    // What the error says to users depends on it: the service was reached, then the connection broke.
    const read = broken
      ? { ...failure, error: finished(failure.error, { received: this.delivered }) }
      : failure;
    super.failedWith(attempt, read, nested);
    if (iterator !== undefined) closeSource(iterator);
    if (broken && onBreak === 'restart' && this.isOpen) {
      this.delivered = 0;
      this.characters = 0;
      this.ready.push(STREAM_RESET);
      this.answer();
    }
  }

  override obey(word: number): void {
    const retries = (word & engine.STEP) === engine.WAIT;
    this.emitBroken(retries ? (this.streamOptions.onBreak ?? 'fail') : 'fail');
    super.obey(word);
  }

  protected override fail(error: AgentError, mayFallBack: boolean): void {
    this.emitBroken('fail');
    super.fail(error, mayFallBack);
  }

  private emitBroken(action: OnBreak): void {
    const { broken } = this;
    if (broken === undefined) return;
    this.broken = undefined;
    this.policy.tell(this as Ending<unknown>, { type: 'stream.broken', ...broken, action });
  }

  protected override final(error: AgentError): AgentError {
    const final = super.final(error);
    return this.delivered > 0 || this.hasBroken ? finished(final, { received: this.delivered }) : final;
  }

  private async open(
    operation: (context: StreamContext) => Chunks<C>,
    context: Attempt & StreamContext,
  ): Promise<AsyncIterator<C>> {
    const chunks: unknown = await operation(context);
    if (isNotOk(chunks) && this.failsOnNotOk) throw await errorOf(chunks, this.policy.time);
    return iteratorOf(chunks as AsyncIterable<C>);
  }

  /** Answers the consumer, or asks the source. */
  private answer(): void {
    const { waiting } = this;
    if (waiting === undefined) return;
    if (this.ready.length > 0) {
      this.waiting = undefined;
      waiting.resolve({ done: false, value: this.ready.shift() as Item<C> });
      return;
    }
    if (this.ended !== undefined) {
      this.waiting = undefined;
      if ('error' in this.ended) waiting.resolve(traced(this.ended.error as AgentError));
      else waiting.resolve({ done: true, value: undefined });
      this.ended = {};
      return;
    }
    if (this.parked) {
      this.resume();
      return;
    }
    const { attempt, iterator } = this;
    if (attempt === undefined || iterator === undefined || this.pulling) return;
    this.pull(attempt, iterator);
  }

  private pull(attempt: Attempt, iterator: AsyncIterator<C>): void {
    this.pulling = true;
    // The first chunk has been watched for since its attempt began.
    if (!this.firstDue) this.watchFor(attempt, this.streamOptions.stallTimeoutMs, 'Stream');
    let next: PromiseLike<IteratorResult<C>>;
    try {
      next = Promise.resolve(iterator.next());
    } catch (error) {
      this.failed(attempt, error);
      return;
    }
    next.then(
      (result) =>
        this.surely(() => {
          if (attempt !== this.attempt) return;
          attempt.unwatch();
          this.pulling = false;
          if (this.firstDue) {
            this.firstDue = false;
            if (this.policy.timed) attempt.facts.firstChunkMs = this.policy.time.now() - attempt.startedAt;
          }
          this.received(attempt, result);
        }),
      (error) => this.failed(attempt, error),
    );
  }

  private received(attempt: Attempt, result: IteratorResult<C>): void {
    if (typeof result !== 'object' || result === null) {
      this.failed(attempt, new TypeError('The stream answered with no iterator result'));
      return;
    }
    let done: boolean;
    let value: C | undefined;
    try {
      done = result.done === true;
      value = done ? undefined : result.value;
    } catch (thrown) {
      this.failed(attempt, thrown);
      return;
    }
    if (done) {
      this.iterator = undefined;
      this.succeeded(attempt, undefined as never);
      return;
    }
    const chunk = value as C;
    const { validate } = this.streamOptions;
    if (validate === undefined) this.deliver(attempt, chunk);
    else this.validated(attempt, chunk, validate, (checked) => this.deliver(attempt, checked));
  }

  private deliver(attempt: Attempt, chunk: C): void {
    this.delivered++;
    if (this.streamOptions.onBreak === 'resume') this.kept.push(chunk);
    this.ready.push(chunk);
    if (this.policy.observed) {
      attempt.answered(chunk);
      this.tellChunk(attempt, chunk);
    }
    this.answer();
  }

  private tellChunk(attempt: Attempt, chunk: C): void {
    this.characters += charactersOf(chunk);
    const now = this.policy.time.now();
    if (now - this.chunksTold < CHUNK_EVENT_EVERY_MS) return;
    this.chunksTold = now;
    this.policy.tell(this as Ending<unknown>, {
      type: 'stream.chunk',
      attempt: attempt.attempt,
      chunks: this.delivered,
      characters: this.characters,
    });
  }

  private watchFor(attempt: Attempt, ms: number | undefined, what: string): void {
    if (ms === undefined || ms === Number.POSITIVE_INFINITY) return;
    attempt.watch = this.policy.time.after(ms, () => this.timedOut(attempt, ms, what));
  }

  private end(ended: { error?: unknown }): void {
    if (this.ended !== undefined) return;
    this.ended = ended;
    this.answer();
  }
}

/** Sources are closed, not listened to: what they answer says nothing any more. */
function closeSource(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    return Promise.resolve(iterator.return?.()).then(
      () => {},
      () => {},
    );
  } catch {
    return Promise.resolve();
  }
}

function iteratorOf<C>(chunks: AsyncIterable<C>): AsyncIterator<C> {
  const source = chunks as (Partial<AsyncIterable<C>> & Partial<ReadableStream<C>>) | null | undefined;
  if (typeof source?.[Symbol.asyncIterator] === 'function') return chunks[Symbol.asyncIterator]();
  // Safari's streams cannot be iterated.
  if (typeof source?.getReader === 'function') {
    const reader = source.getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<C>>,
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
  throw new AgentError(
    'INVALID_RESPONSE',
    `Invalid response structure: expected async iterable, got ${typeof chunks}`,
  );
}

/** Text in a chunk: a string, or the deltas of OpenAI's and Anthropic's streams. */
function charactersOf(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length;
  if (typeof chunk !== 'object' || chunk === null) return 0;
  try {
    const { choices, delta, text } = chunk as {
      choices?: { delta?: { content?: unknown } }[];
      delta?: unknown;
      text?: unknown;
    };
    const found =
      choices?.[0]?.delta?.content ?? (delta as { text?: unknown } | undefined)?.text ?? delta ?? text;
    return typeof found === 'string' ? found.length : 0;
  } catch {
    return 0; // A getter that throws.
  }
}
