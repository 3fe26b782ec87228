/**
 * The rules of Google's generateContent, in its words as far as they are recorded (`isRecorded`). `model` is the one of the path.
 */
import { isRetired, limitsOf } from './models.js';
import { type Any, first, listOf, type Rule, tokensOf } from './shared.js';

const CALLING = 'https://ai.google.dev/gemini-api/docs/function-calling';
const SIGNATURES = 'https://ai.google.dev/gemini-api/docs/thought-signatures';
const REFERENCE = 'https://ai.google.dev/api/generate-content';

const ALTERNATE = 'Please ensure that multiturn requests alternate between user and model.';
const partsOf = (content: Any): Any[] => listOf(content?.parts);
const countOf = (content: Any, kind: string) => partsOf(content).filter((part) => part[kind]).length;

/** The contents since the last words of the user: Gemini 3 checks the signatures of these. */
function presentTurn(contents: Any[]): Any[] {
  const start = contents
    .map((content) => content.role !== 'model' && partsOf(content).some((part) => !part.functionResponse))
    .lastIndexOf(true);
  return contents.slice(start);
}

export const GOOGLE_RULES: readonly Rule[] = [
  {
    name: 'model-found',
    source: 'https://ai.google.dev/gemini-api/docs/deprecations',
    status: 404,
    code: 'NOT_FOUND',
    broken: ({ model }) =>
      isRetired(model)
        ? `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`
        : undefined,
  },
  {
    name: 'contents-given',
    source: REFERENCE,
    isRecorded: true,
    broken: ({ contents }) =>
      listOf(contents).length === 0
        ? '* GenerateContentRequest.contents: contents is not specified'
        : undefined,
  },
  {
    name: 'roles-known',
    source: REFERENCE,
    broken: ({ contents }) =>
      listOf(contents).every(({ role }) => [undefined, 'user', 'model', 'function'].includes(role))
        ? undefined
        : 'Please use a valid role: user, model.',
  },
  {
    name: 'first-is-user',
    source: CALLING,
    broken: ({ contents }) =>
      contents[0].role === 'model'
        ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
        : undefined,
  },
  {
    name: 'roles-alternate',
    source: 'https://github.com/google-gemini/deprecated-generative-ai-python/issues (older models)',
    isOnlyOfGateways: true,
    broken: ({ contents }) =>
      contents.some(({ role }: Any, index: number) => contents[index + 1]?.role === role)
        ? ALTERNATE
        : undefined,
  },
  {
    name: 'parts-given',
    source: REFERENCE,
    broken: ({ contents }) =>
      first(listOf(contents), (content, index) =>
        partsOf(content).length === 0
          ? `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`
          : undefined,
      ),
  },
  {
    name: 'text-not-empty',
    source: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
    broken: ({ contents }) =>
      listOf(contents).some((content) =>
        partsOf(content).some((part) => part.text === '' && part.thoughtSignature === undefined),
      )
        ? 'Unable to submit request because it must have a text parameter.'
        : undefined,
  },
  {
    name: 'results-match-calls',
    source: CALLING,
    broken: ({ contents }) =>
      contents.some(
        (content: Any, index: number) =>
          countOf(content, 'functionCall') !== countOf(contents[index + 1], 'functionResponse'),
      )
        ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
        : undefined,
  },
  {
    name: 'results-have-calls',
    source: CALLING,
    broken: ({ contents }) =>
      countOf(contents[0], 'functionResponse') > 0
        ? 'Please ensure that function response turn comes immediately after a function call turn.'
        : undefined,
  },
  {
    name: 'signature-given',
    source: SIGNATURES,
    broken: ({ contents, model }) => {
      if (!limitsOf(model).wantsSignatures) return undefined;
      const isMissing = presentTurn(contents).some((content) => {
        const call = partsOf(content).find((part) => part.functionCall);
        return call !== undefined && !call.thoughtSignature;
      });
      return isMissing ? 'Function call is missing a thought_signature in functionCall parts.' : undefined;
    },
  },
  {
    name: 'signature-own',
    source: SIGNATURES,
    broken: ({ contents, model }, { isOwn }) => {
      if (!limitsOf(model).wantsSignatures) return undefined;
      const isForeign = presentTurn(contents).some((content) =>
        partsOf(content).some(
          ({ functionCall, thoughtSignature }) =>
            functionCall !== undefined &&
            thoughtSignature !== undefined &&
            // The documented value for calls that another model made.
            !['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].includes(
              thoughtSignature,
            ) &&
            !isOwn(thoughtSignature, String(functionCall.name)),
        ),
      );
      return isForeign ? 'Corrupted thought signature.' : undefined;
    },
  },
  {
    name: 'tool-names',
    source: REFERENCE,
    broken: ({ tools }) =>
      first(
        listOf(tools).flatMap(({ functionDeclarations }) => listOf(functionDeclarations)),
        ({ name }, index) =>
          /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)
            ? undefined
            : `* GenerateContentRequest.tools[0].function_declarations[${index}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
      ),
  },
  {
    name: 'output-limit',
    source: 'https://ai.google.dev/gemini-api/docs/models',
    broken: ({ generationConfig, model }) => {
      const most = limitsOf(model).outputTokens;
      return generationConfig?.maxOutputTokens > most
        ? `Unable to submit request because it has a maxOutputTokens value of ${generationConfig.maxOutputTokens} but the supported range is from 1 (inclusive) to ${most + 1} (exclusive). Update the value and try again.`
        : undefined;
    },
  },
  {
    name: 'temperature-range',
    source: REFERENCE,
    broken: ({ generationConfig }) => {
      const value = generationConfig?.temperature;
      return value > 2 || value < 0
        ? `* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].`
        : undefined;
    },
  },
  {
    name: 'image-type',
    source: 'https://ai.google.dev/gemini-api/docs/image-understanding',
    broken: ({ contents }) => {
      const types = listOf(contents).flatMap((content) =>
        partsOf(content).map(({ inlineData }) => inlineData?.mimeType),
      );
      const bad = types.find((type) => /^image\//.test(type) && !/png|jpeg|webp|hei[cf]/.test(type));
      return bad === undefined ? undefined : `Unsupported MIME type: ${bad}`;
    },
  },
  {
    name: 'context-length',
    source: 'tests/sdk-errors/faults.mjs',
    isRecorded: true,
    broken: (request, context) => {
      const most = context.contextTokens ?? limitsOf(request.model).contextTokens;
      const tokens = tokensOf(request);
      return tokens > most
        ? `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${most}).`
        : undefined;
    },
  },
];
