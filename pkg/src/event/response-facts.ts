/** A provider's facts about its answer beside the tokens: its id, the model, the finish reason. */

/** The known facts of an answer. */
export interface ResponseFacts {
  /** The provider's id of it. */
  responseId?: string | undefined;
  /** The model that made it, as the answer names it. */
  responseModel?: string | undefined;
  /** The provider's terms for the reason why it ended: one for each choice. */
  finishReasons?: readonly string[] | undefined;
}

/**
 * The fields that a model's answer has beside its id, whole or as a chunk. Records of other things have ids as well.
 */
const OF_AN_ANSWER = ['model', 'choices', 'candidates', 'usage', 'content', 'output', 'modelId'];
/** The fields that it has beside its model: cars have models as well. */
const BESIDE_ITS_MODEL = ['choices', 'candidates', 'usage', 'usage_metadata', 'content', 'output', 'done'];
/**
 * Where an answer is within an event of a stream, a result of the AI SDK, a pair with the HTTP response, or a message
 * of LangChain.
 */
const INSIDE = ['response', 'message', 'data', 'delta', 'messageStop', 'response_metadata'];

const ID = /^[\w.:-]{1,128}$/;
const MODEL = /^[\w.:/@-]{1,128}$/;
const REASON = /^[\w.:-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the id, the model and the finish reasons of the answers of OpenAI, Anthropic, Gemini, Bedrock, Cohere,
 * Ollama, LangChain and the AI SDK, and of their chunks. Never throws.
 */
export function responseFactsIn(value: unknown): ResponseFacts {
  const facts: ResponseFacts = {};
  try {
    if (!isObject(value)) return facts;
    note(facts, value);
    for (const name of INSIDE) {
      const inner = value[name];
      if (isObject(inner)) note(facts, inner);
    }
  } catch {
    // A getter or a proxy that throws.
  }
  return facts;
}

function note(facts: ResponseFacts, answer: Fields): void {
  const id = OF_AN_ANSWER.some((name) => name in answer) ? (answer.id ?? answer.responseId) : undefined;
  if (facts.responseId === undefined && isText(id, ID)) facts.responseId = id;
  const model = modelOf(answer);
  if (facts.responseModel === undefined && isText(model, MODEL)) facts.responseModel = model;
  const reasons = reasonsOf(answer).filter((reason) => isText(reason, REASON)) as string[];
  if (facts.finishReasons === undefined && reasons.length > 0) facts.finishReasons = reasons;
}

function modelOf(answer: Fields): unknown {
  const own = answer.modelVersion ?? answer.modelId ?? answer.model_name;
  if (own !== undefined) return own;
  return BESIDE_ITS_MODEL.some((name) => name in answer) ? answer.model : undefined;
}

function reasonsOf(answer: Fields): unknown[] {
  for (const [list, name] of [
    ['choices', 'finish_reason'],
    ['choices', 'finishReason'], // Mistral's SDK
    ['candidates', 'finishReason'],
  ] as const) {
    const entries = answer[list];
    if (Array.isArray(entries)) {
      const reasons = entries.map((entry) => (isObject(entry) ? entry[name] : undefined));
      if (reasons.some((reason) => typeof reason === 'string')) return reasons;
    }
  }
  const { finishReason, incomplete_details } = answer;
  return [
    answer.stop_reason ??
      answer.stopReason ??
      answer.finish_reason ??
      answer.done_reason ??
      // A model of the AI SDK states its own term and the provider's.
      (isObject(finishReason) ? (finishReason.raw ?? finishReason.unified) : finishReason) ??
      // OpenAI's responses.
      (isObject(incomplete_details) ? incomplete_details.reason : undefined) ??
      (answer.object === 'response' && answer.status === 'completed' ? 'completed' : undefined),
  ];
}

function isText(value: unknown, shape: RegExp): value is string {
  return typeof value === 'string' && shape.test(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
