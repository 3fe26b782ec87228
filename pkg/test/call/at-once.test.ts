// A call without promises takes no microtask: if its functions return values at once, it has ended, or waits, when it
// returns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fatal, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

/** Values that are no promises. */
const VALUES: readonly unknown[] = [5, 'x', true, null, undefined];

test('an operation that returns a value has succeeded at once', async () => {
  for (const value of VALUES) {
    const { policy } = onVirtualClock();
    const result = policy.execute(() => value);
    assert.equal(policy.stats().succeeded, 1, String(value));
    assert.equal(await result, value);
  }
});

test('so it has where validate answers at once', async () => {
  for (const validate of [() => true, () => {}, () => null as never]) {
    const { policy } = onVirtualClock();
    const result = policy.execute(() => 'x', { validate });
    assert.equal(policy.stats().succeeded, 1);
    assert.equal(await result, 'x');
  }
});

test('a fallback that returns a value has been used at once', async () => {
  for (const value of VALUES) {
    const { policy } = onVirtualClock({ retry: false });
    const failing = (): never => {
      throw fatal();
    };
    const result = policy.execute(failing, { fallback: () => value });
    assert.equal(policy.stats().fallbacks, 1, String(value));
    assert.equal(await result, value);
  }
});

/** A thenable that is a function, as some query builders are. */
const thenable = (then: (resolve: () => void, reject: (reason: unknown) => void) => void): never =>
  Object.assign(() => {}, { then }) as never;

test('a retry waits for the function with a then that onRetry returns', async () => {
  let goOn = (): void => {};
  const onRetry = () => thenable((resolve) => (goOn = resolve));
  const { clock, policy } = onVirtualClock({ retry: { onRetry, maxRetries: 1 } });
  let calls = 0;
  const result = policy.execute(() => {
    calls++;
    if (calls === 1) throw retryable();
    return 'second';
  });
  await clock.advance(60_000);
  assert.equal(calls, 1);
  goOn();
  await clock.advance(60_000);
  assert.equal(await result, 'second');
});

test('a function with a then that a fallback returns fails the call with an error of the policy', async () => {
  const { policy } = onVirtualClock({ retry: false });
  const fallback = () => thenable((_, reject) => reject(Object.assign(new Error('gone'), { status: 404 })));
  const failing = () => Promise.reject(fatal());
  const error = await rejectsWith(policy.execute(failing, { fallback }), 'NOT_FOUND');
  assert.equal((error.cause as { code?: string }).code, 'AUTHENTICATION_ERROR');
  assert.equal(policy.stats().fallbacks, 0);
});
