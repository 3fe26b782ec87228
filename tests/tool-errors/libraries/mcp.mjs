// @modelcontextprotocol/sdk: McpError with JSON-RPC codes, errors of the transports.
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve } from '../servers/net.mjs';

const lib = library({ packages: ['@modelcontextprotocol/sdk'] });
const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'stub', version: '1' },
};
/** A server over streamable HTTP that answers tools/call with `answer(id)`. */
const stub = (answer) =>
  serve((request, body) => {
    if (request.method !== 'POST') return { status: 405 };
    const { id, method } = JSON.parse(body);
    if (method === 'initialize') return { body: { jsonrpc: '2.0', id, result: initialized } };
    if (id === undefined) return { status: 202 };
    return answer(id);
  });
async function call(url, options) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 10,
        maxReconnectionDelay: 10,
        reconnectionDelayGrowFactor: 1,
      },
    }),
  );
  try {
    return await client.callTool({ name: 'search', arguments: {} }, undefined, options);
  } finally {
    await client.close().catch(() => {});
  }
}
for (const [name, code, message, expect, why, data] of [
  [
    'invalid-params',
    -32602,
    'Invalid arguments for tool search',
    final('VALIDATION_ERROR'),
    '-32602: a model wrote these arguments',
  ],
  [
    'unknown-tool',
    -32602,
    'Tool serch not found',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    '-32602 about a tool',
  ],
  [
    'method-not-found',
    -32601,
    'Method not found',
    final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    '-32601',
  ],
  ['invalid-request', -32600, 'Invalid Request', final('VALIDATION_ERROR'), '-32600'],
  [
    'parse-error',
    -32700,
    'Parse error',
    unclear('VALIDATION_ERROR', 'INVALID_RESPONSE'),
    '-32700: the server could not read us',
  ],
  ['internal-error', -32603, 'Internal error', again('SERVER_ERROR', 'TOOL_EXECUTION_ERROR'), '-32603'],
  [
    'resource-not-found',
    -32002,
    'Resource not found',
    final('NOT_FOUND'),
    '-32002 of MCP',
    { uri: 'file:///nowhere' },
  ],
  [
    'url-elicitation',
    -32042,
    'This request requires more information.',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'LLM_ASSIST_REQUIRED'),
    '-32042 of MCP: the user has to act',
    { elicitations: [] },
  ],
  [
    'server-busy',
    -32000,
    'Server is busy, try again later',
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'RATE_LIMITED'),
    '-32000 with words',
  ],
  [
    'rate-limited',
    -32029,
    'Rate limit exceeded',
    again('RATE_LIMITED', { retryAfterMs: 3000 }),
    "a code of the server's own, with words and data",
    { retryAfterMs: 3000 },
  ],
]) {
  lib.add(name, expect, why, async () =>
    call((await stub((id) => ({ body: { jsonrpc: '2.0', id, error: { code, message, data } } }))).url),
  );
}
lib.add('request-timeout', again('TIMEOUT'), '-32001: the client waited as long as it was to', async () =>
  call((await stub(() => ({ silent: true }))).url, { timeout: 120 }),
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
  call((await stub(() => ({ silent: true }))).url, { signal: abortAfter(80) }),
);
lib.add(
  'abort-with-reason',
  unclear('TIMEOUT', 'CANCELLED'),
  'the user wanted it to end, and said why; all that is left is the code of a timeout',
  async () => call((await stub(() => ({ silent: true }))).url, { signal: abortAfter(80, 'stop') }),
);
lib.add(
  'session-gone',
  unclear('NOT_FOUND', 'CONFLICT', 'SERVER_ERROR'),
  '404: the session has ended; a new one has to begin',
  async () =>
    call(
      (
        await stub((id) => ({
          status: 404,
          body: { jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } },
        }))
      ).url,
    ),
);
lib.add('unauthorized', final('AUTHENTICATION_ERROR'), '401 of the transport', async () =>
  call((await serve({ status: 401, headers: { 'www-authenticate': 'Bearer' } })).url),
);
lib.add('http-503', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '503 of the transport', async () =>
  call((await serve({ status: 503, body: 'Service Unavailable' })).url),
);
lib.add('html', final('INVALID_RESPONSE'), 'what listens there speaks no MCP', async () =>
  call((await serve({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })).url),
);
lib.add(
  'bad-result',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'the result does not have the shape that MCP wants',
  async () => call((await stub((id) => ({ body: { jsonrpc: '2.0', id, result: { content: 'text' } } }))).url),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  call(`http://127.0.0.1:${await closedPort()}`),
);
lib.add('closed', unclear('NETWORK_ERROR', 'CANCELLED'), '-32000: Connection closed', async () => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'agent', version: '1' });
  return client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['-e', 'process.exit(1)'],
      stderr: 'ignore',
    }),
  );
});
lib.add(
  'no-command',
  final('TOOL_EXECUTION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND', 'INITIALIZATION_ERROR', 'IO_ERROR'),
  'ENOENT: the program of the server is not there',
  async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return new Client({ name: 'agent', version: '1' }).connect(
      new StdioClientTransport({ command: 'no-such-mcp-server' }),
    );
  },
);
lib.add(
  'not-capable',
  unclear('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'),
  'Server does not support prompts',
  async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const [one, two] = InMemoryTransport.createLinkedPair();
    const server = new Server({ name: 'stub', version: '1' }, { capabilities: {} });
    await server.connect(two);
    const client = new Client({ name: 'agent', version: '1' }, { enforceStrictCapabilities: true });
    await client.connect(one);
    return client.listPrompts();
  },
);
export default lib;
