// The errors of the MCP SDK's client, against a real server, over a real transport.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type AgentErrorCode, classify } from 'halfopen';
import { z } from 'zod';

/** A client whose server has one tool, which never answers. */
async function connected(t: TestContext): Promise<{ client: Client; server: McpServer }> {
  const server = new McpServer({ name: 'server', version: '1.0.0' });
  server.registerTool('wait', { inputSchema: {} }, () => new Promise<never>(() => {}));
  const client = new Client({ name: 'client', version: '1.0.0' });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(mine)]);
  t.after(() => Promise.all([client.close(), server.close()]));
  return { client, server };
}

async function fails(operation: Promise<unknown>, code: AgentErrorCode, retryable: boolean): Promise<void> {
  const thrown = await operation.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );
  const said = classify(thrown);
  assert.deepEqual({ code: said.code, retryable: said.retryable }, { code, retryable }, said.rule);
}

const wait = { name: 'wait', arguments: {} };

test('a request that is not answered in time is a timeout', async (t) => {
  const { client } = await connected(t);
  await fails(client.callTool(wait, undefined, { timeout: 20 }), 'TIMEOUT', true);
});

test("a caller's abort is cancelled, though it has the timeout's code", async (t) => {
  const { client } = await connected(t);
  const controller = new AbortController();
  const call = client.callTool(wait, undefined, { signal: controller.signal });
  controller.abort();
  await fails(call, 'CANCELLED', false);
});

test("a signal's own timeout is a timeout", async (t) => {
  const { client } = await connected(t);
  await fails(client.callTool(wait, undefined, { signal: AbortSignal.timeout(20) }), 'TIMEOUT', true);
});

test('a connection that closes under a request can be tried again', async (t) => {
  const { client, server } = await connected(t);
  const call = client.callTool(wait);
  await Promise.all([fails(call, 'NETWORK_ERROR', true), server.close()]);
});

test('a method that the server lacks is a failure of the tool', async (t) => {
  const { client } = await connected(t);
  await fails(client.request({ method: 'no/such' }, z.any()), 'TOOL_EXECUTION_ERROR', false);
});

test('a server that cannot be started is a failure of the tool', async () => {
  const client = new Client({ name: 'client', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: 'no-such-command-at-all' });
  await fails(client.connect(transport), 'TOOL_EXECUTION_ERROR', false);
});

for (const [status, code, retryable] of [
  [401, 'AUTHENTICATION_ERROR', false],
  [403, 'PERMISSION_DENIED', false],
  [404, 'NOT_FOUND', false],
  [429, 'RATE_LIMITED', true],
  [500, 'SERVER_ERROR', true],
] as const) {
  test(`over HTTP, ${status} is ${code}`, async (t) => {
    const server = createServer((_, response) => response.writeHead(status).end('no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const client = new Client({ name: 'client', version: '1.0.0' });
    await fails(client.connect(new StreamableHTTPClientTransport(url)), code, retryable);
  });
}
