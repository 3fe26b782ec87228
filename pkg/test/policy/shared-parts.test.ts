// The parts that policies share with others: a breaker, its draws, the limits that a provider states.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CircuitBreaker, createPolicy } from 'halfopen';
import { deaf, onVirtualClock, retryable } from './given.js';

const fails = () => Promise.reject(retryable());

test('an update that gives a policy a breaker of its own leaves the one that it shared as it was', async () => {
  const shared = new CircuitBreaker({ failureThreshold: 2 });
  const { policy } = onVirtualClock({ breaker: shared, retry: false });
  policy.update({ breaker: { failureThreshold: 1 } });
  assert.notEqual(policy.breaker, shared);
  shared.recordFailure();
  assert.equal(shared.state, 'closed');
  await policy.execute(fails).catch(() => {});
  assert.deepEqual([policy.breaker?.state, shared.state], ['open', 'closed']);
});

test("a breaker draws by its policy's seed before the first call, too", () => {
  const draws = (seed: number): boolean[] => {
    const { breaker } = createPolicy({ seed, breaker: { throttle: { k: 1, minimumCalls: 1 } } });
    for (let n = 0; n < 20; n++) breaker?.recordFailure();
    for (let n = 0; n < 20; n++) breaker?.recordSuccess();
    return Array.from({ length: 40 }, () => breaker?.acquire() !== undefined);
  };
  assert.deepEqual(draws(7), draws(7));
  assert.notDeepEqual(draws(7), draws(8));
});

test('a call that waits for its turn begins when the provider says that there is room', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 10, windowMs: 1000, maxWaitMs: 100_000 },
  });
  const stated = (remaining: number, reset: string) => ({
    headers: { 'x-ratelimit-remaining-requests': `${remaining}`, 'x-ratelimit-reset-requests': reset },
  });
  let say: ((remaining: number) => void) | undefined;
  void policy.execute(({ observe }) => {
    observe(stated(0, '60s'));
    say = (remaining) => observe(stated(remaining, '30s'));
    return deaf();
  });
  let begun = -1;
  const waiting = policy.execute(() => (begun = clock.now()));
  await clock.advance(10);
  assert.equal(begun, -1);
  say?.(5);
  assert.equal(begun, 10);
  assert.equal(await waiting, 10);
});
