// `halfopen/langchain` with LangChain's own models and agents against the faulty provider, and how many requests reach it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';
import { AgentError, createPolicies, onEvent, toolResult } from 'halfopen';
import { answerFetch } from 'halfopen/guard';
import { guardAgent } from 'halfopen/langchain';
import { createRun, type Run } from 'halfopen/run';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { type Fault, times } from '../../examples/faulty-provider/faults.js';
import { failure, GOOD, given, provider, quick, received, requests } from './provider.js';
import { recipe } from './recipe.js';

const { onFailedAttempt } = await recipe<{ onFailedAttempt(error: unknown): void }>(
  'langchain',
  'import { AgentError, retryAdvice }',
);

const chat = (options: object = {}) =>
  new ChatOpenAI({
    apiKey: 'sk-test',
    model: 'gpt-5-mini',
    maxRetries: 0,
    configuration: { baseURL: provider.openaiUrl },
    ...options,
  });
/** The result of a LangChain tool: the text that its model reads. */
const toolResultText =
  <A extends unknown[]>(execute: (...args: A) => Promise<string>) =>
  async (...args: A): Promise<string> =>
    (await toolResult(execute)(...args)).output;
interface Body {
  model: string;
  tool_choice?: unknown;
  messages: { role: string; content: unknown }[];
}
const question = { messages: [{ role: 'user' as const, content: 'hi' }] };

describe('guardAgent', () => {
  test("the model's calls are retried, one request for each attempt", async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const agent = createAgent({ model: chat(), tools: [], middleware: [guardAgent({ model: quick() })] });
    const { messages } = await agent.invoke(question);
    assert.deepEqual([messages.at(-1)?.content, requests()], [GOOD, 3]);
  });

  test('what is given up on rejects with the AgentError, after as many requests as attempts', async () => {
    given({ kind: 'server-error' }, { kind: 'server-error' });
    const model = quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    const agent = createAgent({ model: chat(), tools: [], middleware: [guardAgent({ model })] });
    const thrown = await agent.invoke(question).catch((error) => error);
    const error = AgentError.is(thrown) ? thrown : thrown.cause;
    assert.deepEqual([error.code, error.attempts, requests()], ['SERVER_ERROR', 2, 2]);
  });

  test('an answer without a body is none, and the next attempt gets one', async () => {
    given({ kind: 'no-body' });
    const agent = createAgent({ model: chat(), tools: [], middleware: [guardAgent({ model: quick() })] });
    const { messages } = await agent.invoke(question);
    assert.deepEqual([messages.at(-1)?.content, requests()], [GOOD, 2]);
  });

  test("a mistake in the model's own code is no answer that is missing", async () => {
    const model = chat();
    model.invoke = () =>
      Promise.reject(new TypeError("Cannot read properties of undefined (reading 'price')"));
    model.bindTools = () => model;
    const agent = createAgent({ model, tools: [], middleware: [guardAgent({ model: quick() })] });
    const thrown = await agent.invoke(question).catch((error) => error);
    const error = AgentError.is(thrown) ? thrown : thrown.cause;
    assert.notEqual(error.code, 'INVALID_RESPONSE');
  });

  test('another model answers where the first fails for good', async () => {
    given({ kind: 'unauthorized' });
    const fallbacks = [{ model: chat({ model: 'gpt-5-nano' }), policy: quick() }];
    const agent = createAgent({
      model: chat(),
      tools: [],
      middleware: [guardAgent({ model: quick(), fallbacks })],
    });
    const { messages } = await agent.invoke(question);
    assert.deepEqual([messages.at(-1)?.content, requests()], [GOOD, 2]);
    const sent = provider.received.at(-1)?.body as { model: string } | undefined;
    assert.equal(sent?.model, 'gpt-5-nano');
  });

  test('a stream of the agent is retried too', async () => {
    given({ kind: 'overloaded' });
    const agent = createAgent({ model: chat(), tools: [], middleware: [guardAgent({ model: quick() })] });
    let text = '';
    for await (const [chunk] of await agent.stream(question, { streamMode: 'messages' }))
      text += chunk.content;
    assert.deepEqual([text, requests()], [GOOD, 2]);
  });

  test('with a guarded fetch in the model, a stream of tokens repeats nothing', async () => {
    given({ kind: 'overloaded' }, { kind: 'error-in-stream', afterChunks: 1 });
    const model = chat({ configuration: { baseURL: provider.openaiUrl, fetch: answerFetch(quick()) } });
    let text = '';
    for await (const chunk of await model.stream('hi')) text += chunk.content;
    assert.deepEqual([text, requests()], [GOOD, 3]);
  });

  test('each tool has its own policy, and its failure is a message to the model', async () => {
    const call: Fault = { kind: 'ok', tool: { name: 'weather', input: { city: 'Paris' } } };
    given(call, { kind: 'ok' }, call, { kind: 'ok' });
    let calls = 0;
    let isDown = false;
    const weather = tool(
      ({ city }: { city: string }) => {
        if (++calls === 1 || isDown) throw new AgentError('NETWORK_ERROR', 'no weather station');
        return `rain in ${city}`;
      },
      { name: 'weather', description: 'The weather', schema: z.object({ city: z.string() }) },
    );
    const tools = createPolicies({ retry: { baseDelayMs: 1, maxRetries: 1 } });
    const agent = createAgent({ model: chat(), tools: [weather], middleware: [guardAgent({ tools })] });
    const good = await agent.invoke(question);
    assert.ok(good.messages.some((message) => message.content === 'rain in Paris'));
    assert.deepEqual([calls, tools.all.map(({ name }) => name)], [2, ['weather']]);
    isDown = true;
    const bad = await agent.invoke(question);
    assert.ok(bad.messages.some((message) => message.content === 'Error: no weather station'));
    assert.deepEqual([calls, requests()], [4, 4]);
  });

  test('the model reads what a tool said, through guardAgent and through policy.wrap', async () => {
    const words = 'no city is named Bren; did you mean Bern?';
    const unknownCity = async (_: { city: string }): Promise<string> => {
      throw Object.assign(new Error(words), { status: 404 });
    };
    const about = { name: 'weather', description: 'The weather', schema: z.object({ city: z.string() }) };
    const guards = [
      { tools: [tool(unknownCity, about)], middleware: [guardAgent({ tools: quick() })] },
      { tools: [tool(toolResultText(quick().wrap(unknownCity)), about)], middleware: [] },
    ];
    for (const guarded of guards) {
      given({ kind: 'ok', tool: { name: 'weather', input: { city: 'Bren' } } }, { kind: 'ok' });
      const { messages } = await createAgent({ model: chat(), ...guarded }).invoke(question);
      assert.ok(
        messages.some((message) => message.content === `Error: ${words}`),
        JSON.stringify(messages.map(({ content }) => content)),
      );
    }
  });

  test('the model reads how the last attempt of a tool ended', async () => {
    given({ kind: 'ok', tool: { name: 'weather', input: { city: 'Paris' } } });
    let calls = 0;
    const weather = tool(
      () => {
        calls++;
        if (calls === 1) throw Object.assign(new Error('the first attempt'), { status: 503 });
        return new Promise<string>(() => {});
      },
      { name: 'weather', description: 'The weather', schema: z.object({ city: z.string() }) },
    );
    const tools = quick({ timeout: { attemptMs: 200 }, retry: { maxRetries: 1, baseDelayMs: 1 } });
    const agent = createAgent({ model: chat(), tools: [weather], middleware: [guardAgent({ tools })] });
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'hi' }] });
    const content = String(messages.find((message) => message.type === 'tool')?.content);
    assert.equal(calls, 2);
    assert.match(content, /timed out/i);
    assert.ok(!content.includes('the first attempt'), content);
  });

  test('arguments that the model got wrong are no failure of the tool', async () => {
    given({ kind: 'ok', tool: { name: 'weather', input: { town: 1 } } }, { kind: 'ok' });
    const weather = tool(() => 'rain', {
      name: 'weather',
      description: 'The weather',
      schema: z.object({ city: z.string() }),
    });
    const tools = quick();
    const agent = createAgent({ model: chat(), tools: [weather], middleware: [guardAgent({ tools })] });
    const { messages } = await agent.invoke(question);
    assert.deepEqual([messages.at(-1)?.content, tools.breaker?.snapshot().consecutiveFailures], [GOOD, 0]);
    const told = messages.find((message) => message.type === 'tool')?.content;
    const end = 'Call it again with arguments that do.';
    assert.equal(told, `Error: The arguments do not fit the tool: city: expected string. ${end}`);
  });

  test('arguments that do not fit are answered without content, also for a JSON schema', async () => {
    const schemas = [
      z.object({ unit: z.enum(['C']) }),
      { type: 'object', properties: { unit: { enum: ['C'] } } },
    ];
    for (const schema of schemas) {
      given({ kind: 'ok', tool: { name: 'weather', input: { unit: 'SECRET' } } }, { kind: 'ok' });
      const weather = tool(() => 'rain', { name: 'weather', description: 'The weather', schema } as never);
      const agent = createAgent({ model: chat(), tools: [weather] as never, middleware: [guardAgent({})] });
      const { messages } = await agent.invoke(question);
      const [told] = messages.filter((message) => message.type === 'tool');
      assert.match(String(told?.content), /^Error: The arguments do not fit the tool.* Call it again/);
      assert.ok(!String(told?.content).includes('SECRET'), String(told?.content));
      assert.equal((told as { status?: string }).status, 'error');
    }
  });

  test('a name that no tool has is answered with the names that exist', async () => {
    given({ kind: 'ok', tool: { name: 'wether', input: {} } }, { kind: 'ok' });
    const weather = tool(() => 'rain', { name: 'weather', description: 'd', schema: z.object({}) });
    const middleware = [guardAgent({ tools: quick() })];
    const { messages } = await createAgent({ model: chat(), tools: [weather], middleware }).invoke(question);
    const told = String(messages.find((message) => message.type === 'tool')?.content);
    assert.match(told, /wether .*\[weather\]/);
  });

  test('of a long output, head and tail remain; a failure without a policy is a message too', async () => {
    const long = 'x'.repeat(60_000);
    const artifact = { rows: 1 };
    const outputs: [unknown, RegExp][] = [
      [long, /^x+\n\n\[\d+ of 60000 characters are left out\. They are here: \/tmp\/weather\]\n\nx+$/],
      [{ rows: long }, /^\{"rows":"x+\n\n\[\d+ of \d+ characters are left out/],
      [new Error('boom'), /^Error: boom$/],
    ];
    for (const guarded of [{}, { tools: quick() }]) {
      for (const [output, expected] of outputs) {
        given({ kind: 'ok', tool: { name: 'weather', input: {} } }, { kind: 'ok' });
        const weather = tool(
          () => {
            if (output instanceof Error) throw output;
            return [output, artifact];
          },
          {
            ...{ name: 'weather', description: 'd', schema: z.object({}) },
            responseFormat: 'content_and_artifact',
          },
        );
        const guard = guardAgent({ ...guarded, spill: (_, { tool: name }) => `/tmp/${name}` });
        const agent = createAgent({ model: chat(), tools: [weather], middleware: [guard] });
        const { messages } = await agent.invoke(question);
        const told = messages.find((message) => message.type === 'tool') as unknown as {
          content: string;
          artifact: unknown;
          name: string;
        };
        assert.match(told.content, expected);
        assert.ok(told.content.length <= 50_000);
        assert.equal(told.name, 'weather');
        if (!(output instanceof Error)) assert.deepEqual(told.artifact, artifact);
      }
    }
  });

  const searching: Fault = { kind: 'ok', tool: { name: 'search', input: { query: 'invoice' } } };
  const found: Fault = { kind: 'ok', text: 'I did not find it.' };
  function inARun(run: Run, options: Parameters<typeof guardAgent>[0] = {}, execute = () => 'one page') {
    const search = tool(execute, { name: 'search', description: 'Searches', schema: z.object({}).loose() });
    const agent = createAgent({
      model: chat(),
      tools: [search],
      middleware: [guardAgent({ run, ...options })],
    });
    return async () => (await agent.invoke(question)).messages.map(({ text, type }) => `${type}: ${text}`);
  }
  const bodies = () => received().map(({ body }) => body as Body);

  test('in a run, a model that repeats itself is steered, refused and concludes', async () => {
    given(...times(5, searching), found);
    const run = createRun();
    const messages = await inARun(run)();
    assert.deepEqual([messages.length, messages.at(-1)], [12, 'ai: I did not find it.']);
    assert.match(messages[10] ?? '', /^tool: This call was not run/);
    const sent = bodies().map(({ messages }) => messages.map(({ role, content }) => `${role}: ${content}`));
    assert.match(sent[3]?.[7] ?? '', /^user: You have called search 3 times in a row/);
    assert.deepEqual(sent[5]?.slice(0, 8), sent[3]);
    assert.match(sent[5]?.at(-1) ?? '', /^user: .*Do not use any more tools/);
    assert.deepEqual(
      bodies().map(({ tool_choice }) => tool_choice),
      [...Array(5).fill(undefined), 'none'],
    );
    assert.equal(run.finish().kind, 'completed');
    assert.ok(run.spent.inputTokens > 0);
  });

  test('one that goes on all the same is stopped, and the user reads a sentence', async () => {
    given(...times(6, searching));
    const run = createRun();
    const messages = await inARun(run, { model: quick() })();
    assert.match(messages.at(-1) ?? '', /^ai: The assistant repeated itself/);
    assert.equal(run.end?.kind, 'stopped');
    given({ kind: 'stall', forMs: 5000 });
    const error = await failure(inARun(createRun({ limits: { ms: 500 } }))());
    assert.equal((AgentError.is(error) ? error : error.cause).code, 'TIMEOUT');
  });

  test('a stronger model takes the step after escalate, and the code of a failing tool is known', async () => {
    given(
      ...[1, 2, 3, 4].map((page) => ({ ...searching, tool: { name: 'search', input: { page } } })),
      found,
    );
    const run = createRun({ ladder: ['escalate', 'stop'] });
    const fail = () => {
      throw Object.assign(new Error('no such index'), { status: 404 });
    };
    const events: string[] = [];
    const stop = onEvent((event) => {
      if (event.type === 'run.tool') events.push(`${event.outcome} ${event.code}`);
    });
    await inARun(run, { tools: quick({ retry: false }), escalateTo: chat({ model: 'gpt-5' }) }, fail)();
    stop();
    assert.deepEqual(events, Array(4).fill('failed NOT_FOUND'));
    assert.deepEqual(
      bodies().map(({ model }) => model),
      [...Array(4).fill('gpt-5-mini'), 'gpt-5'],
    );
  });

  test('wrong options are TypeErrors', () => {
    assert.throws(() => guardAgent({ run: {} as never }), /run.*createRun/);
    assert.throws(() => guardAgent({ model: {} as never }), /model/);
    assert.throws(
      () => guardAgent({ fallbacks: [{ model: chat(), policy: quick() }] }),
      /'model' must be a Policy, because there are fallbacks, got undefined/,
    );
    assert.throws(() => guardAgent({ fallbacks: [] as never, modle: 1 } as never), /modle/);
  });
});

describe('a model on its own', () => {
  test('invoke under execute: one request for each attempt', async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const { content } = await quick().execute(({ signal }) => chat().invoke('hi', { signal }));
    assert.deepEqual([content, requests()], [GOOD, 3]);
  });

  test('its stream under policy.stream: begun again until the first chunk', async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    let text = '';
    for await (const chunk of quick().stream(({ signal }) => chat().stream('hi', { signal })))
      text += chunk.content;
    assert.deepEqual([text, requests()], [GOOD, 3]);
  });
});

describe('onFailedAttempt of docs/integrations/langchain.md', () => {
  const invoke = () => chat({ maxRetries: 2, onFailedAttempt }).invoke('hi');

  test('LangChain retries a 429 without a hint, and waits for a short hint', async () => {
    given({ kind: 'rate-limited' }, { kind: 'rate-limited', retryAfterMs: 5 });
    assert.deepEqual([(await invoke()).content, requests()], [GOOD, 3]);
  });

  test('what is not worth a retry is thrown at once, as an AgentError', async () => {
    given({ kind: 'quota-exceeded' });
    const thrown = await invoke().catch((error) => error);
    assert.ok(AgentError.is(thrown));
    assert.deepEqual([thrown.code, requests()], ['QUOTA_EXCEEDED', 1]);
    given({ kind: 'rate-limited', retryAfterSeconds: 600 });
    assert.equal((await invoke().catch((error) => error)).code, 'RATE_LIMITED');
    assert.equal(requests(), 2);
  });
});
