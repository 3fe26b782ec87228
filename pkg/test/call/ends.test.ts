// Ends in every state, snapshots across time, policies inside policies, and many calls on one signal.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type AgentError,
  type BreakerPermit,
  CircuitBreaker,
  createPolicies,
  createPolicy,
  failover,
  iterationLimit,
  onEvent,
  type Policy,
  RetryBudget,
  STREAM_RESET,
  truncate,
} from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import {
  countingSignal,
  deaf,
  fatal,
  onVirtualClock,
  rejection,
  rejectsWith,
  retryable,
} from '../policy/given.js';

async function* src<C>(...items: readonly (C | Error)[]): AsyncGenerator<C> {
  for (const i of items) {
    if (i instanceof Error) throw i;
    yield i as C;
  }
}

test('disposed of in any state, it rejects at once and leaves nothing', async () => {
  const states: Record<string, (policy: Policy) => Promise<unknown>> = {
    attempt: (p) => p.execute(deaf),
    wait: (p) =>
      p.execute(() => {
        throw retryable();
      }),
    onRetry: (p) =>
      p.execute(
        () => {
          throw retryable();
        },
        { retry: { onRetry: deaf } },
      ),
    fallback: (p) =>
      p.execute(
        () => {
          throw fatal();
        },
        { fallback: deaf },
      ),
    stream: (p) =>
      p
        .stream(async function* () {
          yield await deaf();
        })
        .next(),
    streamOpen: (p) => p.stream(() => deaf()).next(),
    validate: (p) => p.execute(() => 1, { validate: deaf }),
  };
  for (const [name, begin] of Object.entries(states)) {
    const clock = new VirtualClock();
    const policy = createPolicy({
      clock,
      timeout: { attemptMs: 1e6, totalMs: 1e7 },
      bulkhead: { maxConcurrent: 1, maxQueued: 3 },
    });
    const result = begin(policy).then(
      (v: unknown) => `resolved ${v}`,
      (e: AgentError) => e.code,
    );
    const queued = policy
      .execute(() => 1)
      .then(
        (v) => `resolved ${v}`,
        (e: AgentError) => e.code,
      );
    await clock.advance(0);
    policy.dispose();
    policy.dispose();
    assert.equal(
      await Promise.race([result, new Promise((r) => setTimeout(() => r('hangs'), 200))]),
      'CANCELLED',
      name,
    );
    assert.ok(['CANCELLED', 'resolved 1'].includes((await queued) as string), name + (await queued));
    assert.equal(clock.pending, 0, name);
    await rejectsWith(
      policy.execute(() => 1),
      'CANCELLED',
    );
    assert.equal((await policy.respond(() => 1)).success, false);
    await rejectsWith(policy.stream(() => src(1)).next() as Promise<unknown>, 'CANCELLED');
  }
});

test('a time window that is restored has aged by the time between', async () => {
  const make = () => {
    const clock = new VirtualClock(1_000_000);
    return {
      clock,
      b: new CircuitBreaker({
        clock,
        window: { kind: 'time', durationMs: 10_000, failureRate: 1, minimumCalls: 3 },
      }),
    };
  };
  const a = make();
  a.b.recordFailure();
  await a.clock.advance(4000);
  a.b.recordFailure();
  const s = JSON.parse(JSON.stringify(a.b.snapshot()));
  const c = make();
  await c.clock.advance(7000); // 3 s later
  c.b.restore(s);
  c.b.recordFailure();
  assert.equal(c.b.state, 'open');
  const d = make();
  await d.clock.advance(4000 + 6001); // first has left
  d.b.restore(s);
  d.b.recordFailure();
  assert.equal(d.b.state, 'closed');
  d.b.recordFailure();
  assert.equal(d.b.state, 'open');
  const e = make(); // wall clock set back: snapshot from the future
  e.b.restore({ ...s, at: s.at + 86_400_000 });
  assert.equal(e.b.state, 'closed');
  e.b.recordFailure();
  assert.equal(e.b.state, 'open');
});

test('an open breaker restored from the future waits no longer than it had to, one of long ago not at all', async () => {
  const clock = new VirtualClock(1e12);
  const b = new CircuitBreaker({ clock, failureThreshold: 1 });
  b.recordFailure();
  const s = b.snapshot();
  const future = new CircuitBreaker({ clock });
  future.restore({ ...s, at: s.at + 1e9 });
  assert.equal(future.retryAfterMs, 60_000);
  const past = new CircuitBreaker({ clock });
  past.restore({ ...s, at: 0 });
  assert.equal(past.state, 'half_open');
  assert.equal(past.retryAfterMs, 0);
});

test('the generation after a restore is above both, however high', () => {
  const clock = new VirtualClock();
  const a = new CircuitBreaker({ clock, failureThreshold: 1 });
  const stale = a.acquire() as BreakerPermit;
  const far = { ...a.snapshot(), generation: 500 };
  a.restore(far);
  assert.ok(a.snapshot().generation > 500);
  stale.failure();
  assert.equal(a.state, 'closed');
  const g = a.snapshot().generation;
  a.restore({ ...far, generation: 2 });
  assert.ok(a.snapshot().generation > g);
  a.restore({ ...far, generation: 2 ** 53 });
  const p = a.acquire() as BreakerPermit;
  p.failure();
  assert.equal(a.state, 'open');
  a.restore({ ...far, generation: Number.MAX_VALUE });
  const q = a.acquire() as BreakerPermit;
  q.failure();
  assert.equal(a.state, 'open');
});

test('permits keep their places in generations beyond what a number holds', async () => {
  const clock = new VirtualClock();
  const a = new CircuitBreaker({
    clock,
    failureThreshold: 1,
    resetTimeoutMs: 10,
    halfOpenMaxCalls: 2,
    successThreshold: 2,
  });
  a.restore({ ...a.snapshot(), generation: 2 ** 40 });
  a.recordFailure();
  await clock.advance(10);
  const p = a.acquire() as BreakerPermit,
    q = a.acquire() as BreakerPermit;
  assert.equal(a.acquire(), undefined);
  p.release();
  const r = a.acquire() as BreakerPermit;
  assert.ok(r);
  p.failure();
  assert.equal(a.state, 'half_open');
  q.success();
  r.success();
  assert.equal(a.state, 'closed');
});

test('a budget bounds what policies retry together', async () => {
  const clock = new VirtualClock();
  const budget = new RetryBudget({ ratio: 0, minPerSecond: 0.2, windowMs: 10_000, clock });
  const a = createPolicy({ clock, retry: { budget, baseDelayMs: 1 } }),
    b = createPolicy({ clock, retry: { budget, baseDelayMs: 1 } });
  let n = 0;
  const op = () => {
    n++;
    throw retryable();
  };
  const r = [a, b, a, b].map((p) => rejection(p.execute(op)));
  await clock.advance(1000);
  await Promise.all(r);
  assert.equal(n, 4 + 2);
  assert.equal(budget.available, 0);
});

test('a budget of nothing retries nothing, and says why', async () => {
  const { policy } = onVirtualClock({ retry: { budget: { ratio: 0, minPerSecond: 0 } } });
  const op = script<string>(retryable());
  const { events } = recordEvents(policy);
  const e = await rejection(policy.execute(op));
  assert.equal(op.calls, 1);
  assert.equal(e.code, 'SERVER_ERROR');
  const f = events.find((x) => x.type === 'call.failed');
  assert.ok(f?.type === 'call.failed' && f.why === 'budget');
});

test('what an inner policy does not retry, an outer one does', async () => {
  const { clock, policy: outer } = onVirtualClock();
  const inner = createPolicy({ clock, retry: false });
  const operation = script<string>(retryable(), 'second');
  const result = outer.execute(() => inner.execute(operation));
  await clock.advance(1000);
  assert.equal(await result, 'second');
});

test('what an inner policy gave up on is not retried, wrapped in an error of the application or not', async () => {
  const clock = new VirtualClock();
  const inner = createPolicy({
    clock,
    name: 'inner',
    retry: { maxRetries: 1, baseDelayMs: 1, enableJitter: false },
  });
  const outer = createPolicy({
    clock,
    name: 'outer',
    retry: { maxRetries: 3, baseDelayMs: 1, enableJitter: false },
  });
  let n = 0;
  const r = rejection(
    outer.execute(() =>
      inner.execute(() => {
        n++;
        throw retryable();
      }),
    ),
  );
  await clock.advance(1000);
  await r;
  assert.equal(n, 2);
  // wrapped in the application's own error with cause
  n = 0;
  const w = rejection(
    outer.execute(async () => {
      try {
        return await inner.execute(() => {
          n++;
          throw retryable();
        });
      } catch (e) {
        throw new Error('wrapped', { cause: e });
      }
    }),
  );
  await clock.advance(1000);
  const we = await w;
  assert.deepEqual([we.code, n], ['SERVER_ERROR', 2]);
});

test('a full bulkhead is no failure, and an open breaker refuses before it', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 1000 },
    bulkhead: { maxConcurrent: 1, maxQueued: 0 },
  });
  const hung = policy.execute(deaf, { timeout: { attemptMs: 50 } }).catch((e) => e.code);
  for (let i = 0; i < 5; i++)
    await rejectsWith(
      policy.execute(() => 1),
      'CAPACITY_EXCEEDED',
    );
  assert.equal(policy.breaker?.state, 'closed');
  await clock.advance(50);
  assert.equal(await hung, 'TIMEOUT');
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
});

test('a probe that the bulkhead refuses gives its place back', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 1000 },
    bulkhead: { maxConcurrent: 1, maxQueued: 0 },
  });
  const b = policy.breaker as CircuitBreaker;
  let done!: (v: number) => void;
  const long = policy.execute(
    () =>
      new Promise<number>((r) => {
        done = r;
      }),
  );
  b.recordFailure();
  await clock.advance(1000);
  await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(b.state, 'half_open');
  assert.equal(b.canExecute(), true);
  done(1);
  await long;
  assert.equal(b.state, 'half_open');
  assert.equal(await policy.execute(() => 5), 5);
  assert.equal(b.state, 'closed');
});

test('a probe in the queue keeps its place, and gives it back when it is aborted', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 1000, halfOpenMaxCalls: 1 },
    bulkhead: { maxConcurrent: 1, maxQueued: 5 },
  });
  const b = policy.breaker as CircuitBreaker;
  const long = rejection(policy.execute(deaf, { timeout: { totalMs: 5000 } }));
  b.recordFailure();
  await clock.advance(1000);
  const c = new AbortController();
  const probe = rejection(policy.execute(() => 1, { signal: c.signal }));
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  c.abort();
  await probe;
  assert.equal(b.canExecute(), true);
  await clock.advance(5000);
  await long;
});

test('streams are closed in every way', async () => {
  const { clock, policy } = onVirtualClock({ retry: false });
  const s = policy.stream(() => src(1, 2, 3));
  await s.next();
  await assert.rejects(async () => s.throw?.(new Error('mine')), /mine/);
  assert.deepEqual(await s.next(), { done: true, value: undefined });
  const t = policy.stream(() => src(1, 2, 3));
  assert.deepEqual(await t.return?.(), { done: true, value: undefined });
  assert.deepEqual(await t.return?.(), { done: true, value: undefined });
  const u = policy.stream(async function* () {
    yield 1;
    await deaf();
  });
  await u.next();
  const pulling = u.next();
  await u.return?.();
  assert.deepEqual(await pulling, { done: true, value: undefined });
  const v = policy.stream(() => ({ [Symbol.asyncIterator]: () => ({ next: () => 5 as never }) }));
  await rejection(v.next() as Promise<unknown>);
  const w = policy.stream(() => src(1, 2), {
    validate: (x: number) => {
      if (x === 2) throw new Error('bad');
    },
  });
  await w.next();
  const e = await rejection(w.next() as Promise<unknown>);
  assert.deepEqual([e.code, e.metadata.received], ['INVALID_RESPONSE', 1]);
  assert.equal(clock.pending, 0);
});

test('a stream that waits for its consumer hears of an abort', async () => {
  const { clock, policy } = onVirtualClock();
  const { controller, signal, listeners } = countingSignal();
  const s = policy.stream(
    async function* () {
      yield 1;
      await deaf();
    },
    { onBreak: 'restart', signal, stallTimeoutMs: 100 },
  );
  await s.next();
  const reset = s.next();
  await clock.advance(5000);
  controller.abort();
  assert.equal((await reset).value, STREAM_RESET);
  assert.equal((await rejection(s.next() as Promise<unknown>)).code, 'CANCELLED');
  assert.deepEqual(await s.next(), { done: true, value: undefined });
  assert.deepEqual([clock.pending, listeners()], [0, 0]);
});

test('listeners come and go while they are told', async () => {
  const policy = createPolicy();
  let n = 0;
  const stop = policy.onEvent(() => {
    n++;
    stop();
    policy.onEvent(() => {
      n += 100;
    });
  });
  await policy.execute(() => 1);
  assert.ok(n > 0);
  const off = onEvent(() => {
    throw new Error('x');
  });
  assert.equal(await policy.execute(() => 2), 2);
  off();
  off();
});

test('failover: an abort in the middle reaches no other target', async () => {
  const clock = new VirtualClock();
  const p = createPolicy({ clock, retry: false });
  assert.throws(() => failover([{ policy: p, run: deaf }], { on: ['X' as never] }), TypeError);
  const c = new AbortController();
  const second = script(2);
  const r = rejection(
    failover(
      [
        { policy: p, run: deaf },
        { policy: p, run: second },
      ],
      { signal: c.signal },
    ),
  );
  c.abort();
  assert.equal((await r).code, 'CANCELLED');
  assert.equal(second.calls, 0);
});

test("what observers and late operations reject with is nobody's unhandled rejection", async () => {
  let unhandled = 0;
  const on = () => {
    unhandled++;
  };
  process.on('unhandledRejection', on);
  const { clock, policy } = onVirtualClock({
    timeout: { attemptMs: 10 },
    retry: { maxRetries: 1, baseDelayMs: 1 },
    onError: async () => {
      throw new Error('o');
    },
    onEvent: async () => {
      throw new Error('e');
    },
    onDebug: async () => {
      throw new Error('d');
    },
  });
  const r = policy.respond(
    () => new Promise((_, reject) => clock.setTimeout(() => reject(new Error('late')), 500)),
  );
  await clock.advance(1000);
  assert.equal((await r).success, false);
  await new Promise((res) => setTimeout(res, 30));
  process.off('unhandledRejection', on);
  assert.equal(unhandled, 0);
});

test('one signal for many calls is listened to once, and tells them all', async () => {
  const { policy } = onVirtualClock({ bulkhead: { maxConcurrent: 2, maxQueued: 100 }, retry: false });
  const { controller, signal, listeners } = countingSignal();
  const all = Array.from({ length: 50 }, () => policy.execute(deaf, { signal }).catch((e) => e.code));
  assert.equal(listeners(), 1);
  controller.abort();
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['CANCELLED']));
  assert.equal(listeners(), 0);
  assert.equal(await policy.execute(() => 1), 1);
});

test('any text is a key of policies', () => {
  const ps = createPolicies({ breaker: { failureThreshold: 1 } });
  for (const k of ['__proto__', 'constructor', '', 'a']) assert.equal(ps.get(k), ps.get(k));
  assert.equal(ps.all.length, 4);
  assert.notEqual(ps.get('a').breaker, ps.get('').breaker);
  assert.throws(() => ps.get(5 as never), TypeError);
});

test('limits of loops and texts at their edges', () => {
  for (const bad of [-1, NaN, 1.5, '3'])
    assert.throws(() => iterationLimit(bad as never), TypeError, String(bad));
  const l = iterationLimit(0);
  assert.throws(
    () => l.next(),
    (e: AgentError) => e.code === 'MAX_ITERATIONS_EXCEEDED',
  );
  assert.equal(truncate('abc', 3), 'abc');
  assert.ok(truncate('a👨‍👩‍👧‍👦b', 4).length <= 4);
  assert.equal(truncate('hello', 0).length, 0);
  for (const bad of [-1, NaN, 1.5]) assert.throws(() => truncate('x', bad), TypeError);
});

test('a breaker that is taken away hears of the calls that began under it', async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 1 } });
  let no!: () => void;
  const f = rejection(
    policy.execute(
      () =>
        new Promise((_, r) => {
          no = () => r(retryable());
        }),
    ),
  );
  const old = policy.breaker as CircuitBreaker;
  policy.update({ breaker: false });
  no();
  await f;
  assert.equal(old.state, 'open');
  assert.equal(policy.breaker, undefined);
  assert.equal(await policy.execute(() => 1), 1);
  policy.update({ breaker: old });
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
});

test('a signal that is aborted by onError: the call ends once, as cancelled', async () => {
  const controller = new AbortController();
  let errors = 0;
  const { policy } = onVirtualClock<string>({
    fallback: () => 'less',
    onError: () => {
      errors++;
      controller.abort();
    },
  });
  await rejectsWith(
    policy.execute(() => Promise.reject(fatal()), { signal: controller.signal }),
    'CANCELLED',
  );
  assert.equal(errors, 1);
  assert.deepEqual([policy.stats().cancelled, policy.stats().failed], [1, 0]);
});
