// Limits on tokens, and several limits at once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AttemptContext, onEvent } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { onVirtualClock, rejectsWith, retryable } from './given.js';

/** An operation that says how many tokens it took. */
const taking =
  (inputTokens: number, outputTokens = 0) =>
  (context: AttemptContext): string => {
    context.observe({ usage: { inputTokens, outputTokens } });
    return 'done';
  };

test('an estimate is taken from the limit when the attempt begins', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' },
    retry: false,
  });
  assert.equal(await policy.execute(() => 'a', { estimatedTokens: 600 }), 'a');
  await clock.advance(1000);
  const error = await rejectsWith(
    policy.execute(() => 'b', { estimatedTokens: 401 }),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(error.retryAfterMs, 59_000);
  assert.equal(await policy.execute(() => 'c', { estimatedTokens: 399.5 }), 'c');
  await rejectsWith(
    policy.execute(() => 'd'),
    'CAPACITY_EXCEEDED',
  );
  await clock.advance(59_000);
  assert.equal(await policy.execute(() => 'e', { estimatedTokens: 600 }), 'e');
});

test('the usage that is observed settles the estimate', async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' } });
  await policy.execute(taking(200, 100), { estimatedTokens: 1000 });
  await policy.execute(taking(900), { estimatedTokens: 700 });
  // 1200 have been taken.
  await rejectsWith(policy.execute(taking(1)), 'CAPACITY_EXCEEDED');
});

test("the usage in an SDK's answer settles it too, though nobody listens", async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' } });
  await policy.execute(() => ({ usage: { prompt_tokens: 300, completion_tokens: 200 } }), {
    estimatedTokens: 1000,
  });
  assert.equal(await policy.execute(() => 'fits', { estimatedTokens: 500 }), 'fits');
  await rejectsWith(
    policy.execute(() => 'full'),
    'CAPACITY_EXCEEDED',
  );
});

test("a stream's usage settles it, also where its consumer closes it early", async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' } });
  async function* chunks(): AsyncGenerator<object> {
    yield { type: 'message_start', message: { usage: { input_tokens: 90, output_tokens: 1 } } };
    yield { type: 'message_delta', usage: { output_tokens: 10 } };
    yield { type: 'message_stop' };
  }
  for await (const _chunk of policy.stream(chunks, { estimatedTokens: 800 })) void _chunk;
  for await (const _chunk of policy.stream(chunks, { estimatedTokens: 900 })) break;
  // 100 and 91 have been taken.
  assert.equal(await policy.execute(() => 'fits', { estimatedTokens: 809 }), 'fits');
  await rejectsWith(
    policy.execute(() => 'full'),
    'CAPACITY_EXCEEDED',
  );
});

test('each attempt is estimated; one that failed without usage stays at its estimate', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' },
    retry: { maxRetries: 1 },
  });
  let attempts = 0;
  const call = policy.execute(
    (context) => {
      if (++attempts === 1) throw retryable();
      context.observe({ usage: { inputTokens: 100 } });
      return 'late';
    },
    { estimatedTokens: 400 },
  );
  await clock.advance(1000);
  assert.equal(await call, 'late');
  // 500 have been taken.
  await rejectsWith(policy.execute(taking(1), { estimatedTokens: 501 }), 'CAPACITY_EXCEEDED');
  assert.equal(await policy.execute(taking(1), { estimatedTokens: 500 }), 'done');
});

test('a waiting call starts when another has used less than estimated', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens', maxWaitMs: 60_000 },
  });
  let end: () => void = () => {};
  const first = policy.execute(
    (context) =>
      new Promise<string>((resolve) => {
        end = () => {
          context.observe({ usage: { inputTokens: 10 } });
          resolve('first');
        };
      }),
    { estimatedTokens: 1000 },
  );
  const second = policy.execute(() => clock.now(), { estimatedTokens: 900 });
  await clock.advance(2000);
  end();
  assert.equal(await first, 'first');
  assert.equal(await second, 2000);
  assert.equal(clock.pending, 0);
});

test('more than the limit can never begin, and is refused without a wait', async () => {
  const { policy } = onVirtualClock({
    rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens', maxWaitMs: Number.POSITIVE_INFINITY },
  });
  const error = await rejectsWith(policy.execute(taking(1), { estimatedTokens: 1001 }), 'CAPACITY_EXCEEDED');
  assert.equal(error.retryAfterMs, undefined);
  assert.equal(await policy.execute(taking(1), { estimatedTokens: 1000 }), 'done');
});

test('of several limits each must let an attempt pass', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: [
      { limit: 2, windowMs: 1000, maxWaitMs: 1000 },
      { limit: 1000, windowMs: 60_000, unit: 'tokens' },
    ],
  });
  const { events } = recordEvents(policy);
  assert.equal(await policy.execute(taking(500), { estimatedTokens: 500 }), 'done');
  const error = await rejectsWith(policy.execute(taking(1), { estimatedTokens: 501 }), 'CAPACITY_EXCEEDED');
  assert.equal(error.retryAfterMs, 60_000);
  assert.equal(await policy.execute(taking(100), { estimatedTokens: 100 }), 'done');
  // For its turn among the requests one may wait.
  const third = policy.execute(() => clock.now(), { estimatedTokens: 100 });
  await clock.advance(1000);
  assert.equal(await third, 1000);
  const queued = events.filter((event) => event.type === 'call.queued');
  assert.deepEqual(
    queued.map(({ by }) => by),
    ['rate-limit'],
  );
});

test("the provider's remaining tokens count against a limit on tokens", async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 100_000, windowMs: 60_000, unit: 'tokens', maxWaitMs: 20_000 },
  });
  const headers = {
    'x-ratelimit-limit-tokens': '100000',
    'x-ratelimit-remaining-tokens': '500',
    'x-ratelimit-reset-tokens': '10s',
  };
  await policy.execute((context) => context.observe({ headers }), { estimatedTokens: 100 });
  assert.equal(await policy.execute(() => clock.now(), { estimatedTokens: 400 }), 0);
  const next = policy.execute(() => clock.now(), { estimatedTokens: 101 });
  await clock.advance(10_000);
  assert.equal(await next, 10_000);
});

test('an update replaces the limits, and what was taken counts on', async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' } });
  await policy.execute(taking(600), { estimatedTokens: 600 });
  policy.update({
    rateLimit: [
      { limit: 5, windowMs: 1000 },
      { limit: 700, windowMs: 60_000, unit: 'tokens' },
    ],
  });
  await rejectsWith(policy.execute(taking(1), { estimatedTokens: 101 }), 'CAPACITY_EXCEEDED');
  assert.equal(await policy.execute(taking(1), { estimatedTokens: 100 }), 'done');
  policy.update({ rateLimit: [] });
  assert.equal(await policy.execute(taking(1), { estimatedTokens: 100_000 }), 'done');
});

test('without a limit on tokens an estimate changes nothing', async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1, windowMs: 1000 } });
  assert.equal(await policy.execute(taking(1e9), { estimatedTokens: 1e9 }), 'done');
});

test('events name the estimate of a call and the limits of its policy', async () => {
  const events: object[] = [];
  const stop = onEvent((event) => events.push(event));
  const rateLimit = [
    { limit: 9, windowMs: 1000 } as const,
    { limit: 1000, windowMs: 1000, unit: 'tokens' } as const,
  ];
  const { policy } = onVirtualClock({ rateLimit });
  await policy.execute(taking(5), { estimatedTokens: 7 });
  stop();
  const text = JSON.stringify(events);
  assert.ok(text.includes(JSON.stringify({ rateLimit }).slice(1, -1)), text);
  assert.ok(text.includes('"options":{"estimatedTokens":7}'), text);
});
