// Breakers, in a policy and on their own (rules 2, 3, 4, 12).
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, type BreakerOptions, CircuitBreaker, createPolicy, ensureOk } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

function breaker(options: BreakerOptions = {}): {
  clock: VirtualClock;
  breaker: CircuitBreaker;
  changes: string[];
} {
  const clock = new VirtualClock();
  const made = new CircuitBreaker({ clock, ...options });
  const changes: string[] = [];
  made.onStateChange(({ from, to }) => changes.push(`${from}>${to}`));
  return { clock, breaker: made, changes };
}

function fail(made: CircuitBreaker, times: number): void {
  for (let i = 0; i < times; i++) made.recordFailure();
}

test('five failures in a row open it; one does not; a success in between counts from the start', () => {
  const { breaker: made, changes } = breaker();
  fail(made, 4);
  made.recordSuccess();
  fail(made, 4);
  assert.equal(made.state, 'closed');
  fail(made, 1);
  assert.equal(made.state, 'open');
  assert.equal(made.canExecute(), false);
  assert.equal(made.retryAfterMs, 60_000);
  assert.deepEqual(changes, ['closed>open']);
});

test('reading the state reflects elapsed time, announces nothing, and changes no schedule', async () => {
  const { clock, breaker: made, changes } = breaker();
  fail(made, 5);
  await clock.advance(59_999);
  assert.equal(made.state, 'open');
  assert.equal(made.retryAfterMs, 1);
  await clock.advance(1);
  assert.equal(made.state, 'half_open');
  assert.equal(made.retryAfterMs, 0);
  assert.equal(made.canExecute(), true);
  assert.deepEqual(changes, ['closed>open']);
  const permit = made.acquire();
  assert.deepEqual(changes, ['closed>open', 'open>half_open']);
  permit?.success();
  assert.equal(made.state, 'closed');
  assert.deepEqual(changes, ['closed>open', 'open>half_open', 'half_open>closed']);
});

test('half-open admits exactly N at once, and needs its successes', async () => {
  const { clock, breaker: made } = breaker({ halfOpenMaxCalls: 2, successThreshold: 3 });
  fail(made, 5);
  await clock.advance(60_000);
  const [one, two, three] = [made.acquire(), made.acquire(), made.acquire()];
  assert.ok(one && two);
  assert.equal(three, undefined);
  assert.equal(made.canExecute(), false);
  one.success();
  assert.equal(made.state, 'half_open');
  two.success();
  made.acquire()?.success();
  assert.equal(made.state, 'closed');
});

test('a failed probe opens it again, for longer by the factor and up to the bound', async () => {
  const { clock, breaker: made } = breaker({
    resetTimeoutMs: 100,
    resetBackoffFactor: 2,
    maxResetTimeoutMs: 300,
  });
  fail(made, 5);
  for (const wait of [100, 200, 300, 300]) {
    assert.equal(made.retryAfterMs, wait);
    await clock.advance(wait);
    made.acquire()?.failure();
  }
  await clock.advance(300);
  made.acquire()?.success();
  fail(made, 5);
  assert.equal(made.retryAfterMs, 100);
});

test('a hung probe gives its place back, and its late failure changes nothing', async () => {
  const { clock, breaker: made } = breaker({ resetTimeoutMs: 100, probeTimeoutMs: 50 });
  fail(made, 5);
  await clock.advance(100);
  const hung = made.acquire();
  assert.equal(made.acquire(), undefined);
  await clock.advance(50);
  const next = made.acquire();
  assert.ok(next);
  hung?.failure();
  assert.equal(made.state, 'half_open');
  next.success();
  assert.equal(made.state, 'closed');
});

test('a released permit is neutral, and a permit is settled once', async () => {
  const { clock, breaker: made } = breaker({ failureThreshold: 2 });
  const permit = made.acquire();
  permit?.failure();
  permit?.failure();
  permit?.failure();
  assert.equal(made.state, 'closed');
  fail(made, 1);
  await clock.advance(60_000);
  made.acquire()?.release();
  assert.equal(made.state, 'half_open');
  assert.ok(made.acquire());
});

test('a result of an older generation changes no state', async () => {
  const { clock, breaker: made, changes } = breaker({ failureThreshold: 1 });
  const old = [made.acquire(), made.acquire(), made.acquire()];
  old[0]?.failure();
  assert.equal(made.state, 'open');
  await clock.advance(30_000);
  old[1]?.failure();
  assert.equal(made.retryAfterMs, 30_000, 'a late failure does not extend the wait');
  await clock.advance(30_000);
  const probe = made.acquire();
  old[2]?.success();
  assert.equal(made.state, 'half_open', 'a late success does not close it');
  probe?.success();
  assert.deepEqual(changes, ['closed>open', 'open>half_open', 'half_open>closed']);
});

test('isolation is counted, survives reset, and restores the state underneath when it ends', () => {
  const { breaker: made, changes } = breaker();
  const one = made.isolate();
  const two = made.isolate();
  assert.equal(made.state, 'isolated');
  assert.equal(made.retryAfterMs, undefined);
  assert.equal(made.acquire(), undefined);
  one.dispose();
  one.dispose();
  assert.equal(made.state, 'isolated');
  made.reset();
  assert.equal(made.state, 'isolated');
  two[Symbol.dispose]();
  assert.equal(made.state, 'closed');
  assert.deepEqual(changes, ['closed>isolated', 'isolated>closed']);
});

test('a disabled breaker admits everything and counts nothing, until reset', () => {
  const { breaker: made } = breaker();
  made.disable();
  fail(made, 50);
  assert.equal(made.state, 'disabled');
  assert.equal(made.canExecute(), true);
  made.reset();
  fail(made, 5);
  assert.equal(made.state, 'open');
});

test('a count window slides, counts calls against its minimum, and compares with >=', () => {
  const { breaker: made } = breaker({ window: { kind: 'count', size: 4, failureRate: 0.5 } });
  fail(made, 2);
  made.recordSuccess();
  assert.equal(made.state, 'closed', 'three of four calls');
  made.recordSuccess();
  assert.equal(made.state, 'open', 'a success can be the call that trips it');
});

test('a time window ages by the clock, also when idle', async () => {
  const { clock, breaker: made } = breaker({
    window: { kind: 'time', durationMs: 10_000, failureRate: 0.5, minimumCalls: 4 },
  });
  fail(made, 3);
  await clock.advance(20_000);
  fail(made, 3);
  assert.equal(made.state, 'closed');
  fail(made, 1);
  assert.equal(made.state, 'open');
});

test('slow calls trip it, and durations come from the policy', async () => {
  const { clock, policy } = onVirtualClock({
    breaker: {
      window: { kind: 'count', size: 2, failureRate: 1 },
      slowCall: { durationMs: 1000, rate: 1 },
    },
  });
  const slow = (): Promise<void> => new Promise((resolve) => clock.setTimeout(resolve, 1000));
  for (let i = 0; i < 2; i++) {
    const result = policy.execute(slow);
    await clock.advance(1000);
    await result;
  }
  assert.equal(policy.breaker?.state, 'open');
});

test("scope 'call' counts one failure for an exhausted sequence, 'attempt' each", async () => {
  for (const [breakerScope, calls] of [
    ['call', 2],
    ['attempt', 1],
  ] as const) {
    const { clock, policy } = onVirtualClock({
      breakerScope,
      breaker: { failureThreshold: 2 },
      retry: { maxRetries: 3 },
    });
    let failed = 0;
    while (policy.breaker?.state === 'closed') {
      const result = rejection(policy.execute(script<string>(retryable())));
      await clock.advance(10_000);
      await result;
      failed++;
    }
    assert.equal(failed, calls, breakerScope);
  }
});

test("with scope 'attempt' a breaker that opens between attempts ends the call with CIRCUIT_OPEN", async () => {
  const { clock, policy } = onVirtualClock({
    breakerScope: 'attempt',
    breaker: { failureThreshold: 2, resetTimeoutMs: 60_000 },
  });
  const operation = script<string>(retryable());
  const result = rejection(policy.execute(operation));
  await clock.advance(10_000);
  const error = await result;
  assert.equal(error.code, 'CIRCUIT_OPEN');
  assert.equal(operation.calls, 2);
  assert.equal(error.attempts, 2);
  assert.equal(error.errors.length, 2);
});

test('a refusal is CIRCUIT_OPEN at once, with no attempt and the time to wait', async () => {
  const { clock, policy } = onVirtualClock<string>({
    breaker: { failureThreshold: 1, resetTimeoutMs: 60_000 },
    retry: false,
  });
  await rejection(policy.execute(script<string>(retryable())));
  await clock.advance(20_000);
  const operation = script('x');
  const error = await rejectsWith(policy.execute(operation), 'CIRCUIT_OPEN');
  assert.equal(operation.calls, 0);
  assert.deepEqual([error.attempts, error.retryAfterMs], [0, 40_000]);
  assert.equal(await policy.execute(operation, { fallback: ({ code }) => code }), 'CIRCUIT_OPEN');
});

test("an error that is not the dependency's fault is neutral", async () => {
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 }, retry: false });
  await rejection(policy.execute(script(fatal())));
  const controller = new AbortController();
  const cancelled = rejection(policy.execute(deaf, { signal: controller.signal }));
  controller.abort();
  await cancelled;
  await rejection(policy.execute(() => Promise.reject(new DOMException('stop', 'AbortError'))));
  assert.equal(policy.breaker?.state, 'closed');
  await rejection(policy.execute(script<string>(new AgentError('INVALID_RESPONSE', 'x'))));
  assert.equal(policy.breaker?.state, 'open');
});

test('a cancelled probe gives its place back', async () => {
  const { clock, policy } = onVirtualClock({
    breaker: { failureThreshold: 1, halfOpenMaxCalls: 1 },
    retry: false,
  });
  await rejection(policy.execute(script<string>(retryable())));
  await clock.advance(60_000);
  const controller = new AbortController();
  const probe = rejection(policy.execute(deaf, { signal: controller.signal }));
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  controller.abort();
  await probe;
  assert.equal(await policy.execute(() => 'probe'), 'probe');
  assert.equal(policy.breaker?.state, 'closed');
});

test('contention does not count: a dependency that reports it works', () => {
  const { breaker: made } = breaker({ failureThreshold: 1 });
  made.acquire()?.failure(new AgentError('CONFLICT', 'deadlock'));
  assert.equal(made.state, 'closed');
  made.acquire()?.failure(new AgentError('SERVER_ERROR', 'down'));
  assert.equal(made.state, 'open');
});

test('countsAsFailure decides, also for permits', () => {
  const { breaker: made } = breaker({
    failureThreshold: 1,
    countsAsFailure: ({ code }) => code === 'NOT_FOUND',
  });
  made.acquire()?.failure(new AgentError('SERVER_ERROR', 'x'));
  made.acquire()?.failure(new Error('x'));
  assert.equal(made.state, 'closed');
  made.acquire()?.failure(new AgentError('NOT_FOUND', 'x'));
  assert.equal(made.state, 'open');
});

test('policies share a breaker', async () => {
  const clock = new VirtualClock();
  const shared = new CircuitBreaker({ failureThreshold: 2 });
  const one = createPolicy({ clock, breaker: shared, retry: false });
  const other = createPolicy({ clock, breaker: shared, retry: false });
  await rejection(one.execute(script<string>(retryable())));
  await rejection(other.execute(script<string>(retryable())));
  await rejectsWith(
    one.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  await clock.advance(60_000);
  assert.equal(await other.execute(() => 1), 1);
  assert.equal(one.breaker, shared);
});

test('a snapshot goes on in another process, counts the time between, and raises the generation', async () => {
  const { clock, breaker: made } = breaker({ name: 'b' });
  fail(made, 5);
  await clock.advance(10_000);
  const snapshot = JSON.parse(JSON.stringify(made.snapshot()));
  assert.deepEqual(
    [snapshot.version, snapshot.name, snapshot.state, snapshot.retryAfterMs],
    [1, 'b', 'open', 50_000],
  );
  const later = new VirtualClock(snapshot.at + 20_000);
  const restored = new CircuitBreaker({ clock: later });
  restored.restore(snapshot);
  assert.equal(restored.state, 'open');
  assert.equal(restored.retryAfterMs, 30_000);
  assert.ok(restored.snapshot().generation > snapshot.generation);
});

test('an invalid snapshot of a breaker is a TypeError', () => {
  const restored = new CircuitBreaker();
  const snapshot = restored.snapshot();
  assert.throws(() => restored.restore({ ...snapshot, version: 2 } as never), TypeError);
  assert.throws(() => restored.restore(null as never), TypeError);
  assert.throws(() => restored.restore({ ...snapshot, state: 'ajar' } as never), TypeError);
});

test('a policy hands its breaker over in a snapshot', async () => {
  const { clock, policy } = onVirtualClock({ name: 'p', breaker: { failureThreshold: 1 }, retry: false });
  await rejection(policy.execute(script<string>(retryable())));
  const snapshot = JSON.parse(JSON.stringify(policy.snapshot()));
  assert.equal(snapshot.name, 'p');
  const next = createPolicy({ clock, breaker: { failureThreshold: 1 } });
  next.restore(snapshot);
  assert.equal(next.breaker?.state, 'open');
  assert.throws(() => next.restore({ version: 3 } as never), TypeError);
});

test('setting the system clock changes nothing', async () => {
  const clock = new VirtualClock();
  let wall = 1e12;
  const made = new CircuitBreaker({
    clock: {
      now: () => clock.now(),
      wall: () => wall,
      setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    },
  });
  fail(made, 5);
  wall += 1e9;
  assert.equal(made.state, 'open');
  wall -= 2e9;
  await clock.advance(60_000);
  assert.equal(made.state, 'half_open');
});

test('an observer of state changes that throws or re-enters changes nothing', () => {
  const { breaker: made, changes } = breaker({ failureThreshold: 1 });
  made.onStateChange(() => {
    throw new Error('observer');
  });
  made.onStateChange(() => {
    made.recordFailure();
    assert.equal(made.canExecute(), false);
  });
  fail(made, 1);
  assert.equal(made.state, 'open');
  assert.deepEqual(changes, ['closed>open']);
});

const limited = (retryAfterMs?: number): AgentError =>
  new AgentError('RATE_LIMITED', 'slow down', retryAfterMs === undefined ? {} : { retryAfterMs });

for (const breakerScope of ['call', 'attempt'] as const) {
  test(`five 429s with Retry-After: 1 open the default breaker for that second, not for a minute (${breakerScope})`, async () => {
    const { clock, policy } = onVirtualClock({ retry: false, breakerScope });
    const { events } = recordEvents(policy);
    for (let i = 0; i < 5; i++) {
      const response = new Response('', { status: 429, headers: { 'retry-after': '1' } });
      await rejectsWith(
        policy.execute(() => ensureOk(response)),
        'RATE_LIMITED',
      );
    }
    const opened = events.find((event) => event.type === 'breaker.changed');
    assert.ok(opened?.type === 'breaker.changed');
    assert.equal(opened.reason, '5 failures in a row; the provider asked for 1000 ms');
    assert.equal(opened.retryAt, clock.wall() + 1000);
    const refused = await rejectsWith(policy.execute(script('late')), 'CIRCUIT_OPEN');
    assert.equal(refused.retryAfterMs, 1000);
    await clock.advance(1000);
    assert.equal(await policy.execute(script('well')), 'well');
  });
}

test("a permit's failure reads the error's wait; a thrown response's too", () => {
  const { breaker: made } = breaker({ failureThreshold: 2, maxResetTimeoutMs: 90_000 });
  made.acquire()?.failure(limited());
  made.acquire()?.failure(limited(250));
  assert.equal(made.retryAfterMs, 250);
  made.reset();
  made.acquire()?.failure(limited(5));
  made.acquire()?.failure({ status: 503, headers: { 'retry-after': '3600' } });
  assert.equal(made.retryAfterMs, 90_000, 'at most maxResetTimeoutMs');
});
