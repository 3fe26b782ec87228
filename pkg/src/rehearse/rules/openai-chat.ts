/** The rules of OpenAI's Chat Completions, in its words as far as they are recorded (`isRecorded`). */
import { isRetired, limitsOf } from './models.js';
import {
  type Any,
  first,
  isBlank,
  listOf,
  type Rule,
  type RuleContext,
  repeated,
  tokensOf,
} from './shared.js';

const REFERENCE = 'https://platform.openai.com/docs/api-reference/chat/create';
const CALLING = 'https://platform.openai.com/docs/guides/function-calling';
const REASONING = 'https://platform.openai.com/docs/guides/reasoning';
const VISION = 'https://platform.openai.com/docs/guides/images-vision';
const RECORDED = 'tests/sdk-errors/faults.mjs';

const ROLES = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];
const namesOf = ({ tools }: Any): string[] =>
  listOf(tools).flatMap((tool) => (tool.type === 'function' ? [tool.function?.name ?? tool.name] : []));

/** A list of the request has `most` entries or fewer. */
const shortList = (name: string, param: string, most: number): Rule => ({
  name,
  source: REFERENCE,
  code: 'array_above_max_length',
  param,
  broken: (request) => {
    const { length } = listOf(request[param]);
    return length > most
      ? `Invalid '${param}': array too long. Expected an array with maximum length ${most}, but got an array with length ${length} instead.`
      : undefined;
  },
});

/** Rules that Chat Completions and Responses share. */
export const openaiRules = (conversation: 'messages' | 'input'): readonly Rule[] => [
  {
    name: 'model-given',
    source: REFERENCE,
    broken: ({ model }) =>
      typeof model === 'string' && model !== '' ? undefined : 'you must provide a model parameter',
  },
  {
    name: 'model-found',
    source: 'https://platform.openai.com/docs/deprecations',
    status: 404,
    code: 'model_not_found',
    broken: ({ model }) =>
      isRetired(model)
        ? `The model \`${model}\` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations`
        : undefined,
  },
  {
    name: 'temperature-range',
    source: REFERENCE,
    code: 'decimal_above_max_value',
    param: 'temperature',
    broken: ({ temperature }) =>
      temperature > 2
        ? `Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got ${temperature} instead.`
        : undefined,
  },
  {
    name: 'reasoning-has-no-temperature',
    source: REASONING,
    code: 'unsupported_value',
    param: 'temperature',
    broken: ({ temperature, model }) =>
      temperature != null && temperature !== 1 && limitsOf(model).reasons
        ? `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`
        : undefined,
  },
  {
    name: 'tool-names',
    source: CALLING,
    code: 'invalid_value',
    param: 'tools',
    broken: (request) =>
      first(namesOf(request), (name, index) =>
        /^[a-zA-Z0-9_-]+$/.test(name)
          ? undefined
          : `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      ),
  },
  {
    name: 'tool-name-length',
    source: CALLING,
    code: 'string_above_max_length',
    param: 'tools',
    broken: (request) =>
      first(namesOf(request), (name, index) =>
        name.length > 64
          ? `Invalid 'tools[${index}].function.name': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`
          : undefined,
      ),
  },
  shortList('tool-count', 'tools', 128),
  {
    name: 'image-type',
    source: VISION,
    code: 'invalid_image_format',
    broken: (request) =>
      imagesOf(request[conversation]).some(
        (url) => /^data:/.test(url) && !/^data:image\/(?:png|jpe?g|gif|webp);/.test(url),
      )
        ? "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."
        : undefined,
  },
  {
    name: 'image-size',
    source: VISION,
    code: 'image_too_large',
    broken: (request) =>
      imagesOf(request[conversation]).some((url) => url.length * 0.75 > 20 * 1024 * 1024)
        ? 'Image size exceeds the maximum of 20 MB.'
        : undefined,
  },
  {
    name: 'context-length',
    source: RECORDED,
    isRecorded: true,
    code: 'context_length_exceeded',
    param: conversation,
    broken: (request, context: RuleContext) => {
      const most = context.contextTokens ?? limitsOf(request.model).contextTokens;
      const tokens = tokensOf(request);
      if (tokens <= most) return undefined;
      return conversation === 'input'
        ? 'Your input exceeds the context window of this model. Please adjust your input and try again.'
        : `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
    },
  },
];

const imagesOf = (conversation: Any): string[] =>
  listOf(conversation).flatMap(({ content }) =>
    listOf(content).flatMap(({ image_url: image }) => {
      const url = typeof image === 'string' ? image : image?.url;
      return typeof url === 'string' ? [url] : [];
    }),
  );

export const OPENAI_CHAT_RULES: readonly Rule[] = [
  ...openaiRules('messages'),
  {
    name: 'messages-given',
    source: REFERENCE,
    code: 'empty_array',
    param: 'messages',
    broken: ({ messages }) =>
      listOf(messages).length === 0
        ? "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
        : undefined,
  },
  {
    name: 'roles-known',
    source: RECORDED,
    isRecorded: true,
    code: 'invalid_value',
    param: 'messages[0].role',
    broken: ({ messages }) =>
      first(listOf(messages), ({ role }) =>
        ROLES.includes(role)
          ? undefined
          : `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
      ),
  },
  {
    name: 'reasoning-has-other-limit',
    source: RECORDED,
    isRecorded: true,
    code: 'unsupported_parameter',
    param: 'max_tokens',
    broken: ({ max_tokens, model }) =>
      max_tokens != null && limitsOf(model).reasons
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : undefined,
  },
  {
    name: 'output-limit',
    source: RECORDED,
    isRecorded: true,
    code: 'invalid_value',
    param: 'max_tokens',
    broken: ({ max_tokens, max_completion_tokens, model }) => {
      const requested = max_tokens ?? max_completion_tokens;
      const most = limitsOf(model).outputTokens;
      return requested > most
        ? `max_tokens is too large: ${requested}. This model supports at most ${most} completion tokens, whereas you provided ${requested}.`
        : undefined;
    },
  },
  shortList('stop-count', 'stop', 4),
  {
    name: 'calls-not-empty',
    source: REFERENCE,
    code: 'empty_array',
    broken: ({ messages }) =>
      first(listOf(messages), ({ tool_calls: calls }, index) =>
        Array.isArray(calls) && calls.length === 0
          ? `Invalid 'messages[${index}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`
          : undefined,
      ),
  },
  {
    name: 'results-have-calls',
    source: CALLING,
    param: 'messages',
    broken: ({ messages }) => {
      let open: string[] = [];
      return first(listOf(messages), ({ role, tool_calls: calls, tool_call_id: id }) => {
        if (role !== 'tool') {
          open = listOf(calls).map((call) => call.id);
          return undefined;
        }
        if (!open.includes(id))
          return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        open = open.filter((one) => one !== id);
        return undefined;
      });
    },
  },
  {
    name: 'calls-have-results',
    source: CALLING,
    param: 'messages',
    broken: ({ messages }) =>
      first(listOf(messages), ({ tool_calls: calls }, index) => {
        const rest: Any[] = messages.slice(index + 1);
        const end = rest.findIndex(({ role }) => role !== 'tool');
        const results = rest.slice(0, end < 0 ? undefined : end).map((message) => message.tool_call_id);
        const missing = listOf(calls).flatMap(({ id }) => (results.includes(id) ? [] : [id]));
        return missing.length === 0
          ? undefined
          : `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(', ')}`;
      }),
  },
  {
    name: 'ids-unique',
    source: CALLING,
    broken: ({ messages }) =>
      listOf(messages).some(({ tool_calls: calls }) => repeated(listOf(calls).map(({ id }) => id)))
        ? "Duplicate value for 'tool_call_id'."
        : undefined,
  },
  {
    name: 'content-given',
    source: REFERENCE,
    code: 'invalid_type',
    broken: ({ messages }) =>
      first(listOf(messages), ({ role, content, tool_calls: calls, refusal, function_call: old }, index) => {
        if (role === 'tool' || calls !== undefined || old !== undefined || !isBlank(refusal ?? ''))
          return undefined;
        const isGiven =
          typeof content === 'string' ? content !== '' : Array.isArray(content) && content.length > 0;
        return isGiven
          ? undefined
          : `Invalid value for 'content': expected a string, got ${content === '' ? 'an empty one' : 'null'}. (messages.[${index}].content)`;
      }),
  },
];
