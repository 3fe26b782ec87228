// The edges of the rules: what comes at the same moment, twice, too late, from another version, or out of range.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, type BreakerPermit, CircuitBreaker, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import {
  CountingClock,
  countingSignal,
  deaf,
  fatal,
  isPending,
  onVirtualClock,
  rejection,
  rejectsWith,
  retryable,
} from './given.js';

test('onRetry that takes long: a wait that then cannot end before the deadline is not begun', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({
    clock,
    timeout: { totalMs: 1500 },
    retry: { enableJitter: false, onRetry: () => new Promise<void>((r) => clock.setTimeout(r, 700)) },
  });
  const at: number[] = [];
  const result = rejection(
    policy.execute(() => {
      throw retryable();
    }),
  ).then((e) => {
    at.push(clock.now());
    return e;
  });
  await clock.advance(5000);
  const e = await result;
  assert.deepEqual([e.code, at, clock.pending], ['SERVER_ERROR', [700], 0]);
});

test("an invalid part of a classifier's verdict is ignored", async () => {
  for (const [retryAfterMs, expectAt] of [
    [-5, 1000],
    [Number.NaN, 1000],
    ['7', 1000],
  ] as [never, number][]) {
    const { clock, policy } = onVirtualClock({ classify: () => ({ code: 'RATE_LIMITED', retryAfterMs }) });
    let n = 0;
    const at: number[] = [];
    const result = policy.execute(() => {
      at.push(clock.now());
      if (n++ === 0) throw new Error('x');
      return 1;
    });
    await clock.advance(20_000);
    await result;
    assert.equal(at[1], expectAt, String(retryAfterMs));
  }
});

test('a rate of 0 would trip on a success: it is refused, as windows without an end are', () => {
  for (const window of [
    { kind: 'count', size: 5, failureRate: 0 },
    { kind: 'time', durationMs: 0, failureRate: 0.5 },
    { kind: 'time', durationMs: Infinity, failureRate: 0.5 },
    { kind: 'count', size: Infinity, failureRate: 0.5 },
    { kind: 'count', size: 5, failureRate: 1.01 },
    { kind: 'count', size: 5, failureRate: 0.5, minimumCalls: 0 },
  ] as never[])
    assert.throws(() => new CircuitBreaker({ window }), TypeError, JSON.stringify(window));
  assert.throws(
    () =>
      new CircuitBreaker({
        window: { kind: 'count', size: 5, failureRate: 0.5 },
        slowCall: { durationMs: 5, rate: 0 },
      }),
    TypeError,
  );
});

test('restore refuses what it does not know, and then changes nothing', () => {
  const b = new CircuitBreaker({ clock: new VirtualClock(), failureThreshold: 2 });
  b.recordFailure();
  const good = b.snapshot();
  for (const bad of [
    null,
    undefined,
    5,
    'x',
    [],
    {},
    { ...good, version: 2 },
    { ...good, version: '1' },
    { ...good, version: 0 },
    { ...good, state: 'ajar' },
    { ...good, generation: -1 },
    { ...good, generation: Number.NaN },
    { ...good, generation: 'x' },
    { ...good, at: Number.NaN },
    { ...good, consecutiveFailures: -1 },
    { ...good, consecutiveFailures: 1.5 },
    { ...good, failedProbes: 'x' },
    { ...good, retryAfterMs: -1 },
    { ...good, window: 'x' },
    { ...good, window: [Number.NaN] },
    { ...good, window: [-1] },
  ]) {
    assert.throws(() => b.restore(bad as never), TypeError, JSON.stringify(bad));
  }
  assert.deepEqual(b.snapshot(), good);
  b.restore({ ...good, future: 1 } as never);
  const p = createPolicy();
  for (const bad of [
    null,
    {},
    { version: 2, name: 'x' },
    { version: 1, name: 'x', breaker: 5 },
    { version: 1, name: 'x', breaker: { ...good, version: 9 } },
  ])
    assert.throws(() => p.restore(bad as never), TypeError, JSON.stringify(bad));
});

test('restored with more failures than its threshold, it decides with the next result', () => {
  const b = new CircuitBreaker({ clock: new VirtualClock(), failureThreshold: 5 });
  for (let i = 0; i < 4; i++) b.recordFailure();
  const small = new CircuitBreaker({ clock: new VirtualClock(), failureThreshold: 2 });
  small.restore(b.snapshot());
  assert.equal(small.state, 'closed');
  small.recordSuccess();
  assert.equal(small.state, 'closed');
});

test('isolated while a probe is on its way: the result changes nothing, a new probe decides', async () => {
  const { clock, policy } = onVirtualClock({
    breaker: { failureThreshold: 1, resetTimeoutMs: 100 },
    retry: false,
  });
  await rejection(policy.execute(script<string>(retryable())));
  await clock.advance(100);
  let done!: (v: number) => void;
  const probe = policy.execute(
    () =>
      new Promise<number>((r) => {
        done = r;
      }),
  );
  const h = policy.breaker?.isolate();
  assert.equal(policy.breaker?.state, 'isolated');
  done(1);
  assert.equal(await probe, 1);
  assert.equal(policy.breaker?.state, 'isolated');
  h?.dispose();
  h?.dispose();
  assert.equal(policy.breaker?.state, 'half_open');
  assert.equal(await policy.execute(() => 2), 2);
  assert.equal(policy.breaker?.state, 'closed');
});

test('updated while half-open: places and thresholds hold from then on', async () => {
  const { clock, policy } = onVirtualClock({
    breaker: { failureThreshold: 1, resetTimeoutMs: 100, halfOpenMaxCalls: 3, successThreshold: 3 },
    retry: false,
  });
  await rejection(policy.execute(script<string>(retryable())));
  await clock.advance(100);
  const dones: ((v: number) => void)[] = [];
  const probes = [1, 2, 3].map(() =>
    policy.execute(
      () =>
        new Promise<number>((r) => {
          dones.push(r);
        }),
    ),
  );
  policy.update({ breaker: { halfOpenMaxCalls: 1, successThreshold: 2 } });
  assert.equal(policy.breaker?.state, 'half_open');
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  dones[0]?.(1);
  dones[1]?.(1);
  await Promise.all(probes.slice(0, 2));
  assert.equal(policy.breaker?.state, 'closed');
  dones[2]?.(1);
  await probes[2];
  assert.equal(policy.breaker?.state, 'closed');
});

test('delays, timeouts and turns beyond 2^31-1 ms do not come early', async () => {
  // a platform whose timers fire at once beyond 2^31-1
  const inner = new VirtualClock();
  const clock = {
    now: () => inner.now(),
    setTimeout: (cb: () => void, ms: number) => inner.setTimeout(cb, ms > 2 ** 31 - 1 ? 1 : ms),
    clearTimeout: (h: unknown) => inner.clearTimeout(h),
  };
  const month = 2 ** 31 + 12345;
  const policy = createPolicy({
    clock,
    retry: { baseDelayMs: month, maxDelayMs: Infinity, enableJitter: false, maxRetries: 1 },
    timeout: { attemptMs: 3 * month, totalMs: 10 * month },
  });
  const at: number[] = [];
  const r = rejection(
    policy.execute(() => {
      at.push(inner.now());
      throw retryable();
    }),
  );
  await inner.advance(month - 1);
  assert.deepEqual(at, [0]);
  await inner.advance(1);
  await r;
  assert.deepEqual(at, [0, month]);
  const hung = rejection(policy.execute(deaf, { retry: false }));
  await inner.advance(3 * month - 1);
  assert.equal(await isPending(hung), true);
  await inner.advance(1);
  assert.equal((await hung).code, 'TIMEOUT');
  const limited = createPolicy({
    clock,
    rateLimit: { limit: 1, windowMs: month, maxWaitMs: 2 * month },
    retry: false,
  });
  await limited.execute(() => 1);
  const queued = limited.execute(() => 2);
  await inner.advance(month - 1);
  assert.equal(await isPending(queued), true);
  await inner.advance(1);
  assert.equal(await queued, 2);
  assert.equal(inner.pending, 0);
});

test('a hint that is exactly the deadline is too long, one that is exactly maxRetryAfterMs is not', async () => {
  for (const [hint, totalMs, code, calls] of [
    [1000, 1000, 'RATE_LIMITED', 1],
    [999, 1000, 'TIMEOUT', 2],
    [60_000, undefined, 'ok', 2],
    [60_001, undefined, 'RATE_LIMITED', 1],
  ] as const) {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, timeout: totalMs === undefined ? {} : { totalMs } });
    let n = 0;
    const r = policy
      .execute(() => {
        if (n++ === 0) throw new AgentError('RATE_LIMITED', 'x', { retryAfterMs: hint });
        return totalMs === undefined ? 'ok' : deaf();
      })
      .catch((e) => e.code);
    await clock.advance(100_000);
    assert.deepEqual([await r, n], [code, calls], String(hint));
  }
});

test('Retry-After: 0 for ever is bounded by maxRetries', async () => {
  const { clock, policy } = onVirtualClock();
  let n = 0;
  await rejection(
    policy.execute(() => {
      n++;
      throw new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 0 });
    }),
  );
  assert.deepEqual([n, clock.now()], [4, 0]);
});

test('queue, abort and deadline at the same moment', async () => {
  const clock = new CountingClock();
  const { policy } = onVirtualClock({
    clock,
    bulkhead: { maxConcurrent: 1, maxQueued: 5 },
    timeout: { totalMs: 100, attemptMs: 100 },
    retry: false,
  });
  const { controller, signal, listeners } = countingSignal();
  clock.setTimeout(() => controller.abort(), 100);
  const a = rejection(policy.execute(deaf));
  const b = rejection(policy.execute(deaf, { signal }));
  const c = rejection(policy.execute(() => 1));
  await clock.advance(100);
  const codes = [(await a).code, (await b).code, (await c).code];
  assert.equal(codes[0], 'TIMEOUT');
  assert.equal(codes[1], 'CANCELLED');
  assert.equal(codes[2], 'TIMEOUT');
  assert.deepEqual([clock.pending, listeners()], [0, 0]);
  assert.equal(await policy.execute(() => 7), 7);
});

test('a permit that is settled twice or after a reset changes nothing', () => {
  const b = new CircuitBreaker({ clock: new VirtualClock(), failureThreshold: 2 });
  const p = b.acquire() as BreakerPermit;
  p.failure();
  p.failure();
  p.success();
  p.release();
  assert.equal(b.snapshot().consecutiveFailures, 1);
  const q = b.acquire() as BreakerPermit;
  b.reset();
  q.failure();
  assert.equal(b.snapshot().consecutiveFailures, 0);
});

test('observers that reset, update and call again', async () => {
  const { clock, policy } = onVirtualClock({
    breaker: { failureThreshold: 2, resetTimeoutMs: 50 },
    retry: { maxRetries: 1, baseDelayMs: 10 },
  });
  let depth = 0,
    resets = 0;
  policy.onEvent((event) => {
    if (event.type === 'breaker.changed' && event.to === 'open' && resets++ < 1) {
      policy.breaker?.reset();
      policy.update({ retry: { maxRetries: 0 } });
    }
    if (event.type === 'call.succeeded' && depth++ < 3) void policy.execute(() => 'inner');
  });
  assert.equal(await policy.execute(() => 1), 1);
  for (let i = 0; i < 2; i++) {
    const r = rejection(
      policy.execute(() => {
        throw retryable();
      }),
    );
    await clock.advance(1000);
    await r;
  }
  assert.equal(policy.breaker?.state, 'closed');
});

test('options that are changed after they were given change nothing', async () => {
  const retryOn = ['TIMEOUT'];
  const window = { kind: 'count' as const, size: 2, failureRate: 1 };
  const retry = { retryOn: retryOn as never, maxRetries: 1, enableJitter: false };
  const breaker = { window };
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, retry, breaker });
  retryOn.push('SERVER_ERROR');
  window.size = 100;
  retry.maxRetries = 50;
  let n = 0;
  await rejection(
    policy.execute(() => {
      n++;
      throw retryable();
    }),
  );
  assert.equal(n, 1);
  await rejection(
    policy.execute(() => {
      throw retryable();
    }),
  );
  assert.equal(policy.breaker?.state, 'open');
});

test('a place is free again when its operation has timed out, though it never ends', async () => {
  const { clock, policy } = onVirtualClock({
    bulkhead: { maxConcurrent: 1 },
    timeout: { attemptMs: 10 },
    retry: false,
  });
  const r = rejection(policy.execute(deaf));
  await clock.advance(10);
  await r;
  assert.equal(await policy.execute(() => 1), 1);
});

test('update of the rate limit while one waits: it still waits at most maxWaitMs', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 1500 },
    retry: false,
  });
  await policy.execute(() => 1);
  const queued = rejection(policy.execute(() => 2));
  policy.update({ rateLimit: { limit: 1, windowMs: 60_000, maxWaitMs: 1500 } });
  await clock.advance(2000);
  assert.equal(await isPending(queued), false);
  assert.equal((await queued).code, 'CAPACITY_EXCEEDED');
});

test('gobreaker: in parallel, every result is counted', async () => {
  const b = new CircuitBreaker({
    clock: new VirtualClock(),
    window: { kind: 'count', size: 1000, failureRate: 1 },
  });
  const policy = createPolicy({ breaker: b, retry: false });
  await Promise.all(
    Array.from({ length: 999 }, (_, i) =>
      policy
        .execute(async () => {
          await null;
          if (i % 2) throw retryable();
          return 1;
        })
        .catch(() => {}),
    ),
  );
  assert.equal(b.snapshot().window?.length, 999);
});

test('whatever is thrown, it is an AgentError that comes out', async () => {
  const { policy } = onVirtualClock({ retry: false });
  for (const weird of [
    undefined,
    null,
    0,
    '',
    Symbol('x'),
    1n,
    new Proxy(
      {},
      {
        get() {
          throw new Error('trap');
        },
      },
    ),
    Object.create(null),
    () => {},
  ]) {
    const e = await rejection(
      policy.execute(() => {
        throw weird;
      }),
    );
    assert.ok(AgentError.is(e));
  }
});

test('opossum: late rejection after timeout does not call the fallback again', async () => {
  const clock = new VirtualClock();
  let fallbacks = 0;
  const policy = createPolicy({
    clock,
    retry: false,
    timeout: { attemptMs: 10 },
    fallback: () => {
      fallbacks++;
      return 'f';
    },
  });
  const r = policy.execute(
    () => new Promise((_, reject) => clock.setTimeout(() => reject(new Error('late')), 50)),
  );
  await clock.advance(100);
  assert.equal(await r, 'f');
  assert.equal(fallbacks, 1);
});

test('opossum: a fallback may be another guarded call, and its refusal is the error', async () => {
  const clock = new VirtualClock();
  const second = createPolicy({ clock, retry: false, breaker: { failureThreshold: 1 } });
  await rejection(
    second.execute(() => {
      throw retryable();
    }),
  );
  const first = createPolicy({ clock, retry: false, fallback: () => second.execute(() => 'x') });
  const e = await rejection(
    first.execute(() => {
      throw fatal();
    }),
  );
  assert.equal(e.code, 'CIRCUIT_OPEN');
  assert.equal((e.cause as AgentError).code, 'AUTHENTICATION_ERROR');
});

test('resilience4j: reset of a closed breaker, disable of a disabled one, tell nothing', () => {
  const b = new CircuitBreaker({ clock: new VirtualClock() });
  const told: string[] = [];
  b.onStateChange(({ from, to }) => told.push(`${from}>${to}`));
  b.reset();
  b.disable();
  b.disable();
  b.reset();
  b.reset();
  const h = b.isolate(),
    k = b.isolate();
  h?.dispose();
  b.reset();
  b.disable();
  k.dispose();
  k.dispose();
  assert.deepEqual(told, ['closed>disabled', 'disabled>closed', 'closed>isolated', 'isolated>disabled']);
});

test('a seed of any kind reproduces the delays of every call', async () => {
  const delays = async (seed: number): Promise<number[]> => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, seed });
    const { events } = recordEvents(policy);
    for (let i = 0; i < 3; i++) {
      const r = rejection(
        policy.execute(() => {
          throw retryable();
        }),
      );
      await clock.advance(60_000);
      await r;
    }
    return events.flatMap((e) => (e.type === 'retry.scheduled' ? [e.delayMs] : []));
  };
  assert.deepEqual(await delays(5), await delays(5));
  assert.notDeepEqual(await delays(5), await delays(6));
  for (const seed of [0, -1, 1.5, 2 ** 53, -0]) assert.equal((await delays(seed)).length, 9);
});

test('an update shortens the wait of who waits', async () => {
  const { clock, policy } = onVirtualClock({
    rateLimit: { limit: 1, windowMs: 60_000, maxWaitMs: 60_000 },
    retry: false,
  });
  await policy.execute(() => 1);
  const queued = policy.execute(() => 2);
  policy.update({ rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 60_000 } });
  await clock.advance(1000);
  assert.equal(await isPending(queued), false);
  assert.equal(await queued, 2);
});

test('a failure that is not to be retried, or that the operation cancels, counts as ever', async () => {
  for (const [options, call, error] of [
    [{ retry: { retryOn: () => false } }, {}, retryable()],
    [{}, { idempotent: false }, new AgentError('TIMEOUT', 'no answer')],
    [{ retry: { backoff: () => Number.NaN } }, {}, fatal()],
  ] as const) {
    let runs = 0;
    const { policy } = onVirtualClock({
      ...options,
      breaker: { failureThreshold: 1, countsAsFailure: () => true },
    });
    await rejection(
      policy.execute(() => {
        runs++;
        throw error;
      }, call),
    );
    assert.equal(runs, 1);
    assert.equal(policy.breaker?.state, 'open');
  }
});

test('how long a call takes is counted from its beginning, whatever the clock says: quick ones are not slow', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: {
      window: { kind: 'count', size: 2, failureRate: 1, minimumCalls: 2 },
      slowCall: { durationMs: 1000, rate: 1 },
    },
  });
  await clock.advance(50_000);
  for (let i = 0; i < 4; i++) await policy.execute(() => 1);
  for (let i = 0; i < 2; i++) for await (const _ of policy.stream(async function* () {}));
  for (let i = 0; i < 2; i++) {
    await policy.execute(() => Promise.reject(fatal())).catch(() => {});
    assert.equal(policy.breaker?.state, 'closed');
  }
  for (let i = 0; i < 2; i++) {
    const long = policy.execute(() => new Promise<void>((resolve) => clock.setTimeout(resolve, 1000)));
    await clock.advance(1000);
    await long;
  }
  assert.equal(policy.breaker?.state, 'open');
});

test('restore refuses the snapshot of another policy, and then changes nothing', () => {
  const other = createPolicy({ name: 'other', breaker: { failureThreshold: 1 } });
  other.breaker?.recordFailure();
  const policy = createPolicy({ name: 'mine' });
  assert.throws(() => policy.restore(other.snapshot()), {
    name: 'TypeError',
    message:
      "halfopen: restore expects a snapshot of the policy 'mine', got one of 'other': restore it into the policy of that name",
  });
  assert.equal(policy.breaker?.state, 'closed');
});
