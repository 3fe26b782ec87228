/** A `fetch` for clients of models: an attempt is the whole answer, and of a stream all until its end. */

import { noteAnswer } from '../call/attempt.js';
import {
  EVENTS_TYPE,
  isJson,
  JSON_TYPE,
  LINES_TYPE,
  LineReader,
  type Note,
  noteAll,
} from '../call/body-reader.js';
import { copiedResponse } from '../call/copied-response.js';
import { Exchange } from '../call/exchange.js';
import { type AttemptContext, modelTimes } from '../call/options.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { isFields } from '../repair/copy.js';
import { type RepairingOptions, repairingShape } from '../repair/options.js';
import { type AnswerOptions, answersShape, cutOff, Judge } from '../response/answers.js';
import { ResponseError } from '../response/errors.js';
import { bytesOf, EVENTS, type EventFormat, EventReader, eventsOf, LINES, type Meaning } from './events.js';
import { bodySent, MendedBody } from './mended-body.js';

/** The options of a guarded client. */
export interface GuardOptions extends RepairingOptions {
  /**
   * Milliseconds to the first content of a stream; then the attempt fails with TIMEOUT. Default: the policy's `attemptMs`, and without one
   * a `stallTimeoutMs` that is given.
   */
  firstChunkTimeoutMs?: number | undefined;
  /**
   * Milliseconds between two events after the first content; then the attempt fails with TIMEOUT. `attemptMs` does not count from
   * there on. Default: 120000.
   */
  stallTimeoutMs?: number | undefined;
  /** The answers that are failures. Default: an empty one, and a tool call whose arguments are no JSON. */
  answers?: AnswerOptions | undefined;
}

export const guardShape: is.Shape = {
  firstChunkTimeoutMs: is.span,
  stallTimeoutMs: is.span,
  ...answersShape,
  ...repairingShape,
};

/**
 * Returns a `fetch` under the policy, for clients of models that take one. `policy.fetch` is over with the headers; here an
 * attempt ends with the body. JSON is read whole, so that a body that is cut off is retried. A stream of events, or of lines of JSON, is held back
 * until its first content, so that an error which the provider reports in it is retried, and nothing is repeated; if it breaks
 * off later, reading it rejects with the AgentError. For a conversation, status 200 without a body, or with a page of HTML, is
 * retried too, unless `answers: { empty: 'accept' }`. Other bodies are passed on as they come.
 *
 * Like `fetch`, it resolves with the last response, whatever its status, so that the client makes its own error of it. Without
 * one it rejects with the signal's reason, or a TypeError whose cause is the AgentError. The policy's fallback does not apply.
 * A request whose body streams is not repeated.
 *
 * A request that its provider refuses is changed as the error asks, and sent again at once (`repair`): a tool call gets the result
 * that an abort has left out, a parameter that the model does not support goes. `AgentError.from(error).message` says what was
 * tried in vain.
 *
 * @param options - Milliseconds to the first content of a stream (default: `attemptMs`) and between its events (default: 120000);
 * which answers are failures.
 * @param send - The `fetch` that sends. Default: the global one.
 * @throws TypeError for a wrong option or something that is no policy.
 *
 * @example
 * ```ts
 * const provider = createOpenAI({ apiKey, fetch: answerFetch(policy) });
 * ```
 */
export function answerFetch(
  policy: Policy<unknown>,
  options?: GuardOptions,
  send?: typeof fetch,
): typeof fetch {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  const { repair, answers, ...times } = is.readOptions<GuardOptions>(guardShape, options, 'answerFetch');
  const read = modelTimes(times);
  return async (input, init) => {
    const exchange = new Exchange(input, init, send ?? globalThis.fetch, policy.host.time, 'body');
    const mended = new MendedBody(exchange, repair);
    const isPost = methodOf(input, init) === 'POST';
    let body: string | undefined;
    const judge = new Judge(isPost ? answers : ACCEPTS, () => JSON.parse(body ?? ''));
    const answer = new Answer(exchange, mended, judge, isPost, answers?.empty !== 'accept');
    const attempt = async (context: AttemptContext) => {
      // Of an empty answer, the second one is judged by its request.
      if (context.attempt === 2) body = await bodySent({ input, init }).catch(() => undefined);
      return answer.attempt(context);
    };
    const chunks = policy.stream(attempt, { ...read, ...exchange.options, repair: mended.repair });
    try {
      return answer.read(await chunks.next(), chunks);
    } catch (error) {
      return exchange.endWith(error);
    }
  };
}

/** The answer to a request: chunks of the body, each once it is certain that the attempt need not be repeated. */
class Answer {
  private readonly exchange: Exchange;
  private readonly mended: MendedBody;
  private readonly judge: Judge;
  /** A model is called: an answer that is only fetched was judged when it was made. */
  private readonly isPost: boolean;
  /** A model's answer without anything that a model says is a failure. */
  private readonly wantsContent: boolean;
  private response: Response | undefined = undefined;

  constructor(exchange: Exchange, mended: MendedBody, judge: Judge, isPost: boolean, wantsContent: boolean) {
    this.exchange = exchange;
    this.mended = mended;
    this.judge = judge;
    this.isPost = isPost;
    this.wantsContent = wantsContent;
  }

  /** The response as the client gets it. */
  read(first: IteratorResult<Uint8Array | symbol>, rest: AsyncIterator<Uint8Array | symbol>): Response {
    this.exchange.failing.end();
    return copiedResponse(this.response as Response, bodyOf(first as IteratorResult<Uint8Array>, rest));
  }

  async *attempt(context: AttemptContext): AsyncGenerator<Uint8Array, void> {
    const response = await this.exchange.send(context);
    this.response = response;
    if (response.body === null) return this.checkBody(response, '');
    const note: Note = (answer) => noteAnswer(context, answer);
    const type = response.headers.get('content-type') ?? '';
    const format = EVENTS_TYPE.test(type) ? EVENTS : LINES_TYPE.test(type) ? LINES : undefined;
    if (format !== undefined) yield* this.events(response, response.body, format, context, note);
    else if (JSON_TYPE.test(type)) {
      const bytes = this.renamed(jsonOf(response.body, note, (answer) => this.judgeWhole(answer)));
      let length = 0;
      for await (const piece of bytes) {
        length += piece.length;
        if (length > 0) yield piece;
      }
      if (length === 0) await this.checkBody(response, '');
    } else if (PAGE_TYPE.test(type)) {
      const page = await response.text();
      await this.checkBody(response, page);
      yield new TextEncoder().encode(page);
    } else yield* bytesOf(response.body);
  }

  /**
   * A gateway may answer 200 without a body, or with a page of its own. For a client of a model that is no answer, and the
   * same request may find the model.
   */
  private async checkBody({ status }: Response, text: string): Promise<void> {
    if (!this.isPost || !this.wantsContent || status !== 200) return;
    if (!(await this.sendsConversation())) return;
    const got = text === '' ? 'without a body' : 'with a page of HTML';
    throw new ResponseError('INVALID_RESPONSE', `expected a model's answer, got status 200 ${got}`, {
      retryable: true,
    });
  }

  private async sendsConversation(): Promise<boolean> {
    try {
      const sent: unknown = JSON.parse((await bodySent(this.exchange)) ?? '');
      return isFields(sent) && ['messages', 'contents', 'input'].some((name) => name in sent);
    } catch {
      return false; // A form, an upload, or a body that streams.
    }
  }

  /** Gemini sends a stream as a list of chunks, or as events. */
  private judgeWhole(answer: unknown): void {
    if (!this.isPost) return;
    if (Array.isArray(answer)) {
      const reader = this.judge.reader();
      for (const chunk of answer) reader.chunk(chunk);
      if (reader.isKnown) reader.end();
    } else this.judge.whole(answer);
  }

  /** JSON, with the names of tools that the application knows. */
  private async *renamed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { mended } = this;
    for await (const piece of pieces) {
      const text = mended.hasRenamed ? new TextDecoder().decode(piece) : '';
      const known = mended.known(text);
      // A piece of a stream may end in the middle of a character.
      yield known === text ? piece : new TextEncoder().encode(known);
    }
  }

  private renamedIn(event: string, format: EventFormat): string {
    const data = this.mended.hasRenamed ? format.data(event) : undefined;
    const known = data === undefined ? data : this.mended.known(data);
    return known === undefined || known === data ? event : format.withData(event, known);
  }

  /** Events from the first content on, the preamble with it. */
  private async *events(
    response: Response,
    body: ReadableStream<Uint8Array>,
    format: EventFormat,
    context: AttemptContext,
    note: Note,
  ): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    const reader = new EventReader(note, this.judge.reader(), format);
    let held = '';
    let hasBegun = false;
    for await (const event of eventsOf(body, format)) {
      held += this.renamedIn(event, format);
      let meaning: Meaning;
      try {
        meaning = reader.read(event);
      } catch (error) {
        // Before any content the client reads the provider's error itself; after it, what it reads is not the whole.
        if (!hasBegun && !(error instanceof ResponseError))
          this.exchange.failing.keep(copiedResponse(response, held), error, context);
        throw error;
      }
      if (meaning === 'preamble' && !hasBegun && held.length <= LONGEST_PREAMBLE) continue;
      hasBegun = true;
      yield encoder.encode(held);
      held = '';
    }
    reader.end();
    if (held !== '') yield encoder.encode(held);
  }
}

/** For a stream that is only fetched: it has an end. */
const ACCEPTS: AnswerOptions = { empty: 'accept', brokenToolCall: 'accept' };

function methodOf(input: string | URL | Request, init: RequestInit | undefined): string {
  return (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
}

/** A page of HTML, as portals and gateways send it. */
const PAGE_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;

/** How much of a stream is held back until its first content, in UTF-16 units: 1 MiB. */
const LONGEST_PREAMBLE = 1024 * 1024;

/**
 * A body of JSON is read whole, so that one that is cut off is retried: it is not JSON, and throws. A body whose first line is
 * a value by itself, with others behind it, is a stream of lines under a wrong name: it passes as it comes.
 */
async function* jsonOf(
  body: ReadableStream<Uint8Array>,
  note: Note,
  judge: (answer: unknown) => void,
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder();
  const held: Uint8Array[] = [];
  let text = '';
  let firstLine = -1;
  let isDecided = false;
  let lines: LineReader | undefined;
  for await (const chunk of bytesOf(body)) {
    if (lines !== undefined) {
      lines.read(chunk);
      yield chunk;
      continue;
    }
    held.push(chunk);
    const piece = decoder.decode(chunk, { stream: true });
    // Only the piece is searched: a long text would be searched again for each chunk.
    const lineEnd = isDecided || firstLine >= 0 ? -1 : piece.indexOf('\n');
    if (lineEnd >= 0) firstLine = text.length + lineEnd;
    text += piece;
    if (isDecided || firstLine < 0 || !/\S/.test(text.slice(firstLine))) continue;
    isDecided = true;
    if (!isJson(text.slice(0, firstLine))) continue;
    lines = new LineReader(note);
    for (const before of held) {
      lines.read(before);
      yield before;
    }
  }
  if (lines !== undefined) {
    if (!lines.end()) throw cutOff('no end');
    return;
  }
  text += decoder.decode();
  // Throws for what is cut off.
  if (text !== '') {
    const answer: unknown = JSON.parse(text);
    noteAll(answer, note);
    judge(answer);
  }
  yield joined(held);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Streams that were passed on: one that its client forgets, unread, lets its connection and its call go, as `fetch` does. */
let forgotten: FinalizationRegistry<AsyncIterator<unknown>> | undefined;

function bodyOf(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array | symbol>,
): ReadableStream<Uint8Array> | null {
  if (first.done === true) return null;
  let pending: Uint8Array | undefined = first.value;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = pending;
        pending = undefined;
        if (chunk !== undefined) return controller.enqueue(chunk);
        const { done, value } = await rest.next();
        if (done === true) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      async cancel() {
        await rest.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  if (typeof FinalizationRegistry !== 'undefined') {
    forgotten ??= new FinalizationRegistry((unread) => void unread.return?.().catch(() => {}));
    forgotten.register(body, rest);
  }
  return body;
}
