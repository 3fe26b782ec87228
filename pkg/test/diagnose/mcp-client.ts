// A client of the official SDK for `npx halfopen mcp`.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { temporaryDirectory } from '../devtools/server.js';
import { BIN } from './command.js';

export interface Answer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  value: any;
}

/** A client of the command. */
export async function connected(t: TestContext, args: readonly string[], home = temporaryDirectory(t)) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    env: { HALFOPEN_HOME: home },
  });
  await client.connect(transport);
  t.after(() => client.close());
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
    const answer = await client.callTool({ name, arguments: given });
    const [content] = answer.content as { type: string; text: string }[];
    const text = content?.text ?? '';
    assert.ok(Buffer.byteLength(text) <= 20_000, `${name}: ${Buffer.byteLength(text)} bytes`);
    const isError = answer.isError === true;
    return { isError, text, value: isError ? undefined : JSON.parse(text) };
  };
  return { client, call };
}
