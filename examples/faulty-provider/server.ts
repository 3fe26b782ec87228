// A provider that misbehaves as a script says: OpenAI's and Anthropic's HTTP interfaces on one port of this machine.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Script } from './faults.js';
import { type Asked, errorAnswer, limitHeaders, WIRES, type Wire } from './wire.js';

/** One request that came, for those who want to check afterwards. */
export interface Received {
  provider: Wire['provider'];
  path: string;
  fault: Fault['kind'];
  /** When it came, as `Date.now()` says. */
  at: number;
}

/** A provider that runs. */
export interface FaultyProvider {
  /** Base URL for the `openai` package. */
  readonly openaiUrl: string;
  /** Base URL for the `@anthropic-ai/sdk` package. */
  readonly anthropicUrl: string;
  /** Every request so far, oldest first. */
  readonly received: readonly Received[];
  /** Puts faults before what is left of the script. */
  next(provider: Wire['provider'], ...faults: Fault[]): void;
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
  const left = { openai: [...(script.openai ?? [])], anthropic: [...(script.anthropic ?? [])] };
  const received: Received[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://provider').pathname;
    const wire = WIRES.find((one) => one.path === path && request.method === 'POST');
    if (wire === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Unknown request URL: ${request.method} ${path}` } }));
      return;
    }
    const fault: Fault = left[wire.provider].shift() ?? { kind: 'ok' };
    received.push({ provider: wire.provider, path, fault: fault.kind, at: Date.now() });
    const asked = await read(request, received.length);
    const remaining = Math.max(0, 60 - received.length);
    const headers = {
      [wire.provider === 'openai' ? 'x-request-id' : 'request-id']: `req_${asked.id}`,
      ...limitHeaders(wire.provider, fault.kind === 'rate-limited' ? 0 : remaining),
    };
    switch (fault.kind) {
      case 'ok':
        await send(response, wire, asked, headers, fault.text ?? 'All is well.', fault.chunkEveryMs ?? 0);
        return;
      case 'reset':
        request.socket.resetAndDestroy();
        return;
      case 'stall':
        await sleep(fault.forMs, undefined, { ref: false });
        response.destroy();
        return;
      case 'broken-stream':
        await send(
          response,
          wire,
          asked,
          headers,
          'The first words of an answer that never ends.',
          20,
          fault.afterChunks,
        );
        return;
      case 'truncated-body': {
        const body = JSON.stringify(wire.whole(asked, 'cut off'));
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(body.slice(0, body.length / 2));
        return;
      }
      default: {
        const error = errorAnswer(wire, fault, asked);
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

async function read(request: IncomingMessage, number: number): Promise<Asked> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  const body = JSON.parse(text || '{}') as { model?: string; stream?: boolean };
  const key = request.headers['x-api-key'] ?? request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  return {
    model: body.model ?? 'a-model',
    stream: body.stream === true,
    key: String(key),
    id: String(number).padStart(8, '0'),
  };
}

/** Sends a good answer, whole or streamed; cut off after some chunks if told so. */
async function send(
  response: ServerResponse,
  wire: Wire,
  asked: Asked,
  headers: Record<string, string>,
  text: string,
  everyMs: number,
  cutAfter = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (!asked.stream) {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(wire.whole(asked, text)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  let sent = 0;
  for (const { event, data } of wire.chunks(asked, text)) {
    if (sent++ >= cutAfter) {
      response.destroy();
      return;
    }
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    if (everyMs > 0) await sleep(everyMs);
  }
  response.end();
}
