/** How many tokens an answer took, read from what an operation returned or a stream yielded. */

import type { Usage } from './observed-call.js';

/** Where an answer has its counts: the AI SDK (of all steps, of one), OpenAI and Anthropic, Gemini. */
const COUNTS = ['totalUsage', 'usage', 'usageMetadata'] as const;
/** Where an answer stands within a stream's event or beside the HTTP response: `message_start`, `response.completed`, `withResponse()`. */
const INSIDE = ['message', 'response', 'data'] as const;

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
 * The tokens of OpenAI's, Anthropic's, Gemini's and the AI SDK's answers, and of the chunks that state them; `undefined`
 * for anything else. Never throws.
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
    const counts = answer[name];
    if (!isObject(counts)) continue;
    const usage: Usage = {};
    for (const kind of ['inputTokens', 'outputTokens'] as const) {
      const count = NAMES[kind].map((known) => counts[known]).find(isCount);
      if (count !== undefined) usage[kind] = count;
    }
    if (Object.keys(usage).length > 0) return usage;
  }
  return undefined;
}

/** Whether a value is a number of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
