/** The parts of a model and of its stream that this folder reads. They are alike in versions 2 to 4 of the AI SDK's specification. */

import { noteAnswer } from '../call/attempt.js';
import type { AttemptContext } from '../call/options.js';

/** The parameters of a call of a model, as far as a guard changes them. */
export interface ModelCall {
  abortSignal?: AbortSignal | undefined;
}

/** A part of a model's stream, or of a `fullStream`. */
export interface StreamPart {
  readonly type: string;
  readonly id?: string | undefined;
  readonly delta?: unknown;
  readonly text?: unknown;
  readonly error?: unknown;
  readonly usage?: unknown;
  readonly totalUsage?: unknown;
  readonly finishReason?: unknown;
  readonly request?: { body?: unknown } | undefined;
  readonly modelId?: unknown;
  readonly providerMetadata?: object | undefined;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  /** Of a tool: the provider runs it. */
  readonly providerExecuted?: unknown;
  /** Of a tool's result: more of it follows. */
  readonly preliminary?: unknown;
}

/** The result of `doStream`. */
export interface StreamResult {
  stream: ReadableStream<unknown>;
}

/** The parts that come before an answer: nothing of it is lost when another attempt sends them again. */
const PREAMBLE = /* @__PURE__ */ new Set([
  'stream-start',
  'response-metadata',
  'start',
  'start-step',
  'raw',
  // Facts of a provider about its message, in AI SDK 7: `anthropic.message_start`.
  'custom',
  // An end of what has not begun: providers open and close a block for an empty answer.
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
  'tool-input-start',
]);

/** Returns `true` for a part before the answer's content. Providers open a text with an empty delta, and white space alone is no text. */
export function isPreamble({ type, delta, text }: StreamPart): boolean {
  if (PREAMBLE.has(type)) return true;
  const piece = delta ?? text;
  return (
    type.endsWith('-delta') &&
    typeof piece === 'string' &&
    (type === 'text-delta' ? piece.trim() : piece) === ''
  );
}

/** The parts of a stream, one by one. Leaving the loop cancels the stream. */
export async function* partsOf(stream: ReadableStream<unknown>): AsyncGenerator<StreamPart, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield read.value as StreamPart;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * An answer or a part as the reader of answers takes it. A model of version 2 gives one word for the reason of its end, which is its provider's
 * own unless it is `unknown`; without one, the stream has broken off.
 */
export function asJudged<A>(answer: A): A {
  const { finishReason } = (answer ?? {}) as StreamPart;
  return typeof finishReason !== 'string' || finishReason === 'unknown'
    ? answer
    : { ...answer, rawFinishReason: finishReason };
}

/** Reports the limits that a result states, and notes what it or a last part says of tokens, model and end. */
export function observeAnswer(context: AttemptContext, answer: unknown): void {
  const { response } = (answer ?? {}) as { response?: { headers?: unknown } | undefined };
  const headers = response?.headers;
  // First: limits that were handed over are not read a second time.
  if (headers !== undefined) context.observe({ headers });
  noteAnswer(context, answer);
}
