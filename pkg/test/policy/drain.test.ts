// `drain`: new calls are refused, those that run end, then the policy is disposed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicies, createPolicy } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { deaf, isPending, onVirtualClock, rejectsWith, retryable } from './given.js';

/** Resolves after so long. */
const after = (clock: VirtualClock, ms: number) => () =>
  new Promise<string>((resolve) => clock.setTimeout(() => resolve('done'), ms));

test('new calls are refused at once, and it waits for those that run: retries and queued calls too', async () => {
  const { clock, policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
  let attempts = 0;
  const first = policy.execute(() => (++attempts === 1 ? Promise.reject(retryable()) : after(clock, 100)()));
  const second = policy.execute(after(clock, 100));
  const drained = policy.drain();
  const error = await rejectsWith(
    policy.execute(() => assert.fail('it ran')),
    'CANCELLED',
  );
  assert.equal(error.metadata.disposed, true);
  await rejectsWith(policy.stream(() => assert.fail('it ran')).next(), 'CANCELLED');
  await clock.advance(1099);
  assert.equal(await isPending(drained), true);
  await clock.advance(1);
  assert.deepEqual([await first, await second, attempts], ['done', 'done', 2]);
  await drained;
  assert.equal(clock.pending, 0);
});

test('after timeoutMs those that are left are cancelled, 30 s by default', async () => {
  for (const [options, ms] of [
    [{ timeoutMs: 50 }, 50],
    [undefined, 30_000],
  ] as const) {
    const { clock, policy } = onVirtualClock();
    let signal: AbortSignal | undefined;
    const left = rejectsWith(
      policy.execute((context) => {
        signal = context.signal;
        return deaf();
      }),
      'CANCELLED',
    );
    const drained = policy.drain(options);
    await clock.advance(ms - 1);
    assert.deepEqual([await isPending(drained), signal?.aborted], [true, false]);
    await clock.advance(1);
    await Promise.all([left, drained]);
    assert.equal(signal?.aborted, true);
    assert.equal(clock.pending, 0);
  }
});

test('it waits for a stream that is read, and for a fallback', async () => {
  const { clock, policy } = onVirtualClock({ retry: false });
  const stream = policy.stream(async function* () {
    yield 1;
    yield 2;
  });
  await stream.next();
  const fallen = policy.execute(() => Promise.reject(retryable()), { fallback: after(clock, 10) });
  const drained = policy.drain();
  await clock.advance(10);
  assert.equal(await fallen, 'done');
  assert.equal(await isPending(drained), true);
  assert.deepEqual([(await stream.next()).value, (await stream.next()).done], [2, true]);
  await drained;
});

test('with nothing on its way, twice, after dispose, and before it: it resolves', async () => {
  await createPolicy().drain();
  const { clock, policy } = onVirtualClock();
  const left = rejectsWith(policy.execute(deaf), 'CANCELLED');
  const slow = policy.drain();
  const quick = policy.drain({ timeoutMs: 10 });
  await clock.advance(10);
  await Promise.all([slow, quick, left]);
  await policy.drain();
  const other = onVirtualClock();
  const cancelled = rejectsWith(other.policy.execute(deaf), 'CANCELLED');
  const drained = other.policy.drain();
  other.policy.dispose();
  await Promise.all([drained, cancelled]);
  assert.equal(other.clock.pending, 0);
});

test('policies by key are drained together, and those to come are disposed', async () => {
  const clock = new VirtualClock();
  const policies = createPolicies({ clock });
  const calls = ['a', 'b'].map((key) => policies.get(key).execute(after(clock, 100)));
  const drained = policies.drain({ timeoutMs: 1000 });
  await rejectsWith(
    policies.get('a').execute(() => 1),
    'CANCELLED',
  );
  await rejectsWith(
    policies.get('c').execute(() => 1),
    'CANCELLED',
  );
  await clock.advance(100);
  assert.deepEqual(await Promise.all(calls), ['done', 'done']);
  await drained;
});

test('a wrong option is a TypeError at once', () => {
  const policy = createPolicy();
  assert.throws(() => policy.drain({ timeoutMs: -1 }), /option 'timeoutMs' must be/);
  assert.throws(() => createPolicies().drain({ timeoutMs: Number.NaN }), TypeError);
  assert.equal(policy.stats().calls, 0);
});
