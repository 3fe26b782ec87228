// Anthropic, OpenAI and Google in one local server that validates a conversation as theirs do: its shape, and that
// reasoning is only sent to the provider that signed it. Each path prefix is a separate provider: `/anthropic`, `/kimi`
// with Anthropic's API.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Any } from '../../pkg/src/rehearse/rules/shared.js';
import {
  refusedByAnthropic,
  refusedByGoogle,
  refusedByOpenai,
  refusedByResponses,
} from '../../pkg/test/repair/validators/refused.js';

/** The response to a request; `text` is the default. */
export interface Reply {
  status?: number;
  text?: string;
  tool?: { name: string; input: object };
  /** The model declines, without words. */
  refuses?: boolean;
  /** The provider leaves out the id of its model. */
  nameless?: boolean;
  message?: string;
  /** The type or code of the error. */
  type?: string;
}

interface Received {
  provider: string;
  body: Any;
  refused?: string | undefined;
}

export interface StrictProviders {
  url(provider: string): string;
  readonly received: Received[];
  /** Sets the replies to the next requests to a provider. */
  next(provider: string, ...replies: Reply[]): void;
  close(): Promise<unknown>;
}

let count = 0;

export async function startStrictProviders(): Promise<StrictProviders> {
  const received: Received[] = [];
  const replies: Record<string, Reply[]> = {};
  const server = createServer(async (request, response) => {
    let json = '';
    for await (const chunk of request) json += chunk;
    const [, provider = '', ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
    const body: Any = JSON.parse(json);
    const model = body.model ?? /models\/([^:]+)/.exec(path.join('/'))?.[1];
    const isStream = body.stream === true || path.join('/').includes('stream');
    const api = APIS[path.at(-1) ?? ''] ?? google;
    const refused = api.refused({ ...body, model }, provider);
    received.push({ provider, body, refused });
    const reply = (refused === undefined ? replies[provider]?.shift() : undefined) ?? {};
    const status = refused === undefined ? (reply.status ?? 200) : 400;
    const message = refused ?? reply.message ?? 'Overloaded';
    response.writeHead(status, {
      'content-type': status === 200 && isStream ? 'text/event-stream' : 'application/json',
    });
    if (status !== 200) response.end(JSON.stringify(api.error(status, message, reply.type)));
    else if (!isStream) response.end(JSON.stringify(api.whole(model, reply, provider)));
    else {
      for (const event of api.events(model, reply, provider)) {
        if (event.type !== undefined) response.write(`event: ${event.type}\n`);
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (provider) => `http://127.0.0.1:${port}/${provider}`,
    received,
    next(provider, ...more) {
      replies[provider] = [...(replies[provider] ?? []), ...more];
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** The signature of a provider, by its path. */
const seal = (provider: string) => `${provider}-${++count}`;
const isOf = (provider: string, signature: string) => signature.includes(`${provider}-`);

const anthropic = {
  refused(body: Any, provider: string) {
    const foreign = body.messages
      .flatMap(({ content }: Any) => (Array.isArray(content) ? content : []))
      .some(({ type, signature }: Any) => type === 'thinking' && !isOf(provider, signature));
    return foreign
      ? 'messages.1.content.0: Invalid `signature` in `thinking` block'
      : refusedByAnthropic(body);
  },
  error: (_status: number, message: string, type = 'invalid_request_error') => ({
    type: 'error',
    error: { type, message },
  }),
  content({ text = 'All is well.', tool }: Reply, provider: string) {
    const thinking = { type: 'thinking', thinking: 'Let me see.', signature: `Er${seal(provider)}` };
    const answer =
      tool === undefined ? { type: 'text', text } : { type: 'tool_use', id: `toolu_${++count}`, ...tool };
    return [thinking, answer];
  },
  whole: (model: string, reply: Reply, provider: string) => ({
    ...{ id: `msg_${++count}`, type: 'message', role: 'assistant' },
    ...{ model: reply.nameless ? undefined : model, stop_sequence: null },
    content: reply.refuses ? [] : anthropic.content(reply, provider),
    stop_reason: reply.refuses ? 'refusal' : reply.tool === undefined ? 'end_turn' : 'tool_use',
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  events(model: string, reply: Reply, provider: string): Any[] {
    const { content, stop_reason, ...message } = anthropic.whole(model, reply, provider);
    const blocks = content.flatMap((block: Any, index) => {
      const { thinking, signature, text, input } = block;
      const delta = (rest: object) => ({ type: 'content_block_delta', index, delta: rest });
      const start = { ...block, ...(thinking && { thinking: '', signature: '' }), ...(text && { text: '' }) };
      return [
        { type: 'content_block_start', index, content_block: input ? { ...start, input: {} } : start },
        ...(thinking ? [delta({ type: 'thinking_delta', thinking })] : []),
        ...(signature ? [delta({ type: 'signature_delta', signature })] : []),
        ...(text ? [delta({ type: 'text_delta', text })] : []),
        ...(input ? [delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })] : []),
        { type: 'content_block_stop', index },
      ];
    });
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
  },
};

const responses = {
  refused(body: Any, provider: string) {
    const foreign = body.input.some(
      ({ type, encrypted_content, id }: Any) =>
        type === 'reasoning' && !isOf(provider, encrypted_content ?? id),
    );
    if (foreign) return 'The encrypted content could not be verified.';
    if (body.temperature !== undefined)
      return "Unsupported parameter: 'temperature' is not supported with this model.";
    return refusedByResponses(body);
  },
  error: (_status: number, message: string, type = 'invalid_request_error') => ({
    error: { message, type, param: /'(\w+)'/.exec(message)?.[1] ?? null, code: null },
  }),
  whole(model: string, { text = 'All is well.', tool, nameless }: Reply, provider: string) {
    const id = `${++count}`;
    const answer =
      tool === undefined
        ? {
            ...{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' },
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : {
            ...{ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed' },
            ...{ name: tool.name, arguments: JSON.stringify(tool.input) },
          };
    return {
      ...{ id: `resp_${id}`, object: 'response', created_at: 1, status: 'completed' },
      model: nameless ? undefined : model,
      output: [
        {
          ...{ type: 'reasoning', id: `rs_${seal(provider)}`, encrypted_content: `gAAAA${seal(provider)}` },
          summary: [{ type: 'summary_text', text: 'Let me see.' }],
        },
        answer,
      ],
      usage: { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 1 } },
      ...{ error: null, incomplete_details: null },
    };
  },
  events(model: string, reply: Reply, provider: string): Any[] {
    const { output, ...response } = responses.whole(model, reply, provider);
    const items = output.flatMap((item: Any, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [], arguments: '' } },
      ...(item.type === 'message'
        ? [{ type: 'response.output_text.delta', item_id: item.id, delta: item.content[0].text }]
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]);
    return [
      { type: 'response.created', response: { ...response, output: [] } },
      ...items,
      { type: 'response.completed', response: { ...response, output } },
    ];
  },
};

const google = {
  refused: (body: Any, provider: string) => {
    const foreign = body.contents
      .flatMap(({ parts }: Any) => parts)
      .some(
        ({ thoughtSignature = '' }: Any) =>
          thoughtSignature !== '' &&
          !isOf(provider, thoughtSignature) &&
          thoughtSignature !== 'skip_thought_signature_validator',
      );
    return foreign ? 'Thought signature is not valid' : refusedByGoogle(body);
  },
  error: (code: number, message: string, status = 'INVALID_ARGUMENT') => ({
    error: { code, message, status },
  }),
  whole: (model: string, { text = 'All is well.', tool, nameless }: Reply, provider: string) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            tool === undefined
              ? { text }
              : {
                  functionCall: { name: tool.name, args: tool.input },
                  thoughtSignature: `Cs${seal(provider)}`,
                },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    ...(!nameless && { modelVersion: model }),
  }),
  events: (model: string, reply: Reply, provider: string): Any[] => [google.whole(model, reply, provider)],
};

/** OpenAI's Chat Completions: whole answers. */
const chat: typeof responses = {
  ...responses,
  refused: (body: Any) => refusedByOpenai(body),
  whole: (model: string, { text = 'All is well.' }: Reply): Any => ({
    ...{ id: `chatcmpl-${++count}`, object: 'chat.completion', created: 1, model },
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
};

const APIS: Readonly<Record<string, typeof anthropic | typeof responses>> = {
  messages: anthropic,
  responses,
  completions: chat,
};
