// The attempts in a call's error, and how its time is counted.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, costLimit, createPolicy } from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';
import { deaf, isPending, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

test('cancelled while its first attempt runs: an attempt, and no error of one', async () => {
  const { policy } = onVirtualClock();
  const controller = new AbortController();
  const call = policy.execute(deaf, { signal: controller.signal });
  controller.abort();
  const error = await rejectsWith(call, 'CANCELLED');
  assert.deepEqual([error.attempts, error.errors], [1, []]);
});

test('a deadline that passes in the queue is nothing that was retried in vain: a policy around it retries', async () => {
  const { clock, policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
  let end: (value: string) => void = () => {};
  const running = policy.execute(() => new Promise<string>((resolve) => (end = resolve)));
  const outer = createPolicy({ clock, retry: { enableJitter: false } });
  const call = outer.execute(() => policy.execute(() => 'second', { timeout: { totalMs: 100 } }));
  call.catch(() => {});
  await clock.advance(100);
  end('first');
  assert.equal(await running, 'first');
  await clock.advance(5000);
  assert.equal(await call, 'second');
});

test('a call that a cap refuses is not begun, whatever its fallback does', async () => {
  const { policy } = onVirtualClock<string>();
  costLimit(policy as never, { max: 1, windowMs: 1000, costOf: () => 2 });
  await policy.execute(() => ({ usage: { input_tokens: 1, output_tokens: 1 } }));
  let runs = 0;
  const call = policy.execute(() => String(++runs), {
    fallback: async () => {
      await Promise.resolve();
      return 'less';
    },
  });
  assert.equal(await call, 'less');
  await rejectsWith(
    policy.execute(() => String(++runs)),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(runs, 0);
  assert.equal(policy.stats().attempts, 1);
});

test('a failed attempt took as long as it ran, whenever it began', async () => {
  const time = new VirtualClock(5000);
  const timed = createPolicy({ clock: time, retry: false });
  const recorded = recordEvents(timed);
  const call = rejectsWith(
    timed.execute(() => new Promise((_, reject) => void time.setTimeout(() => reject(retryable()), 50))),
    'SERVER_ERROR',
  );
  await time.advance(50);
  await call;
  const durations = recorded.events.flatMap((event) =>
    event.type === 'attempt.failed' ? [event.durationMs] : [],
  );
  assert.deepEqual(durations, [50]);
});

test('an attempt that may take more days than a timer of the platform is not cut off before', async () => {
  const { clock, policy } = onVirtualClock({ retry: false });
  const call = policy.execute(deaf, { timeout: { attemptMs: 2 ** 31 + 1000 } });
  call.catch(() => {});
  await clock.advance(2 ** 31 + 999);
  assert.ok(await isPending(call));
  await clock.advance(1);
  await rejectsWith(call, 'TIMEOUT');
});

test('a call that does not begin rejects with the reason of its signal, whose stack stays as it is', async () => {
  const { policy } = onVirtualClock();
  const reason = AgentError.from(new DOMException('enough', 'AbortError'));
  async function theCaller(): Promise<void> {
    await policy.execute(() => 1, { signal: AbortSignal.abort(reason) });
  }
  const error = await rejectsWith(theCaller(), 'CANCELLED');
  assert.equal(error, reason);
  assert.doesNotMatch(String(reason.stack), /theCaller/);
});
