/**
 * The requests that Google's generateContent refuses, in its words.
 * https://ai.google.dev/gemini-api/docs/function-calling, https://ai.google.dev/gemini-api/docs/thought-signatures
 */
import type { Any } from './shared.js';

export function refusedByGoogle(request: Any): string | undefined {
  const contents: Any[] = request.contents;
  if (contents.length === 0) return 'contents is not specified';
  if (contents[0].role !== 'user')
    return 'Please ensure that multiturn requests alternate between user and model.';
  for (const [index, { role, parts }] of contents.entries()) {
    const next = contents[index + 1];
    if (next?.role === role) return 'Please ensure that multiturn requests alternate between user and model.';
    if (parts.length === 0) return `contents[${index}].parts must not be empty`;
    if (parts.some((part: Any) => part.text === '' && part.thoughtSignature === undefined)) {
      return 'Unable to submit request because it must have a text parameter.';
    }
    const calls = parts.filter((part: Any) => part.functionCall).length;
    const results = (next?.parts ?? []).filter((part: Any) => part.functionResponse).length;
    if (calls !== results) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
  }
  if (contents[0].parts.some((part: Any) => part.functionResponse)) return 'function response without a call';
  return signatureMissing(request);
}

/** Gemini 3 checks the steps of the present turn: those after the last words of the user. */
function signatureMissing({ contents, model }: Any): string | undefined {
  if (!/gemini-3/.test(model)) return undefined;
  const start = contents
    .map(({ role, parts }: Any) => role === 'user' && parts.some((part: Any) => !part.functionResponse))
    .lastIndexOf(true);
  const isMissing = contents.slice(start).some(({ parts }: Any) => {
    const first = parts.find((part: Any) => part.functionCall);
    return (
      first !== undefined && !/^(?:Cs|skip_thought_signature_validator)/.test(first.thoughtSignature ?? '')
    );
  });
  return isMissing ? 'Function call is missing a thought_signature in functionCall parts.' : undefined;
}
