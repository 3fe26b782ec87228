// A provider that misbehaves as a script says: the HTTP interfaces of OpenAI, Anthropic and Google on one port of
// this machine.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Script } from './faults.js';
import {
  type Asked,
  ENDPOINTS,
  type Endpoint,
  errorAnswer,
  errorEvent,
  limitHeaders,
  type ToolCall,
} from './wire.js';

/** One request that came, for those who want to check afterwards. */
export interface Received {
  provider: Endpoint['provider'];
  path: string;
  fault: Fault['kind'];
  /** When it came, as `Date.now()` says. */
  at: number;
  /** The request's body: parsed JSON, or text. */
  body: unknown;
}

/** A provider that runs. */
export interface FaultyProvider {
  /** Base URL for the `openai` package. */
  readonly openaiUrl: string;
  /** Base URL for the `@anthropic-ai/sdk` package. */
  readonly anthropicUrl: string;
  /** Base URL for the `@google/genai` package. */
  readonly googleUrl: string;
  /** Every request so far, oldest first. */
  readonly received: readonly Received[];
  /** Puts faults before what is left of the script. */
  next(provider: Endpoint['provider'], ...faults: Fault[]): void;
  close(): Promise<void>;
}

/**
 * Starts a provider on 127.0.0.1.
 *
 * @example
 * ```ts
 * const provider = await startFaultyProvider({ openai: [{ kind: 'rate-limited', retryAfterSeconds: 1 }], anthropic: [] });
 * const client = new OpenAI({ baseURL: provider.openaiUrl, apiKey: 'sk-test', maxRetries: 0 });
 * ```
 */
export async function startFaultyProvider(script: Partial<Script> = {}, port = 0): Promise<FaultyProvider> {
  const left: Record<Endpoint['provider'], Fault[]> = {
    openai: [...(script.openai ?? [])],
    anthropic: [...(script.anthropic ?? [])],
    google: [...(script.google ?? [])],
  };
  const received: Received[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://provider').pathname;
    const endpoint = ENDPOINTS.find(
      (one) =>
        request.method === 'POST' && (typeof one.path === 'string' ? one.path === path : one.path.test(path)),
    );
    if (endpoint === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Unknown request URL: ${request.method} ${path}` } }));
      return;
    }
    const fault: Fault = left[endpoint.provider].shift() ?? { kind: 'ok' };
    const arrival: Received = {
      provider: endpoint.provider,
      path,
      fault: fault.kind,
      at: Date.now(),
      body: undefined,
    };
    received.push(arrival);
    const { asked, body } = await read(request, received.length, path);
    arrival.body = body;
    const remaining = Math.max(0, 60 - received.length);
    const headers = {
      [endpoint.provider === 'openai' ? 'x-request-id' : 'request-id']: `req_${asked.id}`,
      ...limitHeaders(endpoint.provider, fault.kind === 'rate-limited' ? 0 : remaining),
    };
    switch (fault.kind) {
      case 'ok': {
        const { text = 'All is well.', chunkEveryMs = 0, tool } = fault;
        await send(response, endpoint, asked, headers, { text, tool, everyMs: chunkEveryMs });
        return;
      }
      case 'reset':
        request.socket.resetAndDestroy();
        return;
      case 'stall':
        await sleep(fault.forMs, undefined, { ref: false });
        response.destroy();
        return;
      case 'broken-stream':
      case 'error-in-stream':
        await send(response, endpoint, asked, headers, {
          text: 'The first words of an answer that never ends.',
          everyMs: 20,
          cutAfter: fault.afterChunks,
          reportsError: fault.kind === 'error-in-stream',
        });
        return;
      case 'truncated-body': {
        const body = JSON.stringify(endpoint.whole(asked, 'cut off'));
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(body.slice(0, body.length / 2));
        return;
      }
      case 'no-body':
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end();
        return;
      default: {
        const error = errorAnswer(endpoint, fault, asked);
        response.writeHead(error.status, {
          'content-type': 'application/json',
          ...headers,
          ...error.headers,
        });
        response.end(JSON.stringify(error.body));
      }
    }
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    openaiUrl: `${url}/v1`,
    anthropicUrl: url,
    googleUrl: url,
    received,
    next(provider, ...faults) {
      left[provider].unshift(...faults);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function read(
  request: IncomingMessage,
  number: number,
  path: string,
): Promise<{ asked: Asked; body: unknown }> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  const isJson = /json/.test(request.headers['content-type'] ?? '');
  const body = (isJson ? JSON.parse(text || '{}') : {}) as {
    model?: string;
    stream?: boolean;
    input?: unknown;
  };
  const key = request.headers['x-api-key'] ?? request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const asked = {
    model: body.model ?? 'a-model',
    // Google's is another path.
    stream: body.stream === true || path.endsWith(':streamGenerateContent'),
    key: String(key),
    id: String(number).padStart(8, '0'),
    count: Array.isArray(body.input) ? body.input.length : 1,
    body,
  };
  return { asked, body: isJson ? body : text };
}

/** A good answer, or the beginning of one. */
interface Answer {
  text: string;
  tool?: ToolCall | undefined;
  everyMs: number;
  /** After how many chunks of a stream it ends: the connection, or by an error that it reports. Default: never. */
  cutAfter?: number;
  reportsError?: boolean;
}

/** Sends an answer, whole or streamed. */
async function send(
  response: ServerResponse,
  endpoint: Endpoint,
  asked: Asked,
  headers: Record<string, string>,
  { text, tool, everyMs, cutAfter = Number.POSITIVE_INFINITY, reportsError = false }: Answer,
): Promise<void> {
  if (!asked.stream || endpoint.chunks === undefined) {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(endpoint.whole(asked, text, tool)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  let sent = 0;
  const write = ({ event, data }: { event?: string; data: unknown }) => {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  };
  for (const event of endpoint.chunks(asked, text, tool)) {
    if (sent++ >= cutAfter) {
      if (reportsError) {
        write(errorEvent(endpoint, asked));
        response.end();
      } else response.destroy();
      return;
    }
    write(event);
    if (everyMs > 0) await sleep(everyMs);
  }
  response.end();
}
