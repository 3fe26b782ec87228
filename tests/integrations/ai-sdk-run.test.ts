// `runSettings` in the real loop of the AI SDK: a model that repeats itself is steered, refused, concludes, and is stopped.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenAI } from '@ai-sdk/openai';
import {
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
  wrapLanguageModel,
} from 'ai';
import { AgentError, createPolicy, type HalfopenEvent } from 'halfopen';
import { guardMiddleware, runSettings } from 'halfopen/ai-sdk';
import { createRun, type Run, type RunOptions } from 'halfopen/run';
import { times } from '../../examples/faulty-provider/faults.js';
import { ownTime } from '../../scripts/patience.mjs';
import { failure, GOOD, given, provider, quick, received } from './provider.js';

const openai = () => createOpenAI({ apiKey: 'sk-test', baseURL: provider.openaiUrl });
const chat = (id = 'gpt-5-mini') => openai().chat(id);
const responses = () => openai().responses('gpt-5-mini');
const prompt = 'Where is the invoice?';
const searching = { kind: 'ok', tool: { name: 'search', input: { query: 'invoice' } } } as const;
const answer = { kind: 'ok', text: 'I did not find it.' } as const;

interface Body {
  model: string;
  tool_choice?: string;
  messages: { role: string; content: unknown }[];
}
const bodies = () => received().map(({ body }) => body as Body);

function searchTool(execute: (input: { query: string }) => unknown = () => 'one page, without it') {
  let runs = 0;
  const search = tool({
    inputSchema: jsonSchema<{ query: string }>({
      type: 'object',
      properties: { query: { type: 'string' } },
    }),
    execute: (input: { query: string }) => {
      runs++;
      return execute(input);
    },
  });
  return { tools: { search }, runs: () => runs };
}

function observed(options: RunOptions = {}) {
  const events: HalfopenEvent[] = [];
  const run = createRun({ ...options, onEvent: (event) => events.push(event) });
  return {
    run,
    advised: () => events.flatMap((event) => (event.type === 'run.advised' ? [event.advice] : [])),
    spentAtTheEnd: () => events.flatMap((event) => (event.type === 'run.ended' ? [event.spent] : []))[0],
  };
}

const said = (body: Body | undefined, role: string): string[] =>
  (body?.messages ?? [])
    .filter((message) => message.role === role)
    .map(({ content }) =>
      typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join(),
    );

async function loop(kind: string, run: Run, settings: object): Promise<string> {
  const all = runSettings(run, { model: chat(), maxRetries: 0, ...settings }) as never;
  if (kind === 'generateText') return (await generateText({ prompt, ...(all as object) } as never)).text;
  if (kind === 'an agent') return (await new ToolLoopAgent(all).generate({ prompt })).text;
  return await streamText({ prompt, ...(all as object) } as never).text;
}

async function errorPart(run: Run): Promise<unknown> {
  const settings = runSettings(run, { model: chat(), prompt, maxRetries: 0, onError: () => {} });
  for await (const part of streamText(settings).fullStream) if (part.type === 'error') return part.error;
  assert.fail('no error');
}

for (const kind of ['generateText', 'streamText', 'an agent']) {
  describe(`runSettings, ${kind}`, () => {
    test('a model that repeats itself is steered, refused and concludes', async () => {
      given(...times(5, searching), answer);
      const { run, advised } = observed();
      const { tools, runs } = searchTool();
      const text = await loop(kind, run, { tools });
      assert.deepEqual([text, runs(), advised()], ['I did not find it.', 4, ['steer', 'refuse', 'conclude']]);
      const sent = bodies();
      assert.equal(sent.length, 6);
      const [, steer] = said(sent[3], 'user');
      assert.match(steer ?? '', /search 3 times/);
      // It stays at its place.
      assert.deepEqual(
        sent[4]?.messages.map(({ role }) => role),
        [
          'user',
          ...'atatat'.split('').map((c) => (c === 'a' ? 'assistant' : 'tool')),
          'user',
          'assistant',
          'tool',
        ],
      );
      assert.match(said(sent[5], 'tool').at(-1) ?? '', /This call was not run/);
      assert.match(said(sent[5], 'user').at(-1) ?? '', /Do not use any more tools/);
      assert.deepEqual([sent[4]?.tool_choice, sent[5]?.tool_choice], ['auto', 'none']);
      assert.deepEqual(run.finish(), {
        kind: 'completed',
        concluded: { kind: 'loop', loop: 'repeats', tool: 'search', count: 4 },
      });
    });

    test('one that goes on all the same is stopped, and the user reads a sentence', async () => {
      given(...times(6, searching));
      const { run, advised } = observed();
      const { tools, runs } = searchTool();
      await loop(kind, run, { tools });
      assert.ok(run.end?.kind === 'stopped');
      assert.match(run.end.error.userMessage(), /repeated itself/);
      assert.equal(received().length, 6);
      assert.equal(runs(), 4);
      assert.equal(advised().at(-1), 'stop');
    });

    test('the answers are paid once, under a policy or not', async () => {
      const bare = createRun();
      await loop(kind, bare, { model: responses() });
      const guarded = createRun();
      const model = wrapLanguageModel({ model: responses(), middleware: guardMiddleware(quick()) });
      await loop(kind, guarded, { model });
      assert.ok(bare.spent.inputTokens > 0 && bare.spent.outputTokens > 0);
      const { ms: _, ...spent } = bare.spent;
      const { ms: __, ...again } = guarded.spent;
      assert.deepEqual(again, spent);
    });

    test('the time of the run cuts a step off with its error', async () => {
      given({ kind: 'stall', forMs: 5000 });
      const run = createRun({ limits: { ms: 500 } });
      const error = kind === 'streamText' ? await errorPart(run) : await failure(loop(kind, run, {}));
      assert.ok(AgentError.is(error), String(error));
      assert.equal(error.code, 'TIMEOUT');
      assert.match(error.userMessage(), /time for this task is over/);
    });
  });
}

describe('runSettings', () => {
  test('what is given is joined: stopWhen, prepareStep, onStepFinish', async () => {
    given(searching, searching);
    const { run } = observed();
    const calls: string[] = [];
    const { tools } = searchTool();
    const settings = runSettings(run, {
      model: chat(),
      prompt,
      tools,
      stopWhen: [stepCountIs(2)],
      prepareStep: ({ stepNumber }: { stepNumber: number }) => {
        calls.push(`prepare ${stepNumber}`);
        return { model: chat('gpt-5') };
      },
      onStepFinish: () => void calls.push('finish'),
    });
    const { steps } = await generateText(settings as Parameters<typeof generateText>[0]);
    assert.equal(steps.length, 2);
    assert.deepEqual(calls, ['prepare 0', 'finish', 'prepare 1', 'finish']);
    assert.deepEqual(
      bodies().map(({ model }) => model),
      ['gpt-5', 'gpt-5'],
    );
    assert.equal(run.spent.steps, 2);
  });

  test('a stronger model takes the step after escalate', async () => {
    given(...times(3, searching), answer);
    const run = createRun({ ladder: ['escalate', 'stop'] });
    const { tools } = searchTool();
    const settings = { model: chat(), prompt, tools };
    const { text } = await generateText(runSettings(run, settings, { escalateTo: chat('gpt-5') }));
    assert.equal(text, answer.text);
    assert.deepEqual(
      bodies().map(({ model }) => model),
      ['gpt-5-mini', 'gpt-5-mini', 'gpt-5-mini', 'gpt-5'],
    );
  });

  test('a tool that fails in the same way is a loop, and guarded calls in tools belong to the run', async () => {
    given(
      ...[1, 2, 3, 4].map((page) => ({ ...searching, tool: { name: 'search', input: { page } } })),
      answer,
    );
    const policy = createPolicy({ retry: false });
    const { run, advised } = observed();
    const { tools } = searchTool(() =>
      policy.execute(async () => {
        throw Object.assign(new Error('no such index'), { status: 404 });
      }),
    );
    await generateText(runSettings(run, { model: chat(), prompt, tools }));
    assert.deepEqual(advised(), ['steer']);
    const [, steer] = said(bodies().at(-1), 'user');
    assert.match(steer ?? '', /search has failed 4 times .*NOT_FOUND/);
  });

  test('a tool that yields results is reported with its last', async () => {
    given(...times(3, searching), answer);
    const { run, advised } = observed();
    let pages = 0;
    const { tools } = searchTool(async function* () {
      yield `page ${++pages}`;
      await sleep(1);
      yield 'nothing new';
    });
    await generateText(runSettings(run, { model: chat(), prompt, tools }));
    assert.deepEqual([pages, advised()], [3, ['steer']]);
  });

  test('the end of the run does not wait for a tool that yields and heeds no signal', async () => {
    given(searching);
    const run = createRun({ limits: { ms: 300 } });
    const { tools } = searchTool(async function* () {
      yield 'page 1';
      await sleep(3000, undefined, { ref: false });
      yield 'page 2';
    });
    const took = ownTime();
    await generateText(runSettings(run, { model: chat(), prompt, tools })).catch(() => {});
    assert.ok(run.end?.kind === 'stopped');
    const tookMs = took();
    assert.ok(tookMs < 2500, `${tookMs} ms`);
  });

  test('a reader that goes while the model is silent cancels its stream', async () => {
    let isCancelled = false;
    const stream = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    const model = { doStream: async () => ({ stream }) };
    const { prepareStep } = runSettings(createRun(), {
      model,
      prepareStep: undefined as unknown as (step: object) => Promise<{ model: typeof model }>,
    });
    const prepared = await prepareStep({ model, messages: [] });
    const reader = (
      await (prepared.model.doStream as (params: object) => ReturnType<typeof model.doStream>)({})
    ).stream.getReader();
    const read = reader.read();
    await Promise.race([reader.cancel(), sleep(500)]);
    assert.deepEqual([(await read).done, isCancelled], [true, true]);
  });

  test('where signals cannot be joined by the platform, as in Node 18, the call is still aborted', async (t) => {
    t.mock.method(AbortSignal, 'any');
    Object.assign(AbortSignal, { any: undefined });
    given({ kind: 'stall', forMs: 5000 });
    const abort = new AbortController();
    const settings = runSettings(createRun(), { model: chat(), prompt, maxRetries: 0 });
    const text = failure(generateText({ ...settings, abortSignal: abort.signal }));
    setTimeout(() => abort.abort(), 50);
    assert.equal((await text).name, 'AbortError');
  });

  test('answers of calls beside each other are paid each', async () => {
    const alone = createRun();
    await generateText(runSettings(alone, { model: chat(), prompt }));
    const run = createRun();
    await Promise.all(
      Array.from({ length: 3 }, () => generateText(runSettings(run, { model: chat(), prompt }))),
    );
    assert.ok(alone.spent.outputTokens > 0);
    assert.equal(run.spent.outputTokens, 3 * alone.spent.outputTokens);
  });

  test('a run that is over rejects before a request, and tokens are a hard limit', async () => {
    given(searching);
    const run = createRun({ limits: { tokens: 1 } });
    const { tools } = searchTool();
    await generateText(runSettings(run, { model: chat(), prompt, tools }));
    assert.equal(received().length, 1);
    assert.ok(run.end?.kind === 'stopped');
    assert.match(run.end.error.userMessage(), /budget/);
    const error = await failure(generateText(runSettings(run, { model: chat(), prompt })));
    assert.equal(error.code, 'CAPACITY_EXCEEDED');
    assert.equal(received().length, 1);
  });

  test('wrong arguments are TypeErrors', () => {
    assert.throws(() => runSettings({} as never, {}), /run.*createRun/);
    assert.throws(() => runSettings(createRun(), 1 as never), /settings/);
    assert.throws(() => runSettings(createRun(), {}, { escalateTo: 1 }), /escalateTo/);
    assert.throws(() => runSettings(createRun(), {}, { escalate: 1 } as never), /escalateTo/);
  });
});

test('an answer without tools is an answer', async () => {
  const run = createRun();
  const { text } = await generateText(runSettings(run, { model: chat(), prompt }));
  assert.deepEqual([text, run.finish()], [GOOD, { kind: 'completed' }]);
});
