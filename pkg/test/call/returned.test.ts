// Results of an operation that are no success, though nothing was thrown: a failing `Response`, an unread stream.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamText } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { createPolicy, STREAM_RESET } from 'halfopen';
import { recordEvents, script } from 'halfopen/testing';
import { deaf, onVirtualClock, rejection, rejectsWith } from '../policy/given.js';

const refused = (status = 429, body = '{"error":{"message":"slow down"}}', headers = {}): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

test('a returned Response with a failing status fails the attempt: classified by status, headers and body', async () => {
  const { clock, policy } = onVirtualClock();
  const operation = script<Response>(refused(429, undefined, { 'retry-after': '7' }), new Response('fine'));
  const answer = policy.execute(operation);
  await clock.advance(6999);
  assert.equal(operation.calls, 1);
  await clock.advance(1);
  assert.equal(await (await answer).text(), 'fine');

  const quota = refused(429, '{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}');
  const error = await rejectsWith(
    createPolicy().execute(() => quota),
    'QUOTA_EXCEEDED',
  );
  assert.equal(error.provider.statusCode, 429);
  assert.equal(error.cause, quota, 'the Response itself');
  assert.equal(quota.bodyUsed, false);
  assert.match(await quota.text(), /insufficient_quota/);
});

test('with options, observed, in respond, wrap and stream too: it counts and is shown', async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 4 } });
  const { events } = recordEvents(policy);
  await rejectsWith(
    policy.execute(() => refused(503), { task: 'x' }),
    'PROVIDER_OVERLOADED',
  );
  const response = await policy.respond(async () => refused(503));
  assert.ok(!response.success && response.error === 'PROVIDER_OVERLOADED');
  await rejectsWith(policy.wrap(async () => refused(503))(), 'PROVIDER_OVERLOADED');
  const stream = policy.stream(() => refused(503) as never);
  assert.equal((await rejection(stream.next() as Promise<unknown>)).code, 'PROVIDER_OVERLOADED');
  const failed = events.filter((event) => event.type === 'attempt.failed');
  assert.deepEqual(
    failed.map((event) => event.type === 'attempt.failed' && [event.statusCode, event.counted]),
    [1, 2, 3, 4].map(() => [503, true]),
  );
  assert.equal(policy.breaker?.state, 'open');
});

test('failOnNotOk: false, in the policy or the call, makes it a success; the call decides last', async () => {
  const lenient = createPolicy({ failOnNotOk: false });
  assert.equal((await lenient.execute(() => refused(500))).status, 500);
  await rejectsWith(
    lenient.execute(() => refused(502), { failOnNotOk: true, retry: false }),
    'SERVER_ERROR',
  );
  assert.equal((await createPolicy().execute(() => refused(500), { failOnNotOk: false })).status, 500);
  assert.throws(() => createPolicy({ failOnNotOk: 'no' as never }), /'failOnNotOk' must be a boolean/);
});

test('what is no failing Response is a success: a redirect, an answer of 304, an object that looks a little like one', async () => {
  const policy = createPolicy();
  const throws = {
    get ok() {
      throw new Error('a getter that throws');
    },
  };
  for (const value of [
    new Response(null, { status: 304 }),
    new Response(null, { status: 204 }),
    { ok: false, status: 500 },
    { ok: false, status: 500, headers: new Map(), clone: 5 },
  ])
    assert.equal(await policy.execute(() => value as unknown), value);
  assert.equal(await policy.execute(() => throws), throws);
});

test('a network error and a Response whose body was read are classified by what is there', async () => {
  const policy = createPolicy({ retry: false });
  await rejectsWith(
    policy.execute(() => Response.error()),
    'NETWORK_ERROR',
  );
  const read = async (): Promise<Response> => {
    const response = refused(404);
    await response.text();
    return response;
  };
  await rejectsWith(policy.execute(read), 'NOT_FOUND');
});

test('it fails before validate is asked, and its body is read within the attempt', async () => {
  const { clock, policy } = onVirtualClock({ retry: false, timeout: { attemptMs: 1000 } });
  await rejectsWith(
    policy.execute(() => refused(400), { validate: () => assert.fail('validated') }),
    'VALIDATION_ERROR',
  );
  const stalled = new Response(new ReadableStream({ pull: deaf }), { status: 500 });
  const result = rejection(policy.execute(() => stalled));
  await clock.advance(1000);
  assert.equal((await result).code, 'TIMEOUT');
});

const model = (): MockLanguageModelV3 =>
  new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Paris' },
          { type: 'text-end', id: '1' },
        ],
      }),
    }),
  });

test('a stream result of the AI SDK is said to be none that was read, once a policy, and shown on each attempt', async () => {
  const said: string[] = [];
  const policy = createPolicy({ onDebug: (message) => said.push(message) });
  const result = await policy.execute(() => streamText({ model: model(), prompt: 'Hello' }));
  assert.equal(await result.text, 'Paris', 'nothing of it was read');
  const { events } = recordEvents(policy);
  await policy.execute(() => streamText({ model: model(), prompt: 'Hello' }));
  await policy.execute(() => 'plain');
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /stream result was returned.*policy\.stream\(/);
  assert.deepEqual(
    events
      .map((event) => event.type === 'attempt.succeeded' && event.unreadStream)
      .filter((shown) => shown !== false),
    [true, undefined],
  );
});

test('streamed under the policy it is nothing to say', async () => {
  const said: string[] = [];
  const policy = createPolicy({ onDebug: (message) => said.push(message) });
  let text = '';
  for await (const part of policy.stream(() => streamText({ model: model(), prompt: 'Hello' }).textStream)) {
    assert.notEqual(part, STREAM_RESET);
    text += part;
  }
  assert.deepEqual([text, said], ['Paris', []]);
});
