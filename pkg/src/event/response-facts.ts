/** The id that a provider gave its answer, read from what an operation returned or a stream yielded. */

/** What an answer of a model has beside its id, whole or as a chunk: records of other things have ids as well. */
const OF_AN_ANSWER = ['model', 'choices', 'candidates', 'usage', 'content', 'output', 'modelId'];
const ID = /^[\w.:-]{1,128}$/;

/**
 * The id of OpenAI's, Anthropic's, Gemini's and the AI SDK's answers and of the chunks that carry it; `undefined` for
 * anything else. Never throws.
 */
export function responseIdOf(value: unknown): string | undefined {
  try {
    if (typeof value !== 'object' || value === null) return undefined;
    // The AI SDK and the events of streams have the answer inside.
    const { response, message } = value as { response?: unknown; message?: unknown };
    return idOf(value) ?? idOf(response) ?? idOf(message);
  } catch {
    return undefined; // A getter or a proxy that throws.
  }
}

function idOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  if (!OF_AN_ANSWER.some((name) => name in answer)) return undefined;
  const { id, responseId } = answer as { id?: unknown; responseId?: unknown };
  const found = id ?? responseId;
  return typeof found === 'string' && ID.test(found) ? found : undefined;
}
