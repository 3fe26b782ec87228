// Budgets that calls bring by their numbers: one for the same numbers, and none that is kept for ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RetryBudget } from 'halfopen';
import { onVirtualClock, rejection, retryable } from './given.js';

const failing = () => Promise.reject(retryable());

test('calls with the same numbers share a budget, also after many with others', async () => {
  const { clock, policy } = onVirtualClock({ breaker: false, retry: { maxRetries: 1, baseDelayMs: 0 } });
  const attempts = async (minPerSecond: number): Promise<number> => {
    const failed = rejection(policy.execute(failing, { retry: { budget: { ratio: 0, minPerSecond } } }));
    await clock.advance(0);
    return (await failed).attempts;
  };
  // 0.1 a second, over ten seconds: one retry.
  assert.deepEqual([await attempts(0.1), await attempts(0.1), await attempts(0.1)], [2, 1, 1]);
  for (let other = 1; other <= 90; other++) await attempts(0.2 + other / 1000);
  assert.equal(await attempts(0.1), 1);
});

test('those of long ago go: 5,000 calls with numbers of their own leave a hundred budgets at most', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const made: WeakRef<object>[] = [];
  const { handle } = Object.getOwnPropertyDescriptors(RetryBudget.prototype) as Record<
    string,
    PropertyDescriptor
  >;
  Object.defineProperty(RetryBudget.prototype, 'handle', {
    configurable: true,
    get(this: RetryBudget) {
      made.push(new WeakRef(this));
      return handle?.get?.call(this);
    },
  });
  const { policy } = onVirtualClock();
  for (let call = 0; call < 5000; call++)
    await policy.execute(() => 1, { retry: { budget: { ratio: call / 5000 } } });
  Object.defineProperty(RetryBudget.prototype, 'handle', handle as PropertyDescriptor);
  const left = () => new Set(made.map((one) => one.deref()).filter((one) => one !== undefined)).size;
  for (let turn = 0; turn < 20 && left() > 100; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  assert.ok(left() <= 100, `${left()} budgets are left`);
  assert.equal(policy.stats().succeeded, 5000); // and so the policy was there all the time
});
