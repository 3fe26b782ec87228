/** `halfopen/mcp`: clients and servers of the MCP TypeScript SDK, versions 1 and 2. */

import type { Send } from '../call/exchange.js';
import { guardedFetch } from '../call/fetch.js';
import type { AttemptContext } from '../call/options.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import type { ToolOutputOptions } from '../tool/output.js';
import { type ToolResult, toolResult } from '../tool/tool-result.js';

export { type GuardClientOptions, guardClient, type McpClient, toolSucceeded } from './client.js';
export type { OnceTools } from './once.js';

/** The result of a server's tool handler. */
export interface McpToolResult {
  /** More members are allowed by the protocol; this package sets none. */
  [key: string]: unknown;
  /** One text, for the model. */
  content: { type: 'text'; text: string }[];
  /** `true` if the tool failed. */
  isError: boolean;
}

/**
 * Wraps a tool as a handler for `server.registerTool`: what it throws becomes a result with `isError`, which the model can read,
 * with secrets removed. A string becomes a text. Of more than `maxOutput` (50000) characters, head and tail remain.
 *
 * @param options - Bounds on the output, as `toolResult` has them.
 * @throws TypeError at once for anything but a function and right options.
 *
 * @example
 * ```ts
 * const handler = toolHandler(async ({ path }: { path: string }) => readFile(path, 'utf8'));
 * server.registerTool('read', { inputSchema: { path: schema } }, handler);
 * ```
 */
export function toolHandler<A extends unknown[]>(
  execute: (...args: A) => ToolResult | string | PromiseLike<ToolResult | string>,
  options?: ToolOutputOptions,
): (...args: A) => Promise<McpToolResult> {
  const run = toolResult(execute, options);
  return async (...args) => {
    const { output, metadata } = await run(...args);
    return { content: [{ type: 'text', text: output }], isError: metadata.error !== undefined };
  };
}

/** A `fetch`, as the SDK's transports take it. */
type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a fetch middleware for the SDK's HTTP transports: every request under the policy, as with `policy.fetch`. An attempt
 * ends with the headers, and the last failing response is passed on, so that the SDK's authorisation sees a 401 and its
 * transport a 405. Use `applyMiddlewares`, or call it with `fetch`. Set `reconnectionOptions.maxRetries` to 0.
 *
 * @throws TypeError for something that is no policy.
 *
 * @example
 * ```ts
 * const options = { fetch: fetchMiddleware(policy)(fetch), reconnectionOptions: { ...waits, maxRetries: 0 } };
 * ```
 */
export function fetchMiddleware(policy: Policy<unknown>): (next: FetchLike) => FetchLike {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  return (next) => guardedFetch(policy.host, next as Send) as FetchLike;
}

/** A client that knows when its transport has closed. */
export interface Closing {
  /** Called by the SDK when the transport has closed. */
  onclose?: (() => void) | undefined;
  /** Closes the transport. */
  close(): Promise<void>;
}

/** A connection that is replaced if it is lost. */
export interface Connection<C> {
  /** Resolves with the connected client, and connects one if needed. Rejects with the AgentError. */
  client(): Promise<C>;
  /** Closes what is connected. The next `client()` connects again. */
  close(): Promise<void>;
}

/**
 * Keeps a connection to a server: connects under the policy at first use, and again after the transport has closed. While the
 * policy's circuit is open, `client()` rejects at once with CIRCUIT_OPEN, and the server is neither started nor called.
 *
 * @param connect - Makes a client and connects it. Close what has begun when `signal` aborts.
 * @throws TypeError for anything but a function and a policy.
 *
 * @example
 * ```ts
 * const connection = reconnecting(connectClient, policy);
 * const client = await connection.client();
 * ```
 */
export function reconnecting<C extends Closing>(
  connect: (context: AttemptContext) => PromiseLike<C>,
  policy: Policy<never>,
): Connection<C> {
  is.expectFunction(connect, 'reconnecting');
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  let current: Promise<C> | undefined;
  const forget = (one: Promise<C> | undefined) => {
    if (current === one) current = undefined;
  };
  return {
    client() {
      if (current !== undefined) return current;
      const made: Promise<C> = policy.execute(connect, { task: 'connect' }).then((client) => {
        const { onclose } = client;
        client.onclose = () => {
          forget(made);
          onclose?.call(client);
        };
        return client;
      });
      current = made;
      made.catch(() => forget(made));
      return made;
    },
    async close() {
      const closing = current;
      forget(closing);
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}
