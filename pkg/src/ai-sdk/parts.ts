/** What this folder reads of a model and of its stream. The versions 2 to 4 of the AI SDK's specification have it alike. */

import { noteAnswer } from '../call/attempt.js';
import type { AttemptContext } from '../call/options.js';
import { AgentError } from '../error/agent-error.js';

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

/** What `doStream` resolves with. */
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
  'text-start',
  'reasoning-start',
  'tool-input-start',
]);

/** Whether a part carries nothing of the answer yet. Providers open a text with an empty delta. */
export function isPreamble({ type, delta, text }: StreamPart): boolean {
  return PREAMBLE.has(type) || (type.endsWith('-delta') && (delta === '' || text === ''));
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
 * What is wrong with the end of a model's stream. Providers end a stream that was cut off with the reason
 * `interrupted` (AI SDK 7), or with `other` and nothing of their own beside it; `error` is a failure that no part has reported.
 */
export function faultOf({ finishReason }: StreamPart): AgentError | undefined {
  const { unified, raw } = (
    typeof finishReason === 'string' ? { unified: finishReason, raw: finishReason } : (finishReason ?? {})
  ) as { unified?: unknown; raw?: unknown };
  if (unified === 'error' || unified === 'interrupted')
    return cutOff(`the provider ended it with '${unified}'`);
  return unified === 'other' && raw === undefined ? cutOff('no reason for its end') : undefined;
}

/** A stream that ended too early: worth another attempt. */
export function cutOff(reason: string): AgentError {
  return new AgentError('INVALID_RESPONSE', `Stream cut off: ${reason}`, { retryable: true });
}

/** Reports the limits that a result states, and notes what it or a last part says of tokens, model and end. */
export function observeAnswer(context: AttemptContext, answer: unknown): void {
  const { response } = (answer ?? {}) as { response?: { headers?: unknown } | undefined };
  const headers = response?.headers;
  // First: limits that were handed over are not read a second time.
  if (headers !== undefined) context.observe({ headers });
  noteAnswer(context, answer);
}
