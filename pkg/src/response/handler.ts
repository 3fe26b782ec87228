/** One handler for whole and streamed responses of every format: what they say, and what is wrong with them. */

import { type Chunks, STREAM_RESET } from '../call/stream.js';
import * as agent from '../core/agent.js';
import { core } from '../core/agent.js';
import { onceMore, unlessTrapped } from '../core/instance.js';
import { AgentError } from '../error/agent-error.js';
import { observe } from '../event/events.js';
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

export type ResponseFormat =
  | 'google'
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'ai-sdk'
  | 'ollama';

/** What one chunk, or one whole response, says. */
export interface ResponseChunk {
  /** The answer's text in it, without the model's thoughts. */
  text: string;
  /** It has a tool's call, or a part of one. */
  hasToolCall: boolean;
  /** The tool of that call; of several, the last. */
  toolName?: string | undefined;
  /** All of them, in order. */
  toolNames?: string[] | undefined;
  /** Why the answer ended, in the provider's word. */
  finishReason?: string | undefined;
  /**
   * `truncated: true` where a token limit cut the answer; `usage` in tokens; with the end of an answer `toolCalls`.
   */
  metadata: Record<string, unknown>;
}

/** A call that the model asks for; its parts may have come in pieces between those of others. */
export interface ToolCall {
  id?: string | undefined;
  name: string;
  /** JSON; empty where there are none. */
  arguments: string;
}

export interface ResponseHandlerOptions {
  /** Default: recognised by itself. */
  format?: ResponseFormat | undefined;
  /** Called with the status lines for a person. */
  statusCallback?: ((status: string) => void) | undefined;
  /**
   * The language of status lines and of the sentence that stands for an answer of tools alone: a BCP 47 tag, default English.
   */
  locale?: string | undefined;
  /**
   * Called with a record of every chunk and of what it passed over. That of a chunk that failed also has `error`, its message,
   * and `stack`, both redacted.
   */
  onDebug?:
    | ((message: string, details: { chunkNum: number; hasText: boolean; hasToolCall: boolean }) => void)
    | undefined;
}

/** What the core says of a chunk that has more than text. */
interface Told {
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

/** The providers that a format belongs to, where it is one's alone. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  google: 'google',
  'openai-responses': 'openai',
  ollama: 'ollama',
};

/** A handler in the core, by its number there, and the instance that the number belongs to. */
interface Place {
  handle: number;
  instance: number;
}

const freed =
  /* @__PURE__ */
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry<Place>(({ handle, instance }) => {
        if (instance === core.instanceNumber) unlessTrapped(() => agent.responseFree(handle));
      })
    : undefined;

/**
 * Reads the responses of Gemini, OpenAI (chat completions and responses), Anthropic, the AI SDK and Ollama, whole or
 * streamed, and says aloud what their SDKs pass over in silence: empty, blocked and broken answers, errors in
 * mid-stream, streams without an end.
 *
 * Errors: see {@link ResponseError}. Output that a token limit cut is none: the chunk has `metadata.truncated`.
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
  readonly #format: ResponseFormat | undefined;
  readonly #locale: string;
  readonly #status: ((status: string) => void) | undefined;
  readonly #debug: ResponseHandlerOptions['onDebug'];
  readonly #place: Place;
  #text = '';
  #toolActivity = false;
  #lastToolName: string | undefined;
  #chunkCount = 0;
  /** The core trapped in the middle of an answer: of what came before, only what stands here is known. */
  #lost = false;
  /** The preview's line, once it does not change any more. */
  #preview: string | undefined;

  /** @throws TypeError for an unknown option or format, or a callback that is no function. */
  constructor(options?: ResponseHandlerOptions) {
    const read = readOptions<ResponseHandlerOptions>(OPTIONS, options, 'ResponseHandler');
    this.#format = read.format;
    this.#locale = read.locale ?? 'en';
    this.#status = read.statusCallback;
    this.#debug = read.onDebug;
    this.#place = { handle: 0, instance: -1 };
    freed?.register(this, this.#place);
  }

  /** The answer's text so far. */
  get text(): string {
    return this.#text;
  }

  /** Whether the answer calls a tool. */
  get toolActivity(): boolean {
    return this.#toolActivity;
  }

  /** The tool that was called last. */
  get lastToolName(): string | undefined {
    return this.#lastToolName;
  }

  /** How many chunks there were; empty ones are none. */
  get chunkCount(): number {
    return this.#chunkCount;
  }

  /** The calls that the answer asks for, in the order in which they began; complete when the stream has ended. */
  get toolCalls(): ToolCall[] {
    return onceMore(() => agent.responseCalls(this.#handle)) as ToolCall[];
  }

  /** The format that was given, or recognised in what came. */
  get format(): ResponseFormat | undefined {
    return onceMore(() => agent.responseFormat(this.#handle)) as ResponseFormat | undefined;
  }

  /**
   * Checks the structure of a whole response, and changes nothing.
   *
   * @throws {@link ResponseError}; an error that came in the place of an answer, classified.
   */
  validateResponse(response: unknown): void {
    const failure = onceMore(() => agent.responseValidate(this.#handle, response)) as Told['failure'];
    // The format that earlier chunks spoke says nothing about this response.
    if (failure !== undefined) throw this.#error(failure, this.#format ?? '');
  }

  /**
   * Takes the next chunk; `null` for an empty one. STREAM_RESET of a policy's stream begins anew.
   *
   * @throws {@link ResponseError} for an answer that is blocked or cannot be used; an error chunk, classified.
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
    const told = onceMore(() => agent.responseChunk(this.#handle, chunk)) as null | undefined | string | Told;
    if (told === null) return null;
    this.#chunkCount += 1;
    if (typeof told === 'object') return this.#take(told, chunk);
    const text = told ?? '';
    if (text !== '') this.#takeText(text);
    if (this.#debug !== undefined) this.#record(text !== '', false, chunk);
    return { text, hasToolCall: false, metadata: {} };
  }

  /**
   * Validates a whole response and takes it as one chunk.
   *
   * @throws {@link ResponseError}; an error that came in the place of an answer, classified.
   */
  processResponse(response: unknown): ResponseChunk {
    this.validateResponse(response);
    const told = onceMore(() => agent.responseWhole(this.#handle, response)) as Told;
    this.#chunkCount += 1;
    return this.#take(told, response);
  }

  /**
   * The text. For an answer without text that called tools, a sentence in the handler's language: it names the last tool of a
   * stream, and says of a whole response that the task was completed.
   *
   * @throws {@link EmptyResponseError}: NoTextError after a whole response, NoToolActivityError after a stream.
   */
  getFinalResponse(): string {
    const conclusion = onceMore(() => agent.responseConclusion(this.#handle)) as true | ToolsOnly | Fault;
    if (conclusion === true || (this.#lost && this.#text !== '')) return this.#text;
    if ('tools' in conclusion) return insteadOfText(conclusion, this.#locale);
    throw errorOf(conclusion);
  }

  /**
   * Passes the stream's own chunks through, unchanged and in order, while the handler reads them. Begins anew: what
   * an earlier stream said is forgotten.
   *
   * Each chunk is read before it is passed on, so an error chunk is thrown in its place. A stream that ends without
   * its end throws INVALID_RESPONSE, retryable; one that ends with neither text nor tool, {@link NoToolActivityError};
   * what the stream itself throws is classified.
   */
  watch<C>(stream: AsyncIterable<C>): AsyncIterable<C> {
    if (stream === null || typeof stream !== 'object' || !(Symbol.asyncIterator in stream)) {
      throw new TypeError(
        `halfopen: watch expects an async iterable, got ${stream === null ? 'null' : typeof stream}`,
      );
    }
    return this.#pass(stream, false);
  }

  /**
   * The whole exchange: reports that the message goes out, takes every chunk, returns the final response.
   *
   * @param source Sends the request and gives back the stream.
   * @throws As {@link watch} and {@link getFinalResponse}; before that the status is '⚠️ <message>' for an empty response,
   * '❌ <message>' for an invalid one, '❌ Error: <message>' for anything else. A stream that was plainly made by hand owes
   * no end.
   * @example
   * ```ts
   * const answer = await handler.collect(() => client.messages.create({ ...request, stream: true }));
   * ```
   */
  async collect(source: () => Chunks<unknown>): Promise<string> {
    if (typeof source !== 'function')
      throw new TypeError(`halfopen: collect expects a function, got ${typeof source}`);
    try {
      this.#tell(sendingLine(this.#locale));
      const stream: unknown = await source();
      if (stream === null || stream === undefined)
        throw new EmptyResponseError('no response stream received');
      if (typeof stream !== 'object' || !(Symbol.asyncIterator in stream)) {
        throw new UnexpectedTypeError('response stream', typeof stream);
      }
      for await (const _ of this.#pass(stream as AsyncIterable<unknown>, true));
      return this.getFinalResponse();
    } catch (thrown) {
      const error = this.#classified(thrown);
      this.#tell(failureLine(howItFailed(error), textForLog(error.message), this.#locale));
      throw error;
    }
  }

  /** As new, with the same options. */
  reset(): void {
    onceMore(() => agent.responseReset(this.#handle));
    this.#text = '';
    this.#toolActivity = false;
    this.#lastToolName = undefined;
    this.#chunkCount = 0;
    this.#lost = false;
    this.#preview = undefined;
  }

  get #handle(): number {
    const place = this.#place;
    if (place.instance !== core.instanceNumber) {
      // The instance it lived in has trapped. The text is here; the rest begins anew.
      this.#lost = this.#chunkCount > 0;
      place.handle = agent.responseNew(this.#format);
      place.instance = core.instanceNumber;
    }
    return place.handle;
  }

  async *#pass<C>(stream: AsyncIterable<C>, genuine: boolean): AsyncGenerator<C> {
    this.reset();
    try {
      for await (const chunk of stream) {
        this.processChunk(chunk);
        yield chunk;
      }
    } catch (thrown) {
      throw this.#classified(thrown);
    }
    // The SDKs of OpenAI and Anthropic end an aborted stream as if it were complete.
    const { controller } = stream as { controller?: { signal?: AbortSignal } };
    const fault = onceMore(() => agent.responseEnd(this.#handle, genuine)) as Fault | undefined;
    if (fault === undefined || this.#lost) return;
    if (controller?.signal?.aborted === true) throw new ResponseError('CANCELLED', 'The stream was aborted');
    throw errorOf(fault);
  }

  #take(told: Told, chunk: unknown): ResponseChunk {
    const { text = '', tools = NONE, begun = NONE, failure } = told;
    const taken: ResponseChunk = { text, hasToolCall: tools.length > 0, metadata: {} };
    if (text !== '') this.#takeText(text);
    const last = tools.at(-1);
    if (last !== undefined) {
      taken.toolName = last;
      taken.toolNames = tools;
      this.#toolActivity = true;
    }
    for (const name of begun) {
      this.#lastToolName = name;
      this.#tell(toolLine(name, this.#locale));
    }
    if (told.finishReason !== undefined) taken.finishReason = told.finishReason;
    for (const name of ['truncated', 'usage', 'toolCalls'] as const) {
      if (told[name] !== undefined) taken.metadata[name] = told[name];
    }
    if (failure !== undefined) {
      const error = this.#error(failure);
      if (this.#debug !== undefined) {
        const details = { error: textForLog(error.message), stack: stackOfFailure(error) };
        this.#note('Chunk processing failed', text !== '', taken.hasToolCall, details);
      }
      throw error;
    }
    if (this.#debug !== undefined) {
      this.#record(text !== '', taken.hasToolCall, chunk);
      if (told.unknown !== undefined) {
        this.#note('Passed over a chunk of an unknown type', false, false, { type: told.unknown });
      }
    }
    return taken;
  }

  #takeText(text: string): void {
    this.#text += text;
    if (this.#status === undefined) return;
    const line = this.#preview ?? onceMore(() => agent.responsePreview(this.#handle));
    if (this.#preview === undefined && onceMore(() => agent.responsePreviewIsFull(this.#handle)))
      this.#preview = line;
    observe(this.#status, line);
  }

  #tell(status: string): void {
    if (this.#status !== undefined) observe(this.#status, status);
  }

  #record(hasText: boolean, hasToolCall: boolean, chunk: unknown): void {
    this.#note('Processed chunk', hasText, hasToolCall);
    const unknown = onceMore(() => agent.responseUnknownFields(this.#handle, chunk));
    if (unknown.length > 0)
      this.#note('Passed over unknown fields', hasText, hasToolCall, { fields: unknown });
  }

  #note(message: string, hasText: boolean, hasToolCall: boolean, more?: Record<string, unknown>): void {
    if (this.#debug === undefined) return;
    observe(this.#debug, message, { chunkNum: this.#chunkCount, hasText, hasToolCall, ...more });
  }

  #error(failure: Fault | { thrown: unknown }, format: string | undefined = this.format): AgentError {
    return 'thrown' in failure ? this.#classified(failure.thrown, format) : errorOf(failure);
  }

  #classified(thrown: unknown, format: string | undefined = this.format): AgentError {
    const provider = PROVIDERS[format ?? ''];
    return AgentError.from(thrown, { layer: 'model', ...(provider !== undefined && { provider }) });
  }
}

/** How the status line of a failed exchange begins. */
function howItFailed(error: AgentError): 'empty' | 'invalid' | 'otherwise' {
  if (error instanceof EmptyResponseError) return 'empty';
  return error instanceof ResponseValidationError ? 'invalid' : 'otherwise';
}

/** What a provider sends as data has no stack: then that of the reading, which leads to who read the chunk. */
function stackOfFailure(error: AgentError): string | undefined {
  const stack = stackOf(error.cause) ?? stackOf(error);
  return stack?.includes('\n') ? stack : stackOf(new Error(error.message));
}
