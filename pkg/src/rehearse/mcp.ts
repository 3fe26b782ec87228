/**
 * MCP over streamable HTTP, with answers in JSON.
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#streamable-http
 */

import type { Any } from './rules/shared.js';
import { TOOLS } from './tools.js';

export interface McpReply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Carries a tool out. The answer is undefined if the connection is gone. */
export type CallTool = (name: string, args: Any, key: string | undefined) => Promise<ToolReply | undefined>;
export interface ToolReply {
  isError: boolean;
  text: string;
}

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const failure = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message },
});

export class McpServer {
  readonly #sessions = new Set<string>();
  #count = 0;

  /** The reply to a request; undefined if the connection is gone. */
  async reply(
    method: string,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    message: Any,
    call: CallTool,
  ): Promise<McpReply | undefined> {
    if (method === 'GET') return { status: 405, headers: { allow: 'POST, DELETE' } };
    const session = String(headers['mcp-session-id'] ?? '');
    if (method === 'DELETE') return { status: this.#sessions.delete(session) ? 204 : 404 };
    const accept = String(headers.accept ?? '');
    if (!/application\/json|\*\/\*/.test(accept) || !/text\/event-stream|\*\/\*/.test(accept)) {
      const words = 'Not Acceptable: Client must accept both application/json and text/event-stream';
      return { status: 406, body: failure(null, -32_000, words) };
    }
    if (!/application\/json/.test(String(headers['content-type'] ?? '')))
      return {
        status: 415,
        body: failure(null, -32_000, 'Unsupported Media Type: Content-Type must be application/json'),
      };
    if (message?.jsonrpc !== '2.0')
      return { status: 400, body: failure(null, -32_700, 'Parse error: Invalid JSON-RPC message') };
    const { id } = message;
    const result = (value: object, more: Record<string, string> = {}): McpReply => ({
      status: 200,
      headers: more,
      body: { jsonrpc: '2.0', id, result: value },
    });
    if (message.method === 'initialize') {
      const name = `session-${++this.#count}`;
      this.#sessions.add(name);
      const requested = message.params?.protocolVersion;
      return result(
        {
          protocolVersion: VERSIONS.includes(requested) ? requested : '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'halfopen-rehearse', version: '1.0.0' },
        },
        { 'mcp-session-id': name },
      );
    }
    if (session === '')
      return { status: 400, body: failure(id, -32_000, 'Bad Request: Mcp-Session-Id header is required') };
    if (!this.#sessions.has(session)) return { status: 404, body: failure(id, -32_001, 'Session not found') };
    if (id === undefined) return { status: 202 };
    if (message.method === 'ping') return result({});
    if (message.method === 'tools/list') return result({ tools: TOOLS });
    if (message.method !== 'tools/call')
      return { status: 200, body: failure(id, -32_601, 'Method not found') };
    const { name, arguments: args, _meta: meta } = message.params ?? {};
    if (!TOOLS.some((tool) => tool.name === name))
      return { status: 200, body: failure(id, -32_602, `Unknown tool: ${name}`) };
    const reply = await call(
      name,
      args ?? {},
      meta?.['idempotency-key'] ?? headers['idempotency-key']?.toString(),
    );
    if (reply === undefined) return undefined;
    return result({ content: [{ type: 'text', text: reply.text }], isError: reply.isError });
  }
}
