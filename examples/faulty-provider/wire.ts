// The wire formats: what each provider's answers and errors look like, as their API references show them.
// https://platform.openai.com/docs/api-reference and https://docs.anthropic.com/en/api

import type { Fault } from './faults.js';

/** The parts of a request on which the answer depends. */
export interface Asked {
  model: string;
  stream: boolean;
  /** The key that came with it. */
  key: string;
  /** How many inputs it has, of embeddings. */
  count: number;
  id: string;
}

/** An answer before it is sent. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** A server-sent event: its name (or none) and data. */
export interface WireEvent {
  event?: string;
  data: unknown;
}

/** A tool that the model calls instead of answering. */
export interface ToolCall {
  name: string;
  input: object;
}

/** One way of speaking: one endpoint of one provider. */
export interface Wire {
  provider: 'openai' | 'anthropic' | 'google';
  path: string | RegExp;
  whole(asked: Asked, text: string, tool?: ToolCall): unknown;
  /** Server-sent events, in order. Absent if the endpoint does not stream. */
  chunks?(asked: Asked, text: string, tool?: ToolCall): WireEvent[];
}

const seconds = () => Math.floor(Date.now() / 1000);
const words = (text: string) => text.match(/\S+\s*/g) ?? [];

const toolCall = (id: string, { name, input }: ToolCall) => ({
  id: `call_${id}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});

const chatCompletions: Wire = {
  provider: 'openai',
  path: '/v1/chat/completions',
  whole: ({ model, id }, text, tool) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: seconds(),
    model,
    choices: [
      {
        index: 0,
        message:
          tool === undefined
            ? { role: 'assistant', content: text, refusal: null }
            : { role: 'assistant', content: null, refusal: null, tool_calls: [toolCall(id, tool)] },
        logprobs: null,
        finish_reason: tool === undefined ? 'stop' : 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 24,
      completion_tokens: words(text).length,
      total_tokens: 24 + words(text).length,
    },
  }),
  chunks({ model, id }, text, tool) {
    const chunk = (delta: object, finish_reason: string | null) => ({
      data: {
        id: `chatcmpl-${id}`,
        object: 'chat.completion.chunk',
        created: seconds(),
        model,
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      },
    });
    return [
      chunk({ role: 'assistant', content: '' }, null),
      ...(tool === undefined
        ? words(text).map((content) => chunk({ content }, null))
        : [chunk({ tool_calls: [{ index: 0, ...toolCall(id, tool) }] }, null)]),
      chunk({}, tool === undefined ? 'stop' : 'tool_calls'),
      { data: '[DONE]' },
    ];
  },
};

const responses: Wire = {
  provider: 'openai',
  path: '/v1/responses',
  whole: ({ model, id }, text) => ({
    id: `resp_${id}`,
    object: 'response',
    created_at: seconds(),
    status: 'completed',
    error: null,
    incomplete_details: null,
    model,
    output: [
      {
        type: 'message',
        id: `msg_${id}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 24, output_tokens: words(text).length, total_tokens: 24 + words(text).length },
  }),
  chunks(asked, text) {
    let sequence_number = 0;
    const event = (type: string, more: object) => ({
      event: type,
      data: { type, sequence_number: sequence_number++, ...more },
    });
    const item = { item_id: `msg_${asked.id}`, output_index: 0, content_index: 0 };
    const part = { type: 'output_text', annotations: [] };
    const message = { type: 'message', id: `msg_${asked.id}`, role: 'assistant' };
    const whole = this.whole(asked, text) as object;
    return [
      event('response.created', { response: { ...whole, status: 'in_progress', output: [] } }),
      event('response.output_item.added', {
        output_index: 0,
        item: { ...message, status: 'in_progress', content: [] },
      }),
      event('response.content_part.added', { ...item, part: { ...part, text: '' } }),
      ...words(text).map((delta) => event('response.output_text.delta', { ...item, delta })),
      event('response.output_text.done', { ...item, text }),
      event('response.content_part.done', { ...item, part: { ...part, text } }),
      event('response.output_item.done', {
        output_index: 0,
        item: { ...message, status: 'completed', content: [{ ...part, text }] },
      }),
      event('response.completed', { response: whole }),
    ];
  },
};

const messages: Wire = {
  provider: 'anthropic',
  path: '/v1/messages',
  whole: ({ model, id }, text) => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 24, output_tokens: words(text).length },
  }),
  chunks({ model, id }, text) {
    const event = (type: string, more: object) => ({ event: type, data: { type, ...more } });
    return [
      event('message_start', {
        message: {
          id: `msg_${id}`,
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 24, output_tokens: 1 },
        },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...words(text).map((word) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: word } }),
      ),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: words(text).length },
      }),
      event('message_stop', {}),
    ];
  },
};

const embeddings: Wire = {
  provider: 'openai',
  path: '/v1/embeddings',
  whole: ({ model, count }) => ({
    object: 'list',
    data: Array.from({ length: count }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: [0.25, 0.5, 0.75],
    })),
    model,
    usage: { prompt_tokens: 4, total_tokens: 4 },
  }),
};

const files: Wire = {
  provider: 'openai',
  path: '/v1/files',
  whole: ({ id }) => ({
    id: `file-${id}`,
    object: 'file',
    bytes: 120,
    created_at: seconds(),
    filename: 'batch.jsonl',
    purpose: 'batch',
    status: 'processed',
  }),
};

const batches: Wire = {
  provider: 'openai',
  path: '/v1/batches',
  whole: ({ id }) => ({
    id: `batch_${id}`,
    object: 'batch',
    endpoint: '/v1/chat/completions',
    input_file_id: 'file-1',
    completion_window: '24h',
    status: 'validating',
    created_at: seconds(),
  }),
};

const messageBatches: Wire = {
  provider: 'anthropic',
  path: '/v1/messages/batches',
  whole: ({ id }) => ({
    id: `msgbatch_${id}`,
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 1, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    ended_at: null,
    archived_at: null,
    cancel_initiated_at: null,
    results_url: null,
  }),
};

// https://ai.google.dev/api/generate-content
const generateContent: Wire = {
  provider: 'google',
  path: /^\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent$/,
  whole: ({ model, id }, text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: 24,
      candidatesTokenCount: words(text).length,
      totalTokenCount: 24 + words(text).length,
    },
    modelVersion: model,
    responseId: id,
  }),
  chunks({ model, id }, text) {
    const chunk = (part: string, finishReason?: string) => ({
      data: {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: part }] },
            index: 0,
            ...(finishReason === undefined ? {} : { finishReason }),
          },
        ],
        modelVersion: model,
        responseId: id,
      },
    });
    const parts = words(text);
    return parts.map((part, index) => chunk(part, index === parts.length - 1 ? 'STOP' : undefined));
  },
};

/** Every endpoint that the provider speaks. */
export const WIRES: readonly Wire[] = [
  chatCompletions,
  responses,
  messages,
  embeddings,
  files,
  batches,
  messageBatches,
  generateContent,
];

/** How a provider reports an error in a stream that it began with 200. */
export function errorEvent({ provider, path }: Wire): WireEvent {
  if (provider === 'anthropic') {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    return { event: 'error', data: { type: 'error', error } };
  }
  if (provider === 'google') {
    return { data: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } } };
  }
  const message = 'The server had an error while processing your request. Sorry about that!';
  if (path === '/v1/responses') {
    return {
      event: 'error',
      data: { type: 'error', sequence_number: 99, code: 'server_error', message, param: null },
    };
  }
  return { data: { error: { message, type: 'server_error', param: null, code: 'server_error' } } };
}

type ErrorKind = Exclude<
  Fault['kind'],
  'ok' | 'reset' | 'stall' | 'broken-stream' | 'error-in-stream' | 'truncated-body'
>;

const openaiError = (
  status: number,
  type: string,
  code: string | null,
  message: string,
  param: string | null = null,
) => ({
  status,
  body: { error: { message, type, param, code } },
});

// https://ai.google.dev/gemini-api/docs/troubleshooting
const googleError = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status } },
});

const anthropicError = (status: number, type: string, message: string) => ({
  status,
  body: { type: 'error', error: { type, message } },
});

/** The errors of each provider; `hint` is how long to wait, in words. */
const ERRORS: Record<
  Wire['provider'],
  Record<ErrorKind, (asked: Asked, hint: string) => { status: number; body: Record<string, unknown> }>
> = {
  openai: {
    'rate-limited': ({ model }, hint) =>
      openaiError(
        429,
        'requests',
        'rate_limit_exceeded',
        `Rate limit reached for ${model} in organization org-demo on requests per min (RPM): Limit 60, Used 60, Requested 1. Please try again in ${hint}.`,
      ),
    'quota-exceeded': () =>
      openaiError(
        429,
        'insufficient_quota',
        'insufficient_quota',
        'You exceeded your current quota, please check your plan and billing details.',
      ),
    overloaded: () =>
      openaiError(503, 'server_error', null, 'The engine is currently overloaded, please try again later.'),
    'server-error': () =>
      openaiError(
        500,
        'server_error',
        null,
        'The server had an error while processing your request. Sorry about that!',
      ),
    unauthorized: ({ key }) =>
      openaiError(401, 'invalid_request_error', 'invalid_api_key', `Incorrect API key provided: ${key}.`),
    'context-length': () =>
      openaiError(
        400,
        'invalid_request_error',
        'context_length_exceeded',
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
        'messages',
      ),
  },
  anthropic: {
    'rate-limited': (_asked, hint) =>
      anthropicError(
        429,
        'rate_limit_error',
        `This request would exceed the rate limit for your organization of 50 requests per minute. Please try again in ${hint}.`,
      ),
    'quota-exceeded': () =>
      anthropicError(
        400,
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ),
    overloaded: () => anthropicError(529, 'overloaded_error', 'Overloaded'),
    'server-error': () => anthropicError(500, 'api_error', 'Internal server error'),
    unauthorized: ({ key }) => anthropicError(401, 'authentication_error', `invalid x-api-key: ${key}`),
    'context-length': () =>
      anthropicError(400, 'invalid_request_error', 'prompt is too long: 210417 tokens > 200000 maximum'),
  },
  google: {
    'rate-limited': (_asked, hint) =>
      googleError(429, 'RESOURCE_EXHAUSTED', `Resource has been exhausted. Please retry in ${hint}.`),
    'quota-exceeded': () =>
      googleError(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details.',
      ),
    overloaded: () => googleError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'server-error': () => googleError(500, 'INTERNAL', 'An internal error has occurred.'),
    unauthorized: () =>
      googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
    'context-length': () =>
      googleError(
        400,
        'INVALID_ARGUMENT',
        'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
      ),
  },
};

/** The answer that tells of an error, with the headers that say how long to wait. */
export function errorAnswer(
  wire: Wire,
  fault: Extract<Fault, { kind: ErrorKind }>,
  asked: Asked,
): WireAnswer {
  const headers: Record<string, string> = {};
  let hint = 'a moment';
  if (fault.kind === 'rate-limited') {
    if (fault.retryAfterSeconds !== undefined) {
      headers['retry-after'] = String(fault.retryAfterSeconds);
      hint = `${fault.retryAfterSeconds}s`;
    }
    if (fault.retryAfterMs !== undefined) {
      headers['retry-after-ms'] = String(fault.retryAfterMs);
      hint = `${fault.retryAfterMs}ms`;
    }
  }
  const { status, body } = ERRORS[wire.provider][fault.kind](asked, hint);
  if (wire.provider === 'anthropic') body.request_id = `req_${asked.id}`;
  return { status, headers, body };
}

/** The provider's limits, as headers of an answer. */
export function limitHeaders(provider: Wire['provider'], remaining: number): Record<string, string> {
  if (provider === 'google') return {};
  return provider === 'openai'
    ? {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': String(remaining),
        'x-ratelimit-reset-requests': '1s',
      }
    : {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': String(remaining),
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + 60_000).toISOString(),
      };
}
