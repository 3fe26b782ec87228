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
} from '@openai/agents';
import { AgentError } from 'halfopen';
import { guardModel } from 'halfopen/openai-agents';
import OpenAI from 'openai';
import { failure, GOOD, given, provider, quick, requests } from './provider.js';
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

test('wrong arguments are TypeErrors', () => {
  assert.throws(() => guardModel({} as never, quick()), /model/);
  assert.throws(() => guardModel((MODELS.responses as () => Model)(), {} as never), /policy/);
});
