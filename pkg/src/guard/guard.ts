/** The clients of OpenAI, Anthropic and Google, and those of MCP servers, under a policy. */

import { guardClient, isMcpClient } from '../mcp/client.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { answerFetch, type GuardOptions, guardShape } from './answer-fetch.js';

/**
 * Returns the same client with every request under the policy: streams, `responses`, `batches`, uploads, and what the client
 * will have tomorrow, because the client's `fetch` is guarded (`answerFetch`). Its types, its methods and its
 * errors stay. Its own retries are off, also where a request sets `maxRetries`.
 *
 * OpenAI's and Anthropic's clients, and others of their make (a method `withOptions`), and Google's `GoogleGenAI`. The client
 * that is given stays as it is. Realtime connections (WebSockets) are not guarded. A `Client` of the MCP SDK is guarded as
 * `guardClient` of `halfopen/mcp` does it: it has no streams, and rejects with the AgentError.
 *
 * A request that fails for good rejects with the client's own error, as ever: `classify(error)` says what it was, also
 * CIRCUIT_OPEN and TIMEOUT. The client's `timeout` (10 minutes by default) bounds the call with its retries, so give the
 * policy an `attemptMs`. The policy's fallback does not apply.
 *
 * @param options - Milliseconds to the first content of a stream (default: `attemptMs`) and between its events (default: 120000).
 * @throws TypeError for anything but such a client, a policy and right options.
 *
 * @example
 * ```ts
 * const openai = guard(client, policy);
 * const answer = await openai.responses.create({ model: 'gpt-5', input: 'Hello' });
 * ```
 */
export function guard<C extends object>(client: C, policy: Policy<unknown>, options?: GuardOptions): C {
  if ((client as unknown) instanceof Policy)
    throw new TypeError('halfopen: guard expects the client first, then the policy: guard(client, policy)');
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  if (guarded.has(client))
    throw new TypeError(
      'halfopen: this client is guarded already; a second guard would retry and count each request twice. Guard the client that you gave to the first',
    );
  const read = is.readOptions<GuardOptions>(guardShape, options, 'guard');
  if (typeof client === 'object' && client !== null) {
    if (typeof (client as Partial<WithOptions>).withOptions === 'function') {
      return remembered(guardedByOptions(client as unknown as WithOptions, policy, read));
    }
    if (typeof (client as Partial<Google>).apiClient?.clientOptions === 'object') {
      return remembered(guardedGoogle(client as unknown as Google, policy, read));
    }
    if (isMcpClient(client)) return remembered(guardClient(client, policy));
  }
  throw is.misuse('client', 'a client of openai, @anthropic-ai/sdk, @google/genai or the MCP SDK', client);
}

/** The clients that `guard` has returned. */
const guarded = /* @__PURE__ */ new WeakSet<object>();

function remembered<C extends object>(client: object): C {
  guarded.add(client);
  return client as C;
}

/** A client that Stainless has generated. */
interface WithOptions {
  withOptions(options: { maxRetries: number; fetch: typeof fetch }): WithOptions;
  /** The function that sends: the client's own, or its `fetch` option. */
  fetch?: typeof fetch;
  /** Each request passes through it, however it was begun. */
  makeRequest?(options: unknown, ...rest: unknown[]): unknown;
}

function guardedByOptions(client: WithOptions, policy: Policy<unknown>, options: GuardOptions): WithOptions {
  const guarded = client.withOptions({ maxRetries: 0, fetch: answerFetch(policy, options, client.fetch) });
  const { makeRequest } = guarded;
  if (makeRequest !== undefined) {
    // A request's own `maxRetries` would retry what the policy has given up on.
    guarded.makeRequest = (request, ...rest) => makeRequest.call(guarded, withoutRetries(request), ...rest);
  }
  return guarded;
}

async function withoutRetries(request: unknown): Promise<object> {
  return { ...((await request) as object), maxRetries: 0 };
}

/** Google's client. Its options are in the client of the API that its parts share. */
interface Google {
  readonly constructor: unknown;
  readonly apiClient: {
    clientOptions: { httpOptions?: Record<string, unknown>; auth?: unknown; [name: string]: unknown };
  };
}

/** A second client with the options and the credentials of the first. */
function guardedGoogle(client: Google, policy: Policy<unknown>, options: GuardOptions): Google {
  const { auth, httpOptions = {}, ...given } = client.apiClient.clientOptions;
  const { retryOptions: _off, fetch: own, ...kept } = httpOptions;
  const send = own as typeof fetch | undefined;
  const made = { ...given, httpOptions: { ...kept, fetch: answerFetch(policy, options, send) } };
  const guarded = Reflect.construct(client.constructor as new (options: object) => Google, [made]);
  guarded.apiClient.clientOptions.auth = auth;
  return guarded;
}
