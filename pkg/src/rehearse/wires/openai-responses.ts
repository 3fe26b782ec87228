/** Responses. https://platform.openai.com/docs/api-reference/responses */
import { limitsOf } from '../rules/models.js';
import { OPENAI_RESPONSES_RULES } from '../rules/openai-responses.js';
import { type Any, listOf } from '../rules/shared.js';
import { openaiError } from './openai-chat.js';
import { type Answer, type Head, textOf, tokensOut, type Wire, words } from './wire.js';

/** The items of an answer: reasoning first, if the model reasons. */
function itemsOf({ text, calls, finish }: Answer, { id, request, model, sign }: Head): Any[] {
  const reasoningId = `rs_${id}`;
  const isSealed = listOf(request.include).includes('reasoning.encrypted_content');
  const reasoning = {
    type: 'reasoning',
    id: reasoningId,
    summary: [],
    ...(isSealed && { encrypted_content: sign(reasoningId) }),
  };
  const content =
    finish === 'refusal'
      ? [{ type: 'refusal', refusal: text }]
      : [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  const status = finish === 'length' || finish === 'filter' ? 'incomplete' : 'completed';
  const isSaid = text !== '' || calls.length === 0;
  return [
    ...(limitsOf(model).reasons ? [reasoning] : []),
    ...(isSaid ? [{ type: 'message', id: `msg_${id}`, status, role: 'assistant', content }] : []),
    ...calls.map((call) => ({
      type: 'function_call',
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name,
      arguments: call.args,
      status: 'completed',
    })),
  ];
}

const INCOMPLETE: Record<string, string> = { length: 'max_output_tokens', filter: 'content_filter' };

/** The parameters of a request that its response repeats, with the values of those that it leaves out. */
const PARAMETERS = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

function responseOf(answer: Answer, head: Head, output: Any[]): Any {
  const out = tokensOut(answer);
  const reason = INCOMPLETE[answer.finish];
  const { request } = head;
  const repeated = Object.entries(PARAMETERS).map(([name, usual]) => [name, request[name] ?? usual]);
  return {
    ...Object.fromEntries(repeated),
    id: `resp_${head.id}`,
    object: 'response',
    created_at: 1_780_000_000,
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model: head.model,
    output,
    tools: listOf(request.tools).map((tool) => (tool.type === 'function' ? { strict: true, ...tool } : tool)),
    usage: {
      input_tokens: head.tokensIn,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: head.tokensIn + out,
    },
  };
}

export const openaiResponses: Wire = {
  name: 'openai-responses',
  provider: 'openai',
  path: /^(?:\/v1)?\/responses$/,
  rules: OPENAI_RESPONSES_RULES,
  read({ tools, input }) {
    const items = listOf(input);
    const results = new Map(
      items.flatMap((item) =>
        item.type === 'function_call_output' ? [[item.call_id, textOf(item.output)]] : [],
      ),
    );
    return {
      tools: listOf(tools).flatMap(({ type, name }) => (type === 'function' ? [name] : [])),
      calls: items.flatMap(({ type, name, arguments: args, call_id: id }) =>
        type === 'function_call' ? [{ name, args, result: results.get(id) }] : [],
      ),
      isContinued: items.some(({ role, content }) => role === 'assistant' && textOf(content).length > 20),
    };
  },
  whole: (answer, head) => responseOf(answer, head, itemsOf(answer, head)),
  events(answer, head) {
    let sequence_number = 0;
    const event = (type: string, more: object) => ({
      event: type,
      data: { type, sequence_number: sequence_number++, ...more },
    });
    const output = itemsOf(answer, head);
    const response = responseOf(answer, head, output);
    const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
    const ofItem = (item: Any, output_index: number) => {
      const at = { item_id: item.id, output_index };
      const done = event('response.output_item.done', { output_index, item });
      if (item.type === 'reasoning')
        return [event('response.output_item.added', { output_index, item }), done];
      if (item.type === 'function_call') {
        const half = Math.ceil(item.arguments.length / 2);
        return [
          event('response.output_item.added', {
            output_index,
            item: { ...item, arguments: '', status: 'in_progress' },
          }),
          ...[item.arguments.slice(0, half), item.arguments.slice(half)].map((delta) =>
            event('response.function_call_arguments.delta', { ...at, delta }),
          ),
          event('response.function_call_arguments.done', {
            ...at,
            name: item.name,
            arguments: item.arguments,
          }),
          done,
        ];
      }
      const [part] = item.content;
      const kind = part.type === 'refusal' ? 'refusal' : 'text';
      const name = kind === 'text' ? 'response.output_text' : 'response.refusal';
      const place = { ...at, content_index: 0 };
      return [
        event('response.output_item.added', {
          output_index,
          item: { ...item, status: 'in_progress', content: [] },
        }),
        event('response.content_part.added', { ...place, part: { ...part, [kind]: '' } }),
        ...words(part[kind]).map((delta) => event(`${name}.delta`, { ...place, delta, logprobs: [] })),
        event(`${name}.done`, { ...place, [kind]: part[kind], logprobs: [] }),
        event('response.content_part.done', { ...place, part }),
        done,
      ];
    };
    // The numbers are in the order in which the events are sent.
    const start = [
      event('response.created', { response: begun }),
      event('response.in_progress', { response: begun }),
    ];
    const middle = output.flatMap(ofItem).map((one) => one);
    const type = response.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    const all = [...start, ...middle, event(type, { response })];
    return all.map(({ event: name, data }, index) => ({
      event: name,
      data: { ...data, sequence_number: index },
    }));
  },
  error: openaiError,
  errorEvent: ({ words: message, code }) => ({
    event: 'error',
    data: { type: 'error', sequence_number: 99, code: code ?? 'server_error', message, param: null },
  }),
};
