// What an answer says of its tokens and its provider's limits is shown without the operation's help.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { onVirtualClock, rejectsWith } from '../policy/given.js';

const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

/** Each SDK's answer, and what its provider counted. */
const ANSWERS: [sdk: string, answer: object, usage: object | undefined][] = [
  ['OpenAI, chat', { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } }, tokens(12, 3)],
  ['OpenAI, responses', { output: [], usage: { input_tokens: 12, output_tokens: 3 } }, tokens(12, 3)],
  ['OpenAI, embeddings', { data: [], usage: { prompt_tokens: 12 } }, { inputTokens: 12 }],
  ['Anthropic', { content: [], usage: { input_tokens: 12, output_tokens: 3 } }, tokens(12, 3)],
  [
    'withResponse()',
    { data: { usage: { input_tokens: 12, output_tokens: 3 } }, response: {} },
    tokens(12, 3),
  ],
  ['Gemini', { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3 } }, tokens(12, 3)],
  [
    'Gemini, with thoughts',
    { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1, thoughtsTokenCount: 2 } },
    tokens(12, 3),
  ],
  ['Mistral', { choices: [], usage: { promptTokens: 12, completionTokens: 3 } }, tokens(12, 3)],
  ['Cohere', { message: {}, usage: { billedUnits: tokens(5, 1), tokens: tokens(12, 3) } }, tokens(12, 3)],
  ['Cohere, embeddings', { embeddings: {}, meta: { billedUnits: { inputTokens: 12 } } }, { inputTokens: 12 }],
  ['Bedrock', { output: {}, usage: tokens(12, 3), metrics: {} }, tokens(12, 3)],
  ['LangChain', { content: 'x', usage_metadata: { input_tokens: 12, output_tokens: 3 } }, tokens(12, 3)],
  ['the AI SDK', { text: 'x', usage: tokens(12, 3), response: { headers: {} } }, tokens(12, 3)],
  ['the AI SDK, several steps', { usage: tokens(5, 1), totalUsage: tokens(12, 3) }, tokens(12, 3)],
  ['the AI SDK 4', { text: 'x', usage: { promptTokens: 12, completionTokens: 3 } }, tokens(12, 3)],
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

/** Each SDK's stream: the chunks that have counts. */
const STREAMS: [sdk: string, chunks: object[]][] = [
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
    'Gemini',
    [
      { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1 } },
      { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3 } },
    ],
  ],
  ['Mistral', [{ data: { choices: [], usage: { promptTokens: 12, completionTokens: 3 } } }]],
  ['Cohere', [{ type: 'message-end', delta: { usage: { tokens: tokens(12, 3) } } }]],
  ['Bedrock', [{ messageStop: {} }, { metadata: { usage: tokens(12, 3), metrics: {} } }]],
  [
    'LangChain, of Anthropic',
    [
      { content: '', usage_metadata: { input_tokens: 12, output_tokens: 1 } },
      { content: '', usage_metadata: { input_tokens: 0, output_tokens: 3 } },
    ],
  ],
  [
    'the AI SDK',
    [
      { type: 'finish-step', usage: tokens(5, 1) },
      { type: 'finish', totalUsage: tokens(12, 3) },
    ],
  ],
];

for (const [sdk, chunks] of STREAMS)
  test(`tokens of a stream: ${sdk}`, async () => {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    for await (const _ of policy.stream(async function* () {
      yield* chunks;
    }));
    assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, tokens(12, 3));
  });

test('what the operation hands over counts, whatever its answer says', async () => {
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
