/**
 * Node, Bun and Deno: batches go through `node:http`, whose sockets can be told not to keep the
 * process alive, and which costs less than `fetch` for each request. Modules are loaded on first use.
 */

import { isLoopback } from './loopback.js';
import { type Answer, type Platform, retryAfterMs } from './platform.js';

interface Client {
  readonly request: typeof import('node:http').request;
  readonly agent: import('node:http').Agent;
}

const clients = new Map<string, Promise<Client>>();

/** One agent for each protocol: connections are kept between batches. */
function client(protocol: string): Promise<Client> {
  let found = clients.get(protocol);
  if (found === undefined) {
    found = load(protocol);
    clients.set(protocol, found);
  }
  return found;
}

async function load(protocol: string): Promise<Client> {
  const { request, Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { request, agent: new Agent({ keepAlive: true }) };
}

export const nodePlatform: Platform = {
  postsByDefault: true,

  async post({ url, token, body, signal }) {
    const { request, agent } = await client(new URL(url).protocol);
    return new Promise<Answer>((resolve, reject) => {
      const headers: Record<string, string | number> = {
        'content-type': 'application/x-ndjson',
        'content-length': body.reduce((sum, piece) => sum + piece.length, 0),
      };
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      const sending = request(url, { method: 'POST', agent, headers, signal }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text.length < 65_536) text += chunk;
        });
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            body: text,
            retryAfterMs: retryAfterMs(response.headers['retry-after']),
          });
        });
        response.on('error', reject);
      });
      sending.on('socket', (socket) => socket.unref());
      sending.on('error', reject);
      for (const piece of body) sending.write(piece);
      sending.end();
    });
  },

  async findToken(url) {
    const given = process.env.HALFOPEN_DEVTOOLS_TOKEN;
    if (given) return given;
    // The token of a server here is nobody else's business.
    if (!isLoopback(url.hostname)) return undefined;
    try {
      const { readRegistration, registrationByPort } = await import('./registration.js');
      return (await readRegistration(registrationByPort(Number(url.port || 80))))?.token;
    } catch {
      return undefined;
    }
  },

  onIdleExit(callback) {
    process.on('beforeExit', callback);
    return () => process.off('beforeExit', callback);
  },
};
