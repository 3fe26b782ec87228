// Behaviours of retries, timeouts, bulkheads, rate limits and fallbacks that the suites of other libraries pin, each
// named by its source. If ours differs by design, the test says so, and why.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, calculateExponentialBackoff, createPolicy, type RetryOptions } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import {
  CountingClock,
  countingSignal,
  deaf,
  fatal,
  onVirtualClock,
  rejection,
  rejectsWith,
  retryable,
} from '../policy/given.js';

// ──────────────────────────────────────────────────────────────────── retries

test('Polly, Retry: cancelled before it begins, the operation is not called', async () => {
  const operation = script(1);
  const error = await rejection(createPolicy().execute(operation, { signal: AbortSignal.abort() }));
  assert.deepEqual([error.code, operation.calls, error.attempts], ['CANCELLED', 0, 0]);
});

test('Polly, Retry: cancelled during the operation, it is not called again though it fails', async () => {
  const { clock, policy } = onVirtualClock();
  const controller = new AbortController();
  let calls = 0;
  const error = await rejection(
    policy.execute(
      () => {
        calls++;
        controller.abort();
        throw retryable();
      },
      { signal: controller.signal },
    ),
  );
  await clock.advance(60_000);
  assert.deepEqual([error.code, calls, clock.pending], ['CANCELLED', 1, 0]);
});

test('Polly, Retry: a delay of zero sets no timer', async () => {
  const clock = new CountingClock();
  const { policy } = onVirtualClock({ clock, retry: { baseDelayMs: 0, maxRetries: 3 } });
  const operation = script<string>(retryable(), retryable(), 'fine');
  assert.equal(await policy.execute(operation), 'fine');
  assert.deepEqual([operation.calls, clock.set], [3, 0]);
});

test('Polly, Retry: onRetry is told the error and what comes, once for each retry', async () => {
  const told: unknown[] = [];
  const { clock, policy } = onVirtualClock({
    retry: {
      maxRetries: 2,
      onRetry: (error, next) => void told.push([error.message, next.attempt, next.delayMs]),
    },
  });
  let calls = 0;
  const result = rejection(policy.execute(() => Promise.reject(retryable(`error ${++calls}`))));
  await clock.advance(10_000);
  await result;
  assert.deepEqual(told, [
    ['error 1', 2, 1000],
    ['error 2', 3, 2000],
  ]);
});

test('Polly, Retry: a value that is handled is retried, the last one is judged like the first', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 2, retryOn: ['INVALID_RESPONSE'] } });
  const operation = script('', '', 'text');
  const validate = (value: string): void => {
    if (value === '') throw new Error('empty');
  };
  const result = policy.execute(operation, { validate });
  await clock.advance(10_000);
  assert.equal(await result, 'text');
  const never = rejection(policy.execute(script(''), { validate }));
  await clock.advance(10_000);
  const error = await never;
  assert.deepEqual([error.code, error.attempts, error.errors.length], ['INVALID_RESPONSE', 3, 3]);
});

test('Polly, RetryHelper: exponential delays neither overflow nor leave their bounds at any attempt', () => {
  const options: RetryOptions[] = [
    { enableJitter: false },
    { jitter: 'full' },
    { jitter: 'equal' },
    { jitter: 'decorrelated' },
    { jitter: 0.5 },
    { maxDelayMs: Number.POSITIVE_INFINITY, enableJitter: false },
  ];
  for (const option of options) {
    const cap = option.maxDelayMs ?? 10_000;
    for (const attempt of [1, 2, 10, 63, 64, 65, 1000, 1024, 1025, 1e6, Number.MAX_SAFE_INTEGER, 1e300]) {
      for (const random of [0, 0.5, 1 - 2 ** -53]) {
        const delay = calculateExponentialBackoff(attempt, option, () => random, cap);
        assert.ok(delay >= 0 && delay <= cap, `${JSON.stringify(option)} ${attempt}: ${delay}`);
      }
    }
  }
});

test('Polly, RetryHelper: with jitter delays differ, and are below their bound', () => {
  const delays = Array.from({ length: 100 }, () => calculateExponentialBackoff(4, { jitter: 'full' }));
  assert.ok(new Set(delays).size > 50);
  assert.ok(delays.every((delay) => delay <= 8000));
});

test('Polly, issue 2163: retried without an end only if that was asked for, and it can be stopped', async () => {
  const { clock, policy } = onVirtualClock({
    retry: { maxRetries: Number.POSITIVE_INFINITY, maxDelayMs: 1000, budget: false },
  });
  const controller = new AbortController();
  let calls = 0;
  const result = rejection(
    policy.execute(
      () => {
        if (++calls === 2000) controller.abort();
        throw retryable();
      },
      { signal: controller.signal },
    ),
  );
  await clock.advance(3_000_000);
  assert.deepEqual([(await result).code, calls, clock.pending], ['CANCELLED', 2000, 0]);
});

test('resilience4j, Retry: no result, no retry: undefined is a success', async () => {
  const operation = script<undefined>(undefined);
  assert.equal(await createPolicy().execute(operation), undefined);
  assert.equal(operation.calls, 1);
});

test('resilience4j, Retry: one attempt is one call', async () => {
  const operation = script<string>(retryable());
  const error = await rejection(createPolicy({ retry: { maxRetries: 0 } }).execute(operation));
  assert.deepEqual([operation.calls, error.attempts], [1, 1]);
});

test('resilience4j, Retry: what fails late is retried as what fails at once', async () => {
  const { clock, policy } = onVirtualClock();
  let calls = 0;
  const result = policy.execute(async () => {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 50));
    if (++calls < 3) throw retryable();
    return calls;
  });
  await clock.advance(5000);
  assert.equal(await result, 3);
});

test('resilience4j, Retry: a predicate that throws ends nothing: the classification decides', async () => {
  // There the predicate's exception is the outcome. A bug in a predicate must not take down what it looks after.
  const told: string[] = [];
  const { clock, policy } = onVirtualClock({
    retry: {
      maxRetries: 1,
      retryOn: () => {
        throw new Error('a bug');
      },
    },
    onDebug: (message) => void told.push(message),
  });
  const operation = script<string>(retryable(), 'fine');
  const result = policy.execute(operation);
  await clock.advance(1000);
  assert.equal(await result, 'fine');
  assert.ok(told.some((message) => message.includes('retryOn')));
});

test('resilience4j, Retry: the events of a call that was retried, and of one that was not', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 }, breaker: false });
  const { events } = recordEvents(policy);
  const types = (): string[] => events.map(({ type }) => type).filter((type) => type !== 'policy.configured');
  await policy.execute(() => 1);
  assert.deepEqual(types(), ['call.started', 'attempt.started', 'attempt.succeeded', 'call.succeeded']);
  const before = events.length;
  const result = rejection(policy.execute(script<string>(retryable())));
  await clock.advance(1000);
  await result;
  assert.deepEqual(
    events.slice(before).map(({ type }) => type),
    [
      'call.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.failed',
      'call.failed',
    ],
  );
});

test('cockatiel, RetryPolicy: the operation sees its attempt and a signal that hears of the parent', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
  const controller = new AbortController();
  const seen: [number, boolean][] = [];
  const result = rejection(
    policy.execute(
      ({ attempt, signal }) => {
        if (attempt === 2) controller.abort();
        seen.push([attempt, signal.aborted]);
        throw retryable();
      },
      { signal: controller.signal },
    ),
  );
  await clock.advance(1000);
  await result;
  assert.deepEqual(seen, [
    [1, false],
    [2, true],
  ]);
});

test('cockatiel, backoff issue 86: decorrelated delays stay finite for as long as they are drawn', () => {
  let previous = 0;
  for (let attempt = 1; attempt < 5000; attempt++) {
    previous = calculateExponentialBackoff(attempt, { jitter: 'decorrelated' }, Math.random, previous);
    assert.ok(previous >= 1000 && previous <= 10_000, `${attempt}: ${previous}`);
  }
});

test('p-retry: the error of every attempt is kept, and the last one is thrown', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 2 } });
  let calls = 0;
  const result = rejection(policy.execute(() => Promise.reject(retryable(`error ${++calls}`))));
  await clock.advance(10_000);
  const error = await result;
  assert.equal(error.message, 'error 3');
  assert.deepEqual(
    error.errors.map(({ message }) => message),
    ['error 1', 'error 2', 'error 3'],
  );
});

test('p-retry: a TypeError of a bug is not retried, one of fetch is', async () => {
  const bug = script<string>(new TypeError('x is not a function'));
  await rejection(createPolicy().execute(bug));
  assert.equal(bug.calls, 1);
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
  const network = script<string>(new TypeError('fetch failed'), 'fine');
  const result = policy.execute(network);
  await clock.advance(1000);
  assert.equal(await result, 'fine');
});

// ─────────────────────────────────────────────────────────────────── timeouts

test('Polly, Timeout: of zero or less is refused, Infinity is none', async () => {
  for (const attemptMs of [0, -1, Number.NaN]) {
    assert.throws(() => createPolicy({ timeout: { attemptMs } }), TypeError);
    assert.throws(() => createPolicy().execute(() => 1, { timeout: { totalMs: attemptMs } }), TypeError);
  }
  const clock = new CountingClock();
  const { policy } = onVirtualClock({ clock, timeout: { attemptMs: Infinity, totalMs: Infinity } });
  assert.equal(await policy.execute(async () => 1), 1);
  assert.equal(clock.set, 0);
});

test('Polly, Timeout: whoever cancels has cancelled, though the timeout would have come', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 100 }, retry: false });
  const controller = new AbortController();
  const why = new Error('enough');
  const seen: unknown[] = [];
  const result = rejection(
    policy.execute(
      ({ signal }) => {
        signal.addEventListener('abort', () => seen.push(signal.reason));
        return deaf();
      },
      { signal: controller.signal },
    ),
  );
  await clock.advance(99);
  controller.abort(why);
  await clock.advance(1);
  assert.deepEqual([(await result).code, seen], ['CANCELLED', [why]]);
});

test('Polly, Timeout: an operation that heeds its signal ends with TIMEOUT, not with its own AbortError', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 100 }, retry: false });
  const result = rejection(
    policy.execute(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ),
  );
  await clock.advance(100);
  const error = await result;
  assert.deepEqual([error.code, error.errors.length], ['TIMEOUT', 1]);
});

test("Polly, Timeout: an operation's own AbortError without anybody's abort is a failure of its own", async () => {
  const { policy } = onVirtualClock({ retry: false });
  const error = await rejection(
    policy.execute(() => {
      throw new DOMException('This operation was aborted', 'AbortError');
    }),
  );
  assert.equal(error.code, 'CANCELLED');
  assert.equal(policy.breaker?.snapshot().consecutiveFailures, 0);
});

test('cockatiel, TimeoutPolicy: in time it leaves no timer and no listener (#81)', async () => {
  const clock = new VirtualClock();
  const { policy } = onVirtualClock({ clock, timeout: { attemptMs: 100, totalMs: 500 } });
  const { signal, listeners } = countingSignal();
  for (let call = 0; call < 50; call++) await policy.execute(async () => call, { signal });
  assert.deepEqual([clock.pending, listeners()], [0, 0]);
});

test('cockatiel, TimeoutPolicy: it has its own timeout inside of a parent that may take longer', async () => {
  const clock = new VirtualClock();
  const inner = createPolicy({ clock, retry: false, timeout: { attemptMs: 10 } });
  const outer = createPolicy({ clock, retry: false, timeout: { attemptMs: 1000 } });
  const result = rejection(outer.execute(({ signal }) => inner.execute(deaf, { signal })));
  await clock.advance(10);
  assert.equal((await result).code, 'TIMEOUT');
  assert.equal(clock.pending, 0);
});

test('a parent that times out cancels what runs inside of it, and that is no failure of the inner one', async () => {
  const clock = new VirtualClock();
  const inner = createPolicy({ clock, retry: false, breaker: { failureThreshold: 1 } });
  const outer = createPolicy({ clock, retry: false, timeout: { attemptMs: 10 } });
  const result = rejection(outer.execute(({ signal }) => inner.execute(deaf, { signal })));
  await clock.advance(10);
  assert.equal((await result).code, 'TIMEOUT');
  await clock.advance(0);
  assert.deepEqual([inner.breaker?.state, clock.pending], ['closed', 0]);
});

test('opossum: a function that answers after its timeout changes nothing any more', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    timeout: { attemptMs: 10 },
    breaker: { failureThreshold: 2 },
  });
  const late = rejection(
    policy.execute(() => new Promise((resolve) => clock.setTimeout(() => resolve('late'), 50))),
  );
  await clock.advance(100);
  assert.equal((await late).code, 'TIMEOUT');
  assert.equal(policy.breaker?.snapshot().consecutiveFailures, 1);
});

// ─────────────────────────────────────────────────────── bulkheads, rate limits

test('cockatiel, BulkheadPolicy: when one in the queue is aborted the next one is taken', async () => {
  const { policy } = onVirtualClock({ retry: false, bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
  let release!: (value: string) => void;
  const first = policy.execute(() => new Promise<string>((resolve) => (release = resolve)));
  const controller = new AbortController();
  const second = script('second');
  const aborted = rejection(policy.execute(second, { signal: controller.signal }));
  const third = policy.execute(() => 'third');
  controller.abort();
  assert.equal((await aborted).code, 'CANCELLED');
  release('first');
  assert.deepEqual([await first, await third, second.calls], ['first', 'third', 0]);
});

test('cockatiel, BulkheadPolicy: an operation that fails gives its place back like any other', async () => {
  const { policy } = onVirtualClock({ retry: false, bulkhead: { maxConcurrent: 1 } });
  for (let call = 0; call < 3; call++) {
    await rejection(policy.execute(() => Promise.reject(fatal())));
    await rejection(
      policy.execute(() => {
        throw fatal();
      }),
    );
  }
  assert.equal(await policy.execute(() => 1), 1);
});

test('resilience4j, SemaphoreBulkhead: more places let those go who wait; fewer take none away', async () => {
  const { clock, policy } = onVirtualClock({ retry: false, bulkhead: { maxConcurrent: 2, maxQueued: 9 } });
  let running = 0;
  let most = 0;
  const operation = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
    running--;
  };
  const calls = Array.from({ length: 8 }, () => policy.execute(operation));
  assert.equal(running, 2);
  policy.update({ bulkhead: { maxConcurrent: 4, maxQueued: 9 } });
  assert.equal(running, 4);
  policy.update({ bulkhead: { maxConcurrent: 1, maxQueued: 9 } });
  assert.equal(running, 4);
  await clock.advance(100);
  assert.equal(running, 1);
  await clock.advance(1000);
  await Promise.all(calls);
  assert.deepEqual([running, most], [0, 4]);
});

test('resilience4j, SemaphoreBulkhead: no places at all is refused as an option', () => {
  for (const maxConcurrent of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => createPolicy({ bulkhead: { maxConcurrent } }), TypeError, String(maxConcurrent));
  }
});

test('resilience4j, RateLimiter: a reservation is a period ahead for each round, and no more than one may wait', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: false,
    rateLimit: { limit: 2, windowMs: 1000, maxWaitMs: 2000 },
  });
  const began: number[] = [];
  const calls = Array.from({ length: 9 }, () =>
    policy.execute(() => void began.push(clock.now())).catch((error: AgentError) => error),
  );
  await clock.advance(5000);
  const refused = (await Promise.all(calls)).filter((result) => AgentError.is(result));
  assert.deepEqual(began, [0, 0, 1000, 1000, 2000, 2000]);
  assert.deepEqual(
    refused.map(({ code, retryAfterMs }) => [code, retryAfterMs]),
    Array(3).fill(['CAPACITY_EXCEEDED', 3000]),
  );
});

test('resilience4j, RateLimiter: who is interrupted while waiting uses no permission', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 1000 },
  });
  await policy.execute(() => 1);
  const controller = new AbortController();
  const waiting = rejection(policy.execute(() => 2, { signal: controller.signal }));
  controller.abort();
  await waiting;
  const next = policy.execute(() => clock.now());
  await clock.advance(1000);
  assert.deepEqual([await next, clock.pending], [1000, 0]);
});

test('resilience4j, RateLimiter: a changed limit holds between periods', async () => {
  const { clock, policy } = onVirtualClock({ retry: false, rateLimit: { limit: 1, windowMs: 1000 } });
  await policy.execute(() => 1);
  await rejectsWith(
    policy.execute(() => 2),
    'CAPACITY_EXCEEDED',
  );
  policy.update({ rateLimit: { limit: 3, windowMs: 1000 } });
  await Promise.all([policy.execute(() => 2), policy.execute(() => 3)]);
  await rejectsWith(
    policy.execute(() => 4),
    'CAPACITY_EXCEEDED',
  );
  policy.update({ rateLimit: { limit: 1, windowMs: 1000 } });
  await clock.advance(999);
  await rejectsWith(
    policy.execute(() => 5),
    'CAPACITY_EXCEEDED',
  );
  await clock.advance(1);
  assert.equal(await policy.execute(() => 6), 6);
});

test('Polly, RateLimiter: a refusal says when to come again and is no failure of the dependency', async () => {
  const { policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1 },
    rateLimit: { limit: 1, windowMs: 700 },
  });
  await policy.execute(() => 1);
  const error = await rejection(policy.execute(() => 2));
  assert.deepEqual(
    [error.code, error.retryAfterMs, policy.breaker?.state],
    ['CAPACITY_EXCEEDED', 700, 'closed'],
  );
});

test('opossum, semaphore: a place that a timed-out call held is free again', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    timeout: { attemptMs: 20 },
    bulkhead: { maxConcurrent: 1 },
  });
  const first = rejection(policy.execute(deaf));
  await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  await clock.advance(20);
  await first;
  assert.equal(await policy.execute(() => 2), 2);
});

// ────────────────────────────────────────────────────────────────── fallbacks

test('Polly, Fallback: it is not asked for a success, and asked once for what failed for good', async () => {
  let asked = 0;
  const { clock, policy } = onVirtualClock<string>({
    fallback: () => {
      asked++;
      return 'instead';
    },
  });
  assert.equal(await policy.execute(() => 'own'), 'own');
  const result = policy.execute(script<string>(retryable()));
  await clock.advance(60_000);
  assert.deepEqual([await result, asked], ['instead', 1]);
});

test('opossum: the fallback answers when the circuit is open, and the function is not called', async () => {
  const { policy } = onVirtualClock<string>({
    retry: false,
    breaker: { failureThreshold: 1 },
    fallback: (error) => `instead of ${error.code}`,
  });
  const operation = script<string>(retryable());
  assert.equal(await policy.execute(operation), 'instead of SERVER_ERROR');
  assert.equal(await policy.execute(operation), 'instead of CIRCUIT_OPEN');
  assert.equal(operation.calls, 1);
});

test('opossum: a fallback that is a guarded call itself, and one that fails', async () => {
  const { policy: second } = onVirtualClock({ retry: false, breaker: { failureThreshold: 1 } });
  const { policy: first } = onVirtualClock({
    retry: false,
    fallback: () => second.execute(() => Promise.reject(retryable('second'))),
  });
  const failing = (): never => {
    throw fatal('first');
  };
  for (const expected of ['SERVER_ERROR', 'CIRCUIT_OPEN']) {
    const error = await rejection(first.execute(failing));
    assert.deepEqual([error.code, (error.cause as Error).message], [expected, 'first']);
  }
});

test('opossum: a failure is told though a fallback answers, and the answer says that it is one', async () => {
  const told: string[] = [];
  const policy = createPolicy({
    retry: false,
    fallback: () => 'instead',
    onError: (_span, response) => void told.push(response.error),
  });
  const response = await policy.respond(() => Promise.reject(fatal()));
  assert.ok(response.success);
  assert.deepEqual([response.degraded, told], ['AUTHENTICATION_ERROR', ['AUTHENTICATION_ERROR']]);
});

test('opossum: without a function there is nothing to guard', () => {
  for (const wrong of [undefined, null, 'x', {}]) {
    assert.throws(() => createPolicy().execute(wrong as never), TypeError);
    assert.throws(() => createPolicy().wrap(wrong as never), TypeError);
    assert.throws(() => createPolicy().stream(wrong as never), TypeError);
  }
});
