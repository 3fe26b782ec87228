// `halfopen/openai-agents` with the OpenAI Agents SDK against the faulty provider, and how many requests reach it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Agent,
  type Model,
  type ModelSettings,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { AgentError } from 'halfopen';
import { guardModel, type RunHooksOptions, runHooks } from 'halfopen/openai-agents';
import { createRun, type Run } from 'halfopen/run';
import OpenAI from 'openai';
import { type Fault, times } from '../../examples/faulty-provider/faults.js';
import { ownTime } from '../../scripts/patience.mjs';
import { failure, GOOD, given, provider, quick, received, requests } from './provider.js';
import { recipe } from './recipe.js';

const { modelSettings } = await recipe<{ modelSettings: ModelSettings }>(
  'openai-agents',
  'import type { RetryPolicy }',
);

setTracingDisabled(true);

const client = () => new OpenAI({ apiKey: 'sk-test', baseURL: provider.openaiUrl, maxRetries: 0 });

const MODELS: Record<string, () => Model> = {
  'chat completions': () => new OpenAIChatCompletionsModel(client() as never, 'gpt-5-mini'),
  responses: () => new OpenAIResponsesModel(client() as never, 'gpt-5-mini'),
};

for (const [name, model] of Object.entries(MODELS)) {
  const agent = (policy = quick(), options = {}) =>
    new Agent({ name: 'Guide', model: guardModel(model(), policy, options) });
  const runner = new Runner({ tracingDisabled: true });

  describe(`guardModel, ${name}`, () => {
    test('a call is retried, one request for each attempt', async () => {
      given({ kind: 'overloaded' }, { kind: 'reset' });
      const { finalOutput } = await runner.run(agent(), 'hi');
      assert.deepEqual([finalOutput, requests()], [GOOD, 3]);
    });

    test('an answer without a body is none, and the next attempt gets one', async () => {
      given({ kind: 'no-body' });
      const { finalOutput } = await runner.run(agent(), 'hi');
      assert.deepEqual([finalOutput, requests()], [GOOD, 2]);
    });

    test('what is given up on rejects with the AgentError', async () => {
      given({ kind: 'server-error' }, { kind: 'server-error' });
      const policy = quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
      const error = await failure(runner.run(agent(policy), 'hi'));
      assert.ok(AgentError.is(error));
      assert.deepEqual([error.code, error.attempts, requests()], ['SERVER_ERROR', 2, 2]);
    });

    test('a stream is retried until its first content, and repeats nothing', async () => {
      given({ kind: 'overloaded' }, { kind: 'error-in-stream', afterChunks: 1 });
      const result = await runner.run(agent(), 'hi', { stream: true });
      let text = '';
      for await (const piece of result.toTextStream()) text += piece;
      await result.completed;
      assert.deepEqual([text, requests()], [GOOD, 3]);
    });

    test('a stream that breaks off after content is a failure, and is not begun again', async () => {
      given({ kind: 'broken-stream', afterChunks: 4 });
      const result = await runner.run(agent(), 'hi', { stream: true });
      const error = await failure(
        (async () => {
          for await (const _ of result.toTextStream());
          await result.completed;
        })(),
      );
      assert.ok(AgentError.is(error));
      assert.deepEqual([requests()], [1]);
    });

    test('an open circuit sends nothing', async () => {
      given({ kind: 'server-error' });
      const guarded = agent(quick({ retry: false, breaker: { failureThreshold: 1 } }));
      await failure(runner.run(guarded, 'hi'));
      const error = await failure(runner.run(guarded, 'hi'));
      assert.deepEqual([error.code, requests()], ['CIRCUIT_OPEN', 1]);
    });
  });

  describe(`the SDK's own retries by the recipe, ${name}`, () => {
    const retrying = () =>
      new Agent({
        name: 'Guide',
        model: model(),
        modelSettings: { retry: { ...modelSettings.retry, backoff: { initialDelayMs: 1 } } },
      });

    test('the SDK retries what may succeed later', async () => {
      given({ kind: 'overloaded' }, { kind: 'reset' }, { kind: 'rate-limited', retryAfterMs: 5 });
      const { finalOutput } = await runner.run(retrying(), 'hi');
      assert.deepEqual([finalOutput, requests()], [GOOD, 4]);
    });

    test('what failed for good, and a long hint, are not retried', async () => {
      given({ kind: 'quota-exceeded' });
      await failure(runner.run(retrying(), 'hi'));
      given({ kind: 'rate-limited', retryAfterSeconds: 600 });
      await failure(runner.run(retrying(), 'hi'));
      assert.equal(requests(), 2);
    });
  });
}

describe('runHooks', () => {
  const searching: Fault = { kind: 'ok', tool: { name: 'search', input: { query: 'invoice' } } };
  const found: Fault = { kind: 'ok', text: 'I did not find it.' };
  const chat = (id = 'gpt-5-mini') => new OpenAIChatCompletionsModel(client() as never, id);
  function agentIn(run: Run, options: RunHooksOptions = {}, execute = () => 'one page') {
    const hooks = runHooks(run, options);
    const search = tool({
      name: 'search',
      description: 'Searches',
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
      strict: false,
      execute,
    });
    return new Agent({
      name: 'Guide',
      model: hooks.model(guardModel(chat(), quick())),
      tools: hooks.tools([search]),
    });
  }
  const runner = new Runner({ tracingDisabled: true });
  interface Body {
    model: string;
    tool_choice?: unknown;
    messages: { role: string; content: string }[];
  }
  const bodies = () => received().map(({ body }) => body as Body);

  for (const stream of [false, true]) {
    const ended = async (agent: ReturnType<typeof agentIn>): Promise<unknown> => {
      if (!stream) return (await runner.run(agent, 'Where?')).finalOutput;
      const result = await runner.run(agent, 'Where?', { stream: true });
      for await (const _ of result);
      await result.completed;
      return result.finalOutput;
    };

    test(`a model that repeats itself is steered, refused and concludes, ${stream}`, async () => {
      given(...times(5, searching), found);
      const run = createRun();
      assert.equal(await ended(agentIn(run)), 'I did not find it.');
      const sent = bodies();
      assert.match(sent[3]?.messages.at(-1)?.content ?? '', /^You have called search 3 times in a row/);
      assert.deepEqual(sent[5]?.messages.slice(0, 8), sent[3]?.messages);
      assert.match(sent[5]?.messages.at(-2)?.content ?? '', /^This call was not run/);
      assert.match(sent[5]?.messages.at(-1)?.content ?? '', /Do not use any more tools/);
      assert.deepEqual([sent[4]?.tool_choice, sent[5]?.tool_choice], [undefined, 'none']);
      assert.deepEqual(run.finish(), {
        kind: 'completed',
        concluded: { kind: 'loop', loop: 'repeats', tool: 'search', count: 4 },
      });
    });

    test(`one that goes on all the same is stopped, and the user reads a sentence, ${stream}`, async () => {
      given(...times(6, searching));
      const run = createRun();
      const error = await failure(ended(agentIn(run)));
      assert.ok(AgentError.is(error), String(error));
      assert.match(error.userMessage(), /repeated itself/);
      assert.deepEqual([run.end?.kind, requests()], ['stopped', 6]);
    });
  }

  test('a tool that fails is a failure, and a stronger model takes the step after escalate', async () => {
    given(
      ...[1, 2, 3, 4].map((page) => ({ ...searching, tool: { name: 'search', input: { page } } })),
      found,
    );
    const run = createRun({ ladder: ['escalate', 'stop'] });
    await runner.run(
      agentIn(run, { escalateTo: chat('gpt-5') }, () => {
        throw new Error('no such index');
      }),
      'Where?',
    );
    assert.deepEqual(
      bodies().map(({ model }) => model),
      [...Array(4).fill('gpt-5-mini'), 'gpt-5'],
    );
  });

  test('the usage counts once', async () => {
    const run = createRun();
    const hooks = runHooks(run);
    const responses = new OpenAIResponsesModel(client() as never, 'gpt-5-mini');
    for (const model of [responses, guardModel(responses, quick())]) {
      const before = run.spent.inputTokens;
      await runner.run(new Agent({ name: 'Guide', model: hooks.model(model) }), 'hi');
      assert.equal(run.spent.inputTokens - before, 24);
    }
  });

  test('wrong arguments are TypeErrors', () => {
    assert.throws(() => runHooks({} as never), /run.*createRun/);
    assert.throws(() => runHooks(createRun(), { escalateTo: {} as never }), /escalateTo/);
  });

  test('the end of the run does not wait for a stream that heeds no signal', async () => {
    const run = createRun();
    const silent = {
      getResponse: () => assert.fail('it streams'),
      async *getStreamedResponse(_request: object) {
        yield { type: 'response_started' };
        await new Promise((resolve) => setTimeout(resolve, 3000).unref());
      },
    };
    const events = runHooks(run).model(silent).getStreamedResponse({ input: 'hi' });
    await events.next();
    const next = failure(events.next() as Promise<unknown>);
    const took = ownTime();
    setTimeout(() => run.finish(Object.assign(new Error('no more'), { name: 'AbortError' })), 20);
    assert.equal((await next).code, 'CANCELLED');
    assert.ok(took() < 2000);
  });
});

test('wrong arguments are TypeErrors', () => {
  assert.throws(() => guardModel({} as never, quick()), /model/);
  assert.throws(() => guardModel((MODELS.responses as () => Model)(), {} as never), /policy/);
});
