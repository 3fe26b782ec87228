/**
 * Node, Bun and Deno: batches go through `node:http`, whose sockets need not keep the process alive, and which costs
 * less than `fetch` for each request. Modules are loaded on first use.
 */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { isLoopback } from './loopback.js';
import {
  type Answer,
  type Challenge,
  type ChallengeResult,
  type Line,
  type Platform,
  type Post,
  retryAfterMs,
} from './platform.js';
import { portOf, readClaim } from './proof.js';
import type { Registration } from './registration.js';

/** Longest answer that is read, in UTF-16 units. */
const LONGEST_ANSWER = 65_536;

/**
 * The connection to a server: one socket, kept between batches. A proof holds for the socket on which it came, because
 * another program may listen at the other end of the next one.
 */
class NodeLine implements Line {
  private readonly url: URL;
  private agent: Agent | undefined;
  private socket: Socket | undefined;
  private provedSocket: Socket | undefined;

  constructor(url: URL) {
    this.url = url;
  }

  get proved(): boolean {
    return this.provedSocket !== undefined && !this.provedSocket.destroyed;
  }

  async challenge({ secret, samePort, signal }: Challenge): Promise<ChallengeResult> {
    this.provedSocket = undefined;
    const { holds, newNonce } = await import('./proof-node.js');
    const nonce = newNonce();
    const { status, body } = await this.request(`health?nonce=${nonce}`, { signal });
    const claim = status === 200 ? readClaim(body) : undefined;
    if (claim === undefined || (samePort && claim.port !== portOf(this.url))) return 'stranger';
    if (!holds(claim, secret, nonce)) return 'disproved';
    this.provedSocket = this.socket;
    return 'proved';
  }

  post({ path = 'events', token, body, signal, provedOnly }: Post): Promise<Answer> {
    const headers: Record<string, string | number> = {
      'content-type': 'application/x-ndjson',
      'content-length': body.reduce((sum, piece) => sum + piece.length, 0),
    };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const only = provedOnly ? (this.provedSocket ?? 'none') : undefined;
    return this.request(path, { method: 'POST', headers, signal }, body, only);
  }

  reset(): void {
    this.provedSocket = undefined;
    this.agent?.destroy();
    this.agent = undefined;
  }

  /** One request. With `only`, nothing of it leaves through another socket. */
  private async request(
    path: string,
    options: RequestOptions,
    body: readonly Uint8Array[] = [],
    only?: Socket | 'none',
  ): Promise<Answer> {
    const secure = this.url.protocol === 'https:';
    const { request, Agent } = secure ? await import('node:https') : await import('node:http');
    this.agent ??= new Agent({ keepAlive: true, maxSockets: 1 });
    const sending = request(this.url.href + path, { ...options, agent: this.agent });
    return new Promise<Answer>((resolve, reject) => {
      sending.on('socket', (socket) => {
        socket.unref();
        this.socket = socket;
        // Headers are only sent after this event, and never by a destroyed request.
        if (only !== undefined && socket !== only)
          sending.destroy(new Error('the server behind this socket has not proved itself'));
      });
      readAnswer(sending, resolve, reject);
      for (const piece of body) sending.write(piece);
      sending.end();
    });
  }
}

/**
 * Settles in every case, even for a response `101`, after which Node closes the socket and emits neither response nor
 * error.
 */
function readAnswer(
  sending: ClientRequest,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  sending.on('response', (response: IncomingMessage) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (text.length < LONGEST_ANSWER) text += chunk;
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
  sending.on('error', reject);
  sending.on('close', () => reject(new Error('the connection was closed without an answer')));
}

/** Returns the registration that the server at a URL wrote for this user. */
async function registered(url: URL): Promise<Registration | undefined> {
  try {
    const { readRegistration, registrationByPort } = await import('./registration.js');
    return await readRegistration(registrationByPort(portOf(url)));
  } catch {
    return undefined;
  }
}

/** Returns the machine's name, or `undefined`: Deno needs `--allow-sys` for it. */
function hostName(): string | undefined {
  try {
    return hostname();
  } catch {
    return undefined;
  }
}

/**
 * Reads `OTEL_RESOURCE_ATTRIBUTES`: `key=value,key=value`, percent-encoded (W3C Baggage, OpenTelemetry's resource SDK).
 */
function resourceAttributes(text = ''): Map<string, string> {
  return new Map(
    text.split(',').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), decoded(value.join('=').trim())];
    }),
  );
}

/** A value that is not percent-encoded is used unchanged. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export const nodePlatform: Platform = {
  postsByDefault: true,

  open: (url) => new NodeLine(url),

  async findServer(url) {
    const token = process.env.HALFOPEN_DEVTOOLS_TOKEN || undefined;
    const found = isLoopback(url.hostname) ? await registered(url) : undefined;
    // A server that was started with --no-token does not know the environment's token.
    if (token !== undefined && (found === undefined || found.token !== undefined))
      return { token, secret: token, registered: false };
    return found && { token: found.token, secret: found.secret, registered: true };
  },

  namedUrl: () => process.env.HALFOPEN_DEVTOOLS_URL || undefined,

  describeProcess() {
    const { HALFOPEN_VERSION, HALFOPEN_DEPLOYMENT, OTEL_RESOURCE_ATTRIBUTES, npm_package_version } =
      process.env;
    const resource = resourceAttributes(OTEL_RESOURCE_ATTRIBUTES);
    const filled = (...texts: (string | undefined)[]) =>
      texts.find((text) => text !== undefined && text !== '');
    return {
      host: hostName(),
      pid: process.pid,
      version: filled(HALFOPEN_VERSION, resource.get('service.version'), npm_package_version),
      deployment: filled(
        HALFOPEN_DEPLOYMENT,
        resource.get('deployment.environment.name'),
        // Its name until version 1.27 of the conventions.
        resource.get('deployment.environment'),
      ),
    };
  },

  control: () => import('./control/index.js'),

  onIdleExit(callback) {
    process.on('beforeExit', callback);
    return () => process.off('beforeExit', callback);
  },
};
