// `costLimit`: calls are refused once the answers of the last while have cost too much.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type CostLimitOptions,
  costLimit,
  createPolicy,
  type Policy,
  type PolicyOptions,
  type Usage,
} from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { fatal, onVirtualClock, rejectsWith } from './given.js';

/** A policy whose calls each cost the number of tokens that they return, at most 100 a second. */
function capped(options: PolicyOptions = {}, limit: Partial<CostLimitOptions> = {}) {
  const { clock, policy } = onVirtualClock(options);
  const cap = costLimit(policy, {
    max: 100,
    windowMs: 1000,
    costOf: ({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens,
    ...limit,
  });
  const spend = (tokens: number) =>
    policy.execute(() => ({ usage: { input_tokens: tokens, output_tokens: 0 } }));
  return { clock, policy, cap, spend };
}

test('a spent budget refuses calls until enough of it is older', async () => {
  const { clock, cap, spend } = capped();
  await spend(60);
  await clock.advance(400);
  await spend(60);
  assert.equal(cap.spent, 120);
  const error = await rejectsWith(spend(1), 'CAPACITY_EXCEEDED');
  assert.deepEqual([error.retryAfterMs, error.attempts], [600, 0]);
  await clock.advance(599);
  await rejectsWith(spend(1), 'CAPACITY_EXCEEDED');
  await clock.advance(1);
  await spend(1);
  assert.equal(cap.spent, 61);
});

test('the operation of a refused call is not called, and no slot is taken for it', async () => {
  const { clock, policy, spend } = capped({ bulkhead: { maxConcurrent: 1 } });
  await spend(120);
  let runs = 0;
  await rejectsWith(
    policy.execute(() => void runs++),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(runs, 0);
  assert.equal(policy.stats().attempts, 1);
  await clock.advance(1000);
  await spend(1);
});

test('the usage comes from observe, or from the answer, including streams', async () => {
  const { policy, cap } = capped();
  await policy.execute(({ observe: _, ...rest }) => rest && 1);
  await policy.execute((context) => context.observe({ usage: { inputTokens: 3, outputTokens: 4 } }));
  assert.equal(cap.spent, 7);
  async function* chunks(): AsyncGenerator<unknown> {
    yield { choices: [] };
    yield { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } };
  }
  for await (const _ of policy.stream(chunks));
  assert.equal(cap.spent, 22);
});

test('a refusal has an event and a counter, no failure of the breaker, and may fall back', async () => {
  const { policy, spend } = capped({ breaker: { failureThreshold: 1 } });
  const { events } = recordEvents(policy as never);
  await spend(100);
  assert.equal(await policy.execute<unknown>(() => 1, { fallback: () => 'cheaper' }), 'cheaper');
  const refused = events.find(({ type }) => type === 'call.rejected');
  assert.ok(refused?.type === 'call.rejected');
  assert.deepEqual([refused.code, refused.by, refused.retryAfterMs], ['CAPACITY_EXCEEDED', 'cost', 1000]);
  const { calls, succeeded, rejected, fallbacks, inFlight } = policy.stats();
  assert.deepEqual([calls, succeeded, rejected, fallbacks, inFlight], [2, 1, 1, 1, 0]);
  assert.equal(policy.breaker?.state, 'closed');
});

test('a failed call costs nothing that is known', async () => {
  const { policy, cap } = capped();
  await policy.execute(() => Promise.reject(fatal())).catch(() => {});
  assert.equal(cap.spent, 0);
});

test('stop lifts the cap', async () => {
  const { cap, spend } = capped();
  await spend(100);
  cap.stop();
  await spend(100);
  assert.equal(cap.spent, 100);
});

test('many answers are stored as few parts, and no cost is dropped early', async () => {
  const { clock, cap, spend } = capped({}, { max: 1e9 });
  for (let n = 0; n < 3000; n++) {
    await spend(1);
    if (n % 10 === 0) await clock.advance(1);
  }
  assert.equal(cap.spent, 3000);
  await clock.advance(699);
  assert.equal(cap.spent, 3000);
  await clock.advance(400);
  assert.equal(cap.spent, 0);
});

test('a costOf that throws or returns an invalid cost counts as zero, and onDebug is called', async () => {
  for (const costOf of [
    () => Number.NaN,
    () => -1,
    () => {
      throw new Error('no');
    },
  ]) {
    const debug: string[] = [];
    const { cap, spend } = capped({ onDebug: (message) => debug.push(message) }, { costOf });
    await spend(50);
    assert.deepEqual([cap.spent, debug.length], [0, 1]);
  }
});

test('several policies share one budget, and costOf knows the model and the provider', async () => {
  const { clock, policy: large } = onVirtualClock({ name: 'large', provider: 'openai', model: 'gpt-5' });
  const small = createPolicy({ clock, name: 'small', provider: 'groq', model: 'llama-4' });
  const prices: Record<string, number> = { 'openai gpt-5-2025-08-07': 10, 'groq llama-4': 1 };
  const cap = costLimit([large, small], {
    max: 100,
    windowMs: 1000,
    costOf: ({ inputTokens = 0, model, provider }) => inputTokens * (prices[`${provider} ${model}`] ?? 0),
  });
  await large.execute(() => ({ choices: [], model: 'gpt-5-2025-08-07', usage: { prompt_tokens: 9 } }));
  assert.equal(cap.spent, 90);
  await small.execute(() => ({ usage: { prompt_tokens: 10 } }));
  assert.equal(cap.spent, 100);
  for (const policy of [large, small]) {
    const { message } = await rejectsWith(
      policy.execute(() => 1),
      'CAPACITY_EXCEEDED',
    );
    assert.equal(message, `Cost limit is reached: policy '${policy.name}'; try again in 1000 ms`);
  }
  cap.stop();
  for (const policy of [large, small]) assert.equal(await policy.execute(() => 1), 1);
});

test('an answer that passes several of its policies, one around the other, costs once', async () => {
  const [outer, middle, inner] = ['outer', 'middle', 'inner'].map((name) => createPolicy({ name }));
  const seen: Usage[] = [];
  const costOf = (usage: Usage) => seen.push(usage) && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  const cap = costLimit([outer, middle, inner] as Policy[], { max: 1000, windowMs: 60_000, costOf });
  const answer = async () => ({ usage: { input_tokens: 7, output_tokens: 3 } });
  const layered = () => outer?.execute(() => middle?.execute(() => inner?.execute(answer)));
  await Promise.all([layered(), layered()]);
  assert.equal(cap.spent, 20);
  assert.equal(seen.length, 2);
  // The outer call also observes usage of its own.
  await outer?.execute(async (context) => {
    await inner?.execute(answer);
    context.observe({ usage: { inputTokens: 12, outputTokens: 3 } });
  });
  assert.equal(cap.spent, 35);
});

test('a policy that is given twice is counted once', async () => {
  const { policy } = onVirtualClock();
  const cap = costLimit([policy, policy], { max: 100, windowMs: 1000, costOf: () => 1 });
  await policy.execute(() => ({ usage: { input_tokens: 1 } }));
  assert.equal(cap.spent, 1);
});

test('wrong options are TypeErrors that say what was expected', () => {
  const policy = createPolicy();
  const right = { max: 1, windowMs: 1, costOf: () => 1 };
  for (const [wrong, message] of [
    [{ max: 0 }, /option 'max' must be a finite number above 0, got 0/],
    [
      { windowMs: Number.POSITIVE_INFINITY },
      /option 'windowMs' must be a finite number of milliseconds above 0/,
    ],
    [{ costOf: async () => 1 }, /option 'costOf' must be a function that is not async/],
    [{ costOf: undefined }, /option 'costOf' must be a function that is not async, got undefined/],
  ] as const) {
    assert.throws(() => costLimit(policy, { ...right, ...wrong } as never), message);
  }
  const expected = /option 'policies' must be a Policy, or an array of one or more, got/;
  for (const wrong of [{}, [], [policy, {}]]) assert.throws(() => costLimit(wrong as never, right), expected);
});
