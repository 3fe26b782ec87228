// `policy.stats()`: how many calls began, how they ended, and where those are that have not.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, type Policy } from 'halfopen';
import { script } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

const NONE = {
  calls: 0,
  succeeded: 0,
  failed: 0,
  rejected: 0,
  cancelled: 0,
  attempts: 0,
  retries: 0,
  fallbacks: 0,
  inFlight: 0,
  waiting: 0,
};

/** The counters that are not 0; `calls` must be the sum of what became of them. */
function counted(policy: Policy<unknown>): Record<string, unknown> {
  const stats = policy.stats();
  const { calls, succeeded, failed, rejected, cancelled, inFlight } = stats;
  assert.equal(calls, succeeded + failed + rejected + cancelled + inFlight);
  return Object.fromEntries(Object.entries(stats).filter(([, value]) => value !== 0));
}

test('a new policy has counted nothing, and shows its breaker', () => {
  assert.deepEqual(createPolicy().stats(), { ...NONE, breaker: 'closed' });
  assert.deepEqual(createPolicy({ breaker: false }).stats(), NONE);
});

test('a call that is refused before it begins takes no other out of the count, nor out of reach', async () => {
  const policy = createPolicy();
  const running = policy.execute(deaf);
  await policy.execute(() => 1, { signal: AbortSignal.abort() }).catch(() => {});
  assert.equal(policy.stats().inFlight, 1);
  policy.dispose();
  await rejectsWith(running, 'CANCELLED');
});

test('a copy: later calls do not change it', async () => {
  const policy = createPolicy();
  const before = policy.stats();
  await policy.execute(() => 1);
  assert.deepEqual([before.calls, policy.stats().calls], [0, 1]);
});

test('each call ends as one of four', async () => {
  const { policy } = onVirtualClock({ breaker: false, bulkhead: { maxConcurrent: 1 } });
  await policy.execute(() => 1);
  await policy.execute(() => Promise.reject(fatal())).catch(() => {});
  const controller = new AbortController();
  const running = policy.execute(deaf, { signal: controller.signal }).catch(() => {});
  await policy.execute(() => 1).catch(() => {});
  assert.deepEqual(counted(policy), {
    calls: 4,
    succeeded: 1,
    failed: 1,
    rejected: 1,
    attempts: 3,
    inFlight: 1,
  });
  controller.abort();
  await running;
  policy.dispose();
  await policy.execute(() => 1).catch(() => {});
  assert.deepEqual(counted(policy), {
    calls: 5,
    succeeded: 1,
    failed: 1,
    rejected: 1,
    cancelled: 2,
    attempts: 3,
  });
});

test('attempts and retries are those that began', async () => {
  const { clock, policy } = onVirtualClock({ breaker: false });
  const answer = policy.execute(script<string>(retryable(), retryable(), 'fine'));
  await clock.advance(500);
  assert.deepEqual(counted(policy), { calls: 1, attempts: 1, inFlight: 1, waiting: 1 });
  await clock.advance(5000);
  assert.equal(await answer, 'fine');
  assert.deepEqual(counted(policy), { calls: 1, succeeded: 1, attempts: 3, retries: 2 });
});

test('calls without a slot or a turn wait', async () => {
  const { policy } = onVirtualClock({
    breaker: false,
    bulkhead: { maxConcurrent: 1, maxQueued: 1 },
  });
  for (const _ of [1, 2]) policy.execute(deaf).catch(() => {});
  assert.deepEqual(counted(policy), { calls: 2, attempts: 1, inFlight: 2, waiting: 1 });
  policy.dispose();
});

test('a fallback is counted beside what the call has come to, which is in flight until it has answered', async () => {
  const { policy } = onVirtualClock<number>({ breaker: false });
  let answer: (value: number) => void = () => {};
  const fallback = (): Promise<number> =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const call = policy.execute<number>(() => Promise.reject(fatal()), { fallback });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(counted(policy), { calls: 1, attempts: 1, inFlight: 1 });
  answer(7);
  assert.equal(await call, 7);
  assert.deepEqual(counted(policy), { calls: 1, failed: 1, attempts: 1, fallbacks: 1 });
  await policy
    .execute(() => Promise.reject(fatal()), { fallback: () => Promise.reject(new Error('too')) })
    .catch(() => {});
  assert.equal(policy.stats().fallbacks, 1);
});

test('streams count, and one that its consumer closed has succeeded', async () => {
  const { policy } = onVirtualClock({ breaker: false });
  async function* numbers(): AsyncGenerator<number> {
    yield 1;
    yield 2;
  }
  const stream = policy.stream(numbers);
  assert.equal(policy.stats().calls, 0);
  await stream.next();
  assert.deepEqual(counted(policy), { calls: 1, attempts: 1, inFlight: 1 });
  await stream.return?.();
  assert.deepEqual(counted(policy), { calls: 1, succeeded: 1, attempts: 1 });
});

test("the breaker's state is the present one", async () => {
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 }, retry: false });
  await policy.execute(() => Promise.reject(retryable())).catch(() => {});
  await policy.execute(() => 1).catch(() => {});
  assert.deepEqual(counted(policy), { calls: 2, failed: 1, rejected: 1, attempts: 1, breaker: 'open' });
});

test('it is plain JSON', () => {
  const stats = createPolicy().stats();
  assert.deepEqual(JSON.parse(JSON.stringify(stats)), stats);
});
