/** The tokens of an answer: the only reader, for results of operations, chunks of streams, and bodies. */

/**
 * The tokens of an answer, in one convention for every provider: `inputTokens` is all that is billed as input,
 * including cached tokens, and `outputTokens` includes reasoning. It is read in the same way from whole and streamed
 * answers, even from streams that were closed, aborted or broke, as far as the provider had reported it.
 */
export interface Usage {
  /** All tokens that are billed as input, including those that were read from a cache or written to it. */
  inputTokens?: number | undefined;
  /** The part of `inputTokens` that was read from the provider's cache; absent if zero. */
  cachedInputTokens?: number | undefined;
  /** The part of `inputTokens` that was written to the provider's cache; absent if zero. */
  cacheWriteTokens?: number | undefined;
  /** All tokens that are billed as output, including reasoning. */
  outputTokens?: number | undefined;
  /** The part of `outputTokens` that was reasoning; absent if zero. */
  reasoningTokens?: number | undefined;
  /** The model, as the answer names it (`gpt-5-2025-08-07`); otherwise as the call or its policy does. */
  model?: string | undefined;
  /** The provider, as the call or its policy names it. */
  provider?: string | undefined;
}

/** Where an answer has its counts: the AI SDK (of all steps, of one), all others, Gemini, LangChain, Cohere's embeddings. */
const COUNTS = ['totalUsage', 'usage', 'usageMetadata', 'usage_metadata', 'meta'] as const;
/**
 * Where an answer is within a stream's event or a pair with the HTTP response: Anthropic's `message_start`, OpenAI's
 * `response.completed`, `withResponse()` and Mistral, Cohere's `message-end`, Bedrock's `metadata`, Groq's last chunk,
 * and a run of the OpenAI Agents SDK.
 */
const INSIDE = ['message', 'response', 'data', 'delta', 'metadata', 'x_groq', 'state'] as const;

const INPUT = [
  'inputTokens',
  'input_tokens',
  'prompt_tokens',
  'promptTokenCount',
  'promptTokens',
  'prompt_eval_count', // Ollama
  'tokens', // embeddings of the AI SDK
] as const;
const OUTPUT = [
  'outputTokens',
  'output_tokens',
  'completion_tokens',
  'candidatesTokenCount',
  'completionTokens',
  'eval_count', // Ollama
] as const;
const TOTAL = ['totalTokens', 'total_tokens', 'totalTokenCount'] as const;
const CACHED = [
  'cachedInputTokens', // the AI SDK
  'cache_read_input_tokens', // Anthropic
  'cacheReadInputTokens', // Bedrock
  'cachedContentTokenCount', // Gemini
  'prompt_cache_hit_tokens', // DeepSeek
  'cached_tokens', // Cohere, Kimi
  'cachedTokens',
] as const;
const WRITTEN = ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cacheWriteTokens'] as const;
const REASONING = ['thoughtsTokenCount', 'reasoningTokens', 'reasoning_tokens'] as const;

/** Where the counts of the input are split: `inputTokens` by a model of the AI SDK, `inputTokenDetails` by its results. */
const OF_INPUT = [
  'prompt_tokens_details',
  'input_tokens_details',
  'promptTokensDetails',
  'inputTokensDetails',
  'inputTokenDetails',
  'input_token_details',
  'inputTokens',
] as const;
const OF_OUTPUT = [
  'completion_tokens_details',
  'output_tokens_details',
  'completionTokensDetails',
  'outputTokensDetails',
  'outputTokenDetails',
  'output_token_details',
  'outputTokens',
] as const;
/** The names of the parts, including LangChain's (`cache_read`) and OpenRouter's (`cache_write_tokens`). */
const CACHED_PART = ['cached_tokens', 'cachedTokens', 'cacheReadTokens', 'cache_read', 'cacheRead'] as const;
const WRITTEN_PART = ['cache_write_tokens', 'cacheWriteTokens', 'cache_creation', 'cacheWrite'] as const;
const REASONING_PART = ['reasoning_tokens', 'reasoningTokens', 'reasoning'] as const;

/** The counts of a `Usage`. */
export const USAGE_KINDS = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * How the counts of a chunk join the earlier ones. `most`: each count only grows (Anthropic's first event has the
 * input, its last one the output). `last`: each chunk states the whole so far (Gemini). `sum`: each chunk states its
 * own part (the steps of the AI SDK, LangChain's chunks).
 */
type Joins = 'most' | 'last' | 'sum';

/**
 * Returns the tokens of the answers of OpenAI, Anthropic, Gemini, Bedrock, Cohere, Mistral, DeepSeek, Groq, xAI,
 * OpenRouter, Ollama, LangChain, the AI SDK and the OpenAI Agents SDK, and of their chunks, joined to those of earlier
 * chunks; `undefined` for anything else. Never throws.
 *
 * @example
 * ```ts
 * usageIn({ usage: { prompt_tokens: 12, completion_tokens: 3 } }); // { inputTokens: 12, outputTokens: 3 }
 * ```
 */
export function usageIn(value: unknown, before?: Usage): Usage | undefined {
  try {
    if (!isObject(value)) return undefined;
    const own = ofAnswer(value, before);
    if (own !== undefined) return own;
    for (const name of INSIDE) {
      const inner = value[name];
      const found = isObject(inner) ? ofAnswer(inner, before) : undefined;
      if (found !== undefined) return found;
    }
  } catch {
    // A getter or a proxy that throws.
  }
  return undefined;
}

function ofAnswer(answer: Fields, before: Usage | undefined): Usage | undefined {
  for (const name of COUNTS) {
    const found = answer[name];
    const usage = isObject(found) ? countsOf(found, answer) : undefined;
    if (usage === undefined) continue;
    if (name === 'usageMetadata') return joined(before, usage, 'last');
    const isPart = name === 'usage_metadata' ? !isEndOfClaude(answer) : answer.type === 'finish-step';
    return joined(before, usage, isPart ? 'sum' : 'most');
  }
  // Ollama's own API has its counts beside the answer.
  const isOllama = isCount(answer.eval_count) || isCount(answer.prompt_eval_count);
  const usage = isOllama ? countsOf(answer, answer) : undefined;
  return usage && joined(before, usage, 'most');
}

/** LangChain passes Anthropic's last event on unchanged: its output is the whole stream's, not a part of it. */
function isEndOfClaude({ additional_kwargs }: Fields): boolean {
  return isObject(additional_kwargs) && 'stop_reason' in additional_kwargs;
}

/** Returns the counts in the convention of `Usage`, whatever the provider's is. */
function countsOf(found: Fields, answer: Fields): Usage | undefined {
  // Cohere counts the tokens that the model read and wrote, and those that it bills, which are fewer.
  const billed = [found.billed_units, found.billedUnits, found.tokens].find(isObject);
  const counts = billed ?? found;
  const cached = count(found, CACHED) ?? partOf(counts, OF_INPUT, CACHED_PART) ?? 0;
  const written = count(found, WRITTEN) ?? partOf(counts, OF_INPUT, WRITTEN_PART) ?? writtenBeside(answer);
  const reasoning = count(found, REASONING) ?? partOf(counts, OF_OUTPUT, REASONING_PART) ?? 0;
  let input = count(counts, INPUT);
  let output = count(counts, OUTPUT);
  const cache = cached + written;
  if (input !== undefined && billed === undefined && leavesCacheOut(counts, answer, input, cache))
    input += cache;
  // Gemini counts its own tools' results beside the prompt, and thoughts beside the candidates.
  if (isCount(found.toolUsePromptTokenCount)) input = (input ?? 0) + found.toolUsePromptTokenCount;
  if (isCount(found.thoughtsTokenCount)) output = (output ?? 0) + found.thoughtsTokenCount;
  if (input !== undefined && output !== undefined) {
    const rest = (count(counts, TOTAL) ?? 0) - input - output;
    // Only the total includes the cached or the reasoning tokens (xAI, Gemini by OpenAI's interface, the AI SDK 5 with
    // Gemini).
    if (rest > 0 && rest === cache) input += rest;
    else if (rest > 0) output += rest;
  }
  const usage: Usage = {};
  if (input !== undefined) usage.inputTokens = input;
  if (cached > 0) usage.cachedInputTokens = Math.min(cached, input ?? cached);
  if (written > 0) usage.cacheWriteTokens = written;
  if (output !== undefined) usage.outputTokens = output;
  if (reasoning > 0) usage.reasoningTokens = reasoning;
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/**
 * Returns `true` if the input count excludes the tokens that were read from the cache or written to it, as for
 * Anthropic and Bedrock (https://platform.claude.com/docs/en/build-with-claude/prompt-caching,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html), and for the AI SDK 5 with their models.
 */
function leavesCacheOut(counts: Fields, answer: Fields, input: number, cache: number): boolean {
  if (cache > input) return true;
  // A gateway in OpenAI's format adds Anthropic's names beside `prompt_tokens`, which includes all of them.
  if (isCount(counts.input_tokens)) {
    return isCount(counts.cache_read_input_tokens) || isCount(counts.cache_creation_input_tokens);
  }
  if (isCount(counts.cacheReadInputTokens) || isCount(counts.cacheWriteInputTokens)) return true;
  const { anthropic, bedrock } = providerOf(answer);
  const isVersion5 = isCount(counts.inputTokens) && !isObject(counts.inputTokenDetails);
  return isVersion5 && (isObject(anthropic) || isObject(bedrock));
}

/** Returns the cache writes that the AI SDK 5 reports, which are only in the provider's metadata. */
function writtenBeside(answer: Fields): number {
  const { anthropic, bedrock } = providerOf(answer);
  if (isObject(anthropic)) return count(anthropic, ['cacheCreationInputTokens']) ?? 0;
  return isObject(bedrock) && isObject(bedrock.usage) ? (count(bedrock.usage, WRITTEN) ?? 0) : 0;
}

function providerOf({ providerMetadata }: Fields): Fields {
  return isObject(providerMetadata) ? providerMetadata : {};
}

/** Returns the count of the first name that has one, or an object with a `total`. */
function count(counts: Fields, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = counts[name];
    if (isCount(value)) return value;
    if (isObject(value) && isCount(value.total)) return value.total;
  }
  return undefined;
}

/**
 * Returns a part of a count, by the names of its details. The OpenAI Agents SDK has a list of them, one for each
 * request.
 */
function partOf(counts: Fields, details: readonly string[], names: readonly string[]): number | undefined {
  let sum: number | undefined;
  for (const name of details) {
    const value = counts[name];
    for (const entry of Array.isArray(value) ? value : [value]) {
      const part = isObject(entry) ? count(entry, names) : undefined;
      if (part !== undefined) sum = (sum ?? 0) + part;
    }
    if (sum !== undefined) return sum;
  }
  return undefined;
}

function joined(before: Usage | undefined, usage: Usage, joins: Joins): Usage {
  const all: Usage = { ...before };
  for (const kind of USAGE_KINDS) {
    const stated = usage[kind];
    if (stated === undefined) continue;
    const known = all[kind] ?? 0;
    all[kind] = joins === 'last' ? stated : joins === 'sum' ? known + stated : Math.max(known, stated);
  }
  return all;
}

/** Returns the usage of two attempts together, under the names of the first. */
export function together(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return joined(one, other, 'sum');
}

/**
 * Returns the usage that an application passes: the counts and the names, whatever else the object has, or throws.
 */
export function givenUsage(given: unknown): Usage {
  const usage: Usage = {};
  const read = (name: keyof Usage): unknown => {
    try {
      return (given as Usage)[name];
    } catch {
      return undefined; // Null, or a getter that throws.
    }
  };
  for (const kind of USAGE_KINDS) {
    const value = read(kind);
    if (isCount(value)) usage[kind] = value;
  }
  for (const name of ['model', 'provider'] as const) {
    const value = read(name);
    if (typeof value === 'string') usage[name] = value;
  }
  return usage;
}

/** Returns `true` if a value is a number of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
