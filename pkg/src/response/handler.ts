/** One handler for whole and streamed responses of every format: their contents, and their faults. */

import { type Chunks, STREAM_RESET } from '../call/stream.js';
import * as agent from '../core/agent.js';
import { core } from '../core/agent.js';
import { freeWith } from '../core/handles.js';
import { onceMore } from '../core/instance.js';
import { AgentError, type ErrorType, errorTypeOf } from '../error/agent-error.js';
import { sentenceOf } from '../error/as-response.js';
import { hasOwnWords } from '../error/words.js';
import { observe } from '../event/events.js';
import { usageIn } from '../event/usage.js';
import { stackOf, textForLog } from '../message/for-log.js';
import { callback, oneOf, readOptions, text } from '../options.js';
import {
  EmptyResponseError,
  errorOf,
  type Fault,
  ResponseError,
  ResponseValidationError,
  UnexpectedTypeError,
} from './errors.js';
import { failureLine, insteadOfText, sendingLine, type ToolsOnly, toolLine } from './status.js';
import { FORMATS } from './tables.js';
import type { ResponseChunk, ResponseFormat, ResponseHandlerOptions, ToolCall } from './types.js';

/** The core's reading of a chunk that has more than text. */
interface CoreChunk {
  text?: string;
  tools?: string[];
  begun?: string[];
  finishReason?: string;
  truncated?: true;
  usage?: { inputTokens?: number; outputTokens?: number };
  toolCalls?: ToolCall[];
  unknown?: string;
  failure?: Fault | { thrown: unknown };
}

const OPTIONS = {
  format: oneOf(...FORMATS),
  statusCallback: callback,
  locale: text,
  onDebug: callback,
};

const NONE: string[] = [];

/**
 * Reads the responses of Gemini, OpenAI (chat completions and responses), Anthropic, the AI SDK and Ollama, whole or
 * streamed. Throws for faults that their SDKs ignore: empty, blocked and broken responses, errors in mid-stream,
 * streams without an end.
 *
 * It throws a {@link ResponseError}. Output that a token limit has cut is no error: the chunk has `metadata.truncated`.
 *
 * @example
 * ```ts
 * const handler = new ResponseHandler({ statusCallback: console.log });
 * const stream = policy.stream(async ({ signal }) =>
 *   handler.watch(await client.chat.completions.create({ model, messages, stream: true }, { signal })),
 * );
 * for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
 * console.log(handler.getFinalResponse());
 * ```
 */
export class ResponseHandler {
  private readonly givenFormat: ResponseFormat | undefined;
  private readonly locale: string;
  private readonly status: ((status: string) => void) | undefined;
  private readonly debug: ResponseHandlerOptions['onDebug'];
  /** The handler's number in the core, and the instance of the core that the number belongs to. */
  private number = 0;
  private instance = -1;
  private received = '';
  private hadToolActivity = false;
  private lastTool: string | undefined;
  private chunks = 0;
  /**
   * `true` if the core trapped in the middle of a response. Of the chunks before that, only these fields are known.
   */
  private isPartial = false;
  /** The preview's line, once it can no longer change. */
  private preview: string | undefined;

  /** @throws TypeError for an unknown option or format, or a callback that is no function. */
  constructor(options?: ResponseHandlerOptions) {
    const read = readOptions<ResponseHandlerOptions>(OPTIONS, options, 'ResponseHandler');
    this.givenFormat = read.format;
    this.locale = read.locale ?? 'en';
    this.status = read.statusCallback;
    this.debug = read.onDebug;
  }

  /** The text so far. */
  get text(): string {
    return this.received;
  }

  /** `true` if the response has called a tool so far. */
  get toolActivity(): boolean {
    return this.hadToolActivity;
  }

  /** The tool of the last call that began; `undefined` before the first. */
  get lastToolName(): string | undefined {
    return this.lastTool;
  }

  /** How many chunks arrived, without empty ones. A whole response is one. */
  get chunkCount(): number {
    return this.chunks;
  }

  /** The tool calls that the response requests, in the order in which they began; complete when the stream has ended. */
  get toolCalls(): ToolCall[] {
    return inCore(() => agent.responseCalls(this.handle)) as ToolCall[];
  }

  /** The format from the options, or the one recognised so far; `undefined` before that. */
  get format(): ResponseFormat | undefined {
    return inCore(() => agent.responseFormat(this.handle)) as ResponseFormat | undefined;
  }

  /**
   * Checks the structure of a whole response, and changes nothing.
   *
   * @throws {@link ResponseError}; an {@link AgentError} where the provider sent an error instead of a response.
   * @example
   * ```ts
   * handler.validateResponse({ candidates: [] }); // throws NoCandidatesError
   * ```
   */
  validateResponse(response: unknown): void {
    const failure = inCore(() => agent.responseValidate(this.handle, response)) as CoreChunk['failure'];
    // The provider of earlier chunks need not be that of this response.
    const isGiven = this.givenFormat !== undefined;
    if (failure !== undefined) throw this.error(failure, isGiven ? this.provider : undefined);
  }

  /**
   * Reads the next chunk; returns `null` for an empty one. STREAM_RESET of a policy's stream resets the handler.
   *
   * @throws {@link ResponseError} for a response that is blocked or cannot be used; an {@link AgentError} for an error chunk.
   * @example
   * ```ts
   * handler.processChunk({ candidates: [{ content: { parts: [{ text: 'Hello' }] } }] })?.text; // 'Hello'
   * ```
   */
  processChunk(chunk: unknown): ResponseChunk | null {
    if (chunk === STREAM_RESET) {
      this.reset();
      return null;
    }
    const read = inCore(() => agent.responseChunk(this.handle, chunk)) as
      | null
      | undefined
      | string
      | CoreChunk;
    if (read === null) return null;
    this.chunks += 1;
    if (typeof read === 'object') return this.take(read, chunk);
    const text = read ?? '';
    if (text !== '') this.takeText(text);
    if (this.debug !== undefined) this.record(text !== '', false, chunk);
    return { text, hasToolCall: false, metadata: {} };
  }

  /**
   * Validates a whole response and reads it as one chunk.
   *
   * @throws {@link ResponseError}; an {@link AgentError} where the provider sent an error instead of a response.
   * @example
   * ```ts
   * const { text, finishReason } = handler.processResponse(await client.messages.create(request));
   * ```
   */
  processResponse(response: unknown): ResponseChunk {
    this.validateResponse(response);
    const read = inCore(() => agent.responseWhole(this.handle, response)) as CoreChunk;
    this.chunks += 1;
    return this.take(read, response);
  }

  /**
   * Returns the text. For a response that only called tools it returns a sentence in the handler's language: after a
   * stream one with the last tool's name, after a whole response one that says that the task was completed.
   *
   * @throws {@link EmptyResponseError}: NoTextError after a whole response, NoToolActivityError after a stream.
   * @example
   * ```ts
   * handler.processResponse(await client.chat.completions.create(request));
   * console.log(handler.getFinalResponse());
   * ```
   */
  getFinalResponse(): string {
    const conclusion = inCore(() => agent.responseConclusion(this.handle)) as true | ToolsOnly | Fault;
    if (conclusion === true || (this.isPartial && this.received !== '')) return this.received;
    if ('tools' in conclusion) return insteadOfText(conclusion, this.locale);
    throw errorOf(conclusion);
  }

  /**
   * Passes the stream's own chunks through, unchanged and in order, while the handler reads them. It resets the handler
   * first.
   *
   * Each chunk is read before it is passed on, so an error chunk is thrown instead of passed. A stream that ends before
   * its format's last chunk throws INVALID_RESPONSE, which is retryable; a stream with neither text nor tool call
   * throws NoToolActivityError; the stream's own errors are classified.
   *
   * @throws TypeError at once for what is no async iterable.
   * @example
   * ```ts
   * for await (const chunk of handler.watch(stream)) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
   * ```
   */
  watch<C>(stream: AsyncIterable<C>): AsyncIterable<C> {
    if (stream === null || typeof stream !== 'object' || !(Symbol.asyncIterator in stream)) {
      throw new TypeError(
        `halfopen: watch expects an async iterable, got ${stream === null ? 'null' : typeof stream}`,
      );
    }
    return this.pass(stream, false);
  }

  /**
   * Runs a whole exchange: reports that the message is being sent, reads every chunk, and returns the final response.
   *
   * @param source Sends the request and returns the stream.
   * @throws As {@link watch} and {@link getFinalResponse}. Before it throws, the status is '⚠️ <message>' for an empty
   * response, '❌ <message>' for an invalid one, and '❌ Error: <message>' for anything else: the words of your program's own
   * error, redacted; of a provider's, the network's or a tool's failure the sentence for users, with the details in `onDebug`.
   * A stream whose chunks have nothing that only a provider sends may end without a last chunk.
   * @example
   * ```ts
   * const answer = await handler.collect(() => client.messages.create({ ...request, stream: true }));
   * ```
   */
  async collect(source: () => Chunks<unknown>): Promise<string> {
    if (typeof source !== 'function')
      throw new TypeError(`halfopen: collect expects a function, got ${typeof source}`);
    try {
      this.report(sendingLine(this.locale));
      const stream: unknown = await source();
      if (stream === null || stream === undefined)
        throw new EmptyResponseError('no response stream received');
      if (typeof stream !== 'object' || !(Symbol.asyncIterator in stream)) {
        throw new UnexpectedTypeError('response stream', typeof stream);
      }
      for await (const _ of this.pass(stream as AsyncIterable<unknown>, true));
      return this.getFinalResponse();
    } catch (thrown) {
      const error = classified(thrown, this.provider);
      this.report(this.failureStatus(error));
      const details = { error: textForLog(error.message), code: error.code, stack: stackOfFailure(error) };
      this.note('Exchange failed', this.received !== '', this.hadToolActivity, details);
      throw error;
    }
  }

  /** Resets the handler to its initial state, with the same options. */
  reset(): void {
    inCore(() => agent.responseReset(this.handle));
    this.received = '';
    this.hadToolActivity = false;
    this.lastTool = undefined;
    this.chunks = 0;
    this.isPartial = false;
    this.preview = undefined;
  }

  private get handle(): number {
    if (this.instance !== core.instanceNumber) {
      // The instance with its state has trapped. The text is here; the rest starts from nothing.
      this.isPartial = this.chunks > 0;
      this.number = agent.responseNew(this.givenFormat);
      this.instance = core.instanceNumber;
      freeWith(this, core, this.number, agent.responseFree);
    }
    return this.number;
  }

  private async *pass<C>(stream: AsyncIterable<C>, genuine: boolean): AsyncGenerator<C> {
    this.reset();
    try {
      for await (const chunk of stream) {
        this.processChunk(chunk);
        yield chunk;
      }
    } catch (thrown) {
      throw classified(thrown, this.provider);
    }
    // The SDKs of OpenAI and Anthropic end an aborted stream like a complete one.
    const { controller } = stream as { controller?: { signal?: AbortSignal } };
    const fault = inCore(() => agent.responseEnd(this.handle, genuine)) as Fault | undefined;
    if (fault === undefined || this.isPartial) return;
    if (controller?.signal?.aborted === true) throw new ResponseError('CANCELLED', 'The stream was aborted');
    throw errorOf(fault);
  }

  private take(read: CoreChunk, chunk: unknown): ResponseChunk {
    const { text = '', tools = NONE, begun = NONE, failure } = read;
    const taken: ResponseChunk = { text, hasToolCall: tools.length > 0, metadata: {} };
    if (text !== '') this.takeText(text);
    if (tools.length > 0) {
      this.hadToolActivity = true;
      // A call without a name still counts as a call.
      const named = tools.filter((name) => name !== '');
      const last = named.at(-1);
      if (last !== undefined) Object.assign(taken, { toolName: last, toolNames: named });
    }
    for (const name of begun) {
      this.lastTool = name;
      this.report(toolLine(name, this.locale));
    }
    if (read.finishReason !== undefined) taken.finishReason = read.finishReason;
    for (const name of ['truncated', 'usage', 'toolCalls'] as const) {
      if (read[name] !== undefined) taken.metadata[name] = read[name];
    }
    // The one reader of tokens, in the one convention.
    if (read.usage !== undefined) taken.metadata.usage = usageIn(chunk) ?? read.usage;
    if (failure !== undefined) {
      const error = this.error(failure, this.provider);
      if (this.debug !== undefined) {
        const details = { error: textForLog(error.message), stack: stackOfFailure(error) };
        this.note('Chunk processing failed', text !== '', taken.hasToolCall, details);
      }
      throw error;
    }
    if (this.debug !== undefined) {
      this.record(text !== '', taken.hasToolCall, chunk);
      if (read.unknown !== undefined) {
        this.note('Passed over a chunk of an unknown type', false, false, { type: read.unknown });
      }
    }
    return taken;
  }

  private takeText(text: string): void {
    this.received += text;
    if (this.status === undefined) return;
    const line = this.preview ?? inCore(() => agent.responsePreview(this.handle));
    if (this.preview === undefined && inCore(() => agent.responsePreviewIsFull(this.handle)))
      this.preview = line;
    observe(this.status, line);
  }

  private report(status: string): void {
    if (this.status !== undefined) observe(this.status, status);
  }

  private record(hasText: boolean, hasToolCall: boolean, chunk: unknown): void {
    this.note('Processed chunk', hasText, hasToolCall);
    const unknown = inCore(() => agent.responseUnknownFields(this.handle, chunk));
    if (unknown.length > 0)
      this.note('Passed over unknown fields', hasText, hasToolCall, { fields: unknown });
  }

  private note(
    message: string,
    hasText: boolean,
    hasToolCall: boolean,
    more?: Record<string, unknown>,
  ): void {
    if (this.debug === undefined) return;
    observe(this.debug, message, { chunkNum: this.chunks, hasText, hasToolCall, ...more });
  }

  private get provider(): string | undefined {
    return inCore(() => agent.responseProvider(this.handle)) as string | undefined;
  }

  private error(failure: Fault | { thrown: unknown }, provider: string | undefined): AgentError {
    return 'thrown' in failure ? classified(failure.thrown, provider) : errorOf(failure);
  }

  /** Returns the status line of a failed exchange, for users. */
  private failureStatus(error: AgentError): string {
    if (error instanceof EmptyResponseError)
      return failureLine('empty', textForLog(error.message), this.locale);
    if (error instanceof ResponseValidationError)
      return failureLine('invalid', textForLog(error.message), this.locale);
    // The program's words are for its operator; those of a provider, a tool or a system are for a developer only.
    const isOwn =
      !(error instanceof ResponseError) && OWN_TYPES.has(errorTypeOf(error.code)) && hasOwnWords(error);
    const [sentence = ''] = sentenceOf(error, { locale: this.locale }).split('\n', 1);
    return failureLine('otherwise', isOwn ? textForLog(error.message) : sentence, this.locale);
  }
}

function classified(thrown: unknown, provider: string | undefined): AgentError {
  return AgentError.from(thrown, { layer: 'model', provider });
}

/** The types of errors for which an application writes its own words. */
const OWN_TYPES: ReadonlySet<ErrorType> = /* @__PURE__ */ new Set<ErrorType>([
  'unknown',
  'validation',
  'tool_failed',
]);

/** Runs `read` in the core. A response that does not fit into the core's memory is an invalid one. */
function inCore<T>(read: () => T): T {
  try {
    return onceMore(read);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ResponseError(
      'INVALID_RESPONSE',
      'The response cannot be read: it may need more memory than there is',
      { cause },
    );
  }
}

/**
 * Returns the stack of a failure. An error that a provider sent as data lacks one, so it gets that of the code that
 * read the chunk.
 */
function stackOfFailure(error: AgentError): string | undefined {
  const stack = stackOf(error.cause) ?? stackOf(error);
  return stack?.includes('\n') ? stack : stackOf(new Error(error.message));
}
