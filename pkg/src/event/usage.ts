/** How many tokens an answer took, read from what an operation returned or a stream yielded. */

import type { Usage } from './observed-call.js';

/** Where an answer has its counts: the AI SDK (of all steps, of one), all others, Gemini, LangChain, Cohere's embeddings. */
const COUNTS = ['totalUsage', 'usage', 'usageMetadata', 'usage_metadata', 'meta'] as const;
/**
 * Where an answer stands within a stream's event or beside the HTTP response: Anthropic's `message_start`, OpenAI's
 * `response.completed`, `withResponse()` and Mistral, Cohere's `message-end`, Bedrock's `metadata`.
 */
const INSIDE = ['message', 'response', 'data', 'delta', 'metadata'] as const;

const KINDS = ['inputTokens', 'outputTokens'] as const;
const NAMES = {
  inputTokens: ['inputTokens', 'input_tokens', 'prompt_tokens', 'promptTokenCount', 'promptTokens'],
  outputTokens: [
    'outputTokens',
    'output_tokens',
    'completion_tokens',
    'candidatesTokenCount',
    'completionTokens',
  ],
} as const;

/**
 * The tokens of the answers of OpenAI, Anthropic, Gemini, Mistral, Cohere, Bedrock, LangChain and the AI SDK, and of the
 * chunks that state them; `undefined` for anything else. Never throws.
 *
 * @example
 * ```ts
 * usageIn({ usage: { prompt_tokens: 12, completion_tokens: 3 } }); // { inputTokens: 12, outputTokens: 3 }
 * ```
 */
export function usageIn(value: unknown): Usage | undefined {
  try {
    if (!isObject(value)) return undefined;
    const own = ofAnswer(value);
    if (own !== undefined) return own;
    for (const name of INSIDE) {
      const inner = value[name];
      const found = isObject(inner) ? ofAnswer(inner) : undefined;
      if (found !== undefined) return found;
    }
  } catch {
    // A getter or a proxy that throws.
  }
  return undefined;
}

function ofAnswer(answer: Readonly<Record<string, unknown>>): Usage | undefined {
  for (const name of COUNTS) {
    const found = answer[name];
    if (!isObject(found)) continue;
    // Cohere counts what the model read and wrote, and what it bills.
    const counts = [found.tokens, found.billedUnits].find(isObject) ?? found;
    const usage: Usage = {};
    for (const kind of KINDS) {
      const count = NAMES[kind].map((known) => counts[known]).find(isCount);
      if (count !== undefined) usage[kind] = count;
    }
    // Gemini counts and bills them beside the candidates; the others count them among the output.
    const thoughts = counts.thoughtsTokenCount;
    if (isCount(thoughts)) usage.outputTokens = (usage.outputTokens ?? 0) + thoughts;
    if (Object.keys(usage).length > 0) return usage;
  }
  return undefined;
}

/**
 * What a chunk states, together with what those before it did. The counts of a stream only grow: Anthropic's first event has
 * the input, its last one the output, with an input of 0 where LangChain passes it on.
 */
export function together(before: Usage | undefined, usage: Usage): Usage {
  const most = { ...before };
  for (const kind of KINDS) {
    const count = usage[kind];
    if (count !== undefined) most[kind] = Math.max(most[kind] ?? 0, count);
  }
  return most;
}

/** Whether a value is a number of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
