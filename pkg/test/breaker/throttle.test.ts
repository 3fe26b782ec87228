// The throttle, which refuses a share of the calls, and the ramp after a recovery.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type BreakerOptions, CircuitBreaker, createPolicy } from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';
import { onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

const DEAD = (): Promise<never> => Promise.reject(retryable());

function made(options: BreakerOptions): { clock: VirtualClock; breaker: CircuitBreaker } {
  const clock = new VirtualClock();
  return { clock, breaker: new CircuitBreaker({ clock, ...options }) };
}

/** Returns which of that number of calls are admitted. */
function admissions(breaker: CircuitBreaker, calls: number): boolean[] {
  return Array.from({ length: calls }, () => breaker.acquire() !== undefined);
}

test('the share is the published one, with the published defaults, and the state stays closed', async () => {
  const { clock, breaker } = made({ throttle: {} });
  for (let i = 0; i < 19; i++) breaker.recordFailure();
  assert.equal(breaker.refusalRate, 0);
  breaker.recordFailure();
  assert.equal(breaker.refusalRate, 20 / 21);
  for (let i = 0; i < 5; i++) breaker.recordSuccess();
  assert.equal(breaker.refusalRate, (25 - 2 * 5) / 26);
  assert.equal(breaker.state, 'closed');
  assert.equal(breaker.retryAfterMs, 0);
  assert.equal(breaker.canExecute(), true);
  await clock.advance(120_000);
  assert.equal(breaker.refusalRate, 0);
});

test('a seed fixes the draws, reading draws nothing, and another seed draws otherwise', () => {
  const run = (seed: number, look = false): string => {
    const { breaker } = made({ throttle: { k: 1.2, minimumCalls: 1 }, seed });
    for (let i = 0; i < 10; i++) breaker.recordFailure();
    for (let i = 0; i < 10; i++) breaker.recordSuccess();
    return Array.from({ length: 100 }, () => {
      if (look) assert.ok(breaker.canExecute() && breaker.refusalRate < 1);
      const permit = breaker.acquire();
      permit?.success();
      return permit === undefined ? '-' : '+';
    }).join('');
  };
  assert.equal(run(7), run(7, true));
  assert.notEqual(run(7), run(8));
  assert.match(run(7), /-/);
});

test("a policy's seed is its breaker's", async () => {
  const run = async (): Promise<string> => {
    const { policy } = onVirtualClock({
      seed: 3,
      retry: false,
      breaker: { throttle: { k: 1, minimumCalls: 1 } },
    });
    let seen = '';
    for (let i = 0; i < 60; i++) {
      const call = i % 2 === 0 ? policy.execute(DEAD) : policy.execute(() => 'fine');
      await call.catch((error) => {
        seen += error.code === 'CIRCUIT_OPEN' ? '-' : '+';
      });
    }
    return seen;
  };
  const first = await run();
  assert.match(first, /-/);
  assert.equal(first, await run());
});

test('a refusal is CIRCUIT_OPEN without a wait, and says the share', async () => {
  const { policy } = onVirtualClock({
    name: 'chat',
    provider: 'openai',
    seed: 1,
    retry: false,
    breaker: { throttle: { minimumCalls: 10 } },
  });
  let refused = 0;
  for (let i = 0; i < 40; i++) {
    const error = await rejection(policy.execute(DEAD));
    if (error.code !== 'CIRCUIT_OPEN') continue;
    refused++;
    assert.match(error.message, /^Circuit 'chat' refuses 9\d % of calls$/);
    assert.equal(error.retryAfterMs, undefined);
    assert.equal(error.attempts, 0);
    assert.equal(error.provider.provider, 'openai');
  }
  assert.ok(refused >= 20, `${refused}`);
  assert.equal(policy.breaker?.state, 'closed');
  assert.equal(policy.stats().rejected, refused);
});

test('a dependency that fails one call in five keeps the other four', async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { throttle: {} } });
  for (let i = 0; i < 500; i++) {
    if (i % 5 === 0) await rejectsWith(policy.execute(DEAD), 'SERVER_ERROR');
    else assert.equal(await policy.execute(() => i), i);
  }
  assert.equal(policy.breaker?.refusalRate, 0);
});

test("an error that is not the dependency's fault is accepted; a cancellation counts for neither side", async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { throttle: { k: 1, minimumCalls: 1 } } });
  for (let i = 0; i < 50; i++) {
    const controller = new AbortController();
    const call = policy.execute(() => new Promise(() => {}), { signal: controller.signal });
    controller.abort();
    await rejectsWith(call, 'CANCELLED');
  }
  assert.equal(policy.breaker?.refusalRate, 0);
});

test('breaker.throttled says the share, at most once a second', async () => {
  const { clock, policy } = onVirtualClock({
    name: 'p',
    seed: 1,
    retry: false,
    breaker: { name: 'b', throttle: { minimumCalls: 5 } },
  });
  const { events } = recordEvents(policy);
  for (let i = 0; i < 100; i++) {
    await rejection(policy.execute(DEAD));
    await clock.advance(50);
  }
  const throttled = events.filter((event) => event.type === 'breaker.throttled');
  assert.ok(throttled.length >= 3 && throttled.length <= 5, `${throttled.length}`);
  for (const [index, event] of throttled.entries()) {
    assert.equal(event.breaker, 'b');
    assert.equal(event.policy, 'p');
    assert.ok(event.rate > 0.7 && event.rate < 1);
    const before = throttled[index - 1];
    if (before !== undefined) assert.ok(event.time - before.time >= 1000);
  }
  const [first] = throttled;
  const rejected = events.find((event) => event.type === 'call.rejected');
  assert.ok(first !== undefined && rejected !== undefined);
  assert.equal(first.call, rejected.call);
  assert.ok(first.seq < rejected.seq);
  assert.equal(rejected.retryAfterMs, undefined);
});

test('a snapshot carries what was counted, and the time since counts', () => {
  const { breaker } = made({ name: 'b', throttle: { windowMs: 10_000 } });
  for (let i = 0; i < 30; i++) breaker.recordFailure();
  for (let i = 0; i < 10; i++) breaker.recordSuccess();
  const snapshot = JSON.parse(JSON.stringify(breaker.snapshot()));
  assert.deepEqual(snapshot.throttle, { requests: 40, accepts: 10 });
  assert.equal('window' in snapshot, false);
  const restored = (later: number): CircuitBreaker => {
    const next = new CircuitBreaker({
      clock: new VirtualClock(snapshot.at + later),
      throttle: { windowMs: 10_000 },
    });
    next.restore(snapshot);
    return next;
  };
  assert.equal(restored(5000).refusalRate, breaker.refusalRate);
  assert.deepEqual(restored(5000).snapshot().throttle, { requests: 40, accepts: 10 });
  assert.equal(restored(10_000).refusalRate, 0);
  for (const throttle of [5, { requests: 1 }, { requests: -1, accepts: 0 }, { requests: 1, accepts: 0.5 }]) {
    assert.throws(() => breaker.restore({ ...snapshot, throttle }), /snapshot\.throttle/);
  }
  // Additions of later versions are ignored, and so is the state of a breaker of another kind.
  breaker.restore({ ...snapshot, throttle: { ...snapshot.throttle, since: 5 } });
  assert.equal(breaker.snapshot().throttle?.requests, 40);
  const { breaker: counting } = made({});
  counting.restore(snapshot);
  assert.equal(counting.snapshot().throttle, undefined);
});

test('by hand every call or no call is refused, and a reset forgets', () => {
  const { breaker } = made({ throttle: { minimumCalls: 1 } });
  for (let i = 0; i < 99; i++) breaker.recordFailure();
  const isolation = breaker.isolate();
  assert.deepEqual([breaker.refusalRate, breaker.canExecute(), breaker.state], [1, false, 'isolated']);
  isolation.dispose();
  assert.equal(breaker.refusalRate, 0.99);
  breaker.disable();
  assert.equal(breaker.refusalRate, 0);
  breaker.reset();
  assert.equal(breaker.refusalRate, 0);
});

test('an update changes k and keeps what was counted', () => {
  const policy = createPolicy({
    clock: new VirtualClock(),
    breaker: { throttle: { minimumCalls: 1 }, seed: 5 },
  });
  const { breaker } = policy;
  assert.ok(breaker !== undefined);
  for (let i = 0; i < 4; i++) breaker.recordFailure();
  for (let i = 0; i < 5; i++) breaker.recordSuccess();
  assert.equal(breaker.refusalRate, 0);
  policy.update({ breaker: { throttle: { k: 1, minimumCalls: 1 } } });
  assert.equal(breaker.refusalRate, 0.4);
});

test('an open breaker refuses all calls, a half-open one all but probes', async () => {
  const { clock, breaker } = made({ failureThreshold: 1, resetTimeoutMs: 1000 });
  assert.equal(breaker.refusalRate, 0);
  breaker.recordFailure();
  assert.equal(breaker.refusalRate, 1);
  await clock.advance(1000);
  assert.equal(breaker.refusalRate, 0);
  breaker.acquire();
  assert.equal(breaker.refusalRate, 1);
});

test('after the probes a growing share is admitted, evenly, until all are', async () => {
  const { clock, breaker } = made({ failureThreshold: 1, resetTimeoutMs: 1000, rampMs: 10_000 });
  breaker.recordFailure();
  await clock.advance(1000);
  breaker.acquire()?.success();
  const admitted: number[] = [];
  for (let second = 0; second < 11; second++) {
    assert.ok(Math.abs(breaker.refusalRate - (1 - second / 10)) < 1e-9);
    admitted.push(admissions(breaker, 100).filter(Boolean).length);
    await clock.advance(1000);
  }
  assert.deepEqual(admitted, [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test('a call that a ramp refuses gets the wait until one is admitted', async () => {
  const { clock, policy } = onVirtualClock({
    name: 'p',
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 1000, rampMs: 1000 },
  });
  const { events } = recordEvents(policy);
  await rejection(policy.execute(DEAD));
  await clock.advance(1000);
  assert.equal(await policy.execute(() => 'probe'), 'probe');
  assert.equal(await policy.execute(() => 'first'), 'first');
  await clock.advance(250);
  const error = await rejectsWith(
    policy.execute(() => 'second'),
    'CIRCUIT_OPEN',
  );
  assert.equal(error.message, "Circuit 'p' refuses 75 % of calls; try again in 500 ms");
  assert.equal(error.retryAfterMs, 500);
  assert.equal(policy.breaker?.retryAfterMs, 500);
  await clock.advance(500);
  assert.equal(await policy.execute(() => 'second'), 'second');
  const throttled = events.filter((event) => event.type === 'breaker.throttled');
  assert.deepEqual(
    throttled.map(({ rate }) => rate),
    [0.75],
  );
});

test('neither reset nor restore starts a ramp', async () => {
  const options: BreakerOptions = { failureThreshold: 1, resetTimeoutMs: 1000, rampMs: 10_000 };
  const { clock, breaker } = made(options);
  breaker.recordFailure();
  breaker.reset();
  assert.deepEqual(admissions(breaker, 3), [true, true, true]);
  breaker.recordFailure();
  await clock.advance(1000);
  breaker.acquire()?.success();
  assert.equal(breaker.refusalRate, 1);
  breaker.restore(breaker.snapshot());
  assert.deepEqual(admissions(breaker, 3), [true, true, true]);
});
