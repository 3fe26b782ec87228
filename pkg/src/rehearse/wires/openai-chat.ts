/** Chat completions. https://platform.openai.com/docs/api-reference/chat */
import { OPENAI_CHAT_RULES } from '../rules/openai-chat.js';
import { type Any, listOf } from '../rules/shared.js';
import { type Answer, type ErrorBody, type Head, textOf, tokensOut, type Wire, words } from './wire.js';

const REASONS = {
  stop: 'stop',
  tools: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  refusal: 'stop',
};
const CREATED = 1_780_000_000;

const usageOf = (answer: Answer, { tokensIn }: Head) => ({
  prompt_tokens: tokensIn,
  completion_tokens: tokensOut(answer),
  total_tokens: tokensIn + tokensOut(answer),
});

const callsOf = ({ calls }: Answer) =>
  calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }));

/** OpenAI's errors, of both of its wires. */
export function openaiError({ status, words: message, code, param }: ErrorBody): Any {
  const type =
    status === 429
      ? code === 'insufficient_quota'
        ? code
        : 'requests'
      : status >= 500
        ? 'server_error'
        : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

export const openaiChat: Wire = {
  name: 'openai-chat',
  provider: 'openai',
  path: /^(?:\/v1)?\/chat\/completions$/,
  rules: OPENAI_CHAT_RULES,
  read({ tools, messages }) {
    const results = new Map(
      listOf(messages).flatMap((one) =>
        one.role === 'tool' ? [[one.tool_call_id, textOf(one.content)]] : [],
      ),
    );
    const calls = listOf(messages).flatMap((one) => listOf(one.tool_calls));
    return {
      tools: listOf(tools).map((tool) => tool.function?.name ?? tool.name),
      calls: calls.map(({ id, function: made }) => ({
        name: made?.name,
        args: made?.arguments ?? '',
        result: results.get(id),
      })),
      isContinued: listOf(messages).some(
        ({ role, content }) => role === 'assistant' && textOf(content).length > 20,
      ),
    };
  },
  whole(answer, head) {
    const { text, calls, finish } = answer;
    const isRefusal = finish === 'refusal';
    const message = {
      role: 'assistant',
      content: isRefusal || (text === '' && calls.length > 0) ? null : text,
      refusal: isRefusal ? text : null,
      ...(calls.length > 0 && { tool_calls: callsOf(answer) }),
    };
    return {
      id: `chatcmpl-${head.id}`,
      object: 'chat.completion',
      created: CREATED,
      model: head.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: REASONS[finish] }],
      usage: usageOf(answer, head),
    };
  },
  events(answer, head) {
    const base = {
      id: `chatcmpl-${head.id}`,
      object: 'chat.completion.chunk',
      created: CREATED,
      model: head.model,
    };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
    });
    const kind = answer.finish === 'refusal' ? 'refusal' : 'content';
    return [
      chunk({ role: 'assistant', content: '' }),
      ...words(answer.text).map((word) => chunk({ [kind]: word })),
      ...callsOf(answer).flatMap((call, index) => {
        const { name, arguments: args } = call.function;
        const half = Math.ceil(args.length / 2);
        return [
          chunk({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] }),
          ...[args.slice(0, half), args.slice(half)].map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
          ),
        ];
      }),
      chunk({}, REASONS[answer.finish]),
      ...(head.request.stream_options?.include_usage
        ? [{ data: { ...base, choices: [], usage: usageOf(answer, head) } }]
        : []),
      { data: '[DONE]' },
    ];
  },
  error: openaiError,
  errorEvent: (error) => ({ data: openaiError(error) }),
};
