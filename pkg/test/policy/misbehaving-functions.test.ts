// Functions of the application that throw, or return what they may not: what `onDebug` is called with, and what decides.
import assert from 'node:assert/strict';
import test from 'node:test';
import { onVirtualClock, rejection, retryable } from './given.js';

/** Returns onDebug's calls if `retryOn` does that, and the number of attempts. */
async function saidOf(retryOn: () => unknown): Promise<{ said: unknown[]; attempts: number }> {
  const said: unknown[] = [];
  const { clock, policy } = onVirtualClock({
    retry: { maxRetries: 1, retryOn: retryOn as never },
    onDebug: (message, details) => /retryOn/.test(message) && said.push(message, details),
  });
  const failed = rejection(policy.execute(() => Promise.reject(retryable())));
  await clock.advance(10_000);
  return { said, attempts: (await failed).attempts };
}

test('a predicate that returns a promise: the classification decides, and onDebug says so', async () => {
  const { said, attempts } = await saidOf(() => Promise.resolve(false));
  assert.deepEqual(said, [
    'retryOn must not return a promise; the classification decides',
    { error: 'object' },
    'retryOn must not return a promise; the classification decides',
    { error: 'object' },
  ]);
  assert.equal(attempts, 2);
});

for (const [what, thrown, details] of [
  ['null', null, { error: 'null' }],
  ['nothing', undefined, { error: 'undefined' }],
  ['an object that says nothing', {}, { error: 'object' }],
  ['a text', 'no', { error: 'no' }],
  [
    'an error',
    Object.assign(new Error('no'), { stack: 'Error: no\n  here' }),
    { error: 'no', stack: 'Error: no\n  here' },
  ],
] as const) {
  test(`a predicate that throws ${what}: onDebug says what`, async () => {
    const { said, attempts } = await saidOf(() => {
      throw thrown;
    });
    assert.deepEqual(said.slice(0, 2), ['retryOn threw; the classification decides', details]);
    assert.equal(attempts, 2);
  });
}
