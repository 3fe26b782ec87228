// The providers' own SDKs, the AI SDK and MCP's client do a task at the rehearsal's provider, unchanged.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { type Rehearsal, startRehearsal } from '../../src/rehearse/index.js';
import type { Any } from '../../src/rehearse/rules/shared.js';
import { TOOLS } from '../../src/rehearse/tools.js';

let rehearsal: Rehearsal;
beforeEach(async () => {
  rehearsal = await startRehearsal();
});
afterEach(() => rehearsal.close());

async function runTool(name: string, args: unknown): Promise<string> {
  const answer = await fetch(`${rehearsal.env.HALFOPEN_REHEARSE_TOOLS_URL}/${name}`, {
    method: 'POST',
    body: JSON.stringify(args),
  });
  return answer.text();
}

/** The task is done, no rule was broken, and each effect happened once. */
function assertDone(text: string, requests = 4): void {
  assert.deepEqual(
    rehearsal.requests.flatMap(({ rule, answer }) => (rule === undefined ? [] : [`${rule}: ${answer}`])),
    [],
  );
  assert.match(text, /receipt R-7731/);
  assert.equal(rehearsal.requests.filter(({ wire }) => wire !== 'tool').length, requests);
  assert.deepEqual(
    rehearsal.effects.map((effect) => effect.tool),
    ['refund', 'send_mail'],
  );
  assert.equal(rehearsal.score({ text, exitCode: 0, ms: 100 }).total, 100);
}

const task = () => rehearsal.env.HALFOPEN_REHEARSE_TASK ?? '';

for (const stream of [false, true]) {
  describe(stream ? 'streamed' : 'whole', () => {
    test('openai: chat completions', async () => {
      const client = new OpenAI({
        baseURL: rehearsal.env.OPENAI_BASE_URL,
        apiKey: rehearsal.env.OPENAI_API_KEY,
      });
      const messages: Any[] = [{ role: 'user', content: task() }];
      const tools = TOOLS.map(({ name, inputSchema }) => ({
        type: 'function' as const,
        function: { name, parameters: inputSchema as Any },
      }));
      for (;;) {
        const body = { model: 'gpt-4o', messages, tools };
        const completion = stream
          ? await client.chat.completions.stream(body).finalChatCompletion()
          : await client.chat.completions.create(body);
        const message = completion.choices[0]?.message as Any;
        messages.push(message);
        if (!message.tool_calls?.length) return assertDone(message.content);
        for (const { id, function: made } of message.tool_calls) {
          const content = await runTool(made.name, JSON.parse(made.arguments));
          messages.push({ role: 'tool', tool_call_id: id, content });
        }
      }
    });

    for (const isStored of [false, true]) {
      test(`openai: responses, ${isStored ? 'stored' : 'with sealed reasoning'}`, async () => {
        const client = new OpenAI({
          baseURL: rehearsal.env.OPENAI_BASE_URL,
          apiKey: rehearsal.env.OPENAI_API_KEY,
        });
        const tools = TOOLS.map(({ name, inputSchema }) => ({
          type: 'function' as const,
          name,
          parameters: inputSchema as Any,
          strict: false,
        }));
        let input: Any[] = [{ role: 'user', content: task() }];
        let previous: string | undefined;
        for (;;) {
          const body: Any = {
            model: 'gpt-5',
            input,
            tools,
            ...(isStored
              ? previous && { previous_response_id: previous }
              : { store: false, include: ['reasoning.encrypted_content'] }),
          };
          const response: Any = stream
            ? await client.responses.stream(body).finalResponse()
            : await client.responses.create(body);
          const calls = response.output.filter((item: Any) => item.type === 'function_call');
          if (calls.length === 0) return assertDone(response.output_text);
          const results = await Promise.all(
            calls.map(async (item: Any) => ({
              type: 'function_call_output',
              call_id: item.call_id,
              output: await runTool(item.name, JSON.parse(item.arguments)),
            })),
          );
          previous = response.id;
          input = isStored ? results : [...input, ...response.output, ...results];
        }
      });
    }

    for (const thinking of [undefined, { type: 'enabled' as const, budget_tokens: 1024 }]) {
      test(`anthropic: messages${thinking ? ' with thinking' : ''}`, async () => {
        const client = new Anthropic({
          baseURL: rehearsal.env.ANTHROPIC_BASE_URL,
          apiKey: rehearsal.env.ANTHROPIC_API_KEY,
        });
        const messages: Any[] = [{ role: 'user', content: task() }];
        const tools = TOOLS.map(({ name, inputSchema }) => ({ name, input_schema: inputSchema as Any }));
        for (;;) {
          const body = {
            model: 'claude-sonnet-4-5',
            max_tokens: 2048,
            messages,
            tools,
            ...(thinking && { thinking }),
          };
          const message = stream
            ? await client.messages.stream(body).finalMessage()
            : await client.messages.create(body);
          messages.push({ role: 'assistant', content: message.content });
          const calls = message.content.filter((block) => block.type === 'tool_use');
          if (calls.length === 0)
            return assertDone(
              message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
            );
          const content = await Promise.all(
            calls.map(async ({ id, name, input }) => ({
              type: 'tool_result',
              tool_use_id: id,
              content: await runTool(name, input),
            })),
          );
          messages.push({ role: 'user', content });
        }
      });
    }

    test('google: generateContent, with signatures', async () => {
      const client = new GoogleGenAI({
        apiKey: rehearsal.env.GEMINI_API_KEY ?? '',
        httpOptions: { baseUrl: rehearsal.env.GOOGLE_GEMINI_BASE_URL ?? '' },
      });
      const contents: Any[] = [{ role: 'user', parts: [{ text: task() }] }];
      const functionDeclarations = TOOLS.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parametersJsonSchema: inputSchema,
      }));
      for (;;) {
        const body = {
          model: 'gemini-3-pro-preview',
          contents,
          config: { tools: [{ functionDeclarations }] },
        };
        const parts: Any[] = [];
        if (stream) {
          for await (const chunk of await client.models.generateContentStream(body))
            parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
        } else {
          const answer = await client.models.generateContent(body);
          parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
        }
        contents.push({ role: 'model', parts });
        const calls = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
        if (calls.length === 0) return assertDone(parts.map(({ text }) => text).join(''));
        const results = await Promise.all(
          calls.map(async ({ id, name, args }) => ({
            functionResponse: { id, name, response: { result: await runTool(name, args) } },
          })),
        );
        contents.push({ role: 'user', parts: results });
      }
    });

    const models = {
      'openai chat': () =>
        createOpenAI({ baseURL: rehearsal.env.OPENAI_BASE_URL ?? '', apiKey: 'sk-x' }).chat('gpt-4o'),
      'openai responses': () =>
        createOpenAI({ baseURL: rehearsal.env.OPENAI_BASE_URL ?? '', apiKey: 'sk-x' }).responses('gpt-5'),
    };
    for (const [name, model] of Object.entries(models)) {
      test(`the AI SDK: ${name}`, async () => {
        const tools = Object.fromEntries(
          TOOLS.map(({ name, inputSchema }) => [
            name,
            tool({
              inputSchema: jsonSchema(inputSchema as Any),
              execute: (args: unknown) => runTool(name, args),
            }),
          ]),
        );
        const options: Any = { model: model(), prompt: task(), tools, stopWhen: stepCountIs(8) };
        assertDone(stream ? await streamText(options).text : (await generateText(options)).text);
      });
    }
  });
}

// Clients that decode answers strictly, such as Effect's, refuse one without these fields.
test('openai: a response repeats the parameters of its request', async () => {
  const client = new OpenAI({ baseURL: rehearsal.env.OPENAI_BASE_URL, apiKey: rehearsal.env.OPENAI_API_KEY });
  const [{ name, inputSchema }] = TOOLS;
  const response = await client.responses.create({
    model: 'gpt-4o',
    input: task(),
    temperature: 0.5,
    tools: [{ type: 'function', name, parameters: inputSchema as Any, strict: false }],
  });
  assert.equal(response.temperature, 0.5);
  assert.equal(response.top_p, 1);
  assert.deepEqual(response.text, { format: { type: 'text' } });
  assert.deepEqual(response.tools, [{ type: 'function', name, parameters: inputSchema, strict: false }]);
});

test('MCP: the client of the TypeScript SDK', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const url = new URL(rehearsal.env.HALFOPEN_REHEARSE_MCP_URL ?? '');
  await client.connect(new StreamableHTTPClientTransport(url) as Any);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['find_order', 'refund', 'send_mail', 'search'],
  );
  const result: Any = await client.callTool({ name: 'refund', arguments: { order_id: '1001', amount: 42 } });
  assert.match(result.content[0].text, /R-7731/);
  assert.equal(rehearsal.effects.length, 1);
  await client.close();
});

test('MCP: a session that the server does not know', async () => {
  const answer = await fetch(rehearsal.env.HALFOPEN_REHEARSE_MCP_URL ?? '', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': 'gone',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  assert.equal(answer.status, 404);
});
