// The effect of a call's own options: the preset under its retries, its deadline, its budget; and the rest, which
// stays.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import { onVirtualClock, rejection, rejectsWith, retryable } from './given.js';

test('a call retries by the preset where its policy never does', async () => {
  for (const [preset, total] of [
    ['capability', 1000 + 1500 + 2250],
    ['service', 1000 + 2000 + 4000],
  ] as const) {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, preset, retry: false });
    const operation = script<string>(retryable(), retryable(), retryable(), 'fourth');
    const began = clock.now();
    const answer = policy.execute(operation, { retry: { retryOn: ['SERVER_ERROR'] } });
    await clock.advance(total - 1);
    assert.equal(operation.calls, 3);
    await clock.advance(1);
    assert.equal(await answer, 'fourth');
    assert.equal(clock.now() - began, total);
  }
});

test("where no preset is named, it is 'agent'", async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, retry: false });
  const operation = script<string>(retryable());
  const ended = rejection(policy.execute(operation, { retry: { enableJitter: false } }));
  await clock.advance(1000 + 2000 + 4000);
  assert.equal((await ended).attempts, 4);
  assert.equal(operation.calls, 4);
});

test('no wait is announced that the deadline of the call alone would cut off', async () => {
  let announced = 0;
  const { clock, policy } = onVirtualClock({ retry: { onRetry: () => void announced++ } });
  const { events } = recordEvents(policy);
  const began = clock.now();
  const error = await rejectsWith(
    policy.execute(script<string>(retryable()), { timeout: { totalMs: 900 } }),
    'SERVER_ERROR',
  );
  assert.deepEqual([error.attempts, clock.now() - began], [1, 0]);
  assert.equal(announced, 0);
  assert.equal(
    events.some(({ type }) => type === 'retry.scheduled'),
    false,
  );
});

test('a wait begins that the deadline of the policy would cut off, but not that of the call', async () => {
  for (const totalMs of [60_000, Number.POSITIVE_INFINITY]) {
    const { clock, policy } = onVirtualClock({ timeout: { totalMs: 900 } });
    const answer = policy.execute(script<string>(retryable(), 'second'), { timeout: { totalMs } });
    await clock.advance(1000);
    assert.equal(await answer, 'second');
  }
});

test('a deadline of the call alone leaves the retries of its policy', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1, baseDelayMs: 10 } });
  const operation = script<string>(retryable());
  const ended = rejection(policy.execute(operation, { timeout: { totalMs: 60_000 } }));
  await clock.advance(60_000);
  assert.equal((await ended).code, 'SERVER_ERROR');
  assert.equal(operation.calls, 2);
});

test('calls that give a budget by the same numbers share it, by other numbers they do not', async () => {
  const { clock, policy } = onVirtualClock({ breaker: false, retry: { maxRetries: 1, baseDelayMs: 1 } });
  /** How many attempts a call makes: 2 where the budget has a retry left. */
  const attempts = async (minPerSecond: number): Promise<number> => {
    const retry = { budget: { ratio: 0, minPerSecond } };
    const ended = rejection(policy.execute(script<string>(retryable()), { retry }));
    await clock.advance(1);
    return (await ended).attempts;
  };
  assert.equal(await attempts(0.1), 2, 'one retry within ten seconds');
  assert.equal(await attempts(0.1), 1, 'the same budget');
  assert.equal(await attempts(0.2), 2, 'another one');
  assert.equal(await attempts(0), 1);
  assert.equal(await attempts(0.2), 2);
  assert.equal(await attempts(0.2), 1);
});

test('with a limit on requests beside one on tokens, what was used replaces the estimate', async () => {
  const { policy } = onVirtualClock({
    rateLimit: [
      { limit: 100, windowMs: 60_000, unit: 'requests' },
      { limit: 1000, windowMs: 60_000, unit: 'tokens' },
    ],
  });
  const answer = { usage: { prompt_tokens: 300, completion_tokens: 200 } };
  await policy.execute(() => answer, { estimatedTokens: 1000 });
  assert.equal(await policy.execute(() => 'fits', { estimatedTokens: 500 }), 'fits');
  await rejectsWith(
    policy.execute(() => 'full'),
    'CAPACITY_EXCEEDED',
  );
});

test("an answer's tokens are read only for a listener or a limit on tokens", async () => {
  let reads = 0;
  const answer = {
    get usage(): object {
      reads++;
      return { input_tokens: 1, output_tokens: 1 };
    },
  };
  const { policy } = onVirtualClock({ rateLimit: { limit: 100, windowMs: 60_000, unit: 'requests' } });
  await policy.execute(() => answer);
  assert.equal(reads, 0);
  recordEvents(policy);
  await policy.execute(() => answer);
  assert.ok(reads > 0);
});
