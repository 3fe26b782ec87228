// `halfopen/guard` around the real clients of OpenAI, Anthropic and Google, against the faulty provider: what the client
// gets, and how many requests reach the provider. Each client is made with its own default of retries.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { AgentError, classify } from 'halfopen';
import { answerFetch, guard } from 'halfopen/guard';
import { recordEvents } from 'halfopen/testing';
import OpenAI from 'openai';
import type { Fault } from '../../examples/faulty-provider/faults.js';
import { failure, GOOD, provider, quick, requests } from './provider.js';

const openai = () => new OpenAI({ apiKey: 'sk-test', baseURL: provider.openaiUrl });
const anthropic = () => new Anthropic({ apiKey: 'sk-test', baseURL: provider.anthropicUrl });
const google = () =>
  new GoogleGenAI({
    apiKey: 'test',
    httpOptions: { baseUrl: provider.googleUrl, retryOptions: { attempts: 3, initialDelay: 0.001 } },
  });

const messages = [{ role: 'user' as const, content: 'hi' }];

test('arguments that are swapped, and a client that is guarded already, are refused with what to write', () => {
  const policy = quick();
  assert.throws(() => guard(policy, openai() as never), {
    name: 'TypeError',
    message: /expects the client first, then the policy: guard\(client, policy\)/,
  });
  for (const client of [openai(), anthropic(), google()]) {
    const guarded = guard(client, policy);
    assert.throws(() => guard(guarded, policy), {
      name: 'TypeError',
      message: /this client is guarded already/,
    });
    guard(client, policy); // a second guard of the bare client is a client of its own
  }
});

async function joined<C>(
  stream: AsyncIterable<C>,
  textOf: (chunk: C) => string | null | undefined,
): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += textOf(chunk) ?? '';
  return text;
}

/** The functions of a vendor's client, each from a guarded client to the text of its answer. */
const VENDORS = {
  openai: {
    whole: async (policy = quick()) => {
      const answer = await guard(openai(), policy).chat.completions.create({ model: 'm', messages });
      return answer.choices[0]?.message.content;
    },
    streamed: async (policy = quick()) => {
      const client = guard(openai(), policy);
      const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
      return joined(stream, (chunk) => chunk.choices[0]?.delta.content);
    },
    failed: OpenAI.APIError,
  },
  anthropic: {
    whole: async (policy = quick()) => {
      const client = guard(anthropic(), policy);
      const { content } = await client.messages.create({ model: 'm', max_tokens: 9, messages });
      return content[0]?.type === 'text' ? content[0].text : '';
    },
    streamed: (policy = quick()) =>
      guard(anthropic(), policy).messages.stream({ model: 'm', max_tokens: 9, messages }).finalText(),
    failed: Anthropic.APIError,
  },
  google: {
    whole: async (policy = quick()) =>
      (await guard(google(), policy).models.generateContent({ model: 'm', contents: 'hi' })).text,
    streamed: async (policy = quick()) => {
      const client = guard(google(), policy);
      return joined(
        await client.models.generateContentStream({ model: 'm', contents: 'hi' }),
        ({ text }) => text,
      );
    },
    failed: Error,
  },
};

for (const [vendor, { whole, streamed, failed }] of Object.entries(VENDORS)) {
  describe(vendor, () => {
    const given = (...faults: Fault[]) => provider.next(vendor as keyof typeof VENDORS, ...faults);

    test('a failing status, a reset and a body that is cut off are retried', async () => {
      given({ kind: 'overloaded' }, { kind: 'reset' }, { kind: 'truncated-body' });
      assert.equal(await whole(), GOOD);
      assert.equal(requests(), 4);
    });

    test("when the policy gives up, the client's own error comes, and no more requests go out", async () => {
      given({ kind: 'server-error' }, { kind: 'server-error' });
      const thrown = await whole(quick({ retry: { maxRetries: 1, baseDelayMs: 1 } })).catch((error) => error);
      assert.ok(thrown instanceof failed);
      assert.deepEqual([classify(thrown).code, requests()], ['SERVER_ERROR', 2]);
    });

    test('a refused request is CIRCUIT_OPEN, and nothing is sent', async () => {
      const policy = quick();
      policy.breaker?.isolate();
      const thrown = await whole(policy).catch((error) => error);
      assert.deepEqual([classify(thrown).code, requests()], ['CIRCUIT_OPEN', 0]);
    });

    test('a stream is retried until its first content, an error within it too', async () => {
      given(
        { kind: 'overloaded' },
        { kind: 'error-in-stream', afterChunks: 0 },
        { kind: 'broken-stream', afterChunks: 0 },
      );
      assert.equal(await streamed(), GOOD);
      assert.equal(requests(), 4);
    });

    test("an error within a stream that stays, before any content, is the client's own error", async () => {
      given({ kind: 'error-in-stream', afterChunks: 0 });
      const thrown = await streamed(quick({ retry: false })).catch((error) => error);
      assert.ok(thrown instanceof failed);
      assert.ok(
        ['SERVER_ERROR', 'PROVIDER_OVERLOADED'].includes(classify(thrown).code),
        classify(thrown).rule,
      );
      assert.equal(requests(), 1);
    });

    for (const kind of ['error-in-stream', 'broken-stream'] as const) {
      test(`${kind} after the first content: reading rejects, and it counts once`, async () => {
        given({ kind, afterChunks: 5 });
        const policy = quick();
        const { events } = recordEvents(policy);
        const thrown = await streamed(policy).then(
          () => assert.fail('it did not fail'),
          (error: unknown) => error,
        );
        assert.equal(classify(thrown).retryable, true);
        assert.equal(policy.breaker?.snapshot().consecutiveFailures, 1);
        assert.ok(events.some((event) => event.type === 'stream.broken'));
        assert.equal(requests(), 1);
      });
    }

    test('an attempt is bounded by the policy, body and all', async () => {
      given({ kind: 'stall', forMs: 5000 });
      assert.equal(await whole(quick({ timeout: { attemptMs: 1000 } })), GOOD);
      assert.equal(requests(), 2);
    });
  });
}

test('a request cannot switch the retries of the client on again', async () => {
  provider.next('openai', { kind: 'server-error' }, { kind: 'server-error' });
  const client = guard(openai(), quick({ retry: false }));
  const call = client.chat.completions.create({ model: 'm', messages }, { maxRetries: 5 });
  await assert.rejects(call, OpenAI.InternalServerError);
  assert.equal(requests(), 1);
  assert.equal(
    (await openai()
      .models.list()
      .catch((error) => error)) instanceof OpenAI.NotFoundError,
    true,
  );
  provider.next('openai', { kind: 'ok' });
});

test('responses, batches and uploads, with the methods of their promises', async () => {
  provider.next(
    'openai',
    ...['overloaded', 'ok', 'overloaded', 'ok', 'reset', 'ok', 'overloaded'].map(
      (kind) => ({ kind }) as Fault,
    ),
  );
  const client = guard(openai(), quick());
  const { data, response } = await client.responses.create({ model: 'm', input: 'hi' }).withResponse();
  assert.deepEqual([data.output_text, response.status], [GOOD, 200]);
  assert.match(response.url, /\/responses$/);
  const file = await client.files.create({
    file: await toFile(Buffer.from('{"custom_id":"1"}'), 'batch.jsonl'),
    purpose: 'batch',
  });
  const batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  assert.deepEqual([batch.status, requests()], ['validating', 6]);
  assert.match(String(provider.received.at(-3)?.body), /custom_id/);
  const text = await joined(client.responses.stream({ model: 'm', input: 'hi' }), (event) =>
    event.type === 'response.output_text.delta' ? event.delta : '',
  );
  assert.deepEqual([text, requests()], [GOOD, 8]);
});

test("Anthropic's batches", async () => {
  provider.next('anthropic', { kind: 'overloaded' });
  const batch = await guard(anthropic(), quick()).messages.batches.create({
    requests: [{ custom_id: '1', params: { model: 'm', max_tokens: 9, messages } }],
  });
  assert.deepEqual([batch.processing_status, requests()], ['in_progress', 2]);
});

test("the types, the client's class and the given client stay", async () => {
  const client = openai();
  const guarded: OpenAI = guard(client, quick());
  assert.ok(guarded instanceof OpenAI);
  assert.deepEqual([client.maxRetries, guarded.maxRetries, guarded.baseURL], [2, 0, client.baseURL]);
  assert.ok(guard(google(), quick()) instanceof GoogleGenAI);
});

test("a caller's abort is the client's, and no failure", async () => {
  provider.next('openai', { kind: 'stall', forMs: 5000 });
  const policy = quick();
  const caller = new AbortController();
  const call = guard(openai(), policy).chat.completions.create(
    { model: 'm', messages },
    { signal: caller.signal },
  );
  const rejected = assert.rejects(call, OpenAI.APIUserAbortError);
  while (requests() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  caller.abort();
  await rejected;
  assert.deepEqual([policy.breaker?.snapshot().consecutiveFailures, requests()], [0, 1]);
});

test('leaving a stream early is no failure', async () => {
  provider.next('openai', { kind: 'ok', chunkEveryMs: 20 });
  const policy = quick();
  const { events } = recordEvents(policy);
  const stream = await guard(openai(), policy).chat.completions.create({
    model: 'm',
    messages,
    stream: true,
  });
  for await (const _ of stream) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(policy.breaker?.snapshot().consecutiveFailures, 0);
  assert.ok(!events.some((event) => event.type === 'attempt.failed' && event.counted));
});

test('usage and limits are observed, of whole answers and of streams', async () => {
  const policy = quick();
  const { events } = recordEvents(policy);
  await VENDORS.anthropic.whole(policy);
  await VENDORS.anthropic.streamed(policy);
  const used = events.flatMap((event) => (event.type === 'attempt.succeeded' ? [event.usage] : []));
  const usage = { inputTokens: 24, outputTokens: 3, model: 'm' };
  assert.deepEqual(used, [usage, usage]);
  assert.ok(events.some((event) => event.type === 'limits.observed'));
});

test('answerFetch is a fetch: other bodies pass, a refusal is a TypeError', async () => {
  const policy = quick();
  const send: typeof fetch = async () => new Response('plain', { status: 200 });
  const response = await answerFetch(policy, {}, send)('http://example.test/');
  assert.equal(await response.text(), 'plain');
  assert.equal(
    (await answerFetch(policy, {}, async () => new Response(null, { status: 204 }))('x:')).status,
    204,
  );
  policy.breaker?.isolate();
  const thrown = await answerFetch(policy, {}, send)('http://example.test/').catch((error) => error);
  assert.ok(thrown instanceof TypeError && AgentError.is(thrown.cause));
});

/** A guarded fetch that is answered with these events, one response for each attempt. */
function answered(...responses: string[]) {
  let sent = 0;
  const guarded = answerFetch(quick(), {}, async () => {
    const headers = { 'content-type': 'text/event-stream' };
    return new Response(responses[sent++] ?? '', { headers });
  });
  return { read: async () => (await guarded('http://example.test/')).text(), sent: () => sent };
}
const delta = (text: string, more = '') =>
  `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${text}"}${more}}]}\n\n`;

test('a stream of a known format that ends without its end is cut off', async () => {
  const { read, sent } = answered(delta('hi'));
  const error = await failure(read());
  assert.match(String(error.cause ?? error), /cut off/i);
  assert.equal(sent(), 1, 'its text has been delivered');
});

test('a stream that is none of a model, or not JSON, passes as it came', async () => {
  for (const text of [
    'data: not JSON\n\nrest',
    ': a comment\n\ndata: {"tick":1}\n\n',
    delta('hi', ',"finish_reason":"stop"'),
  ]) {
    const { read, sent } = answered(text);
    assert.deepEqual([await read(), sent()], [text, 1]);
  }
});

test('anything but such a client is a TypeError', () => {
  assert.throws(() => guard({}, quick()), /client/);
  assert.throws(() => guard(openai(), {} as never), /policy/);
});

/** A client of an API that takes idempotency keys. Stainless generates such clients with this property set. */
class Keyed extends OpenAI {
  protected override idempotencyHeader = 'Idempotency-Key';
}

test('the idempotency key of a request is the same in all of its attempts, and another one in the next request', async () => {
  const keys: (string | null)[] = [];
  const send: typeof fetch = async (_input, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'));
    return keys.length % 3 === 0
      ? Response.json({ choices: [{ message: { content: GOOD }, finish_reason: 'stop' }] })
      : Response.json({ error: { message: 'busy' } }, { status: 503 });
  };
  const client = guard(new Keyed({ apiKey: 'sk-test', fetch: send }), quick());
  for (const idempotencyKey of [undefined, 'order-1234'])
    await client.chat.completions.create({ model: 'm', messages }, idempotencyKey ? { idempotencyKey } : {});
  assert.equal(keys.length, 6);
  assert.ok(keys[0] && keys[0] === keys[1] && keys[0] === keys[2], 'made by the client, once');
  assert.deepEqual(keys.slice(3), ['order-1234', 'order-1234', 'order-1234']);
});
