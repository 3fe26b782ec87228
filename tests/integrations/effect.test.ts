// `halfopen/effect` with Effect 4 against the faulty provider, and how many requests reach it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Context, Effect, Exit, Fiber, type Schedule, Stream } from 'effect';
import { AgentError } from 'halfopen';
import { underPolicy } from 'halfopen/effect';
import { times } from '../../examples/faulty-provider/faults.js';
import { given, provider, quick, requests } from './provider.js';
import { recipe } from './recipe.js';

const { schedule } = await recipe<{ schedule: Schedule.Schedule<unknown, unknown> }>(
  'effect',
  'import { Cause, Duration',
);

class Key extends Context.Service<Key, string>()('Key') {}

/** A call of the provider, as an effect that needs a service. */
const call = Effect.gen(function* () {
  const key = yield* Key;
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${provider.openaiUrl}/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'e', input: ['a'] }),
        signal,
      });
      if (response.ok) return 'done';
      const { status } = response;
      const headers = Object.fromEntries(response.headers);
      throw Object.assign(new Error(`${status}`), { status, headers, error: await response.json() });
    },
    catch: (thrown) => thrown,
  });
});
const run = <A, E>(effect: Effect.Effect<A, E, Key>) =>
  Effect.runPromise(Effect.result(effect.pipe(Effect.provideService(Key, 'sk-test'))));

describe('underPolicy', () => {
  test('an effect is retried, with its services, one request for each attempt', async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const result = await run(call.pipe(underPolicy(quick())));
    assert.deepEqual([result._tag, requests()], ['Success', 3]);
  });

  test('what is given up on is an AgentError in the error channel', async () => {
    given({ kind: 'server-error' }, { kind: 'server-error' });
    const result = await run(call.pipe(underPolicy(quick({ retry: { maxRetries: 1, baseDelayMs: 1 } }))));
    assert.ok(result._tag === 'Failure' && AgentError.is(result.failure));
    const { code, attempts } = result.failure;
    assert.deepEqual([code, attempts, requests()], ['SERVER_ERROR', 2, 2]);
  });

  test('an open circuit sends nothing', async () => {
    const policy = quick({ retry: false, breaker: { failureThreshold: 1 } });
    given({ kind: 'server-error' });
    await run(call.pipe(underPolicy(policy)));
    const result = await run(call.pipe(underPolicy(policy)));
    assert.ok(result._tag === 'Failure');
    assert.deepEqual([result.failure.code, requests()], ['CIRCUIT_OPEN', 1]);
  });

  test("an attempt's timeout interrupts the effect", async () => {
    let interrupted = 0;
    const slow = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted++)));
    const policy = quick({ timeout: { attemptMs: 20 }, retry: { maxRetries: 1, baseDelayMs: 1 } });
    const result = await Effect.runPromise(Effect.result(slow.pipe(underPolicy(policy))));
    assert.ok(result._tag === 'Failure');
    assert.deepEqual([result.failure.code, interrupted], ['TIMEOUT', 2]);
  });

  test('interrupting the fiber ends the call', async () => {
    const policy = quick();
    let interrupted = 0;
    const slow = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted++)));
    const fiber = Effect.runFork(slow.pipe(underPolicy(policy)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Effect.runPromise(Fiber.interrupt(fiber));
    const exit = await Effect.runPromise(Fiber.await(fiber));
    assert.ok(Exit.isFailure(exit));
    assert.deepEqual([interrupted, policy.stats().inFlight], [1, 0]);
  });

  test('anything but a policy is a TypeError', () => {
    assert.throws(() => underPolicy({} as never), /policy/);
  });
});

test('a stream of Effect under policy.stream: its failure before the first chunk is retried', async () => {
  given({ kind: 'overloaded' }, { kind: 'reset' });
  const chunks = Stream.unwrap(
    Effect.promise(async () => {
      const response = await fetch(`${provider.openaiUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [], stream: true }),
      });
      if (!response.ok || response.body === null)
        throw Object.assign(new Error('no'), { status: response.status });
      return Stream.fromAsyncIterable(response.body, (thrown) => thrown);
    }),
  );
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of quick().stream(() => Stream.toAsyncIterable(chunks)))
    text += decoder.decode(chunk, { stream: true });
  assert.ok(text.includes('[DONE]'), text);
  assert.equal(requests(), 3);
});

describe('the schedule of docs/integrations/effect.md', () => {
  const retried = () => run(call.pipe(Effect.retry(schedule)));

  test('what may succeed later is tried again, a hint is waited for', async () => {
    given({ kind: 'overloaded' }, { kind: 'rate-limited', retryAfterMs: 300 });
    const began = performance.now();
    const { _tag } = await retried();
    assert.deepEqual([_tag, requests()], ['Success', 3]);
    assert.ok(performance.now() - began >= 300);
  });

  test('it ends after three retries, at what failed for good, and at a long hint', async () => {
    given(...times(4, { kind: 'server-error' }));
    assert.equal((await retried())._tag, 'Failure');
    assert.equal(requests(), 4);
    given({ kind: 'unauthorized' });
    await retried();
    given({ kind: 'rate-limited', retryAfterSeconds: 600 });
    await retried();
    assert.equal(requests(), 6);
  });
});
