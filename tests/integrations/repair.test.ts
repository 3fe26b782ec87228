// Repairs by guards of the real SDKs beside those of survival.test.ts: streams, Chat Completions, LangChain, steps of an agent, `guardCall`.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai';
import { AgentError, type HalfopenEvent, onEvent, type RepairOptions } from 'halfopen';
import { type GuardCallOptions, guardCall, guardMiddleware } from 'halfopen/ai-sdk';
import { guard } from 'halfopen/guard';
import { guardAgent } from 'halfopen/langchain';
import { createAgent } from 'langchain';
import OpenAI from 'openai';
import { failure, quick } from './provider.js';
import { recipe } from './recipe.js';
import { type Reply, type StrictProviders, startStrictProviders } from './strict-providers.js';

type Shorten = NonNullable<RepairOptions['shorten']>;
const { shortenWith } = await recipe<{
  shortenWith(summarise: (conversation: string) => Promise<string>): Shorten;
}>('../recipes/shorten', 'import type { RepairOptions }');

let providers: StrictProviders;
let since = 0;
const events: HalfopenEvent[] = [];
const stop = onEvent((event) => events.push(event));
before(async () => {
  providers = await startStrictProviders();
});
after(() => {
  stop();
  return providers.close();
});
beforeEach(() => {
  since = providers.received.length;
  events.length = 0;
});

const bodies = () => providers.received.slice(since).map(({ body }) => body);
const refusals = () => providers.received.slice(since).flatMap(({ refused }) => refused ?? []);
const repaired = () => events.flatMap((event) => (event.type === 'attempt.repaired' ? [event.remedy] : []));
const given = (provider: string, ...replies: Reply[]) => providers.next(provider, ...replies);

type Repair = RepairOptions | boolean;
const policy = () => quick({ retry: false });
const openai = (repair: Repair = true) =>
  guard(new OpenAI({ apiKey: 'k', baseURL: `${providers.url('openai')}/v1` }), policy(), { repair });
const anthropic = (repair: Repair = true) =>
  guard(new Anthropic({ apiKey: 'k', baseURL: providers.url('anthropic') }), policy(), { repair });
type Model = Extract<LanguageModel, { specificationVersion: 'v3' | 'v4' }>;
const guarded = (model: Model, repair: Repair = true): Model =>
  wrapLanguageModel({
    model: model as never,
    middleware: guardMiddleware(policy(), { repair }) as never,
  }) as Model;
const claude = (repair?: Repair) =>
  guarded(
    createAnthropic({ apiKey: 'k', baseURL: `${providers.url('anthropic')}/v1` })('claude-opus-4-6') as Model,
    repair,
  );
const gpt = (repair?: Repair) =>
  guarded(createOpenAI({ apiKey: 'k', baseURL: `${providers.url('openai')}/v1` })('gpt-5') as Model, repair);

const GOOD = 'All is well.';
const TOO_LONG = 'prompt is too long: 214676 tokens > 200000 maximum';
const question = 'How is the weather in Bern and in Basel?';

/** Two parallel calls of tools; the user has stopped the agent when one of them had its result. */
const ABORTED = {
  chat: [
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: null,
      tool_calls: ['call_1', 'call_2'].map((id) => ({
        ...{ id, type: 'function' },
        function: { name: 'weather', arguments: '{}' },
      })),
    },
    { role: 'tool', tool_call_id: 'call_1', content: '14 °C' },
    { role: 'user', content: 'Go on.' },
  ],
  anthropic: [
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: ['toolu_1', 'toolu_2'].map((id) => ({ type: 'tool_use', id, name: 'weather', input: {} })),
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: '14 °C' },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ],
};

/** The request that each SDK makes of an aborted conversation, by the text of its answer. */
const CLIENTS: Record<string, (repair?: Repair) => Promise<string | null | undefined>> = {
  'openai chat': async (repair) => {
    const answer = await openai(repair).chat.completions.create({
      model: 'gpt-5',
      messages: ABORTED.chat as never,
    });
    return answer.choices[0]?.message.content;
  },
  'anthropic, streamed': (repair) =>
    anthropic(repair)
      .messages.stream({ model: 'claude-opus-4-6', max_tokens: 99, messages: ABORTED.anthropic as never })
      .finalText(),
  langchain: async (repair = true) => {
    const model = new ChatOpenAI({
      ...{ apiKey: 'k', model: 'gpt-5', maxRetries: 0, useResponsesApi: false },
      configuration: { baseURL: `${providers.url('openai')}/v1` },
    });
    const agent = createAgent({ model, tools: [], middleware: [guardAgent({ model: policy(), repair })] });
    const { messages } = await agent.invoke({ messages: ABORTED.chat as never });
    return messages.at(-1)?.text;
  },
};

describe('an abort in the middle of two parallel tool calls', () => {
  for (const [name, ask] of Object.entries(CLIENTS)) {
    test(name, async () => {
      assert.equal(await ask(), GOOD);
      assert.deepEqual(repaired(), ['pair-tool-calls']);
      assert.deepEqual([bodies().length, refusals().length], [2, 1]);
    });

    test(`${name}: off with \`repair: false\``, async () => {
      const error = AgentError.from(await failure(ask(false)));
      assert.equal(error.code, 'VALIDATION_ERROR');
      assert.equal(error.remedy?.kind, 'pair-tool-calls');
      assert.deepEqual([bodies().length, repaired()], [1, []]);
    });
  }
});

describe('an overflow in the fifth step of an agent', () => {
  const calls: Reply = { tool: { name: 'weather', input: { city: 'Bern' } } };
  const tooLong: Reply = { status: 400, message: TOO_LONG };
  const weather = tool({
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async () => '14 °C '.repeat(1000),
  });
  const summaries: string[] = [];
  const shorten = shortenWith(async (conversation) => {
    summaries.push(conversation);
    return 'They talked about Bern.';
  });
  const run = (repair: Repair) =>
    generateText({
      ...{ model: claude(repair) as LanguageModel, prompt: question, tools: { weather } },
      ...{ stopWhen: stepCountIs(9), maxRetries: 0, maxOutputTokens: 999 },
    });

  test('`shorten` mends it within the turn', async () => {
    given('anthropic', calls, calls, calls, calls, tooLong);
    const { text, steps } = await run({ shorten });
    assert.deepEqual([text, steps.length], [GOOD, 5]);
    assert.deepEqual(repaired(), ['shorten']);
    const results = bodies()
      .at(-1)
      .messages.flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []))
      .filter(({ type }: { type: string }) => type === 'tool_result');
    assert.deepEqual(
      results.map(({ content }: { content: unknown }) => JSON.stringify(content).includes('left out')),
      [true, true, false, false],
    );
    assert.deepEqual(summaries, []);
  });

  test('where the outputs of tools are not enough, the turns before are summarised', async () => {
    given('anthropic', tooLong);
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'How is the weather in Bern? '.repeat(200) },
      { role: 'assistant' as const, content: '14 °C' },
      { role: 'user' as const, content: 'And tomorrow?' },
    ];
    const model = claude({ shorten }) as LanguageModel;
    const { text } = await generateText({
      model,
      messages,
      allowSystemInMessages: true,
      maxRetries: 0,
    } as never);
    assert.equal(text, GOOD);
    assert.equal(summaries.length, 1);
    const [message, ...others] = bodies().at(-1).messages;
    assert.deepEqual(
      [others.length, message.content.map((part: { text: string }) => part.text)],
      [0, ['What was said before, in short: They talked about Bern.', 'And tomorrow?']],
    );
  });

  test('without it, the overflow ends the run', async () => {
    given('anthropic', calls, calls, calls, calls, tooLong);
    const error = AgentError.from(await failure(run(true)));
    assert.equal(error.code, 'CONTEXT_LENGTH_EXCEEDED');
    assert.deepEqual(repaired(), []);
  });
});

describe('a parameter that the model rejects', () => {
  const options = () => ({ prompt: question, temperature: 0.2, maxRetries: 0 });

  test('goes, for the AI SDK, whole and streamed', async () => {
    // The AI SDK leaves `temperature` out for models whose names it knows: this one it does not.
    const model = guarded(
      createOpenAI({ apiKey: 'k', baseURL: `${providers.url('openai')}/v1` })('house-model') as Model,
    );
    const { text } = await generateText({ model: model as LanguageModel, ...options() });
    const streamed = streamText({ model: model as LanguageModel, ...options() });
    assert.deepEqual([text, await streamed.text], [GOOD, GOOD]);
    assert.deepEqual(repaired(), ['drop-parameter', 'drop-parameter']);
  });
});

describe('an empty answer', () => {
  test('is asked for again, by a client and by the AI SDK', async () => {
    given('openai', { text: '' });
    const answer = await openai().responses.create({
      model: 'gpt-5',
      input: [{ role: 'user', content: 'Hi' }],
    });
    assert.equal(answer.output_text, GOOD);
    given('openai', { text: '' });
    const { text } = await generateText({ model: gpt() as LanguageModel, prompt: 'Hi', maxRetries: 0 });
    assert.equal(text, GOOD);
    given('anthropic', { text: '' });
    const message = await anthropic().messages.create({
      ...{ model: 'claude-opus-4-6', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] },
    });
    assert.equal(
      message.content.some((block) => block.type === 'text' && block.text === GOOD),
      true,
    );
    assert.deepEqual(repaired(), ['ask-again', 'ask-again', 'ask-again']);
  });
});

describe('guardCall repairs the request that its function passes through `repaired`', () => {
  const open = (model: string) =>
    createOpenAI({ apiKey: 'k', baseURL: `${providers.url('openai')}/v1` })(model) as LanguageModel;
  const quiet = { maxRetries: 0, onError: () => {} };
  /** The aborted conversation as the AI SDK keeps it. */
  const messages = [
    { role: 'user' as const, content: question },
    {
      role: 'assistant' as const,
      content: ['call_1', 'call_2'].map((toolCallId) => ({
        ...{ type: 'tool-call' as const, toolCallId, toolName: 'weather', input: {} },
      })),
    },
    {
      role: 'tool' as const,
      content: [
        {
          ...{ type: 'tool-result' as const, toolCallId: 'call_1', toolName: 'weather' },
          output: { type: 'text' as const, value: '14 °C' },
        },
      ],
    },
    { role: 'user' as const, content: 'Go on.' },
  ];
  const whole = (request: object, options?: GuardCallOptions) =>
    guardCall(
      policy(),
      ({ signal, repaired: now }) =>
        generateText(now({ model: open('house-model'), ...quiet, abortSignal: signal, ...request } as never)),
      options,
    );
  const streamed = (request: object, options?: GuardCallOptions) =>
    guardCall(
      policy(),
      ({ signal, repaired: now }) =>
        streamText(now({ model: open('house-model'), ...quiet, abortSignal: signal, ...request } as never)),
      options,
    );

  test('an aborted conversation, and a parameter, whole and streamed', async () => {
    const request = { messages, temperature: 0.2 };
    const before = structuredClone(request);
    const { text } = await whole(request);
    assert.deepEqual([text, await streamed(request).text], [GOOD, GOOD]);
    assert.deepEqual(repaired(), [
      // The AI SDK itself refuses the call without a result, before it sends anything.
      ...['pair-tool-calls', 'drop-parameter'],
      ...['pair-tool-calls', 'drop-parameter'],
    ]);
    assert.deepEqual(request, before);
  });

  test('off with `repair: false`', async () => {
    const error = AgentError.from(await failure(whole({ messages }, { repair: false })));
    assert.deepEqual([error.code, error.remedy?.kind], ['VALIDATION_ERROR', 'pair-tool-calls']);
    assert.deepEqual([bodies().length, repaired()], [0, []]);
  });

  test('`only`, and a function that shortens', async () => {
    const error = await failure(whole({ prompt: question, temperature: 0.2 }, { repair: { only: [] } }));
    assert.equal(AgentError.from(error).remedy?.kind, 'drop-parameter');
    given('openai', { status: 400, message: TOO_LONG });
    const shorten: Shorten = (request) => ({ ...request, messages: request.messages.slice(-1) });
    const { text } = await whole({ messages }, { repair: { shorten } });
    assert.equal(text, GOOD);
    assert.equal(bodies().at(-1).input.length, 1);
  });

  test('a request that it does not see: an empty answer is asked for again, and an option `repair` says what is missing', async () => {
    given('openai', { text: '' });
    const blind = (options?: GuardCallOptions, said: string[] = [], request: object = {}) =>
      guardCall(
        quick({ retry: false, onDebug: (text) => said.push(text) }),
        ({ signal }) =>
          generateText({
            model: open('gpt-5'),
            prompt: 'Hi',
            ...quiet,
            abortSignal: signal,
            ...request,
          } as never),
        options,
      );
    assert.equal((await blind()).text, GOOD);
    assert.deepEqual(repaired(), ['ask-again']);
    const said: string[] = [];
    await failure(blind({ repair: true }, said, { messages, prompt: undefined }));
    assert.match(said.join('\n'), /`repaired`/);
  });

  for (const [form, call] of Object.entries({ whole, streamed })) {
    test(`tools that have run do not run a second time for a repair, ${form}`, async () => {
      let runs = 0;
      const charge = tool({
        inputSchema: jsonSchema<object>({ type: 'object' }),
        execute: async () => `done ${++runs}`,
      });
      const request = { prompt: 'Charge.', tools: { charge }, stopWhen: stepCountIs(4), topP: 0.5 };
      const message = "Unsupported parameter: 'top_p' is not supported with this model.";
      for (const second of [{ text: '' }, { status: 400, message }]) {
        runs = 0;
        given('openai', { tool: { name: 'charge', input: {} } }, second);
        const text = await (async () => await (await call(request)).text)().catch((error) => error);
        assert.deepEqual([runs, repaired()], [1, []], String(text));
      }
    });
  }
});
