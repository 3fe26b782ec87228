/** The rules of OpenAI's Responses, in its words. */
import { limitsOf } from './models.js';
import { openaiRules } from './openai-chat.js';
import { first, listOf, type Rule } from './shared.js';

const REFERENCE = 'https://platform.openai.com/docs/api-reference/responses/create';
const CALLING = 'https://platform.openai.com/docs/guides/function-calling';
const REASONING = 'https://platform.openai.com/docs/guides/reasoning';

const idsOf = (input: unknown, type: string): string[] =>
  listOf(input).flatMap((item) => (item.type === type ? [item.call_id] : []));

export const OPENAI_RESPONSES_RULES: readonly Rule[] = [
  ...openaiRules('input'),
  {
    name: 'input-given',
    source: REFERENCE,
    code: 'missing_required_parameter',
    param: 'input',
    broken: ({ input }) =>
      input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)
        ? "Missing required parameter: 'input'."
        : undefined,
  },
  {
    name: 'least-output-tokens',
    source: REFERENCE,
    code: 'integer_below_min_value',
    param: 'max_output_tokens',
    broken: ({ max_output_tokens: most }) =>
      most < 16
        ? `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`
        : undefined,
  },
  {
    name: 'output-limit',
    source: 'https://platform.openai.com/docs/models',
    code: 'invalid_value',
    param: 'max_output_tokens',
    broken: ({ max_output_tokens: requested, model }) => {
      const most = limitsOf(model).outputTokens;
      return requested > most
        ? `max_output_tokens is too large: ${requested}. This model supports at most ${most} completion tokens, whereas you provided ${requested}.`
        : undefined;
    },
  },
  {
    name: 'content-given',
    source: REFERENCE,
    code: 'invalid_value',
    param: 'input',
    broken: ({ input }) =>
      first(listOf(input), ({ role, content }, index) =>
        role !== undefined && (content === '' || content?.length === 0)
          ? `Invalid 'input[${index}].content': empty. Expected a value with minimum length 1.`
          : undefined,
      ),
  },
  {
    name: 'response-stored',
    source: 'https://platform.openai.com/docs/guides/conversation-state',
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    broken: ({ previous_response_id: id }, { isKnown }) =>
      id != null && isKnown?.(id) === false ? `Previous response with id '${id}' not found.` : undefined,
  },
  {
    name: 'results-have-calls',
    source: CALLING,
    param: 'input',
    broken: ({ input }) => {
      const seen = new Set<string>();
      return first(listOf(input), ({ type, call_id: id }) => {
        if (type === 'function_call') seen.add(id);
        return type === 'function_call_output' && !seen.has(id)
          ? `No tool call found for function call output with call_id ${id}.`
          : undefined;
      });
    },
  },
  {
    name: 'one-result-each',
    source: CALLING,
    param: 'input',
    broken: ({ input }) => {
      const ids = idsOf(input, 'function_call_output');
      const twice = ids.find((id, index) => ids.indexOf(id) < index);
      return twice === undefined ? undefined : `Duplicate tool output found for call_id ${twice}.`;
    },
  },
  {
    name: 'calls-have-results',
    source: CALLING,
    param: 'input',
    broken: ({ input }) => {
      const outputs = idsOf(input, 'function_call_output');
      const missing = idsOf(input, 'function_call').find((id) => !outputs.includes(id));
      return missing === undefined ? undefined : `No tool output found for function call ${missing}.`;
    },
  },
  {
    name: 'reasoning-is-followed',
    source: REASONING,
    param: 'input',
    broken: ({ input }) =>
      first(listOf(input), ({ type, id }, index) => {
        const next = input[index + 1];
        return type === 'reasoning' && next?.type !== 'function_call' && next?.role !== 'assistant'
          ? `Item '${id}' of type 'reasoning' was provided without its required following item.`
          : undefined;
      }),
  },
  {
    name: 'reasoning-own',
    source: REASONING,
    code: 'invalid_encrypted_content',
    broken: ({ input }, { isOwn }) =>
      first(listOf(input), ({ type, id, encrypted_content: sealed }) =>
        type === 'reasoning' && typeof sealed === 'string' && !isOwn(sealed, String(id))
          ? `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
          : undefined,
      ),
  },
];
