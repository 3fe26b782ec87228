// Behaviours that well-known suites pin, each named by where it comes from. The behaviours, not the code.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, CircuitBreaker, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

const fails = script<never>(retryable());

test('cockatiel, RetryPolicy: does not retry what the handler does not take', async () => {
  const operation = script(fatal());
  await rejection(createPolicy().execute(operation));
  assert.equal(operation.calls, 1);
});

test('cockatiel, RetryPolicy: gives up after maxAttempts retries and throws the last error', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 5, baseDelayMs: 1 } });
  const operation = script<string>(retryable());
  const result = rejectsWith(policy.execute(operation), 'SERVER_ERROR');
  await clock.advance(1000);
  await result;
  assert.equal(operation.calls, 6);
});

test('cockatiel, RetryPolicy: stops retries when the signal is cancelled', async () => {
  const controller = new AbortController();
  const { clock, policy } = onVirtualClock({ retry: { baseDelayMs: 1, maxRetries: 5 } });
  let calls = 0;
  const result = rejection(
    policy.execute(
      () => {
        if (++calls === 2) controller.abort();
        throw retryable();
      },
      { signal: controller.signal },
    ),
  );
  await clock.advance(1000);
  assert.equal((await result).code, 'CANCELLED');
  assert.equal(calls, 2);
});

test('cockatiel, CircuitBreakerPolicy: does not open if the breaker saw a success in between', async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 2 } });
  await rejection(policy.execute(fails));
  await policy.execute(() => 1);
  await rejection(policy.execute(fails));
  assert.equal(policy.breaker?.state, 'closed');
});

test('cockatiel, CircuitBreakerPolicy: re-opens if the probe fails, closes if it succeeds', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 1000 },
  });
  await rejection(policy.execute(fails));
  await clock.advance(1000);
  await rejectsWith(policy.execute(fails), 'SERVER_ERROR');
  await rejectsWith(policy.execute(fails), 'CIRCUIT_OPEN');
  await clock.advance(1000);
  assert.equal(await policy.execute(() => 42), 42);
  assert.equal(policy.breaker?.state, 'closed');
});

test('cockatiel, CircuitBreakerPolicy: dedupes half-open tests', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, halfOpenMaxCalls: 1 },
  });
  await rejection(policy.execute(fails));
  await clock.advance(60_000);
  let end: ((value: number) => void) | undefined;
  const probe = policy.execute(() => new Promise<number>((resolve) => (end = resolve)));
  await rejectsWith(policy.execute(fails), 'CIRCUIT_OPEN');
  end?.(1);
  assert.equal(await probe, 1);
});

test('cockatiel, CircuitBreakerPolicy: handles isolation correctly, with several handles', async () => {
  const { policy } = onVirtualClock();
  const { breaker } = policy;
  assert.ok(breaker);
  const [one, two] = [breaker.isolate(), breaker.isolate()];
  one.dispose();
  one.dispose();
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  two.dispose();
  assert.equal(await policy.execute(() => 1), 1);
});

test('cockatiel, TimeoutPolicy: properly cleans up if the operation ends first', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 1000 } });
  let signal: AbortSignal | undefined;
  await policy.execute((context) => {
    signal = context.signal;
  });
  await clock.advance(5000);
  assert.equal(signal?.aborted, false);
  assert.equal(clock.pending, 0);
});

test('cockatiel, TimeoutPolicy: links the parent signal', async () => {
  const parent = new AbortController();
  const { policy } = onVirtualClock({ timeout: { attemptMs: 1000 } });
  let aborted = false;
  const result = rejection(
    policy.execute(
      ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return deaf();
      },
      { signal: parent.signal },
    ),
  );
  parent.abort();
  assert.equal((await result).code, 'CANCELLED');
  assert.equal(aborted, true);
});

test('cockatiel, BulkheadPolicy: hits the capacity bound, and queued calls run in order', async () => {
  const { policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
  const order: number[] = [];
  const run = (n: number) => async () => {
    order.push(n);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const all = [policy.execute(run(1)), policy.execute(run(2)), policy.execute(run(3))];
  await rejectsWith(policy.execute(run(4)), 'CAPACITY_EXCEEDED');
  await Promise.all(all);
  assert.deepEqual(order, [1, 2, 3]);
});

test('cockatiel, FallbackPolicy: does not fall back when the call succeeds', async () => {
  let asked = 0;
  const policy = createPolicy({ fallback: () => ++asked });
  assert.equal(await policy.execute(() => 'value'), 'value');
  assert.equal(asked, 0);
});

test('opossum: passes parameters and this to the guarded function', async () => {
  const policy = createPolicy();
  const add = policy.wrap(function (this: { base: number }, a: number, b: number) {
    return this.base + a + b;
  });
  assert.equal(await add.call({ base: 100 }, 20, 3), 123);
});

test('opossum: fails fast when open, without calling the function', async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 1 } });
  const operation = script<string>(retryable(), 'x');
  await rejection(policy.execute(operation));
  for (let i = 0; i < 10; i++) await rejectsWith(policy.execute(operation), 'CIRCUIT_OPEN');
  assert.equal(operation.calls, 1);
});

test('opossum: a function that times out counts as a failure and executes the fallback', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1 },
    timeout: { attemptMs: 50 },
    fallback: (error: AgentError) => error.code,
  });
  const result = policy.execute<string>(deaf);
  await clock.advance(50);
  assert.equal(await result, 'TIMEOUT');
  assert.equal(policy.breaker?.state, 'open');
});

test('opossum: errorFilter lets a failure pass without counting it', async () => {
  const { policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, countsAsFailure: ({ message }) => message !== 'expected' },
  });
  await rejection(policy.execute(script(retryable('expected'))));
  assert.equal(policy.breaker?.state, 'closed');
  await rejection(policy.execute(script(retryable('other'))));
  assert.equal(policy.breaker?.state, 'open');
});

test('opossum: the state of a breaker can be exported and imported', () => {
  const clock = new VirtualClock();
  const one = new CircuitBreaker({ clock, failureThreshold: 1 });
  one.recordFailure();
  const other = new CircuitBreaker({ clock });
  other.restore(JSON.parse(JSON.stringify(one.snapshot())));
  assert.equal(other.state, 'open');
});

test('Polly, CircuitBreakerStateController: a failure that arrives while open does not prolong the break', async () => {
  const clock = new VirtualClock();
  const breaker = new CircuitBreaker({ clock, failureThreshold: 1, resetTimeoutMs: 1000 });
  const late = breaker.acquire();
  breaker.recordFailure();
  await clock.advance(900);
  late?.failure();
  assert.equal(breaker.retryAfterMs, 100);
});

test('Polly, CircuitBreaker: below the minimum throughput nothing trips', () => {
  const breaker = new CircuitBreaker({
    clock: new VirtualClock(),
    window: { kind: 'time', durationMs: 10_000, failureRate: 0.5, minimumCalls: 10 },
  });
  for (let i = 0; i < 9; i++) breaker.recordFailure();
  assert.equal(breaker.state, 'closed');
  breaker.recordFailure();
  assert.equal(breaker.state, 'open');
});

test('Polly, Retry: a delay that the server asks for overrides the generated one', async () => {
  const { clock, policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const result = policy.execute(
    script<string>(new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 123 }), 'fine'),
  );
  await clock.advance(123);
  assert.equal(await result, 'fine');
  const scheduled = events.find((event) => event.type === 'retry.scheduled');
  assert.ok(scheduled?.type === 'retry.scheduled' && scheduled.delaySource === 'retry-after');
});

test('Polly, Timeout inside Retry: each attempt has its own timeout', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 100 }, retry: { baseDelayMs: 10 } });
  const operation = script<string>(deaf, deaf, 'third');
  const result = policy.execute(operation);
  await clock.advance(1000);
  assert.equal(await result, 'third');
});

test('resilience4j, CircuitBreaker: a ring smaller than the minimum of calls decides when it is full', () => {
  const breaker = new CircuitBreaker({
    clock: new VirtualClock(),
    window: { kind: 'count', size: 2, failureRate: 0.5, minimumCalls: 100 },
  });
  breaker.recordSuccess();
  breaker.recordFailure();
  assert.equal(breaker.state, 'open');
});

test('resilience4j, CircuitBreaker: slow calls that succeed open it', () => {
  const breaker = new CircuitBreaker({
    clock: new VirtualClock(),
    window: { kind: 'count', size: 4, failureRate: 1 },
    slowCall: { durationMs: 1000, rate: 0.5 },
  });
  for (const durationMs of [10, 10, 1000, 2000]) breaker.recordSuccess(durationMs);
  assert.equal(breaker.state, 'open');
});

test('resilience4j, CircuitBreaker: releasePermission in half-open gives the place to another', async () => {
  const clock = new VirtualClock();
  const breaker = new CircuitBreaker({ clock, failureThreshold: 1 });
  breaker.recordFailure();
  await clock.advance(60_000);
  const permit = breaker.acquire();
  assert.equal(breaker.acquire(), undefined);
  permit?.release();
  assert.ok(breaker.acquire());
});

test('resilience4j, CircuitBreaker: disabled, it permits everything and records nothing', () => {
  const breaker = new CircuitBreaker({ clock: new VirtualClock(), failureThreshold: 1 });
  breaker.disable();
  breaker.recordFailure();
  assert.ok(breaker.acquire());
  assert.equal(breaker.state, 'disabled');
});

test('resilience4j, RateLimiter: permissions come back with the next period', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 2, windowMs: 1000 } });
  await policy.execute(() => 1);
  await policy.execute(() => 1);
  await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  await clock.advance(1000);
  assert.equal(await policy.execute(() => 2), 2);
});

test('p-retry: the attempt number begins with one', async () => {
  const { clock, policy } = onVirtualClock();
  const attempts: number[] = [];
  const result = rejection(
    policy.execute(({ attempt }) => {
      attempts.push(attempt);
      throw retryable();
    }),
  );
  await clock.advance(10_000);
  await result;
  assert.deepEqual(attempts, [1, 2, 3, 4]);
});

test('p-retry: an error in onFailedAttempt ends the retries and is the error', async () => {
  const { policy } = onVirtualClock({
    retry: {
      onRetry: () => {
        throw new AgentError('CONFIG_ERROR', 'stop here');
      },
    },
  });
  const error = await rejectsWith(policy.execute(script<string>(retryable())), 'CONFIG_ERROR');
  assert.equal(error.attempts, 1);
});

test('p-retry: an aborted signal rejects without a call', async () => {
  const operation = script('x');
  const why = new Error('beforehand');
  const error = await rejectsWith(
    createPolicy().execute(operation, { signal: AbortSignal.abort(why) }),
    'CANCELLED',
  );
  assert.equal(error.cause, why);
  assert.equal(operation.calls, 0);
});
