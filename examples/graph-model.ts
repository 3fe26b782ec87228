// A model on this machine that speaks OpenAI's chat completions. It answers by rule, and fails on request.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One failure: the status and body of a provider's error. */
export interface Failure {
  status: number;
  error: { message: string; type: string; code: string | null };
}

export const OVERLOADED: Failure = {
  status: 503,
  error: {
    message: 'The server is currently overloaded with other requests.',
    type: 'server_error',
    code: null,
  },
};
export const TOO_LONG: Failure = {
  status: 400,
  error: {
    message: "This model's maximum context length is 8192 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
};
export const NO_KEY: Failure = {
  status: 401,
  error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
};

/** The roles that the model can play, and how often it fails at each before it answers. */
export type Failures = Readonly<Record<string, readonly Failure[]>>;

export interface Model {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the model. The first word of a request selects the role. */
export async function startModel(failures: Failures = {}): Promise<Model> {
  const left = new Map(Object.entries(failures).map(([part, list]) => [part, [...list]]));
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const asked = (JSON.parse(body) as { messages: { content: string }[] }).messages.at(-1)?.content ?? '';
    const [part = ''] = asked.split(/\W/, 1);
    const failure = left.get(part)?.shift();
    response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json' });
    if (failure !== undefined) {
      response.end(JSON.stringify({ error: { ...failure.error, param: null } }));
      return;
    }
    const message = { role: 'assistant', content: answer(part, asked), refusal: null };
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 0,
        model: 'local',
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The model's rules. */
function answer(part: string, asked: string): string {
  switch (part) {
    case 'classify':
      // Told once that the web is the wrong place, it looks at the notes.
      return asked.includes('not on the web') ? 'notes' : 'search';
    case 'plan':
      // Told that the text is too long, it has it shortened first.
      return asked.includes('CONTEXT_LENGTH_EXCEEDED') ? 'shorten, summarise' : 'summarise';
    // The prompt of the error step.
    case 'You':
      return asked.includes('AUTHENTICATION_ERROR')
        ? 'The key for the model was not accepted. Ask whoever runs the agent to check it.'
        : 'The service did not answer in time for the news. Please ask again in a few minutes.';
    default:
      return `${part} done`;
  }
}
