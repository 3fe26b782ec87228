/** A whole call of the AI SDK under a policy: `streamText`, `generateText`, `generateObject`, `embed`, an agent. */

import type { UIMessageChunk } from 'ai';
import * as ai from 'ai';
import type { OnBreak, StreamOptions } from '../call/options.js';
import { STREAM_RESET } from '../call/stream.js';
import { isControlFlow } from '../control-flow.js';
import { AgentError } from '../error/agent-error.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import type { Policy } from '../policy/policy.js';
import { type RepairingOptions, repairingShape } from '../repair/options.js';
import { type AnswerOptions, answersShape } from '../response/answers.js';
import { Attempts, type CallResult, type Streaming } from './attempts.js';
import { AI_VERSIONS, expectPolicy } from './middleware.js';
import type { GuardCallContext } from './repaired-options.js';
import { resultsOf, type Steps, sumOf } from './steps.js';

/** The options of a guarded call: those of `policy.stream`. */
export interface GuardCallOptions
  extends Omit<StreamOptions, 'validate' | 'failOnNotOk' | 'repair'>,
    RepairingOptions {
  /**
   * The reaction to a stream that breaks off after its first content. `fail`: its reader throws. `restart`: the call is made
   * again, and its streams yield STREAM_RESET first (streams for user interfaces a part `data-halfopen-reset`); of an agent whose
   * model is guarded the steps that have finished are kept, and only the step that broke is repeated; with another model the call
   * fails if tools have run, for they would run again. `resume`: the
   * call is made again with `context.received`, and its streams go on. Default: `'fail'`.
   */
  onBreak?: OnBreak | undefined;
  /** The answers that are failures. Default: an empty one, and a tool call whose arguments are no JSON. */
  answers?: AnswerOptions | undefined;
}

/** A call's result with `onBreak: 'restart'`: its streams yield `STREAM_RESET` where they begin again. */
export type Restarting<R> =
  R extends PromiseLike<infer V>
    ? Promise<Restarting<V>>
    : {
        [K in keyof R]: R[K] extends AsyncIterable<infer C>
          ? AsyncIterable<C | typeof STREAM_RESET> & ReadableStream<C | typeof STREAM_RESET>
          : R[K];
      };

/**
 * Runs a call of the AI SDK under the policy, and returns what it returns: a promise, or the result of a stream. It recovers
 * also what a middleware cannot: the call's own `timeout`, a stream that breaks off, an agent's later steps.
 *
 * The streams and promises of a stream's result are those of the final attempt. An attempt that fails before its first
 * content has not reached a reader. When the call fails for good, streams throw the AgentError and promises reject with it; streams
 * for user interfaces end with an `error` part, whose text is the message for users.
 *
 * The call is made at once, and again for each attempt: pass on `signal`, and set `maxRetries: 0`. The policy's fallback does
 * not apply. The returned object is not the AI SDK's own: use its properties and methods, do not test its class.
 *
 * A request that the provider refuses is repaired and sent again if `call` passes its options through `repaired`. The call
 * begins again then, so it is not repaired once a tool has run, or a stream has begun. To repair a later step of an agent,
 * guard its model (`guardMiddleware`, `failoverModel`).
 *
 * @param call - Makes the call. It gets `signal`, `attempt`, `repaired`, and `received`: the parts of `fullStream` that were
 * delivered.
 * @param options - `onBreak` (default `'fail'`), and options of `policy.stream`, times in milliseconds.
 * @throws TypeError for a wrong option. The promises and streams of the result reject with an AgentError.
 *
 * @example
 * ```ts
 * const result = guardCall(policy, ({ signal, repaired }) =>
 *   streamText(repaired({ model, prompt, abortSignal: signal, maxRetries: 0, onError() {} })),
 * );
 * for await (const text of result.textStream) process.stdout.write(text);
 * ```
 */
export function guardCall<R>(
  policy: Policy<unknown>,
  call: (context: GuardCallContext) => R,
  options: GuardCallOptions & { onBreak: 'restart' },
): Restarting<R>;
/** As above; the streams cannot begin again, and are those of the call. */
export function guardCall<R>(
  policy: Policy<unknown>,
  call: (context: GuardCallContext) => R,
  options?: GuardCallOptions & { onBreak?: 'fail' | 'resume' | undefined },
): R;
/** As above; the streams may begin again. */
export function guardCall<R>(
  policy: Policy<unknown>,
  call: (context: GuardCallContext) => R,
  options?: GuardCallOptions,
): Restarting<R>;
export function guardCall<R>(
  policy: Policy<unknown>,
  call: (context: GuardCallContext) => R,
  options: GuardCallOptions = {},
): R | Restarting<R> {
  expectPolicy('policy', policy);
  expectHost('halfopen/ai-sdk', 'ai', AI_VERSIONS, {
    createUIMessageStreamResponse: ai.createUIMessageStreamResponse,
    pipeTextStreamToResponse: ai.pipeTextStreamToResponse,
    pipeUIMessageStreamToResponse: ai.pipeUIMessageStreamToResponse,
  });
  if (typeof call !== 'function') throw is.misuse('call', is.callback.expected, call);
  const { answers, repair, ...own } = options;
  const shape = { ...answersShape, ...repairingShape };
  const judged = is.readOptions<Pick<GuardCallOptions, 'answers' | 'repair'>>(
    shape,
    { answers, repair },
    'guardCall',
  );
  const attempts = new Attempts(policy, call, { ...own, ...judged });
  return facade(attempts, false) as R;
}

/** The object that the application holds. It stands for a promise too, until an attempt shows that the call streams. */
function facade(attempts: Attempts, isStream: boolean): unknown {
  const readers = new Readers(attempts);
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name === 'symbol') return name === Symbol.toStringTag ? 'GuardedCall' : undefined;
      if (name in PROMISE) return isStream ? undefined : PROMISE[name]?.(promiseOf(attempts));
      return (
        METHODS[name]?.(readers) ?? (/stream$/i.test(name) ? readers.stream(name) : readers.promise(name))
      );
    },
    has: (_, name) => typeof name === 'string' && (!(name in PROMISE) || !isStream),
  });
}

/** The value of a call that does not stream; for one that does, its result without `then`, so that it can be awaited. */
async function promiseOf(attempts: Attempts): Promise<unknown> {
  return (await attempts.outcome()) === 'stream' ? facade(attempts, true) : attempts.final();
}

const PROMISE: Record<string, (promise: Promise<unknown>) => unknown> = {
  // biome-ignore lint/suspicious/noThenProperty: it stands for a promise.
  then: (promise) => promise.then.bind(promise),
  catch: (promise) => promise.catch.bind(promise),
  finally: (promise) => promise.finally.bind(promise),
};

interface UiOptions {
  onError?: ((error: unknown) => string) | undefined;
  [name: string]: unknown;
}
// biome-ignore lint/suspicious/noExplicitAny: Node's ServerResponse, which applications for other runtimes have no types of.
type ServerResponse = any;

/** The methods of a stream's result, by their return value. */
const METHODS: Record<string, (readers: Readers) => unknown> = {
  consumeStream:
    (readers) =>
    (options?: { onError?: (error: unknown) => void }): Promise<void> =>
      readers.consume().catch((error) => options?.onError?.(error)),
  toUIMessageStream: (readers) => (options?: UiOptions) => readers.ui(options),
  toUIMessageStreamResponse: (readers) => (options?: UiOptions) =>
    ai.createUIMessageStreamResponse({ ...options, stream: readers.ui(options) }),
  pipeUIMessageStreamToResponse: (readers) => (response: ServerResponse, options?: UiOptions) =>
    ai.pipeUIMessageStreamToResponse({ ...options, response, stream: readers.ui(options) }),
  toTextStreamResponse: (readers) => (init?: ResponseInit) =>
    textResponse(readers.stream('textStream'), init),
  pipeTextStreamToResponse: (readers) => (response: ServerResponse, init?: ResponseInit) => {
    const stream = readers.stream('textStream') as ReadableStream<string>;
    // `textStream` in version 6, `stream` in version 7.
    const both = { ...init, response, textStream: stream, stream };
    return ai.pipeTextStreamToResponse(both);
  },
};

function textResponse(stream: ReadableStream<unknown>, init?: ResponseInit): Response {
  const headers = new Headers(init?.headers);
  if (!headers.has('content-type')) headers.set('content-type', 'text/plain; charset=utf-8');
  const body = (stream as ReadableStream<string>).pipeThrough(new TextEncoderStream());
  return new Response(body, { status: 200, ...init, headers });
}

/** The application's readers of a stream's result. When the last one has left, the attempt is aborted. */
class Readers {
  private readonly attempts: Attempts;
  private count = 0;

  constructor(attempts: Attempts) {
    this.attempts = attempts;
  }

  /** A property that is no stream: of the final attempt. */
  promise(name: string): Promise<unknown> {
    this.count++;
    const promise = this.attempts.final().then((result) => {
      const value = (result as CallResult | undefined)?.[name];
      return value instanceof Promise ? value.then((last) => this.whole(name, last)) : value;
    });
    promise.catch(() => {}); // without a reader, it must not end the process
    return promise;
  }

  /** A property of the final attempt, with that of the steps before it. */
  private whole(name: string, last: unknown): unknown {
    const { steps } = this.attempts;
    if (steps === undefined || steps.added.length === 0) return last;
    const kept = resultsOf(steps.kept);
    if (name === 'steps') return [...kept, ...(last as unknown[])];
    if (name === 'totalUsage')
      return kept.reduce<unknown>((sum, step) => sumOf(sum, (step as { usage?: unknown }).usage), last);
    if (name === 'responseMessages') return [...steps.added, ...(last as unknown[])];
    if (name !== 'response') return last;
    const { messages = [] } = last as { messages?: unknown[] };
    return { ...(last as object), messages: [...steps.added, ...messages] };
  }

  async consume(): Promise<void> {
    this.count++;
    await this.attempts.done;
  }

  stream(name: string): ReadableStream<unknown> {
    const items = this.items(
      (result) => result[name],
      () => STREAM_RESET,
    );
    return this.readable(items);
  }

  ui(options: UiOptions = {}): ReadableStream<UIMessageChunk> {
    const read = (result: CallResult) =>
      (result.toUIMessageStream as (options: UiOptions) => unknown)(options);
    const reset = () => ({ type: 'data-halfopen-reset', data: {}, transient: true });
    const failed = (error: unknown) => ({ type: 'error', errorText: textFor(error, options) });
    return this.readable(endingWith(this.items(read, reset), failed)) as ReadableStream<UIMessageChunk>;
  }

  /** Yields the chunks of one stream of the result, over the attempts. */
  private async *items(read: (result: CallResult) => unknown, reset: () => unknown): AsyncGenerator<unknown> {
    const { attempts } = this;
    let before: Streaming | undefined;
    let kept = new Kept();
    for (;;) {
      const attempt = await attempts.following(before);
      if (attempt === undefined) return;
      if (before !== undefined && attempts.onBreak === 'restart') {
        yield reset();
        kept = kept.after(attempts.steps);
        yield* kept.items;
      }
      for await (const item of upToError(read(attempt.result) as AsyncIterable<unknown>)) {
        if (attempts.steps !== undefined && !kept.take(item)) continue;
        yield item;
      }
      await attempts.ended(attempt);
      before = attempt;
    }
  }

  private readable(items: AsyncGenerator<unknown>): ReadableStream<unknown> {
    this.count++;
    const stream = new ReadableStream<unknown>(
      {
        pull: async (controller) => {
          const { done, value } = await items.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => {
          this.count--;
          if (this.count === 0) this.attempts.close();
          items.return(undefined).catch(() => {});
        },
      },
      { highWaterMark: 0 },
    );
    if (!(Symbol.asyncIterator in stream)) {
      // Safari's streams cannot be iterated.
      Object.assign(stream, { [Symbol.asyncIterator]: () => items });
    }
    return stream;
  }
}

/** The chunks that one stream has delivered of the steps that need not be repeated. */
class Kept {
  /** Up to the end of the last step that has finished. */
  readonly items: unknown[];
  private current: unknown[] = [];
  private readonly begins: boolean;

  constructor(items: unknown[] = []) {
    this.items = items;
    this.begins = items.length === 0;
  }

  /** Takes an item. Returns false for the beginning of a stream that has begun before. */
  take(item: unknown): boolean {
    const type = (item as { type?: unknown } | null)?.type;
    if (type === 'start' && !this.begins) return false;
    this.current.push(item);
    if (type === 'finish-step') this.items.push(...this.current.splice(0));
    return true;
  }

  /** Returns the chunks that a stream delivers once more when it begins again: of a stream of texts, the text as a whole. */
  after(steps: Steps | undefined): Kept {
    if (steps === undefined || steps.added.length === 0) return new Kept();
    const isOfTexts = [...this.items, ...this.current].every((item) => typeof item === 'string');
    if (!isOfTexts) return new Kept(this.items);
    const text = steps.kept.map(({ type, text }) => (type === 'text-delta' ? text : '')).join('');
    return new Kept(text === '' ? [] : [text]);
  }
}

/** The items before the first that reports an error: whether that is the call's, the policy says. */
async function* upToError(items: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    for await (const item of items) {
      const type = (item as { type?: unknown } | null)?.type;
      if (type === 'error' || type === 'abort') return;
      yield item;
    }
  } catch {
    // The attempt has failed, and its failure is known already.
  }
}

/** Streams for user interfaces end with an error: a response that breaks off says nothing to its reader. */
async function* endingWith(
  items: AsyncIterable<unknown>,
  failed: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  try {
    yield* items;
  } catch (error) {
    if (isControlFlow(error)) throw error;
    yield failed(error);
  }
}

function textFor(error: unknown, { onError }: UiOptions): string {
  return onError === undefined ? AgentError.from(error).userMessage() : onError(error);
}
