// The tokens and limits in an answer are shown without the operation's help.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { onVirtualClock, rejectsWith } from '../policy/given.js';

const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

/** Tokens that were read from a cache, written to it, or spent on reasoning. */
const parts = (cachedInputTokens: number, cacheWriteTokens = 0, reasoningTokens = 0) => ({
  ...(cachedInputTokens > 0 && { cachedInputTokens }),
  ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  ...(reasoningTokens > 0 && { reasoningTokens }),
});

/** Each SDK's answer, and what it took in the one convention: input with the cache, output with reasoning. */
const ANSWERS: [sdk: string, answer: object, usage: object | undefined][] = [
  ['OpenAI, chat', { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } }, tokens(12, 3)],
  [
    // https://platform.openai.com/docs/guides/prompt-caching
    'OpenAI, chat, cached',
    {
      choices: [],
      usage: {
        prompt_tokens: 2006,
        completion_tokens: 300,
        total_tokens: 2306,
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 128, accepted_prediction_tokens: 0 },
      },
    },
    { ...tokens(2006, 300), ...parts(1920, 0, 128) },
  ],
  ['OpenAI, responses', { output: [], usage: { input_tokens: 12, output_tokens: 3 } }, tokens(12, 3)],
  [
    'OpenAI, responses, cached',
    {
      output: [],
      usage: {
        input_tokens: 2006,
        input_tokens_details: { cached_tokens: 1920 },
        output_tokens: 300,
        output_tokens_details: { reasoning_tokens: 128 },
        total_tokens: 2306,
      },
    },
    { ...tokens(2006, 300), ...parts(1920, 0, 128) },
  ],
  ['OpenAI, embeddings', { data: [], usage: { prompt_tokens: 12, total_tokens: 12 } }, { inputTokens: 12 }],
  ['Anthropic', { content: [], usage: { input_tokens: 12, output_tokens: 3 } }, tokens(12, 3)],
  [
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching: input_tokens are those behind the last breakpoint.
    'Anthropic, cached',
    {
      content: [],
      usage: {
        input_tokens: 20,
        cache_read_input_tokens: 239_000,
        cache_creation_input_tokens: 980,
        cache_creation: { ephemeral_5m_input_tokens: 980, ephemeral_1h_input_tokens: 0 },
        output_tokens: 500,
      },
    },
    { ...tokens(240_000, 500), ...parts(239_000, 980) },
  ],
  [
    'withResponse()',
    { data: { usage: { input_tokens: 12, output_tokens: 3 } }, response: {} },
    tokens(12, 3),
  ],
  ['Gemini', { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3 } }, tokens(12, 3)],
  [
    // https://ai.google.dev/api/generate-content#UsageMetadata: the prompt includes cached tokens, thoughts are
    // separate.
    'Gemini, with thoughts, a cache and a tool',
    {
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 800,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 50,
        toolUsePromptTokenCount: 30,
        totalTokenCount: 1084,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
      },
    },
    { ...tokens(1030, 54), ...parts(800, 0, 50) },
  ],
  [
    // https://ai.google.dev/gemini-api/docs/openai: only the total has the thoughts.
    "Gemini by OpenAI's interface",
    { choices: [], usage: { prompt_tokens: 10, completion_tokens: 35, total_tokens: 1022 } },
    tokens(10, 1012),
  ],
  ['Mistral', { choices: [], usage: { promptTokens: 12, completionTokens: 3 } }, tokens(12, 3)],
  [
    // https://docs.cohere.com/v2/reference/chat: what is billed is less than what the model read.
    'Cohere',
    {
      message: {},
      usage: {
        billed_units: { input_tokens: 5, output_tokens: 2 },
        tokens: { input_tokens: 71, output_tokens: 3 },
        cached_tokens: 4,
      },
    },
    { ...tokens(5, 2), ...parts(4) },
  ],
  [
    "Cohere's SDK",
    { message: {}, usage: { billedUnits: tokens(5, 1), tokens: tokens(12, 3) } },
    tokens(5, 1),
  ],
  ['Cohere, embeddings', { embeddings: {}, meta: { billedUnits: { inputTokens: 12 } } }, { inputTokens: 12 }],
  ['Bedrock', { output: {}, usage: tokens(12, 3), metrics: {} }, tokens(12, 3)],
  [
    // https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
    'Bedrock, cached',
    {
      output: {},
      usage: { ...tokens(12, 3), totalTokens: 1115, cacheReadInputTokens: 1000, cacheWriteInputTokens: 100 },
    },
    { ...tokens(1112, 3), ...parts(1000, 100) },
  ],
  [
    // https://api-docs.deepseek.com/api/create-chat-completion
    'DeepSeek',
    {
      choices: [],
      usage: {
        prompt_tokens: 100,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
        completion_tokens: 50,
        total_tokens: 150,
        completion_tokens_details: { reasoning_tokens: 40 },
      },
    },
    { ...tokens(100, 50), ...parts(64, 0, 40) },
  ],
  [
    // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/grok/capabilities/reasoning: reasoning
    // is separate.
    'xAI',
    {
      choices: [],
      usage: {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        prompt_tokens_details: { text_tokens: 32, cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 94 },
      },
    },
    { ...tokens(32, 103), ...parts(8, 0, 94) },
  ],
  [
    // https://openrouter.ai/docs/use-cases/usage-accounting
    'OpenRouter',
    {
      choices: [],
      usage: {
        prompt_tokens: 194,
        completion_tokens: 20,
        total_tokens: 214,
        cost: 0.95,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    },
    { ...tokens(194, 20), ...parts(100, 50, 5) },
  ],
  [
    "a gateway that adds Anthropic's names to OpenAI's",
    {
      choices: [],
      usage: {
        prompt_tokens: 1020,
        completion_tokens: 5,
        total_tokens: 1025,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 0,
      },
    },
    { ...tokens(1020, 5), ...parts(1000) },
  ],
  [
    // https://docs.ollama.com/api/chat
    'Ollama',
    { model: 'llama3', message: { content: 'x' }, done: true, prompt_eval_count: 26, eval_count: 298 },
    { ...tokens(26, 298), model: 'llama3' },
  ],
  ['LangChain', { content: 'x', usage_metadata: { input_tokens: 12, output_tokens: 3 } }, tokens(12, 3)],
  [
    // https://docs.langchain.com/oss/javascript/langchain/models#token-usage
    'LangChain, cached',
    {
      content: 'x',
      usage_metadata: {
        input_tokens: 1020,
        output_tokens: 30,
        total_tokens: 1050,
        input_token_details: { cache_read: 900, cache_creation: 100 },
        output_token_details: { reasoning: 10 },
      },
      response_metadata: { model_name: 'gpt-5-2025-08-07', finish_reason: 'stop' },
    },
    { ...tokens(1020, 30), ...parts(900, 100, 10), model: 'gpt-5-2025-08-07' },
  ],
  ['the AI SDK', { text: 'x', usage: tokens(12, 3), response: { headers: {} } }, tokens(12, 3)],
  ['the AI SDK, several steps', { usage: tokens(5, 1), totalUsage: tokens(12, 3) }, tokens(12, 3)],
  ['the AI SDK 4', { text: 'x', usage: { promptTokens: 12, completionTokens: 3 } }, tokens(12, 3)],
  [
    'the AI SDK 5, OpenAI',
    {
      text: 'x',
      usage: { ...tokens(100, 30), totalTokens: 130, reasoningTokens: 10, cachedInputTokens: 64 },
    },
    { ...tokens(100, 30), ...parts(64, 0, 10) },
  ],
  [
    // Its Anthropic provider passes input_tokens on as they are.
    'the AI SDK 5, Anthropic',
    {
      text: 'x',
      usage: { ...tokens(200, 30), totalTokens: 230, cachedInputTokens: 150 },
      providerMetadata: { anthropic: { cacheCreationInputTokens: 40 } },
    },
    { ...tokens(390, 30), ...parts(150, 40) },
  ],
  [
    // Its Google provider passes candidatesTokenCount on as it is.
    'the AI SDK 5, Google',
    { text: 'x', usage: { ...tokens(100, 4), totalTokens: 154, reasoningTokens: 50 } },
    { ...tokens(100, 54), ...parts(0, 0, 50) },
  ],
  [
    'the AI SDK 6',
    {
      text: 'x',
      usage: {
        ...tokens(1020, 30),
        totalTokens: 1050,
        inputTokenDetails: { noCacheTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 100 },
        outputTokenDetails: { textTokens: 20, reasoningTokens: 10 },
      },
      providerMetadata: { anthropic: { cacheCreationInputTokens: 100 } },
    },
    { ...tokens(1020, 30), ...parts(900, 100, 10) },
  ],
  [
    'a model of the AI SDK 6 and 7',
    {
      content: [],
      usage: {
        inputTokens: { total: 1020, noCache: 20, cacheRead: 900, cacheWrite: 100 },
        outputTokens: { total: 30, text: 20, reasoning: 10 },
      },
    },
    { ...tokens(1020, 30), ...parts(900, 100, 10) },
  ],
  ['the AI SDK, embeddings', { embedding: [], usage: { tokens: 12 } }, { inputTokens: 12 }],
  [
    'OpenAI Agents',
    {
      output: [],
      usage: {
        requests: 1,
        ...tokens(100, 30),
        totalTokens: 130,
        inputTokensDetails: [{ cached_tokens: 64 }],
        outputTokensDetails: [{ reasoning_tokens: 10 }],
      },
    },
    { ...tokens(100, 30), ...parts(64, 0, 10) },
  ],
  ['something else', { usage: 'heavy', data: null, message: 5 }, undefined],
  ['no numbers', { usage: { input_tokens: -1, output_tokens: Number.NaN } }, undefined],
];

for (const [sdk, answer, usage] of ANSWERS)
  test(`tokens of an answer: ${sdk}`, async () => {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    await policy.execute(() => answer);
    assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, usage);
  });

/** Each SDK's stream: the chunks that have counts, and their sum if it is not `tokens(12, 3)`. */
const STREAMS: [sdk: string, chunks: object[], usage?: object][] = [
  [
    'OpenAI, chat',
    [
      { choices: [{}], usage: null },
      { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } },
    ],
  ],
  [
    'OpenAI, responses',
    [{ type: 'response.completed', response: { usage: { input_tokens: 12, output_tokens: 3 } } }],
  ],
  [
    'Anthropic',
    [
      { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 12, output_tokens: 1 } } },
      { type: 'message_delta', usage: { output_tokens: 3 } },
    ],
  ],
  [
    'Anthropic, cached',
    [
      {
        type: 'message_start',
        message: {
          usage: {
            input_tokens: 20,
            cache_read_input_tokens: 900,
            cache_creation_input_tokens: 80,
            output_tokens: 1,
          },
        },
      },
      { type: 'message_delta', usage: { input_tokens: 20, cache_read_input_tokens: 900, output_tokens: 30 } },
    ],
    { ...tokens(1000, 30), ...parts(900, 80) },
  ],
  [
    'Gemini: the last chunk counts',
    [
      { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1, thoughtsTokenCount: 9 } },
      { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 2, thoughtsTokenCount: 1 } },
    ],
    { ...tokens(12, 3), ...parts(0, 0, 1) },
  ],
  ['Mistral', [{ data: { choices: [], usage: { promptTokens: 12, completionTokens: 3 } } }]],
  ['Cohere', [{ type: 'message-end', delta: { usage: { tokens: tokens(12, 3) } } }]],
  ['Bedrock', [{ messageStop: {} }, { metadata: { usage: tokens(12, 3), metrics: {} } }]],
  ['Groq', [{ choices: [], x_groq: { id: 'req_1', usage: { prompt_tokens: 12, completion_tokens: 3 } } }]],
  [
    'Ollama',
    [
      { message: { content: 'x' }, done: false },
      { done: true, prompt_eval_count: 12, eval_count: 3 },
    ],
  ],
  [
    'LangChain, of Anthropic',
    [
      { content: '', usage_metadata: { input_tokens: 12, output_tokens: 1 } },
      {
        content: '',
        usage_metadata: { input_tokens: 0, output_tokens: 3, total_tokens: 3 },
        additional_kwargs: { stop_reason: 'end_turn' },
      },
    ],
  ],
  [
    // https://github.com/langchain-ai/langchainjs: of Gemini's running counts each chunk has what is new.
    'LangChain, of Gemini: parts',
    [
      { content: 'a', usage_metadata: { input_tokens: 12, output_tokens: 1 } },
      { content: 'b', usage_metadata: { input_tokens: 0, output_tokens: 2 } },
    ],
  ],
  [
    'the AI SDK',
    [
      { type: 'finish-step', usage: tokens(5, 1) },
      { type: 'finish-step', usage: tokens(7, 2) },
      { type: 'finish', totalUsage: tokens(12, 3) },
    ],
  ],
  [
    'the AI SDK, before its end',
    [
      { type: 'finish-step', usage: tokens(5, 1) },
      { type: 'finish-step', usage: tokens(7, 2) },
    ],
  ],
];

for (const [sdk, chunks, usage = tokens(12, 3)] of STREAMS)
  test(`tokens of a stream: ${sdk}`, async () => {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    for await (const _ of policy.stream(async function* () {
      yield* chunks;
    }));
    assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, usage);
  });

const begun = { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } };

test('a stream that is closed or aborted says what it took so far', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const endless = () =>
    (async function* () {
      yield begun;
      await new Promise(() => {});
    })();
  for await (const _ of policy.stream(endless)) break;
  const stop = new AbortController();
  const aborted = policy.stream(endless, { signal: stop.signal });
  await aborted.next();
  const rest = rejectsWith(aborted.next(), 'CANCELLED');
  stop.abort();
  await rest;
  assert.deepEqual(of('call.succeeded', events)[0]?.usage, tokens(12, 1));
  assert.deepEqual(of('call.failed', events)[0]?.usage, tokens(12, 1));
});

test('a stream that ended by itself is not counted twice', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  for await (const _ of policy.stream(async function* () {
    yield begun;
  }));
  assert.equal(of('call.succeeded', events)[0]?.usage, undefined);
});

test('what several attempts took that ran beside one another, when the call is cancelled', async () => {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 10 } });
  const { events } = recordEvents(policy);
  const stop = new AbortController();
  const call = policy.execute(
    ({ attempt, observe }) => {
      observe({ usage: tokens(10 * attempt, 1) });
      return new Promise(() => {});
    },
    { signal: stop.signal },
  );
  await clock.advance(10);
  stop.abort();
  await rejectsWith(call, 'CANCELLED');
  assert.deepEqual(of('call.failed', events)[0]?.usage, tokens(30, 2));
});

test("usage names the model of the answer, else the call's, and the provider; without secrets", async () => {
  const { policy } = onVirtualClock({ provider: 'openai', model: 'gpt-5' });
  const { events } = recordEvents(policy);
  const usage = { prompt_tokens: 12, completion_tokens: 3 };
  await policy.execute(() => ({ choices: [], usage, model: 'gpt-5-2025-08-07' }));
  await policy.execute(() => ({ choices: [], usage }), { model: 'gpt-5-mini' });
  await policy.execute(({ observe }) =>
    observe({ usage: { ...tokens(12, 3), model: 'own', provider: 'mine' } }),
  );
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
  await policy.execute(({ observe }) => observe({ usage: { ...tokens(12, 3), model: secret } }));
  const names = of('attempt.succeeded', events).map((event) => [event.usage?.model, event.usage?.provider]);
  assert.deepEqual(names.slice(0, 3), [
    ['gpt-5-2025-08-07', 'openai'],
    ['gpt-5-mini', 'openai'],
    ['own', 'mine'],
  ]);
  assert.ok(!JSON.stringify(events).includes(secret));
});

test('usage from the operation has all counts', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const usage = { ...tokens(12, 3), ...parts(8, 2, 1) };
  await policy.execute(({ observe }) => observe({ usage }));
  assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, usage);
});

test('usage from the operation counts, whatever its answer states', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  await policy.execute((context) => {
    context.observe({ usage: tokens(1, 2), headers: limits(7) });
    return { usage: tokens(12, 3), response: { headers: limits(5) } };
  });
  assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, tokens(1, 2));
  assert.deepEqual(
    of('limits.observed', events).map((event) => event.remaining),
    [7],
  );
});

test('a failed attempt says what it took: its answer was refused, or its stream broke', async () => {
  const { policy } = onVirtualClock({ retry: { maxRetries: 0 } });
  const { events } = recordEvents(policy);
  const refuses = () => {
    throw new Error('not what was asked for');
  };
  await assert.rejects(policy.execute(() => ({ usage: tokens(12, 3) }), { validate: refuses }));
  const stream = policy.stream(async function* () {
    yield { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } };
    throw Object.assign(new Error('down'), { status: 500 });
  });
  await assert.rejects(async () => {
    for await (const _ of stream);
  });
  await rejectsWith(
    policy.execute(() => {
      throw Object.assign(new Error('down'), { status: 500 });
    }),
    'SERVER_ERROR',
  );
  assert.deepEqual(
    of('attempt.failed', events).map((event) => event.usage),
    [tokens(12, 3), tokens(12, 1), undefined],
  );
});

const limits = (left: number) => ({
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-requests': `${left}`,
  'x-ratelimit-reset-requests': '10s',
});

test('limits in the headers of an answer or an error are shown, and hold no call up', async () => {
  const { policy } = onVirtualClock({ retry: { maxRetries: 0 }, rateLimit: { limit: 100, windowMs: 1000 } });
  const { events } = recordEvents(policy);
  await policy.execute(() => ({ text: 'x', response: { headers: limits(0) } }));
  await policy.execute(() => ({ data: {}, response: { headers: new Headers(limits(1)) } }));
  await policy.execute(() => new Response('x', { headers: limits(2) }));
  for (const error of [
    { status: 500, headers: limits(3) },
    { statusCode: 500, responseHeaders: limits(4) },
  ])
    await rejectsWith(
      policy.execute(() => {
        throw Object.assign(new Error('down'), error);
      }),
      'SERVER_ERROR',
    );
  assert.deepEqual(
    of('limits.observed', events).map((event) => event.remaining),
    [0, 1, 2, 3, 4],
  );
});

test("nothing is read of an AI SDK stream's result: each of its getters would begin the stream", async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const read: string[] = [];
  const result = { textStream: 1, fullStream: 1 };
  for (const name of ['usage', 'totalUsage', 'response', 'message', 'data', 'headers', 'content', 'id'])
    Object.defineProperty(result, name, { get: () => read.push(name) });
  await policy.execute(() => result);
  assert.equal(of('attempt.succeeded', events)[0]?.unreadStream, true);
  assert.deepEqual(read, []);
});

test('an answer that throws when it is read changes no outcome', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const answer = Object.defineProperty({ choices: [] }, 'usage', {
    get: () => {
      throw new Error('trap');
    },
  });
  assert.equal(await policy.execute(() => answer), answer);
  assert.equal(of('attempt.succeeded', events)[0]?.usage, undefined);
});

function of<T extends HalfopenEvent['type']>(type: T, events: readonly HalfopenEvent[]) {
  return events.filter((event): event is Extract<HalfopenEvent, { type: T }> => event.type === type);
}
