// Rule 1: abort, timeout and deadline, and what they leave behind (rule 5).
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { script } from 'halfopen/testing';
import {
  CountingClock,
  countingSignal,
  deaf,
  isPending,
  onVirtualClock,
  rejection,
  rejectsWith,
  retryable,
} from '../policy/given.js';

const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

test('an abort during a wait rejects at once, and the operation is not called again', async () => {
  const { clock, policy } = onVirtualClock();
  const { controller, signal, listeners } = countingSignal();
  const operation = script<string>(retryable());
  const result = rejection(policy.execute(operation, { signal }));
  await clock.advance(500);
  const why = new Error('the user went away');
  controller.abort(why);
  const error = await result;
  assert.equal(error.code, 'CANCELLED');
  assert.equal(error.cause, why);
  assert.equal(error.attempts, 1);
  await clock.advance(100_000);
  assert.equal(operation.calls, 1);
  assert.equal(clock.pending, 0);
  assert.equal(listeners(), 0);
});

test('an abort during an attempt rejects at once, whether it listens or not', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 1000, totalMs: 5000 } });
  const { controller, signal, listeners } = countingSignal();
  const result = rejection(policy.execute(deaf, { signal }));
  controller.abort();
  assert.equal((await result).code, 'CANCELLED');
  assert.equal(clock.pending, 0);
  assert.equal(listeners(), 0);
});

test('a signal that is aborted already: CANCELLED, and nothing is called', async () => {
  const operation = script('x');
  const error = await rejectsWith(
    createPolicy().execute(operation, { signal: AbortSignal.abort() }),
    'CANCELLED',
  );
  assert.equal(operation.calls, 0);
  assert.equal(error.attempts, 0);
});

test('the attempt hears of the abort through its signal, with the reason', async () => {
  const { policy } = onVirtualClock();
  const controller = new AbortController();
  let heard: unknown;
  const result = rejection(
    policy.execute(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            heard = signal.reason;
            reject(signal.reason);
          });
        }),
      { signal: controller.signal },
    ),
  );
  const why = new Error('enough');
  controller.abort(why);
  assert.equal((await result).code, 'CANCELLED');
  assert.equal(heard, why);
});

test('a signal that is read late is aborted already', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 10 }, retry: false });
  let context: { signal: AbortSignal } | undefined;
  const result = rejection(
    policy.execute((given) => {
      context = given;
      return deaf();
    }),
  );
  await clock.advance(10);
  await result;
  const late = context?.signal;
  assert.equal(late?.aborted, true);
  assert.ok(AgentError.is(late?.reason));
});

test("one caller's abort never touches another's call", async () => {
  const { clock, policy } = onVirtualClock();
  const controller = new AbortController();
  const cancelled = rejection(
    policy.execute(script<string>(retryable(), 'a'), { signal: controller.signal }),
  );
  const other = policy.execute(script<string>(retryable(), 'b'));
  await clock.advance(10);
  controller.abort();
  assert.equal((await cancelled).code, 'CANCELLED');
  await clock.advance(1000);
  assert.equal(await other, 'b');
});

test('an attempt that outlives its timeout is cut off even if it ignores the signal; its late result is dropped', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 100 }, retry: { maxRetries: 1 } });
  const release: ((error: Error) => void)[] = [];
  const result = rejection(policy.execute(() => new Promise((_, reject) => release.push(reject))));
  await clock.advance(100);
  await clock.advance(1000);
  await clock.advance(100);
  const error = await result;
  assert.equal(error.code, 'TIMEOUT');
  assert.equal(error.attempts, 2);
  for (const reject of release) reject(new Error('late'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(unhandled, []);
  assert.equal(clock.pending, 0);
});

test('a late success of a timed-out attempt does not answer for the retry', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 100 } });
  let finishFirst: ((value: string) => void) | undefined;
  let calls = 0;
  const result = policy.execute<string>(() => {
    calls++;
    if (calls === 1) return new Promise((resolve) => (finishFirst = resolve));
    return 'second';
  });
  await clock.advance(100);
  finishFirst?.('first');
  assert.equal(await isPending(result), true);
  await clock.advance(1000);
  assert.equal(await result, 'second');
});

test('the total deadline cuts off the attempt and ends the call', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { totalMs: 1500 } });
  const operation = script<never>(retryable(), deaf);
  const result = rejection(policy.execute(operation));
  await clock.advance(1499);
  assert.equal(operation.calls, 2);
  await clock.advance(1);
  const error = await result;
  assert.equal(error.code, 'TIMEOUT');
  assert.equal(error.attempts, 2);
  assert.equal(clock.pending, 0);
});

test('a wait that cannot end before the deadline is not begun', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { totalMs: 1000 } });
  const operation = script<string>(retryable());
  const error = await rejection(policy.execute(operation));
  assert.equal(error.code, 'SERVER_ERROR');
  assert.equal(operation.calls, 1);
  assert.equal(clock.now(), 0);
  assert.equal(clock.pending, 0);
});

test('the deadline bounds onRetry too', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { totalMs: 3000 }, retry: { onRetry: deaf } });
  const result = rejection(policy.execute(script<string>(retryable())));
  await clock.advance(3000);
  assert.equal((await result).code, 'TIMEOUT');
  assert.equal(clock.pending, 0);
});

test('nothing is left behind after success, failure, abort, timeout and dispose', async () => {
  const clock = new CountingClock();
  const { policy } = onVirtualClock({
    clock,
    timeout: { attemptMs: 50, totalMs: 10_000 },
    retry: { maxRetries: 1 },
  });
  const ends: [string, () => Promise<unknown>, boolean][] = [
    ['success', async () => 1, false],
    ['failure', () => Promise.reject(new AgentError('NOT_FOUND', 'x')), false],
    ['exhausted', () => Promise.reject(retryable()), false],
    ['timeout', deaf, false],
    ['abort', deaf, true],
  ];
  for (const [name, operation, aborts] of ends) {
    const { controller, signal, listeners } = countingSignal();
    const result = policy.execute(operation, { signal }).catch(() => {});
    if (aborts) controller.abort();
    await clock.advance(5000);
    await result;
    assert.equal(listeners(), 0, `${name}: listeners`);
    assert.equal(clock.pending, 0, `${name}: timers`);
  }
  assert.ok(clock.set > 0);
  const { signal, listeners } = countingSignal();
  const running = rejection(policy.execute(deaf, { signal }));
  const waiting = rejection(policy.execute(() => Promise.reject(retryable()), { signal }));
  await clock.advance(10);
  policy.dispose();
  policy.dispose();
  assert.equal((await running).code, 'CANCELLED');
  assert.equal((await waiting).code, 'CANCELLED');
  assert.equal(listeners(), 0);
  assert.equal(clock.pending, 0);
  await rejectsWith(
    policy.execute(() => 1),
    'CANCELLED',
  );
});

test('dispose aborts attempts that listen, also those of a call without options', async () => {
  const { policy } = onVirtualClock();
  let aborted = false;
  const result = rejection(
    policy.execute(({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return deaf();
    }),
  );
  policy[Symbol.dispose]();
  assert.equal((await result).code, 'CANCELLED');
  assert.equal(aborted, true);
});

test('an abort inside the operation itself, inside onRetry and inside retryOn', async () => {
  for (const place of ['operation', 'onRetry', 'retryOn'] as const) {
    const controller = new AbortController();
    const abortIn = (here: string): void => {
      if (here === place) controller.abort();
    };
    const { clock, policy } = onVirtualClock({
      retry: {
        onRetry: () => abortIn('onRetry'),
        retryOn: () => {
          abortIn('retryOn');
          return undefined;
        },
      },
    });
    let calls = 0;
    const result = rejection(
      policy.execute(
        () => {
          calls++;
          abortIn('operation');
          throw retryable();
        },
        { signal: controller.signal },
      ),
    );
    await clock.advance(60_000);
    assert.equal((await result).code, 'CANCELLED', place);
    assert.equal(calls, 1, place);
    assert.equal(clock.pending, 0, place);
  }
});

test('an error that the operation throws after an abort is dropped without an unhandled rejection', async () => {
  const controller = new AbortController();
  const result = rejection(
    createPolicy().execute(
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => setImmediate(() => reject(new Error('late')))),
        ),
      { signal: controller.signal },
    ),
  );
  controller.abort();
  await result;
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(unhandled, []);
});
