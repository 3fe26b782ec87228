// Mastra's agents against the faulty provider: the error processor of docs/integrations/mastra.md, and models guarded by `halfopen/ai-sdk`.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { wrapLanguageModel } from 'ai';
import { createPolicy } from 'halfopen';
import { failoverModel, guardMiddleware } from 'halfopen/ai-sdk';
import { createRun, type Run } from 'halfopen/run';
import { z } from 'zod';
import { times } from '../../examples/faulty-provider/faults.js';
import { GOOD, given, provider, quick, received, requests } from './provider.js';
import { recipe } from './recipe.js';

const { errorProcessor } = await recipe<{ errorProcessor: object }>('mastra', 'import { setTimeout }');

const { runProcessor } = await recipe<{ runProcessor(run: Run): never }>(
  'mastra',
  'import type { Processor }',
);

const openai = (id = 'gpt-5-mini') =>
  createOpenAI({ apiKey: 'sk-test', baseURL: provider.openaiUrl }).chat(id);
const agent = (model: unknown, more: object = {}) =>
  new Agent({
    id: 'guide',
    name: 'Guide',
    instructions: 'Answer.',
    model: model as ReturnType<typeof openai>,
    maxRetries: 0,
    ...more,
  });

describe('a model guarded by halfopen/ai-sdk', () => {
  const guarded = () => wrapLanguageModel({ model: openai(), middleware: guardMiddleware(quick()) });

  test('an answer is retried, one request for each attempt', async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const { text } = await agent(guarded()).generate('hi');
    assert.deepEqual([text, requests()], [GOOD, 3]);
  });

  test('an error in a stream is retried, and nothing is repeated', async () => {
    given({ kind: 'error-in-stream', afterChunks: 1 });
    const { textStream } = await agent(guarded()).stream('hi');
    let text = '';
    for await (const piece of textStream) text += piece;
    assert.deepEqual([text, requests()], [GOOD, 2]);
  });

  test('another model answers where an error came in the stream', async () => {
    given({ kind: 'error-in-stream', afterChunks: 1 });
    const once = createPolicy({ retry: false });
    const model = failoverModel([
      { model: openai(), policy: once },
      { model: openai('gpt-5-nano'), policy: quick() },
    ]);
    const { textStream } = await agent(model).stream('hi');
    let text = '';
    for await (const piece of textStream) text += piece;
    assert.deepEqual([text, requests()], [GOOD, 2]);
  });
});

describe('errorProcessor', () => {
  const retried = (maxProcessorRetries = 3) =>
    agent(openai(), {
      errorProcessors: [errorProcessor],
      maxProcessorRetries,
    });

  test('what may succeed later is tried again', async () => {
    given({ kind: 'overloaded' }, { kind: 'server-error' });
    const { text } = await retried().generate('hi');
    assert.deepEqual([text, requests()], [GOOD, 3]);
  });

  test('a stream is tried again', async () => {
    given({ kind: 'overloaded' });
    const { textStream } = await retried().stream('hi');
    let text = '';
    for await (const piece of textStream) text += piece;
    assert.deepEqual([text, requests()], [GOOD, 2]);
  });

  test('what failed for good, and a long hint, are not', async () => {
    given({ kind: 'unauthorized' });
    await assert.rejects(retried().generate('hi'));
    given({ kind: 'rate-limited', retryAfterSeconds: 600 });
    await assert.rejects(retried().generate('hi'));
    assert.equal(requests(), 2);
  });

  test('the last error is thrown after as many requests as attempts', async () => {
    given({ kind: 'server-error' }, { kind: 'server-error' }, { kind: 'server-error' });
    await assert.rejects(retried(2).generate('hi'));
    assert.equal(requests(), 3);
  });
});

describe('a run', () => {
  const searching = { kind: 'ok', tool: { name: 'search', input: { query: 'invoice' } } } as const;
  const answer = { kind: 'ok', text: 'I did not find it.' } as const;
  async function inARun(run: Run) {
    const find = run.tool('search', async (_: object) => 'one page');
    const search = createTool({
      id: 'search',
      description: 'Searches',
      inputSchema: z.object({ query: z.string() }),
      execute: async (input) => (await find(input)).output,
    });
    const model = wrapLanguageModel({ model: openai(), middleware: guardMiddleware(quick()) });
    const guide = agent(model, { tools: { search }, inputProcessors: [runProcessor(run)] });
    return run.within(() => guide.generate('Where is the invoice?', { maxSteps: 30 }), { onStop: 'wait' });
  }
  const bodies = () => received().map(({ body }) => JSON.stringify(body));

  test('a model that repeats itself is steered, refused and concludes', async () => {
    given(...times(5, searching), answer);
    const run = createRun();
    const { text } = await inARun(run);
    assert.equal(text, answer.text);
    assert.match(bodies()[3] ?? '', /You have called search 3 times in a row/);
    assert.match(bodies()[5] ?? '', /Do not use any more tools.*This call was not run/);
    // Mastra leaves them out for the tool choice 'none'.
    assert.deepEqual(
      bodies().map((body) => body.includes('"tools":')),
      [true, true, true, true, true, false],
    );
    assert.equal(run.finish().kind, 'completed');
    assert.ok(run.spent.inputTokens > 0);
  });

  test('one that goes on all the same is stopped, and the user reads a sentence', async () => {
    given(...times(6, searching));
    const run = createRun();
    const { tripwire } = await inARun(run);
    assert.match(tripwire?.reason ?? '', /repeated itself/);
    assert.deepEqual([run.end?.kind, requests()], ['stopped', 6]);
  });
});
