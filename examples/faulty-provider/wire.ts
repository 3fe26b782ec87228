// The endpoints: the wires of a rehearsal (`halfopen/rehearse`), which write each provider's answers and errors, and a few that
// a rehearsal does not have.
// https://platform.openai.com/docs/api-reference and https://docs.anthropic.com/en/api

import { errorBody } from '../../pkg/src/rehearse/faults.js';
import { anthropic } from '../../pkg/src/rehearse/wires/anthropic.js';
import { gemini } from '../../pkg/src/rehearse/wires/gemini.js';
import { openaiChat } from '../../pkg/src/rehearse/wires/openai-chat.js';
import { openaiResponses } from '../../pkg/src/rehearse/wires/openai-responses.js';
import type { ErrorBody, Wire, WireEvent } from '../../pkg/src/rehearse/wires/wire.js';
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
  /** The request's body, parsed. */
  body: object;
}

/** An answer before it is sent. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** A tool that the model calls instead of answering. */
export interface ToolCall {
  name: string;
  input: object;
}

/** One endpoint of one provider. */
export interface Endpoint {
  provider: Wire['provider'];
  path: string | RegExp;
  /** The wire whose errors it has. */
  wire: Wire;
  whole(asked: Asked, text: string, tool?: ToolCall): unknown;
  /** Server-sent events, in order. Absent if the endpoint does not stream. */
  chunks?(asked: Asked, text: string, tool?: ToolCall): WireEvent[];
}

const seconds = () => Math.floor(Date.now() / 1000);

const answerOf = ({ id }: Asked, text: string, tool?: ToolCall) =>
  tool === undefined
    ? ({ text, calls: [], finish: 'stop' } as const)
    : ({
        text: '',
        calls: [{ id: `call_${id}`, name: tool.name, args: JSON.stringify(tool.input) }],
        finish: 'tools',
      } as const);
const headOf = ({ id, model, body }: Asked) => ({ id, model, request: body, tokensIn: 24, sign: () => '' });

const conversation = (wire: Wire): Endpoint => ({
  provider: wire.provider,
  path: wire.path,
  wire,
  whole: (asked, text, tool) => wire.whole(answerOf(asked, text, tool), headOf(asked)),
  chunks: (asked, text, tool) => wire.events(answerOf(asked, text, tool), headOf(asked)),
});

const embeddings: Endpoint = {
  provider: 'openai',
  wire: openaiChat,
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

const files: Endpoint = {
  provider: 'openai',
  wire: openaiChat,
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

const batches: Endpoint = {
  provider: 'openai',
  wire: openaiChat,
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

const messageBatches: Endpoint = {
  provider: 'anthropic',
  wire: anthropic,
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

/** Every endpoint that the provider speaks. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...[openaiChat, openaiResponses, anthropic, gemini].map(conversation),
  embeddings,
  files,
  batches,
  messageBatches,
];

type ErrorKind = Exclude<
  Fault['kind'],
  'ok' | 'reset' | 'stall' | 'broken-stream' | 'error-in-stream' | 'truncated-body' | 'no-body'
>;

const TOO_LONG: Record<Wire['provider'], ErrorBody> = {
  openai: {
    status: 400,
    words:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
    code: 'context_length_exceeded',
    param: 'messages',
  },
  anthropic: { status: 400, words: 'prompt is too long: 210417 tokens > 200000 maximum' },
  google: {
    status: 400,
    words: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
  },
};

const filled = ({ model, key }: Asked, hint = '') => ({
  model,
  key,
  hint: hint && ` Please try again in ${hint}.`,
});

/** How a provider reports an error in a stream that it began with 200. */
export const errorEvent = ({ wire, provider }: Endpoint, asked: Asked): WireEvent =>
  wire.errorEvent(errorBody(provider === 'openai' ? 'server-error' : 'unavailable', provider, filled(asked)));

/** The answer that tells of an error, with the headers that say how long to wait. */
export function errorAnswer(
  { wire, provider }: Endpoint,
  fault: Extract<Fault, { kind: ErrorKind }>,
  asked: Asked,
): WireAnswer {
  const headers: Record<string, string> = {};
  let hint: string | undefined;
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
  const name = fault.kind === 'overloaded' && provider !== 'anthropic' ? 'unavailable' : fault.kind;
  const error =
    name === 'context-length' ? TOO_LONG[provider] : errorBody(name, provider, filled(asked, hint));
  return { status: error.status, headers, body: wire.error(error, asked.id) };
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
