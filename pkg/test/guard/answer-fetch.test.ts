// `answerFetch` and its reading of a body: the tokens of every format, large events, lines of JSON, unread streams.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  AgentError,
  costLimit,
  createPolicy,
  type HalfopenEvent,
  type Policy,
  type PolicyOptions,
} from 'halfopen';
import { answerFetch, type GuardOptions } from 'halfopen/guard';
import { recordEvents } from 'halfopen/testing';

const URL_OF_A_MODEL = 'http://127.0.0.1/v1';
const encoder = new TextEncoder();

const policyOf = (options: PolicyOptions = {}): Policy =>
  createPolicy({ retry: { baseDelayMs: 1, enableJitter: false }, breaker: false, ...options });

/** A body that comes in pieces, and whether it was cancelled. */
function bodyOf(pieces: Iterable<string | Uint8Array>, after: 'end' | 'stall' = 'end') {
  const all = pieces[Symbol.iterator]();
  const state = { isCancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = all.next();
        if (done !== true)
          return controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        if (after === 'end') return controller.close();
        return new Promise(() => {});
      },
      cancel() {
        state.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

/** The responses, in turn; the last one repeats. */
function sending(type: string, ...answers: readonly (Iterable<string> | { body: ReadableStream })[]) {
  const sent: RequestInit[] = [];
  const send = async (_url: unknown, init: RequestInit = {}) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)] as (typeof answers)[number];
    sent.push(init);
    const body =
      'body' in (answer as object)
        ? (answer as { body: ReadableStream }).body
        : bodyOf(answer as Iterable<string>).body;
    return new Response(body, { headers: { 'content-type': type } });
  };
  return { send: send as typeof fetch, sent };
}

const guarded = (policy: Policy, send: typeof fetch, options?: GuardOptions) =>
  answerFetch(policy, options, send);
const sse = (...chunks: readonly object[]): string[] =>
  chunks.map(
    (chunk) => `${'type' in chunk ? `event: ${chunk.type}\n` : ''}data: ${JSON.stringify(chunk)}\n\n`,
  );
const message = (usage: object) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-6',
  usage,
});

const ANTHROPIC = [
  {
    type: 'message_start',
    message: message({ input_tokens: 20, cache_read_input_tokens: 1880, output_tokens: 1 }),
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 30 } },
  { type: 'message_stop' },
];
const ANTHROPIC_USAGE = {
  inputTokens: 1900,
  cachedInputTokens: 1880,
  outputTokens: 30,
  model: 'claude-opus-4-6',
};

function of<T extends HalfopenEvent['type']>(type: T, events: readonly HalfopenEvent[]) {
  return events.filter((event): event is Extract<HalfopenEvent, { type: T }> => event.type === type);
}

/** Bodies that state their tokens, each in its provider's way. */
const BODIES: [what: string, type: string, body: string[], usage: object][] = [
  ['Anthropic, streamed', 'text/event-stream', sse(...ANTHROPIC), ANTHROPIC_USAGE],
  [
    'OpenAI, responses, streamed',
    'text/event-stream; charset=utf-8',
    sse(
      {
        type: 'response.created',
        response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [] },
      },
      { type: 'response.output_text.delta', delta: 'Hi', item_id: 'a', output_index: 0, content_index: 0 },
      {
        type: 'response.completed',
        response: {
          id: 'resp_1',
          object: 'response',
          model: 'gpt-5-2025-08-07',
          status: 'completed',
          output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
          usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
        },
      },
    ),
    { inputTokens: 12, outputTokens: 3, model: 'gpt-5-2025-08-07' },
  ],
  [
    'Gemini, streamed',
    'text/event-stream',
    sse(
      {
        candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' } }],
        usageMetadata: { promptTokenCount: 4, thoughtsTokenCount: 50, totalTokenCount: 54 },
        modelVersion: 'gemini-3-flash',
      },
      {
        candidates: [{ content: { parts: [{ text: '!' }], role: 'model' }, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 4,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 50,
          totalTokenCount: 58,
        },
        modelVersion: 'gemini-3-flash',
      },
    ),
    { inputTokens: 4, outputTokens: 54, reasoningTokens: 50, model: 'gemini-3-flash' },
  ],
  [
    'Cohere, streamed: a format that is passed on unread',
    'text/event-stream',
    sse(
      { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } },
      {
        type: 'message-end',
        delta: { finish_reason: 'COMPLETE', usage: { billed_units: { input_tokens: 5, output_tokens: 2 } } },
      },
    ),
    { inputTokens: 5, outputTokens: 2 },
  ],
  [
    'Gemini, whole',
    'application/json; charset=UTF-8',
    [
      JSON.stringify({
        candidates: [],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 4, thoughtsTokenCount: 50 },
      }),
    ],
    { inputTokens: 4, outputTokens: 54, reasoningTokens: 50 },
  ],
  [
    'a list of chunks',
    'application/json',
    [
      `[${JSON.stringify({ candidates: [] })},\n`,
      `${JSON.stringify({ usageMetadata: { promptTokenCount: 4 } })}]`,
    ],
    { inputTokens: 4 },
  ],
  [
    'Ollama, lines',
    'application/x-ndjson',
    [
      '{"message":{"content":"Hi"},"done":false}\n',
      '{"done":true,"prompt_eval_',
      'count":26,"eval_count":9}\n',
    ],
    { inputTokens: 26, outputTokens: 9 },
  ],
  [
    'Cohere, stream+json, without an end of the last line',
    'application/stream+json',
    [
      '{"text":"Hi"}\n',
      '{"is_finished":true,"response":{"meta":{"billed_units":{"input_tokens":5,"output_tokens":2}}}}',
    ],
    { inputTokens: 5, outputTokens: 2 },
  ],
];

for (const [what, type, body, usage] of BODIES)
  test(`${what}: the body comes whole, and its tokens are counted`, async () => {
    const policy = policyOf();
    const { events } = recordEvents(policy);
    const { send, sent } = sending(type, body);
    const response = await guarded(policy, send)(URL_OF_A_MODEL);
    assert.equal(await response.text(), body.join(''));
    assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, usage);
    assert.equal(sent.length, 1);
  });

test('streamed answers cost something, and count for a limit on tokens', async () => {
  const limited = policyOf({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' }, retry: false });
  const cap = costLimit(limited, {
    max: 1e6,
    windowMs: 60_000,
    costOf: ({ inputTokens = 0 }) => inputTokens,
  });
  const { send } = sending('text/event-stream', sse(...ANTHROPIC));
  let passed = 0;
  for (let n = 0; n < 10; n++) {
    const text = await guarded(
      limited,
      send,
    )(URL_OF_A_MODEL).then(
      (response) => response.text(),
      () => undefined,
    );
    if (text !== undefined) passed++;
  }
  assert.equal(passed, 1);
  assert.equal(cap.spent, 1900);
});

test('a streamed answer that its client stops costs what it had cost', async () => {
  const policy = policyOf();
  const cap = costLimit(policy, { max: 1e6, windowMs: 60_000, costOf: ({ inputTokens = 0 }) => inputTokens });
  const { send } = sending('text/event-stream', bodyOf(sse(...ANTHROPIC.slice(0, 3)), 'stall'));
  const response = await guarded(policy, send)(URL_OF_A_MODEL);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  assert.equal(cap.spent, 1900);
});

test('JSON that is cut off is retried, as ever', async () => {
  const { send, sent } = sending('application/json', ['{"choices":[', ''], ['{"choices":[]}']);
  assert.deepEqual(await (await guarded(policyOf(), send)(URL_OF_A_MODEL)).json(), { choices: [] });
  assert.equal(sent.length, 2);
});

for (const type of [
  'application/json',
  'application/json-seq',
  'application/stream+json',
  'application/jsonl',
])
  test(`lines of JSON as ${type} come one after the other`, async () => {
    const { body, state } = bodyOf(['{"a":1}\n', '{"a":2}\n'], 'stall');
    const { send, sent } = sending(type, { body });
    const response = await guarded(policyOf(), send)(URL_OF_A_MODEL);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (text !== '{"a":1}\n{"a":2}\n') text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    assert.deepEqual([sent.length, state.isCancelled], [1, true]);
  });

/** As Ollama's `/api/chat` streams: https://github.com/ollama/ollama/blob/main/docs/api.md. */
const ollama = (...chunks: readonly object[]): string[] =>
  chunks.map(
    (chunk) => `${JSON.stringify({ model: 'qwen3', created_at: '2026-01-01T00:00:00Z', ...chunk })}\n`,
  );
const said = (content: string) => ({ message: { role: 'assistant', content }, done: false });
const DONE = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', eval_count: 9 };
const ANSWER = ollama(said('Hi'), DONE);
const HALF = '{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","mess';

/** Streams that are no answer; `isLate` if that shows only after content was delivered. */
const NO_ANSWERS: Record<string, { lines: string[]; isLate?: boolean; says: RegExp }> = {
  empty: { lines: ollama(said(' '), DONE), says: /no text/ },
  'cut off before its first word': { lines: ollama(said('')), says: /finish reason|cut off|no end/i },
  'cut off in its first words, within a line': { lines: [...ollama(said('')), HALF], says: /no JSON/ },
  'cut off after some words': { lines: ollama(said('Hi')), isLate: true, says: /finish reason|cut off/i },
  'cut off after some words, within a line': {
    lines: [...ollama(said('Hi')), HALF],
    isLate: true,
    says: /no JSON/,
  },
  'garbled before its first word': { lines: [...ollama(said('')), 'oops\n', ...ANSWER], says: /no JSON/ },
};
for (const [what, { lines, isLate = false, says }] of Object.entries(NO_ANSWERS)) {
  const post = { method: 'POST', body: '{"messages":[{"role":"user","content":"Hi"}]}' };

  test(`lines of Ollama that are no answer: ${what}`, async () => {
    const { send, sent } = sending('application/x-ndjson', lines, ANSWER);
    const text = guarded(policyOf(), send)(URL_OF_A_MODEL, post).then((response) => response.text());
    if (isLate) {
      const error = await text.then(
        () => assert.fail('it resolved'),
        (thrown) => AgentError.from(thrown),
      );
      assert.match(error.message, says);
      assert.equal(sent.length, 1);
    } else {
      assert.equal(await text, ANSWER.join(''));
      assert.equal(sent.length, 2);
    }
  });
}

test('an error among lines is a failure; before the first word its client reads it as it is', async () => {
  const policy = policyOf();
  const { events } = recordEvents(policy);
  const lines = ['{"error":"an error was encountered while running the model: EOF"}\n'];
  const { send } = sending('application/x-ndjson', lines);
  const response = await guarded(policy, send)(URL_OF_A_MODEL, { method: 'POST', body: '{}' });
  assert.equal(await response.text(), lines[0]);
  assert.equal(of('call.failed', events)[0]?.code, 'SERVER_ERROR');
});

test('`answers` counts for lines too, and lines of other things are not judged', async () => {
  const empty = ollama(said(''), DONE);
  const pulled = ['{"status":"pulling manifest"}\n', '{"status":"success"}\n'];
  const ended = ['{"a":1}\n', 'no JSON\n', '{"a":'];
  for (const [lines, method, options] of [
    [empty, 'POST', { answers: { empty: 'accept' } }],
    [empty, 'GET', {}],
    [ollama({ ...DONE, done_reason: 'load' }), 'POST', {}],
    [pulled, 'POST', {}],
    [ended, 'POST', {}],
  ] as const) {
    const { send, sent } = sending('application/x-ndjson', lines);
    const response = await guarded(policyOf(), send, options)(URL_OF_A_MODEL, { method });
    assert.equal(await response.text(), lines.join(''));
    assert.equal(sent.length, 1);
  }
});

test('lines of JSON that end within one, sent as JSON, are a broken stream', async () => {
  const { send } = sending('application/json', ['{"a":1}\n{"a":2}\n', '{"a":']);
  const response = await guarded(policyOf(), send)(URL_OF_A_MODEL);
  await assert.rejects(response.text(), /Stream cut off/);
});

test('JSON over several lines is one value', async () => {
  const body = JSON.stringify({ choices: [], usage: { prompt_tokens: 1 } }, undefined, 2);
  const { send } = sending('application/problem+json', [body.slice(0, 20), body.slice(20), '\n\n']);
  assert.equal(await (await guarded(policyOf(), send)(URL_OF_A_MODEL)).text(), `${body}\n\n`);
});

test('one large event takes time in proportion to its size', async () => {
  const piece = encoder.encode('A'.repeat(16_384));
  function* large(mebibytes: number): Generator<string | Uint8Array> {
    yield 'data: {"choices":[{"delta":{"content":"';
    for (let n = 0; n < mebibytes * 64; n++) yield piece;
    yield '"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
  }
  const read = async (mebibytes: number): Promise<number> => {
    const { send } = sending('text/event-stream', bodyOf(large(mebibytes)));
    const before = process.cpuUsage().user;
    const response = await guarded(policyOf(), send)(URL_OF_A_MODEL);
    assert.ok((await response.text()).length > mebibytes * 2 ** 20);
    return (process.cpuUsage().user - before) / 1000;
  };
  await read(1);
  const [small, big] = [await read(4), await read(16)];
  // In proportion it is 4, and 16 where the beginning is searched again for each chunk.
  assert.ok(big < 9 * small + 200, `${small} ms of CPU time for 4 MiB, ${big} for 16`);
});

test('events are cut where they end, in whatever pieces they come', async () => {
  const events = [
    'data: {"a":"1"}\r\n\r\n',
    ': comment\n\n',
    'data: {"choices":[{"delta":{"content":"é"},"finish_reason":"stop"}]}\n\n',
    'data: [DONE]\r\r',
  ];
  const bytes = encoder.encode(events.join(''));
  for (const size of [1, 2, 3, 5, 1000]) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
    const { send } = sending('text/event-stream', bodyOf(pieces));
    assert.equal(await (await guarded(policyOf(), send)(URL_OF_A_MODEL)).text(), events.join(''));
  }
});

test('an endless preamble is passed on after a mebibyte', async () => {
  const comment = `:${'x'.repeat(65_000)}\n\n`;
  let pulled = 0;
  function* comments(): Generator<string> {
    for (; ; pulled++) yield comment;
  }
  const { send } = sending('text/event-stream', bodyOf(comments()));
  const response = await guarded(policyOf(), send)(URL_OF_A_MODEL);
  assert.ok(pulled < 20, `${pulled} comments were held`);
  await response.body?.cancel();
});

test('a stream that nobody reads lets its connection and its call go when it is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const policy = policyOf({ bulkhead: { maxConcurrent: 20 } });
  const { body, state } = bodyOf(sse(...ANTHROPIC.slice(0, 3)), 'stall');
  const { send } = sending('text/event-stream', { body });
  await (async () => {
    const response = await guarded(policy, send)(URL_OF_A_MODEL);
    assert.equal(response.status, 200);
  })();
  assert.equal(policy.stats().inFlight, 1);
  for (let turn = 0; turn < 50 && policy.stats().inFlight > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  assert.deepEqual([policy.stats().inFlight, state.isCancelled], [0, true]);
});

test('a stream that somebody still reads is not taken away', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { send } = sending('text/event-stream', bodyOf(sse(...ANTHROPIC)));
  const reader = await (async () => {
    const response = await guarded(policyOf(), send)(URL_OF_A_MODEL);
    return (response.body as ReadableStream<Uint8Array>).getReader();
  })();
  let text = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += new TextDecoder().decode(read.value);
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  assert.equal(text, sse(...ANTHROPIC).join(''));
});

test('a reason phrase that is not ASCII is no failure', async () => {
  const answer = new Response('{"choices":[]}', { headers: { 'content-type': 'application/json' } });
  Object.defineProperty(answer, 'statusText', { value: 'OK 中' });
  const response = await guarded(policyOf(), async () => answer)(URL_OF_A_MODEL);
  assert.deepEqual(
    [response.status, response.statusText, await response.json()],
    [200, 'OK 中', { choices: [] }],
  );
});

test("an empty end behind a tool's result stands the second time, of a Request too", async () => {
  const body = JSON.stringify({
    model: 'gpt-5',
    messages: [{ role: 'tool', tool_call_id: 'c', content: 'ok' }],
  });
  const empty = {
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
  };
  const whole = { object: 'chat.completion', ...empty };
  for (const repair of [true, false]) {
    for (const given of ['a text', 'a Request']) {
      const { send, sent } = sending('application/json', [JSON.stringify(whole)]);
      const ask = guarded(policyOf(), send, { repair });
      const init = { method: 'POST', body };
      const response = await (given === 'a text'
        ? ask(URL_OF_A_MODEL, init)
        : ask(new Request(URL_OF_A_MODEL, init)));
      assert.deepEqual([await response.json(), sent.length], [whole, 2], `${given}, ${repair}`);
    }
  }
});

const CONVERSATION = {
  method: 'POST',
  body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
};
const GREETING = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
};

for (const [what, type, body] of [
  ['without a body', 'application/json', null],
  ['with an empty body', 'application/json', ''],
  ["with a portal's page", 'text/html; charset=utf-8', '<!doctype html><title>Sign in</title>'],
] as const) {
  const response = () => new Response(body, { headers: { 'content-type': type } });

  test(`status 200 ${what} is no answer of a model: it is retried`, async () => {
    let sent = 0;
    const send = async () =>
      ++sent === 1
        ? response()
        : new Response(JSON.stringify(GREETING), { headers: { 'content-type': 'application/json' } });
    const answer = await guarded(policyOf(), send)(URL_OF_A_MODEL, CONVERSATION);
    assert.deepEqual([await answer.json(), sent], [GREETING, 2]);
  });

  test(`status 200 ${what} ends with an AgentError, where it stays`, async () => {
    const failed = await guarded(policyOf({ retry: false }), async () => response())(
      URL_OF_A_MODEL,
      CONVERSATION,
    ).catch((error: unknown) => AgentError.from(error));
    assert.ok(failed instanceof AgentError);
    assert.deepEqual([failed.code, failed.retryable], ['INVALID_RESPONSE', true]);
    assert.match(failed.message, /expected a model's answer, got status 200 with/);
  });

  test(`status 200 ${what} passes for other requests, and where an empty answer is accepted`, async () => {
    const other = { method: 'POST', body: '{"name":"a file"}' };
    for (const [init, options] of [
      [other, {}],
      [undefined, {}],
      [CONVERSATION, { answers: { empty: 'accept' } }],
    ] as const) {
      const passed = await guarded(policyOf(), async () => response(), options)(URL_OF_A_MODEL, init);
      assert.equal(await passed.text(), body ?? '');
    }
  });
}
