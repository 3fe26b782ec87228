// `failoverModel` with the real providers of the AI SDK, against a server that validates conversations as theirs do.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { AgentError, createPolicy, type Policy } from 'halfopen';
import { failoverModel, guardCall, type ModelAnswer } from 'halfopen/ai-sdk';
import { VirtualClock } from 'halfopen/testing';
import { until } from '../../scripts/patience.mjs';
import { type Reply, type StrictProviders, startStrictProviders } from './strict-providers.js';

let providers: StrictProviders;
let since = 0;
before(async () => {
  providers = await startStrictProviders();
});
after(() => providers.close());

const asked = () => providers.received.slice(since).map(({ provider }) => provider);
const refusals = () => providers.received.slice(since).map(({ refused }) => refused);
const bodies = () => providers.received.slice(since).map(({ body }) => body);
const given = (provider: string, ...replies: Reply[]) => {
  since = providers.received.length;
  providers.next(provider, ...replies);
};

const down: Reply = { status: 500, type: 'api_error', message: 'Internal error' };
const tooLong: Reply = { status: 400, message: 'prompt is too long: 214676 tokens > 200000 maximum' };
const calls: Reply = { tool: { name: 'weather', input: { city: 'Bern' } } };

type Model = Extract<LanguageModel, { specificationVersion: 'v3' | 'v4' }>;
const claude = (provider = 'anthropic', id = 'claude-opus-4-6') =>
  createAnthropic({ apiKey: 'k', baseURL: `${providers.url(provider)}/v1` })(id) as Model;
const gpt = (id = 'gpt-5') =>
  createOpenAI({ apiKey: 'k', baseURL: `${providers.url('openai')}/v1` })(id) as Model;
const gemini = (id = 'gemini-3-pro') =>
  createGoogleGenerativeAI({ apiKey: 'k', baseURL: `${providers.url('google')}/v1beta` })(id) as Model;

const policy = (name: string, options: object = {}): Policy<never> =>
  createPolicy({ name, retry: false, ...options });
const targets = (options: object = {}) => [
  { model: claude(), policy: policy('claude', options) },
  { model: gpt(), policy: policy('gpt') },
  { model: gemini(), policy: policy('gemini') },
];
const weather = tool({
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: async () => '14 °C',
});
const prompt = 'How warm is it in Bern?';
const halfopen = ({ providerMetadata }: { providerMetadata?: unknown }) =>
  (providerMetadata as { halfopen: ModelAnswer }).halfopen;

/** Both ways of asking, with what both say of the answer. */
const WAYS: Record<string, (options: Parameters<typeof generateText>[0]) => Promise<Answer>> = {
  generateText: (options) => generateText({ maxRetries: 0, ...options }),
  streamText: async (options) => {
    const result = streamText({ maxRetries: 0, onError: () => {}, ...options } as never);
    for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
    return {
      text: await result.text,
      response: await result.response,
      providerMetadata: await result.providerMetadata,
    };
  },
};
interface Answer {
  text: string;
  response: { modelId: string };
  providerMetadata?: object | undefined;
}

for (const [way, ask] of Object.entries(WAYS)) {
  describe(way, () => {
    test('the answer says who gave it', async () => {
      given('anthropic', { nameless: true });
      const told: ModelAnswer[] = [];
      const [claudes, , geminis] = targets();
      const order = [claudes, geminis] as never;
      const model: Model = failoverModel(order, { onAnswer: (answer) => told.push(answer) });
      const first = await ask({ model, prompt });
      given('anthropic', down);
      given('google', { nameless: true });
      const second = await ask({ model, prompt });
      const switched = [{ from: 'claude', code: 'SERVER_ERROR' }];
      assert.deepEqual(told, [
        { target: 'claude', model: 'claude-opus-4-6', switched: [] },
        { target: 'gemini', model: 'gemini-3-pro', switched },
      ]);
      assert.deepEqual([halfopen(first), halfopen(second)], told);
      assert.deepEqual(
        [first.response.modelId, second.response.modelId],
        ['claude-opus-4-6', 'gemini-3-pro'],
      );
    });

    test('a target that has answered stays the first for a time, and then the first is tried again', async () => {
      const clock = new VirtualClock();
      given('anthropic', down, down);
      const model = failoverModel(targets({ clock }));
      await ask({ model, prompt });
      await clock.advance(200_000);
      await ask({ model, prompt });
      await clock.advance(99_000);
      await ask({ model, prompt });
      assert.deepEqual(asked(), ['anthropic', 'openai', 'openai', 'openai']);
      await clock.advance(1_000);
      since = providers.received.length;
      await ask({ model, prompt }); // fails at the first once more
      await ask({ model, prompt });
      assert.deepEqual(asked(), ['anthropic', 'openai', 'openai']);
    });

    test('a target that stays and fails is followed by the others, the first among them', async () => {
      given('anthropic', down);
      const model = failoverModel(targets());
      await ask({ model, prompt });
      given('openai', down);
      const back = await ask({ model, prompt });
      assert.deepEqual(asked(), ['openai', 'anthropic']);
      assert.deepEqual(halfopen(back).switched, [{ from: 'gpt', code: 'SERVER_ERROR' }]);
      await ask({ model, prompt });
      assert.deepEqual(asked(), ['openai', 'anthropic', 'anthropic']);
    });

    test('a conversation that is too long is not sent on as it is', async () => {
      const rejection = async (model: LanguageModel) => {
        given('anthropic', tooLong);
        const error = await ask({ model, prompt }).catch((thrown) => thrown);
        return [AgentError.from(error).code, asked()];
      };
      const ended = ['CONTEXT_LENGTH_EXCEEDED', ['anthropic']];
      assert.deepEqual(await rejection(failoverModel(targets())), ended);
      // Changed options are no shorter conversation.
      const [first, second, third] = targets();
      const warmer = { ...second, options: { maxOutputTokens: 100 } };
      assert.deepEqual(await rejection(failoverModel([first, warmer] as never)), ended);

      given('anthropic', tooLong);
      const short = [{ role: 'user', content: [{ type: 'text', text: 'short' }] }];
      const shorter = { ...third, options: () => ({ prompt: short }) };
      const { text } = await ask({ model: failoverModel([first, warmer, shorter] as never), prompt });
      assert.deepEqual([text, asked()], ['All is well.', ['anthropic', 'google']]);
      assert.equal(bodies().at(-1).contents[0].parts[0].text, 'short');

      given('anthropic', tooLong);
      await ask({ model: failoverModel(targets(), { on: ['CONTEXT_LENGTH_EXCEEDED'] }), prompt });
      assert.deepEqual(asked(), ['anthropic', 'openai']);
    });

    test('a run survives a provider that dies in step 2, its signatures, and a parameter that the next rejects', async () => {
      const [first] = targets();
      const told: ModelAnswer[] = [];
      const model: Model = failoverModel([first, { model: gpt('gpt-4.1'), policy: policy('gpt') }] as never, {
        onAnswer: (answer) => told.push(answer),
      });
      given('anthropic', calls, down);
      providers.next('openai', calls);
      const { text, response } = await ask({
        ...{ model, prompt, tools: { weather }, stopWhen: stepCountIs(4), temperature: 0.3 },
        providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
      });
      assert.deepEqual([text, response.modelId], ['All is well.', 'gpt-4.1']);
      const temperature = "Unsupported parameter: 'temperature' is not supported with this model.";
      const [claude1, claude2, ...openai] = providers.received.slice(since);
      assert.deepEqual([claude1?.refused, claude2?.refused], [undefined, undefined]);
      // Each step asks OpenAI with the parameter, learns that it has to go, and asks once more.
      assert.deepEqual(
        openai.map(({ provider, refused }) => [provider, refused]),
        [temperature, undefined, temperature, undefined].map((refused) => ['openai', refused]),
      );
      assert.ok(!JSON.stringify(openai.map(({ body }) => body)).includes('anthropic-'));
      assert.deepEqual(
        told.map(({ target, switched }) => [target, switched.map(({ code }) => code)]),
        [
          ['claude', []],
          ['gpt', ['SERVER_ERROR']],
          ['gpt', []],
        ],
      );
    });

    test('with `shorten` the next target gets the shorter conversation', async () => {
      type Call = { prompt: unknown[] };
      const needs: unknown[] = [];
      const shorten = (call: Call, need: object) => {
        needs.push(need);
        return { ...call, prompt: [...call.prompt.slice(0, -1), shortened(needs.length)] };
      };
      const shortened = (count: number) => ({
        role: 'user',
        content: [{ type: 'text', text: `short ${count}` }],
      });
      const text = (body: { messages?: { content: { text: string }[] }[]; input?: unknown }) =>
        /short \d|How warm/.exec(JSON.stringify(body))?.[0];
      for (const second of [tooLong, down]) {
        needs.length = 0;
        given('anthropic', tooLong, second);
        const model: Model = failoverModel(targets(), { repair: { shorten } });
        await ask({ model, prompt });
        assert.deepEqual(asked(), ['anthropic', 'anthropic', 'openai']);
        assert.deepEqual(bodies().map(text), ['How warm', 'short 1', 'short 1']);
        assert.deepEqual(needs, [{ limit: 200_000, sent: 214_676 }]);
      }
    });

    test('`on` says which codes lead to the next target', async () => {
      given('anthropic', down);
      const error = await ask({ model: failoverModel(targets(), { on: ['TIMEOUT'] }), prompt }).catch(
        (thrown) => thrown,
      );
      assert.deepEqual([AgentError.from(error).code, asked()], ['SERVER_ERROR', ['anthropic']]);
      const filtered = { status: 400, message: 'Output blocked by content filtering policy' };
      for (const refusal of [filtered, { refuses: true }]) {
        given('anthropic', refusal);
        const refused = await ask({ model: failoverModel(targets()), prompt }).catch((thrown) => thrown);
        assert.deepEqual([AgentError.from(refused).code, asked()], ['CONTENT_FILTERED', ['anthropic']]);
        given('anthropic', refusal);
        const { text } = await ask({ model: failoverModel(targets(), { on: ['CONTENT_FILTERED'] }), prompt });
        assert.deepEqual([text, asked()], ['All is well.', ['anthropic', 'openai']]);
      }
    });

    test('options of a target are joined into those of the call', async () => {
      given('anthropic', down);
      const seen: object[] = [];
      const options = (call: { temperature?: number }) => {
        seen.push(call);
        return {
          ...{ temperature: undefined, maxOutputTokens: 77, headers: { 'x-target': 'gpt' } },
          providerOptions: { openai: { reasoningEffort: 'low' } },
        };
      };
      const [first, second] = targets();
      await ask({
        model: failoverModel([first, { ...second, options }] as never),
        ...{ prompt, temperature: 0.5, maxOutputTokens: 5 },
        providerOptions: { openai: { reasoningEffort: 'high', user: 'u1' }, anthropic: { effort: 'low' } },
      });
      const [, sent] = bodies();
      assert.deepEqual(
        [sent.temperature, sent.max_output_tokens, sent.reasoning.effort, sent.user],
        [undefined, 77, 'low', 'u1'],
      );
      assert.equal((seen[0] as { temperature: number }).temperature, 0.5);
      assert.equal(bodies()[0].temperature, 0.5);
    });

    test('an agent goes on at another provider in the middle of its steps, and comes back', async () => {
      const [first, second, third] = targets();
      const model: Model = failoverModel([first, third, second] as never, { stayMs: 0 });
      const options = {
        ...{ tools: { weather }, prompt, stopWhen: stepCountIs(4) },
        providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
      };
      given('anthropic', calls, down, calls, {});
      given('google', calls);
      since = providers.received.length;
      const { text } = await ask({ model, ...options });
      assert.equal(text, 'All is well.');
      assert.deepEqual(asked(), ['anthropic', 'anthropic', 'google', 'anthropic', 'anthropic']);
      assert.deepEqual(refusals(), Array(5).fill(undefined));
      // Claude's thoughts are only in requests to Claude, in the steps before and after.
      const thoughts = JSON.stringify(bodies().at(-1)).match(/"thinking":"Let me see\."/g);
      assert.equal(thoughts?.length, 2);
    });
  });
}

test('reasoning that only the former can read is left out', async () => {
  const sent: { prompt: { content: { type: string }[] }[] }[] = [];
  const second = gpt();
  const spied = new Proxy(second, {
    get(target, name) {
      if (name === 'doGenerate') {
        return (params: never) => {
          sent.push(params);
          return target.doGenerate(params);
        };
      }
      return Reflect.get(target, name, target);
    },
  });
  given('anthropic', calls, down);
  const model = failoverModel([
    { model: claude(), policy: policy('claude') },
    { model: spied, policy: policy('gpt') },
  ]);
  await generateText({ model, tools: { weather }, prompt, stopWhen: stepCountIs(3), maxRetries: 0 });
  const types = sent[0]?.prompt.flatMap(({ content }) => content.map(({ type }) => type));
  assert.deepEqual(types, ['text', 'tool-call', 'tool-result']);
});

test('wrong options are TypeErrors', () => {
  const [first] = targets();
  assert.throws(() => failoverModel([{ ...first, options: 1 }] as never), /targets\[0\]\.options/);
  assert.throws(() => failoverModel([first] as never, { stayMs: -1 }), /stayMs/);
  assert.throws(() => failoverModel([first] as never, { on: ['NOPE'] as never }), /on\[0\]/);
  assert.throws(() => failoverModel([first] as never, { onAnswer: 1 as never }), /onAnswer/);
});

test('a stream whose reader goes while the next model begins is closed there', async () => {
  const cancelled: string[] = [];
  const model = (modelId: string, parts: object[], opens: Promise<void>) => ({
    ...{ specificationVersion: 'v3', provider: 'fake', modelId, supportedUrls: {} },
    doGenerate: () => assert.fail('it streams'),
    doStream: async (_options: object) => {
      await opens;
      const stream = new ReadableStream<object>(
        {
          pull(controller) {
            const part = parts.shift();
            if (part !== undefined) controller.enqueue(part);
            else if (modelId === 'a') controller.error(new TypeError('fetch failed'));
            else return new Promise(() => {});
          },
          cancel: () => void cancelled.push(modelId),
        },
        { highWaterMark: 0 },
      );
      return { stream };
    },
  });
  let open = () => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  const words = (delta: string) => [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta },
  ];
  const both = failoverModel(
    [
      { model: model('a', words('One '), Promise.resolve()), policy: policy('a') },
      { model: model('b', words('two'), opens), policy: policy('b') },
    ],
    { onBreak: 'resume' },
  );
  const { stream } = await both.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Count' }] }],
  });
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    if ((part.value as { type: string }).type === 'text-delta') break;
  const last = reader.read();
  await sleep(20);
  await reader.cancel();
  assert.equal((await last).done, true);
  open();
  await until(() => cancelled.length > 0, 'its end');
  assert.deepEqual(cancelled, ['b']);
});

const streamOf = (parts: readonly object[]) =>
  new ReadableStream<object>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

test('a step that is repeated by the next model has the messages of the steps before once', async () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
  const words = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: '14 degrees' },
  ];
  const toolCall = { type: 'tool-call', toolCallId: 'c', toolName: 'weather', input: '{"city":"Bern"}' };
  const roles: string[][] = [];
  const model = (modelId: string, answers: object[][]) => ({
    ...{ specificationVersion: 'v3', provider: 'fake', modelId, supportedUrls: {} },
    doGenerate: () => assert.fail('it streams'),
    doStream: async ({ prompt }: { prompt: { role: string }[] }) => {
      roles.push([modelId, ...prompt.map(({ role }) => role)]);
      const parts = answers.shift();
      if (parts === undefined) throw Object.assign(new Error('down'), { status: 503 });
      return { stream: streamOf(parts) };
    },
  });
  const broken = { type: 'error', error: new TypeError('fetch failed') };
  const both = failoverModel(
    [
      {
        model: model('a', [
          [toolCall, finish('tool-calls')],
          [...words, broken],
        ]),
        policy: policy('a'),
      },
      { model: model('b', [[...words, { type: 'text-end', id: '1' }, finish('stop')]]), policy: policy('b') },
    ],
    { repair: { shorten: (request) => request } },
  ) as never;
  const { text } = guardCall(
    createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 } }),
    ({ signal }) =>
      streamText({
        ...{ model: both, prompt, tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0 },
        ...{ abortSignal: signal, onError: () => {} },
      }),
    { onBreak: 'restart' },
  );
  assert.equal(await text, '14 degrees');
  assert.deepEqual(roles.slice(-2), [
    ['a', 'user', 'assistant', 'tool'],
    ['b', 'user', 'assistant', 'tool'],
  ]);
});
