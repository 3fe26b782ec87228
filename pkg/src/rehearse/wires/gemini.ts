/** generateContent. https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/thought-signatures */
import { GOOGLE_RULES } from '../rules/google.js';
import { limitsOf } from '../rules/models.js';
import { type Any, listOf } from '../rules/shared.js';
import { type Answer, type ErrorBody, type Head, parsed, tokensOut, type Wire, words } from './wire.js';

const REASONS = {
  stop: 'STOP',
  tools: 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'PROHIBITED_CONTENT',
};

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};
const errorOf = ({ status, words: message }: ErrorBody) => ({
  error: { code: status === 529 ? 503 : status, message, status: STATUSES[status] ?? 'INTERNAL' },
});

function callParts({ calls }: Answer, { model, sign }: Head): Any[] {
  return calls.map(({ id, name, args }, index) => ({
    functionCall: { id, name, args: parsed(args) ?? {} },
    // Of calls in parallel, the first one has the signature.
    ...(index === 0 && limitsOf(model).wantsSignatures && { thoughtSignature: sign(name) }),
  }));
}

const usageOf = (answer: Answer, { tokensIn }: Head) => ({
  promptTokenCount: tokensIn,
  candidatesTokenCount: tokensOut(answer),
  totalTokenCount: tokensIn + tokensOut(answer),
});

const isWithheld = ({ finish }: Answer) => finish === 'filter' || finish === 'refusal';

export const gemini: Wire = {
  name: 'gemini',
  provider: 'google',
  path: /^(?:\/v1(?:beta|alpha)?)?\/models\/([^/:]+):(?:streamG|g)enerateContent$/,
  rules: GOOGLE_RULES,
  read({ tools, contents }) {
    const parts = listOf(contents).flatMap((content) => listOf(content.parts));
    const results = parts.flatMap(({ functionResponse: made }) =>
      made ? [JSON.stringify(made.response)] : [],
    );
    const calls = parts.flatMap(({ functionCall: made }) => (made ? [made] : []));
    return {
      tools: listOf(tools).flatMap(({ functionDeclarations }) =>
        listOf(functionDeclarations).map(({ name }) => name),
      ),
      // Results come in the order of the calls; their number is a rule.
      calls: calls.map(({ name, args }, index) => ({
        name,
        args: JSON.stringify(args ?? {}),
        result: results[index],
      })),
      isContinued: listOf(contents).some(
        (content) =>
          content.role === 'model' && listOf(content.parts).some(({ text }) => (text ?? '').length > 20),
      ),
    };
  },
  whole(answer, head) {
    const parts = [...(answer.text === '' ? [] : [{ text: answer.text }]), ...callParts(answer, head)];
    const content = isWithheld(answer) ? {} : { content: { role: 'model', parts } };
    return {
      candidates: [{ ...content, finishReason: REASONS[answer.finish], index: 0 }],
      usageMetadata: usageOf(answer, head),
      modelVersion: head.model,
      responseId: head.id,
    };
  },
  events(answer, head) {
    const parts = isWithheld(answer)
      ? []
      : [...words(answer.text).map((text) => ({ text })), ...callParts(answer, head)];
    const chunk = (own: Any[], finishReason?: string) => ({
      data: {
        candidates: [
          { content: { role: 'model', parts: own }, index: 0, ...(finishReason && { finishReason }) },
        ],
        modelVersion: head.model,
        responseId: head.id,
        usageMetadata: usageOf(answer, head),
      },
    });
    const last = parts.length - 1;
    return parts.length === 0
      ? [chunk([], REASONS[answer.finish])]
      : parts.map((part, index) => chunk([part], index === last ? REASONS[answer.finish] : undefined));
  },
  error: errorOf,
  errorEvent: (error) => ({ data: errorOf(error) }),
};
