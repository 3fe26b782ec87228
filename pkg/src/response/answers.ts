/** The options that say which answers of a model are failures, and the reader that decides by them. */

import * as agent from '../core/agent.js';
import { core } from '../core/agent.js';
import { freeWith } from '../core/handles.js';
import { onceMore } from '../core/instance.js';
import { AgentError } from '../error/agent-error.js';
import * as is from '../options.js';
import { EmptyResponseError, errorOf, type Fault } from './errors.js';

/**
 * Says which answers of a model are failures. In every guard of a model, for whole and streamed answers alike, the same answer gives the
 * same verdict. In every case a body with an error under status 200, a finish reason `error`, and an answer without any
 * finish reason are failures.
 *
 * @example
 * ```ts
 * const openai = guard(client, policy, { answers: { refused: 'fail', truncated: 'fail' } });
 * ```
 */
export interface AnswerOptions {
  /**
   * Neither text (white space at the ends does not count; a refusal's own words are text), nor a tool call, nor a file, nor
   * audio; reasoning alone is empty. `fail`: NoTextError, retryable, remedy `ask-again`; CONTENT_FILTERED, not
   * retryable, remedy `other-model`, if a filter or a refusal is the reason; not retryable, remedy `raise-output-limit`, if the
   * limit of tokens is. After a tool's result the model is sampled once more, then an empty answer is accepted; `guardCall`
   * accepts it at once, because it would run the tools again. Default: `'fail'`.
   */
  empty?: 'fail' | 'accept' | undefined;
  /** The model declined: `refusal`, stop reason `refusal`. `fail`: CONTENT_FILTERED, remedy `other-model`. Default: `'accept'`. */
  refused?: 'fail' | 'accept' | undefined;
  /** A filter cut the answer off after some text. `fail`: CONTENT_FILTERED, remedy `other-model`. Default: `'accept'`. */
  filtered?: 'fail' | 'accept' | undefined;
  /**
   * The limit of tokens cut the text off. `fail`: INVALID_RESPONSE, not retryable as it is, remedy `raise-output-limit`. Default:
   * `'accept'`.
   */
  truncated?: 'fail' | 'accept' | undefined;
  /**
   * A tool call whose arguments are no JSON. `fail`: INVALID_RESPONSE, retryable; remedy `raise-output-limit` if the limit cut it
   * off, else `ask-again`. Default: `'fail'`.
   */
  brokenToolCall?: 'fail' | 'accept' | undefined;
}

/** Each option's number in core/src/response/verdict.rs, and whether it fails by default. */
const LACKS: Readonly<Record<keyof AnswerOptions, readonly [number, 'fail' | 'accept']>> = {
  empty: [1, 'fail'],
  refused: [2, 'accept'],
  filtered: [4, 'accept'],
  truncated: [8, 'accept'],
  brokenToolCall: [16, 'fail'],
};

const either = /* @__PURE__ */ is.oneOf('fail', 'accept');

/** The option `answers` of a guard. */
export const answersShape: is.Shape = {
  answers: /* @__PURE__ */ is.object({
    empty: either,
    refused: either,
    filtered: either,
    truncated: either,
    brokenToolCall: either,
  }),
};

/** The options as the core reads them. */
function bitsOf(options: AnswerOptions = {}): number {
  let bits = 0;
  for (const [name, [bit, byDefault]] of Object.entries(LACKS)) {
    if ((options[name as keyof AnswerOptions] ?? byDefault) === 'fail') bits |= bit;
  }
  return bits;
}

/** Judges the answers of one call: all its attempts by the same rules. */
export class Judge {
  private readonly bits: number;
  private readonly endsWithTool: () => boolean;
  private readonly mayRepeat: () => boolean;
  private wasRepeated = false;

  /**
   * @param request - The request in any format. It is only called for an empty answer, and may throw without a request.
   * @param mayRepeat - Whether the model can be sampled once more for an empty answer after a tool's result.
   */
  constructor(
    options: AnswerOptions | undefined,
    request: () => unknown,
    mayRepeat: () => boolean = () => true,
  ) {
    this.bits = bitsOf(options);
    this.endsWithTool = () => endsWithToolResult(request);
    this.mayRepeat = mayRepeat;
  }

  /** @throws AgentError if a whole answer is a failure. */
  whole(answer: unknown): void {
    this.reader().whole(answer);
  }

  /** A reader for the next answer. */
  reader(): AnswerReader {
    return new AnswerReader(this.bits, (error) => this.accepts(error));
  }

  /**
   * Returns `true` if an empty answer is accepted: a model that has nothing to add to a tool's result ends its turn, and does so twice. A failure
   * would make the application run the tool again.
   */
  private accepts(error: AgentError): boolean {
    if (!(error instanceof EmptyResponseError) || !error.retryable) return false;
    const isLast = (this.wasRepeated || !this.mayRepeat()) && this.endsWithTool();
    this.wasRepeated = true;
    return isLast;
  }
}

/** `content`: a chunk has something of the answer. */
export type Meaning = 'preamble' | 'content';

/** The facts of a chunk that has more than text, from the core. */
interface CoreChunk {
  text?: string;
  tools?: string[];
  finishReason?: string;
  other?: true;
  unknown?: string;
  failure?: Fault | { thrown: unknown };
}

/** Reads one answer, whole or in chunks, and throws if it is a failure. It accepts an answer of a format that it does not know. */
export class AnswerReader {
  private readonly bits: number;
  private readonly accepts: (error: AgentError) => boolean;
  private handle = 0;
  private instance = -1;
  /** `true` once a chunk had something of the answer. */
  private hasContent = false;
  /** A chunk with content had a known format. */
  isKnown = false;
  /** A chunk had an unknown format. */
  isOther = false;

  constructor(bits: number, accepts: (error: AgentError) => boolean) {
    this.bits = bits;
    this.accepts = accepts;
  }

  /** @throws AgentError if the answer is a failure, or the provider reports an error instead. */
  whole(answer: unknown): void {
    const read = this.inCore(() => {
      const whole = agent.responseWhole(this.handle, answer);
      // At once: nothing of it is read a second time.
      agent.responseFree(this.handle);
      return whole;
    }, true) as CoreChunk | undefined;
    this.check(read?.failure);
  }

  /** @throws AgentError if the chunk ends an answer that is a failure, or the provider reports an error in it. */
  chunk(chunk: unknown): Meaning {
    const read = this.inCore(() => agent.responseChunk(this.handle, chunk)) as
      | CoreChunk
      | string
      | null
      | undefined;
    if (typeof read === 'string') {
      this.isKnown = true;
      this.hasContent ||= isWords(read);
    } else if (typeof read === 'object' && read !== null) {
      const { text = '', tools, finishReason, other, unknown, failure } = read;
      const hasContent = isWords(text) || tools !== undefined || other === true || unknown !== undefined;
      this.isKnown ||= unknown === undefined;
      this.isOther ||= unknown !== undefined;
      this.hasContent ||= hasContent;
      this.check(failure);
      // The end of nothing is held back: whether more comes, the end of the stream says.
      return hasContent || (finishReason !== undefined && this.hasContent) ? 'content' : 'preamble';
    }
    return typeof read === 'string' && isWords(read) ? 'content' : 'preamble';
  }

  /** The answer is over. @throws AgentError if it is a failure. */
  end(): void {
    this.check(this.inCore(() => agent.responseEnd(this.handle, false)) as CoreChunk['failure']);
  }

  private check(failure: CoreChunk['failure']): void {
    if (failure === undefined) return;
    const error =
      'thrown' in failure ? AgentError.from(failure.thrown, { layer: 'model' }) : errorOf(failure);
    if (!this.accepts(error)) throw error;
  }

  /** After a trap, and for what does not fit into the core's memory, nothing is known of the answer. */
  private inCore<T>(read: () => T, isOver = false): T | undefined {
    try {
      return onceMore(() => {
        if (this.instance !== core.instanceNumber) {
          if (this.instance !== -1) return undefined;
          this.handle = agent.responseNew(undefined, this.bits);
          this.instance = core.instanceNumber;
          if (!isOver) freeWith(this, core, this.handle, agent.responseFree);
        }
        return read();
      });
    } catch (thrown) {
      if (thrown instanceof RangeError) return undefined;
      throw thrown;
    }
  }
}

/** White space alone is no answer yet. */
function isWords(text: string): boolean {
  return /\S/.test(text);
}

/** A stream that ended too early: worth another attempt. */
export function cutOff(reason: string): AgentError {
  return new AgentError('INVALID_RESPONSE', `Stream cut off: ${reason}`, { retryable: true });
}

/** The messages of V8, JavaScriptCore and Gecko if a host reads the fields of an answer that is not there. */
const NOT_THERE =
  /(?:undefined|null|can't access property).*\b(?:choices|message)\b|search for 'object' in undefined/;

/**
 * Calls a host's model. Where a gateway answers 200 without a body or with a page of its own, LangChain and the Agents SDK throw a
 * TypeError, because they read an answer that is not there: that is worth another attempt. Any other error stays as it is.
 */
export async function readAnswer<T>(call: () => PromiseLike<T> | T): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof TypeError && NOT_THERE.test(error.message))) throw error;
    const options = { retryable: true, cause: error };
    throw new AgentError('INVALID_RESPONSE', "expected a model's answer, got none", options);
  }
}

/** The types of a tool's result in a list of items or of parts. */
const RESULT = /^(tool|function|tool_result|tool-result|.*_call_output|function_call_result)$/;

/** Returns `true` if a conversation ends with a tool's result, in any format. Never throws. */
function endsWithToolResult(request: () => unknown): boolean {
  try {
    const { messages, prompt, input, contents } = (request() ?? {}) as Record<string, unknown>;
    const turns = [messages, prompt, input, contents].find(Array.isArray) as unknown[] | undefined;
    const last = (turns?.at(-1) ?? {}) as Record<string, unknown>;
    if ([last.role, last.type].some((word) => RESULT.test(String(word)))) return true;
    const parts = [last.content, last.parts].find(Array.isArray) as unknown[] | undefined;
    return (parts ?? []).some((part) => {
      const { type, functionResponse } = (part ?? {}) as Record<string, unknown>;
      return functionResponse !== undefined || RESULT.test(String(type));
    });
  } catch {
    return false; // No JSON, or a getter that throws.
  }
}
