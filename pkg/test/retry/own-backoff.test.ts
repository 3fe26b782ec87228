// `retry.backoff`: the application says how long the wait before a retry is.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AgentError,
  type AgentErrorCode,
  calculateExponentialBackoff,
  createPolicy,
  type ErrorType,
  type PolicyOptions,
  RetryHandler,
  type RetryOptions,
} from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejection, retryable } from '../policy/given.js';

interface Seen {
  delays: number[];
  asked: [number, number | undefined][];
  debug: string[];
}

/** Returns a policy's waits and calls if every attempt fails with the next of these. */
async function waits(
  backoff: (attempt: number, previousMs: number | undefined) => number,
  retry: RetryOptions = {},
  thrown: unknown[] = [retryable()],
  options: PolicyOptions = {},
): Promise<Seen> {
  const clock = new VirtualClock();
  const asked: Seen['asked'] = [];
  const debug: string[] = [];
  const policy = createPolicy({
    clock,
    breaker: false,
    ...options,
    onDebug: (message) => debug.push(message),
    retry: {
      ...retry,
      backoff: (attempt, previousMs) => {
        asked.push([attempt, previousMs]);
        return backoff(attempt, previousMs);
      },
    },
  });
  const { events } = recordEvents(policy as never);
  const result = policy
    .execute(({ attempt }) => Promise.reject(thrown[Math.min(attempt, thrown.length) - 1]))
    .catch(() => {});
  await clock.advance(1e9);
  await result;
  const delays = events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.delayMs] : []));
  return { delays, asked, debug: debug.filter((message) => message.startsWith('backoff')) };
}

test('it is called with the number of the retry and the delay before', async () => {
  const fibonacci = (_: number, previous = 500): number => previous * 2;
  assert.deepEqual(await waits(fibonacci), {
    delays: [1000, 2000, 4000],
    asked: [
      [1, undefined],
      [2, 1000],
      [3, 2000],
    ],
    debug: [],
  });
});

test('maxDelayMs caps it, and no jitter is added', async () => {
  const { delays } = await waits((attempt) => 6000 * attempt, { jitter: 'full' });
  assert.deepEqual(delays, [6000, 10_000, 10_000]);
  const endless = await waits(() => Number.POSITIVE_INFINITY, { maxDelayMs: 70 });
  assert.deepEqual(endless.delays, [70, 70, 70]);
});

test('zero retries at once, and a fraction is rounded up', async () => {
  assert.deepEqual((await waits(() => 0)).delays, [0, 0, 0]);
  assert.deepEqual((await waits(() => 1.2)).delays, [2, 2, 2]);
});

test('a hint comes before it, and it is not called', async () => {
  const limited = new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 7000 });
  const { delays, asked } = await waits(() => 10, {}, [retryable(), limited, retryable()]);
  assert.deepEqual(delays, [10, 7000, 10]);
  assert.deepEqual(asked, [
    [1, undefined],
    [3, 10],
  ]);
});

test('it is not called where no retry may follow', async () => {
  assert.deepEqual((await waits(() => 10, {}, [fatal()])).asked, []);
  assert.deepEqual((await waits(() => 10, { maxRetries: 0 })).asked, []);
  assert.equal((await waits(() => 10, { maxRetries: 2 })).asked.length, 2);
});

test('a wait that would not end before the deadline is not begun', async () => {
  const { delays } = await waits((n) => 400 * n, {}, [retryable()], { timeout: { totalMs: 1000 } });
  assert.deepEqual(delays, [400]);
});

for (const [what, backoff] of Object.entries<() => unknown>({
  'not a number': () => Number.NaN,
  negative: () => -1,
  'a promise': () => Promise.resolve(5),
  'nothing at all': () => undefined,
  'an error': () => {
    throw new Error('no');
  },
})) {
  test(`the exponential backoff stands in for ${what}, and onDebug is called`, async () => {
    const { delays, debug } = await waits(backoff as () => number, { enableJitter: false });
    assert.deepEqual(delays, [1000, 2000, 4000]);
    assert.equal(debug.length, 3);
  });
}

test('it may end the call that it is called for', async () => {
  const controller = new AbortController();
  const { policy } = onVirtualClock({
    retry: {
      backoff: () => {
        controller.abort();
        return 5;
      },
    },
  });
  const error = await rejection(
    policy.execute(() => Promise.reject(retryable()), { signal: controller.signal }),
  );
  assert.equal(error.code, 'CANCELLED');
});

test("a call's own stands instead of the policy's", async () => {
  const { clock, policy } = onVirtualClock({ retry: { backoff: () => 5000 } });
  let attempts = 0;
  const own = policy.execute(
    () => {
      if (++attempts === 1) throw retryable();
      return clock.now();
    },
    { retry: { backoff: () => 30 } },
  );
  await clock.advance(10_000);
  assert.equal(await own, 30);
  void policy.execute(deaf).catch(() => {});
  policy.dispose();
});

test('calculateExponentialBackoff uses it', () => {
  const backoff = (attempt: number, previousMs = 1): number => attempt * 100 + previousMs;
  assert.equal(calculateExponentialBackoff(0, { backoff }), 0);
  assert.equal(calculateExponentialBackoff(2, { backoff }), 201);
  assert.equal(calculateExponentialBackoff(2, { backoff }, Math.random, 50), 250);
  assert.equal(calculateExponentialBackoff(200, { backoff }), 10_000);
  assert.equal(
    calculateExponentialBackoff(3, { backoff: () => Number.NaN, enableJitter: false }),
    4000,
    'the exponential one stands in for it',
  );
});

test('and so does a RetryHandler', async () => {
  const clock = new VirtualClock();
  const asked: unknown[] = [];
  const handler = new RetryHandler({
    clock,
    backoff: (attempt, previousMs) => {
      asked.push([attempt, previousMs]);
      return attempt * 10;
    },
  });
  assert.equal(handler.getDelay('task'), 10);
  const result = handler.executeWithRetry(() => Promise.reject(retryable()), { taskId: 'task' });
  const ended = rejection(result);
  await clock.advance(1000);
  assert.equal((await ended).attempts, 4);
  assert.deepEqual(asked, [
    [1, undefined],
    [1, undefined],
    [2, 10],
    [3, 20],
  ]);
});

test("a handler's retryOn function decides by type and by code, within its budget", async () => {
  const seen: string[] = [];
  const handler = new RetryHandler({
    budget: { ratio: 0, minPerSecond: 0 },
    retryOn(error) {
      seen.push(error.code);
      return error.code === 'NETWORK_ERROR';
    },
  });
  const allows = (errorType: ErrorType | AgentErrorCode) => handler.shouldRetry({ taskId: 'a', errorType });
  assert.deepEqual([allows('network'), allows('timeout'), allows('RATE_LIMITED')], [true, false, false]);
  assert.deepEqual(seen, ['NETWORK_ERROR', 'TIMEOUT', 'RATE_LIMITED']);
  let calls = 0;
  const error = await rejection(
    handler.executeWithRetry(
      () => {
        calls += 1;
        return Promise.reject(new AgentError('NETWORK_ERROR', 'down'));
      },
      { taskId: 'a' },
    ),
  );
  assert.deepEqual([calls, error.attempts], [1, 1], 'the budget has nothing');
});

test('anything but a function that answers at once is a TypeError', () => {
  for (const backoff of [5, async () => 5]) {
    assert.throws(
      () => createPolicy({ retry: { backoff: backoff as never } }),
      /^TypeError: halfopen: option 'retry.backoff' must be a function that is not async, got/,
    );
  }
});
