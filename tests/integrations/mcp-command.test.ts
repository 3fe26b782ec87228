// `npx halfopen mcp` with both versions of the MCP SDK's client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const command = {
  command: process.execPath,
  args: [path('pkg/bin/halfopen.js'), 'mcp', path('tests/fixtures/incident.jsonl')],
};
const about = { name: 'test', version: '1' };

/** The parts of a client that both versions have. */
interface Asks {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: {
    name: string;
    arguments: Record<string, unknown>;
  }): Promise<{ content?: unknown; isError?: unknown }>;
  close(): Promise<void>;
}

async function asks(client: Asks): Promise<void> {
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'findings'));
    const answer = await client.callTool({ name: 'findings', arguments: {} });
    const [content] = answer.content as { text: string }[];
    assert.equal(JSON.parse(content?.text ?? '').total, 2);
    const refused = await client.callTool({ name: 'call', arguments: { id: 'nowhere' } });
    assert.equal(refused.isError, true);
  } finally {
    await client.close();
  }
}

test('a client of version 1 reads the findings', async () => {
  const client = new ClientV1(about);
  await client.connect(new StdioV1(command));
  await asks(client as Asks);
});

test('a client of version 2 reads the findings', async () => {
  const client = new ClientV2(about);
  await client.connect(new StdioV2(command));
  await asks(client as Asks);
});
