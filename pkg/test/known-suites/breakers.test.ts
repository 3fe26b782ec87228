// Behaviours of circuit breakers that the suites of other libraries pin, each named by its source. If ours differs by
// design, the test says so, and why.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AgentError, type BreakerOptions, CircuitBreaker, createPolicy, type Policy } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { deaf, fatal, rejection, rejectsWith, retryable } from '../policy/given.js';

function given(options: BreakerOptions = {}): {
  clock: VirtualClock;
  breaker: CircuitBreaker;
  policy: Policy;
  changes: string[];
} {
  const clock = new VirtualClock();
  const breaker = new CircuitBreaker({ clock, resetTimeoutMs: 1000, ...options });
  const changes: string[] = [];
  breaker.onStateChange(({ from, to }) => changes.push(`${from} ${to}`));
  return { clock, breaker, policy: createPolicy({ clock, breaker, retry: false }), changes };
}

const fail = (policy: Policy, error: unknown = retryable()): Promise<AgentError> =>
  rejection(
    policy.execute(() => {
      throw error;
    }),
  );
const held = (policy: Policy): { result: Promise<unknown>; done(value?: unknown): void; failed(): void } => {
  let done!: (value: unknown) => void;
  let failed!: () => void;
  const result = policy.execute(
    () =>
      new Promise((resolve, reject) => {
        done = resolve;
        failed = () => reject(retryable());
      }),
  );
  return { result, done, failed };
};

test('gobreaker, TestCustomCircuitBreaker: three probes must succeed, and a fourth at once is refused', async () => {
  const { clock, breaker, policy, changes } = given({
    failureThreshold: 1,
    halfOpenMaxCalls: 3,
    successThreshold: 3,
  });
  await fail(policy);
  await clock.advance(1000);
  const probes = [held(policy), held(policy), held(policy)];
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  for (const probe of probes.slice(0, 2)) probe.done();
  await Promise.all(probes.slice(0, 2).map(({ result }) => result));
  assert.equal(breaker.state, 'half_open');
  probes[2]?.done();
  await probes[2]?.result;
  assert.deepEqual(changes, ['closed open', 'open half_open', 'half_open closed']);
});

test('gobreaker, TestCustomCircuitBreaker: one failure among the probes opens it at once', async () => {
  const { clock, breaker, policy } = given({ failureThreshold: 1, halfOpenMaxCalls: 3, successThreshold: 3 });
  await fail(policy);
  await clock.advance(1000);
  const [a, b, c] = [held(policy), held(policy), held(policy)];
  a.done();
  await a.result;
  b.failed();
  await rejection(b.result);
  assert.equal(breaker.state, 'open');
  c.done();
  await c.result;
  assert.equal(breaker.state, 'open');
});

test('gobreaker, TestDefaultCircuitBreaker: a failed probe waits for the whole timeout from its own failure', async () => {
  const { clock, breaker, policy } = given({ failureThreshold: 1 });
  await fail(policy);
  await clock.advance(1000);
  const probe = held(policy);
  await clock.advance(700);
  probe.failed();
  await rejection(probe.result);
  assert.equal(breaker.retryAfterMs, 1000);
  await clock.advance(999);
  assert.equal(breaker.state, 'open');
});

test('gobreaker, TestPanicInRequest: what is thrown synchronously counts', async () => {
  const { breaker, policy } = given({ failureThreshold: 1, countsAsFailure: () => true });
  await fail(policy, new RangeError('a bug'));
  assert.equal(breaker.state, 'open');
});

test('gobreaker, TestIsExcluded: what is excluded neither counts nor ends a row of failures', async () => {
  const { breaker, policy } = given({ failureThreshold: 3 });
  await fail(policy);
  await fail(policy);
  await fail(policy, fatal());
  assert.equal(breaker.snapshot().consecutiveFailures, 2);
  await fail(policy);
  assert.equal(breaker.state, 'open');
});

test('gobreaker, TestTwoStepCircuitBreaker: nothing is handed out while open, and done counts once', () => {
  const { breaker } = given({ failureThreshold: 2 });
  const permit = breaker.acquire();
  permit?.failure();
  permit?.failure();
  assert.equal(breaker.state, 'closed');
  breaker.acquire()?.failure();
  assert.equal(breaker.acquire(), undefined);
  assert.equal(breaker.canExecute(), false);
});

test('gobreaker, TestCircuitBreakerInParallel: ten thousand results at once are counted exactly', async () => {
  const { breaker, policy } = given({ window: { kind: 'count', size: 20_000, failureRate: 1 } });
  const results = Array.from({ length: 10_000 }, (_, index) =>
    policy.execute(async () => {
      await null;
      if (index % 4 === 0) throw retryable();
    }),
  );
  await Promise.allSettled(results);
  const { window = [] } = breaker.snapshot();
  assert.deepEqual([window.length, window.filter((bits) => bits === 1).length], [10_000, 2500]);
});

test('resilience4j, StateMachine: exactly as many calls as permitted in half-open', async () => {
  const { clock, breaker } = given({ failureThreshold: 1, halfOpenMaxCalls: 4, successThreshold: 4 });
  breaker.recordFailure();
  await clock.advance(1000);
  const permits = Array.from({ length: 6 }, () => breaker.acquire());
  assert.deepEqual(
    permits.map((permit) => permit !== undefined),
    [true, true, true, true, false, false],
  );
});

test('resilience4j, StateMachine: an ignored error gives the place in half-open back, and closes nothing', async () => {
  // opossum ("a filtered error should close the circuit") and Polly ("unhandled: OnActionSuccess") take it for a
  // success. A wrong key says nothing about whether the provider is well again: ours stays half-open.
  const { clock, breaker, policy } = given({ failureThreshold: 1 });
  await fail(policy);
  await clock.advance(1000);
  await fail(policy, fatal());
  assert.equal(breaker.state, 'half_open');
  assert.equal(await policy.execute(() => 'well'), 'well');
  assert.equal(breaker.state, 'closed');
});

test('resilience4j, StateMachine: a change to its own state is told to nobody', () => {
  const { breaker, changes } = given();
  breaker.reset();
  breaker.disable();
  breaker.disable();
  breaker.reset();
  breaker.reset();
  assert.deepEqual(changes, ['closed disabled', 'disabled closed']);
});

test('resilience4j, StateMachine: reset clears what was counted', async () => {
  const { breaker } = given({ window: { kind: 'count', size: 4, failureRate: 0.5, minimumCalls: 2 } });
  breaker.recordFailure();
  breaker.reset();
  breaker.recordSuccess();
  breaker.recordSuccess();
  breaker.recordFailure();
  assert.deepEqual([breaker.state, breaker.snapshot().window], ['closed', [0, 0, 1]]);
});

test('resilience4j, StateMachine: with a clock of its own, slow calls alone open it, at the threshold exactly', async () => {
  const { clock, breaker, policy } = given({
    window: { kind: 'count', size: 4, failureRate: 1 },
    slowCall: { durationMs: 100, rate: 0.5 },
  });
  for (const took of [100, 99, 100]) {
    const call = held(policy);
    await clock.advance(took);
    call.done();
    await call.result;
    assert.equal(breaker.state, 'closed');
  }
  await policy.execute(() => 1);
  assert.equal(breaker.state, 'open');
});

test('resilience4j, StateMachine: the wait grows by its interval function, and begins anew once closed', async () => {
  const { clock, breaker } = given({ failureThreshold: 1, resetBackoffFactor: 3, maxResetTimeoutMs: 5000 });
  breaker.recordFailure();
  const waits: unknown[] = [breaker.retryAfterMs];
  for (let probe = 0; probe < 3; probe++) {
    await clock.advance(breaker.retryAfterMs ?? 0);
    breaker.acquire()?.failure();
    waits.push(breaker.retryAfterMs);
  }
  await clock.advance(5000);
  breaker.acquire()?.success();
  breaker.recordFailure();
  waits.push(breaker.retryAfterMs);
  assert.deepEqual(waits, [1000, 3000, 5000, 5000, 1000]);
});

test('resilience4j, StateMachine: results that come while open change neither state nor wait', async () => {
  const { clock, breaker, changes } = given({ failureThreshold: 1 });
  const late = [breaker.acquire(), breaker.acquire()];
  breaker.recordFailure();
  await clock.advance(400);
  late[0]?.success();
  late[1]?.failure();
  breaker.recordSuccess();
  breaker.recordFailure();
  assert.deepEqual([breaker.state, breaker.retryAfterMs, changes], ['open', 600, ['closed open']]);
});

test('resilience4j, Config: zeros, shares beyond 1 and windows without an end are refused', () => {
  const window = { kind: 'count', size: 10, failureRate: 0.5 } as const;
  const wrong: BreakerOptions[] = [
    { failureThreshold: 0 },
    { successThreshold: 0 },
    { halfOpenMaxCalls: 0 },
    { resetBackoffFactor: 0.5 },
    { window: { ...window, size: 0 } },
    { window: { ...window, minimumCalls: 0 } },
    { window: { ...window, failureRate: 0 } },
    { window: { ...window, failureRate: 1.01 } },
    { window: { kind: 'time', durationMs: 0, failureRate: 0.5 } },
    { window, slowCall: { durationMs: 100, rate: 0 } },
    { window, slowCall: { durationMs: 100, rate: 1.5 } },
    { window, slowCall: { durationMs: -1, rate: 0.5 } },
  ];
  for (const options of wrong)
    assert.throws(() => new CircuitBreaker(options), TypeError, JSON.stringify(options));
});

test('resilience4j, Config: a time window may ask for more calls than a count window could hold', async () => {
  const { breaker } = given({
    window: { kind: 'time', durationMs: 60_000, failureRate: 0.5, minimumCalls: 3000 },
  });
  for (let call = 0; call < 2999; call++) breaker.recordFailure();
  assert.equal(breaker.state, 'closed');
  breaker.recordSuccess();
  assert.equal(breaker.state, 'open');
});

test('resilience4j, CallNotPermittedException: the refusal names the breaker and says when to come again', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({
    clock,
    name: 'backend',
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 60_000 },
  });
  await fail(policy);
  await clock.advance(20_000);
  const error = await fail(policy);
  assert.match(error.message, /'backend'/);
  assert.deepEqual([error.code, error.retryAfterMs, error.attempts], ['CIRCUIT_OPEN', 40_000, 0]);
});

test('resilience4j, SlidingTimeWindowMetrics: what has left the window does not count, bucket by bucket', async () => {
  const { clock, breaker } = given({
    window: { kind: 'time', durationMs: 5000, failureRate: 1, minimumCalls: 5 },
  });
  for (let second = 0; second < 12; second++) {
    breaker.recordFailure();
    if (breaker.state === 'open') break;
    await clock.advance(1250);
  }
  assert.equal(breaker.state, 'closed', 'at most four fit into any five seconds');
  for (let more = 0; more < 2; more++) breaker.recordFailure();
  assert.equal(breaker.state, 'open');
});

test('Polly, CircuitStateController: isolated, it takes neither successes nor time for an end', async () => {
  const { clock, breaker, policy } = given({ failureThreshold: 1 });
  const lift = breaker.isolate();
  breaker.recordSuccess();
  await clock.advance(3_600_000);
  const error = await fail(policy);
  assert.deepEqual(
    [error.code, error.retryAfterMs, breaker.retryAfterMs],
    ['CIRCUIT_OPEN', undefined, undefined],
  );
  lift.dispose();
  assert.equal(await policy.execute(() => 1), 1);
});

test('Polly, CircuitStateController: isolated in the middle of a break, the break goes on behind it', async () => {
  const { clock, breaker } = given({ failureThreshold: 1 });
  breaker.recordFailure();
  await clock.advance(300);
  const lift = breaker.isolate();
  await clock.advance(300);
  lift.dispose();
  assert.deepEqual([breaker.state, breaker.retryAfterMs], ['open', 400]);
});

test('Polly, CircuitStateController: a break duration that overflows is the longest there is', async () => {
  const { clock, breaker } = given({
    failureThreshold: 1,
    resetBackoffFactor: 1e12,
    maxResetTimeoutMs: Number.MAX_SAFE_INTEGER,
  });
  breaker.recordFailure();
  for (let probe = 0; probe < 3; probe++) {
    await clock.advance(breaker.retryAfterMs ?? 0);
    breaker.acquire()?.failure();
    const wait = breaker.retryAfterMs ?? Number.NaN;
    assert.ok(wait > 0 && wait <= Number.MAX_SAFE_INTEGER, String(wait));
    if (wait > 1e15) break;
  }
});

test('Polly, CircuitStateController: half-open, the second caller is refused while the first is on its way', async () => {
  const { clock, policy } = given({ failureThreshold: 1, probeTimeoutMs: 5000 });
  await fail(policy);
  await clock.advance(1000);
  const probe = held(policy);
  await clock.advance(100);
  const error = await fail(policy);
  assert.deepEqual([error.code, error.retryAfterMs], ['CIRCUIT_OPEN', 4900]);
  probe.done();
  await probe.result;
});

test('Polly, ManualControl: one control over two circuits, closed again by hand', () => {
  const { breaker } = given({ failureThreshold: 1 });
  const a = createPolicy({ breaker });
  const b = createPolicy({ breaker });
  const lift = a.breaker?.isolate();
  assert.equal(b.breaker?.state, 'isolated');
  b.breaker?.reset();
  assert.equal(a.breaker?.state, 'isolated');
  lift?.dispose();
  assert.equal(b.breaker?.state, 'closed');
});

test('Polly, RollingHealthMetrics: a reset after half-open begins with an empty window', async () => {
  const { clock, breaker } = given({
    window: { kind: 'time', durationMs: 60_000, failureRate: 0.5, minimumCalls: 2 },
  });
  breaker.recordFailure();
  breaker.recordFailure();
  await clock.advance(1000);
  breaker.acquire()?.success();
  breaker.recordFailure();
  assert.equal(breaker.state, 'closed');
});

test('cockatiel, CircuitBreakerPolicy: the backoff of the half-open delay begins anew when it closes', async () => {
  const { clock, breaker } = given({ failureThreshold: 1, resetBackoffFactor: 2 });
  breaker.recordFailure();
  await clock.advance(1000);
  breaker.acquire()?.failure();
  await clock.advance(2000);
  breaker.acquire()?.success();
  breaker.recordFailure();
  assert.equal(breaker.retryAfterMs, 1000);
});

test('cockatiel, CircuitBreakerPolicy: a half-open state that is restored lets a probe through at once', async () => {
  const { clock, breaker } = given({ failureThreshold: 1 });
  breaker.recordFailure();
  await clock.advance(1000);
  breaker.acquire();
  const other = given();
  other.breaker.restore(breaker.snapshot());
  assert.equal(other.breaker.state, 'half_open');
  other.breaker.acquire()?.success();
  assert.equal(other.breaker.state, 'closed');
});

test('cockatiel, CircuitBreakerPolicy: an abort during the probe leaves it half-open for the next', async () => {
  const { clock, breaker, policy } = given({ failureThreshold: 1 });
  await fail(policy);
  await clock.advance(1000);
  const controller = new AbortController();
  const probe = rejection(policy.execute(deaf, { signal: controller.signal }));
  controller.abort();
  assert.equal((await probe).code, 'CANCELLED');
  assert.equal(breaker.canExecute(), true);
  assert.equal(await policy.execute(() => 1), 1);
  assert.equal(breaker.state, 'closed');
});

test('cockatiel, SamplingBreaker and CountBreaker: nothing of before half-open counts after it', async () => {
  for (const window of [
    { kind: 'count', size: 10, failureRate: 0.2, minimumCalls: 5 },
    { kind: 'time', durationMs: 30_000, failureRate: 0.2, minimumCalls: 5 },
  ] as const) {
    const { clock, breaker } = given({ window });
    for (let call = 0; call < 5; call++) breaker.recordFailure();
    await clock.advance(1000);
    breaker.acquire()?.success();
    for (let call = 0; call < 4; call++) breaker.recordFailure();
    assert.equal(breaker.state, 'closed', window.kind);
    breaker.recordFailure();
    assert.equal(breaker.state, 'open', window.kind);
  }
});

test('cockatiel, CountBreaker: the window is serialised in order and goes on where it was', () => {
  const window = { kind: 'count', size: 4, failureRate: 1 } as const;
  const { breaker } = given({ window });
  for (const failed of [true, false, true, true, false, true]) {
    if (failed) breaker.recordFailure();
    else breaker.recordSuccess();
  }
  const other = given({ window });
  other.breaker.restore(JSON.parse(JSON.stringify(breaker.snapshot())));
  assert.deepEqual(other.breaker.snapshot().window, [1, 1, 0, 1]);
  for (let call = 0; call < 2; call++) other.breaker.recordFailure();
  assert.equal(other.breaker.state, 'closed');
  other.breaker.recordFailure();
  assert.equal(other.breaker.state, 'open');
});

test('opossum, volume threshold: it does not hold for half-open, one failure opens again', async () => {
  const { clock, breaker } = given({ window: { kind: 'count', size: 6, failureRate: 0.1, minimumCalls: 6 } });
  for (let call = 0; call < 6; call++) breaker.recordFailure();
  await clock.advance(1000);
  breaker.acquire()?.failure();
  assert.equal(breaker.state, 'open');
});

test('opossum, status: refusals are not failures, and successes and failures are told apart', async () => {
  const { breaker, policy } = given({ window: { kind: 'count', size: 3, failureRate: 1 } });
  await policy.execute(() => 1);
  await fail(policy);
  for (let call = 0; call < 3; call++) await policy.execute(() => 1);
  assert.deepEqual(breaker.snapshot().window, [0, 0, 0]);
});

test('opossum, shutdown: a policy that is disposed of refuses at once, and its breaker is left as it is', async () => {
  const { breaker, policy } = given();
  policy.dispose();
  await rejectsWith(
    policy.execute(() => 1),
    'CANCELLED',
  );
  assert.equal(breaker.state, 'closed');
});
