/** Messages. https://docs.claude.com/en/api/messages, https://docs.claude.com/en/docs/build-with-claude/streaming */
import { ANTHROPIC_RULES } from '../rules/anthropic.js';
import { type Any, listOf } from '../rules/shared.js';
import {
  type Answer,
  type ErrorBody,
  type Head,
  parsed,
  textOf,
  tokensOut,
  type Wire,
  words,
} from './wire.js';

const REASONS = {
  stop: 'end_turn',
  tools: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
  refusal: 'refusal',
};

/** https://docs.claude.com/en/api/errors */
const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
const errorOf = ({ status, code, words: message }: ErrorBody) => ({
  type: code?.endsWith('_error')
    ? code
    : (TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')),
  message,
});

const THOUGHT = 'The task needs these tools in this order.';

/** The blocks of an answer: thinking first, if the request asks for it. */
function blocksOf({ text, calls }: Answer, { request, sign }: Head): Any[] {
  const isThinking = request.thinking?.type === 'enabled' || request.thinking?.type === 'adaptive';
  return [
    ...(isThinking ? [{ type: 'thinking', thinking: THOUGHT, signature: sign(THOUGHT) }] : []),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: parsed(args) ?? {} })),
  ];
}

export const anthropic: Wire = {
  name: 'anthropic',
  provider: 'anthropic',
  path: /^(?:\/v1)?\/messages$/,
  rules: ANTHROPIC_RULES,
  read({ tools, messages }) {
    const blocks = listOf(messages).flatMap(({ content }) => listOf(content));
    const results = new Map(
      blocks.flatMap((block) =>
        block.type === 'tool_result' ? [[block.tool_use_id, textOf(block.content)]] : [],
      ),
    );
    return {
      tools: listOf(tools).map(({ name }) => name),
      calls: blocks.flatMap(({ type, id, name, input }) =>
        type === 'tool_use' ? [{ name, args: JSON.stringify(input), result: results.get(id) }] : [],
      ),
      isContinued: listOf(messages).some(
        ({ role, content }) =>
          role === 'assistant' &&
          (typeof content === 'string'
            ? content
            : (listOf(content).find(({ type }) => type === 'text')?.text ?? '')
          ).length > 20,
      ),
    };
  },
  whole: (answer, head) => ({
    id: `msg_${head.id}`,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content: blocksOf(answer, head),
    stop_reason: REASONS[answer.finish],
    stop_sequence: null,
    usage: { input_tokens: head.tokensIn, output_tokens: tokensOut(answer) },
  }),
  events(answer, head) {
    const event = (type: string, more: object) => ({ event: type, data: { type, ...more } });
    const blocks = blocksOf(answer, head).flatMap((block, index) => {
      const delta = (one: object) => event('content_block_delta', { index, delta: one });
      const start = (content_block: object) => event('content_block_start', { index, content_block });
      const stop = event('content_block_stop', { index });
      if (block.type === 'text') {
        const deltas = words(block.text).map((text) => delta({ type: 'text_delta', text }));
        return [start({ type: 'text', text: '' }), ...deltas, stop];
      }
      if (block.type === 'thinking') {
        return [
          start({ type: 'thinking', thinking: '', signature: '' }),
          delta({ type: 'thinking_delta', thinking: block.thinking }),
          delta({ type: 'signature_delta', signature: block.signature }),
          stop,
        ];
      }
      const args = answer.calls.find(({ id }) => id === block.id)?.args ?? '';
      const half = Math.ceil(args.length / 2);
      return [
        start({ ...block, input: {} }),
        ...[args.slice(0, half), args.slice(half)].map((partial_json) =>
          delta({ type: 'input_json_delta', partial_json }),
        ),
        stop,
      ];
    });
    const whole = this.whole(answer, head) as Any;
    return [
      event('message_start', {
        message: {
          ...whole,
          content: [],
          stop_reason: null,
          usage: { input_tokens: head.tokensIn, output_tokens: 1 },
        },
      }),
      event('ping', {}),
      ...blocks,
      event('message_delta', {
        delta: { stop_reason: whole.stop_reason, stop_sequence: null },
        usage: { output_tokens: tokensOut(answer) },
      }),
      event('message_stop', {}),
    ];
  },
  error: (error, id) => ({ type: 'error', error: errorOf(error), request_id: `req_${id}` }),
  errorEvent: (error) => ({ event: 'error', data: { type: 'error', error: errorOf(error) } }),
};
