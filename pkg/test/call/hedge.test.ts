// `hedge`: another attempt beside one that has not answered. The first success is the call's.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import {
  type AttemptContext,
  createPolicy,
  type ExecuteOptions,
  type HalfopenEvent,
  type PolicyOptions,
  RetryBudget,
} from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';
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

type Outcome = { after: number; value?: unknown; error?: unknown } | undefined;

/** A call whose attempts have these outcomes, each so long after it began; `undefined` never ends. */
function hedged(options: PolicyOptions, outcomes: readonly Outcome[], own?: ExecuteOptions<unknown>) {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 100 }, breaker: false, ...options });
  const { events } = recordEvents(policy as never);
  const begun: number[] = [];
  const aborted: [attempt: number, at: number, reason: string][] = [];
  const operation = ({ attempt, signal }: AttemptContext): Promise<unknown> => {
    begun.push(clock.now());
    const outcome = outcomes[attempt - 1];
    signal.addEventListener('abort', () => aborted.push([attempt, clock.now(), signal.reason.code]));
    return new Promise((resolve, reject) => {
      if (outcome === undefined) return;
      clock.setTimeout(
        () => (outcome.error === undefined ? resolve(outcome.value) : reject(outcome.error)),
        outcome.after,
      );
    });
  };
  const call = policy.execute(operation, own);
  call.catch(() => {});
  return { clock, policy, events, begun, aborted, call };
}

const types = (events: readonly HalfopenEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === 'policy.configured') return [];
    if (event.type === 'attempt.failed') return [`failed ${event.attempt} ${event.code}`];
    return ['attempt' in event ? `${event.type} ${event.attempt}` : event.type];
  });

test('a hedge of a call replaces only what it names: the policy still says how many attempts run beside the first', async () => {
  const { clock, call, begun } = hedged(
    { hedge: { afterMs: 100, max: 2 } },
    [undefined, undefined, undefined],
    {
      hedge: { afterMs: 50 },
      timeout: { totalMs: 500 },
    },
  );
  await clock.advance(500);
  await rejection(call);
  assert.deepEqual(
    begun.map((at) => at - (begun[0] ?? 0)),
    [0, 50, 100],
  );
});

describe('who wins', () => {
  test('an attempt that answers in time has no other beside it', async () => {
    const { clock, call, begun, policy } = hedged({}, [{ after: 99, value: 'a' }]);
    await clock.advance(1000);
    assert.equal(await call, 'a');
    assert.deepEqual([begun, clock.pending, policy.stats().attempts], [[0], 0, 1]);
  });

  test('the hedge, where it is first: the other is aborted and counts for nothing', async () => {
    const { clock, call, begun, aborted, events, policy } = hedged(
      { breaker: { failureThreshold: 1 }, breakerScope: 'attempt' },
      [
        { after: 500, value: 'a' },
        { after: 50, value: 'b' },
      ],
    );
    await clock.advance(150);
    assert.equal(await call, 'b');
    await clock.advance(1000);
    assert.deepEqual(begun, [0, 100]);
    assert.deepEqual(aborted, [[1, 150, 'CANCELLED']]);
    assert.deepEqual(types(events), [
      'call.started',
      'attempt.started 1',
      'attempt.started 2',
      'failed 1 CANCELLED',
      'attempt.succeeded 2',
      'call.succeeded',
    ]);
    const lost = events.find((event) => event.type === 'attempt.failed');
    assert.ok(lost?.type === 'attempt.failed');
    assert.deepEqual([lost.counted, lost.rule, lost.durationMs], [false, 'policy.hedge', 150]);
    const { succeeded, failed, attempts, retries } = policy.stats();
    assert.deepEqual([succeeded, failed, attempts, retries], [1, 0, 2, 0]);
    assert.equal(policy.breaker?.state, 'closed');
  });

  test('the first attempt, where it is: the hedge is aborted', async () => {
    const { clock, call, aborted } = hedged({}, [
      { after: 150, value: 'a' },
      { after: 100, value: 'b' },
    ]);
    await clock.advance(1000);
    assert.equal(await call, 'a');
    assert.deepEqual(aborted, [[2, 150, 'CANCELLED']]);
  });

  test('validate decides what is a success', async () => {
    const { clock, call, begun } = hedged(
      { retry: false },
      [
        { after: 200, value: 'good' },
        { after: 10, value: 'bad' },
      ],
      { validate: async (value: unknown) => value === 'good' },
    );
    await clock.advance(1000);
    assert.equal(await call, 'good');
    assert.deepEqual(begun, [0, 100]);
  });

  test('a failure waits for the others', async () => {
    const { clock, call, events } = hedged({}, [
      { after: 120, error: fatal() },
      { after: 300, value: 'b' },
    ]);
    await clock.advance(1000);
    assert.equal(await call, 'b');
    assert.deepEqual(types(events).slice(3, 5), ['failed 1 AUTHENTICATION_ERROR', 'attempt.succeeded 2']);
  });

  test('if all fail, the last error goes to retry, which is hedged too', async () => {
    const { clock, call, begun, events, policy } = hedged({ retry: { maxRetries: 1 } }, [
      { after: 150, error: retryable('a') },
      { after: 100, error: retryable('b') },
      { after: 150, error: fatal('c') },
      { after: 100, error: retryable('d') },
    ]);
    await clock.advance(10_000);
    const error = await rejection(call);
    assert.deepEqual(begun, [0, 100, 1200, 1300]);
    assert.deepEqual([error.message, error.attempts], ['d', 4]);
    assert.deepEqual(
      error.errors.map(({ message }) => message),
      ['a', 'b', 'c', 'd'],
    );
    const ended = events.at(-1);
    assert.ok(ended?.type === 'call.failed');
    assert.deepEqual([ended.why, ended.attempts], ['exhausted', 4]);
    assert.deepEqual([policy.stats().retries, policy.stats().attempts], [1, 4]);
  });

  test('an attempt that fails before the hedge begins leaves none', async () => {
    const { clock, call, begun } = hedged({}, [
      { after: 50, error: retryable() },
      { after: 50, value: 'b' },
    ]);
    await clock.advance(10_000);
    assert.equal(await call, 'b');
    assert.deepEqual(begun, [0, 1050]);
  });

  test('max more begin, each afterMs behind the one before', async () => {
    const { clock, call, begun, aborted } = hedged({ hedge: { afterMs: 100, max: 2 } }, [
      undefined,
      undefined,
      { after: 1, value: 'c' },
    ]);
    await clock.advance(1000);
    assert.equal(await call, 'c');
    assert.deepEqual([begun, aborted.length], [[0, 100, 200], 2]);
  });

  test('afterMs 0: both begin at once', async () => {
    const { clock, call, begun } = hedged({ hedge: { afterMs: 0 } }, [undefined, { after: 5, value: 'b' }]);
    await clock.advance(10);
    assert.equal(await call, 'b');
    assert.deepEqual(begun, [0, 0]);
  });
});

describe('what bounds it', () => {
  test('each attempt has its own attemptMs', async () => {
    const { clock, call, aborted } = hedged({ timeout: { attemptMs: 250 }, retry: false }, [
      undefined,
      undefined,
    ]);
    await clock.advance(1000);
    const error = await rejection(call);
    assert.deepEqual([error.code, error.attempts], ['TIMEOUT', 2]);
    assert.deepEqual(aborted, [
      [1, 250, 'TIMEOUT'],
      [2, 350, 'TIMEOUT'],
    ]);
    assert.equal(clock.pending, 0);
  });

  test('the deadline ends all of them', async () => {
    const { clock, call, aborted, events } = hedged({ timeout: { totalMs: 250 } }, [undefined, undefined]);
    await clock.advance(250);
    assert.equal((await rejection(call)).code, 'TIMEOUT');
    assert.deepEqual(
      aborted.map(([attempt]) => attempt),
      [1, 2],
    );
    const ended = events.at(-1);
    assert.equal(ended?.type === 'call.failed' && ended.why, 'deadline');
    assert.equal(clock.pending, 0);
  });

  test('the caller aborts all of them', async () => {
    const { controller, signal, listeners } = countingSignal();
    const { clock, call, aborted } = hedged({}, [undefined, undefined], { signal });
    await clock.advance(150);
    controller.abort();
    assert.equal((await rejection(call)).code, 'CANCELLED');
    assert.deepEqual([aborted.length, listeners(), clock.pending], [2, 0, 0]);
  });

  test('dispose does too', async () => {
    const { clock, call, policy, aborted } = hedged({}, [undefined, undefined]);
    await clock.advance(150);
    policy.dispose();
    assert.equal((await rejection(call)).code, 'CANCELLED');
    assert.deepEqual([aborted.length, clock.pending], [2, 0]);
  });

  test('a slot of the bulkhead each; without a free one none begins', async () => {
    const { clock, policy, begun } = hedged({ bulkhead: { maxConcurrent: 2 } }, [undefined, undefined]);
    await clock.advance(100);
    assert.equal(begun.length, 2);
    await rejectsWith(
      policy.execute(() => 1),
      'CAPACITY_EXCEEDED',
    );
    const full = hedged({ bulkhead: { maxConcurrent: 1 } }, [{ after: 300, value: 'a' }]);
    await full.clock.advance(300);
    assert.equal(await full.call, 'a');
    assert.deepEqual(full.begun, [0]);
    assert.equal(await full.policy.execute(() => 2), 2);
  });

  test('the slot of the one that lost goes to who waits', async () => {
    const { clock, policy, call } = hedged({ bulkhead: { maxConcurrent: 2, maxQueued: 1 } }, [
      undefined,
      { after: 50, value: 'b' },
    ]);
    await clock.advance(120);
    const queued = policy.execute(() => 'next');
    assert.equal(policy.stats().waiting, 1);
    await clock.advance(50);
    assert.deepEqual([await call, await queued], ['b', 'next']);
  });

  test('a turn under the rate limit', async () => {
    const { clock, call, begun } = hedged({ rateLimit: { limit: 1, windowMs: 10_000 } }, [
      { after: 300, value: 'a' },
    ]);
    await clock.advance(300);
    assert.equal(await call, 'a');
    assert.equal(begun.length, 1);
  });

  test('a retry of the budget', async () => {
    const clock = new VirtualClock();
    const budget = new RetryBudget({ ratio: 0, minPerSecond: 0.1, clock });
    const policy = createPolicy({ clock, hedge: { afterMs: 100 }, retry: { budget } });
    for (const _ of [1, 2]) policy.execute(deaf).catch(() => {});
    await clock.advance(100);
    assert.deepEqual([policy.stats().attempts, budget.available], [3, 0]);
    policy.dispose();
  });

  test('none for a probe', async () => {
    const { clock, policy } = onVirtualClock({
      hedge: { afterMs: 100 },
      retry: false,
      breaker: { failureThreshold: 1, resetTimeoutMs: 1000 },
    });
    await rejection(policy.execute(() => Promise.reject(retryable())));
    await clock.advance(1000);
    const probe = policy.execute(deaf);
    probe.catch(() => {});
    await clock.advance(500);
    assert.equal(policy.stats().attempts, 2);
    policy.dispose();
  });

  test('never with idempotent: false, for a stream, or where the call says so', async () => {
    const { clock, policy } = onVirtualClock({ hedge: { afterMs: 100 } });
    policy.execute(deaf, { idempotent: false }).catch(() => {});
    policy.execute(deaf, { hedge: false }).catch(() => {});
    policy
      .stream(deaf)
      .next()
      .catch(() => {});
    await clock.advance(1000);
    assert.equal(policy.stats().attempts, 3);
    policy.dispose();
  });

  test("a call's own stands instead of the policy's", async () => {
    const { clock, begun } = hedged({ hedge: false }, [undefined, undefined, undefined], {
      hedge: { afterMs: 10, max: 2 },
    });
    await clock.advance(1000);
    assert.deepEqual(begun, [0, 10, 20]);
  });
});

test('the signal of the winner is not aborted, and all attempts have one idempotency key', async () => {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 10 } });
  const seen: AttemptContext[] = [];
  const call = policy.execute((context) => {
    seen.push(context);
    return context.attempt === 1 ? deaf() : 'b';
  });
  await clock.advance(10);
  await call;
  assert.deepEqual(
    seen.map(({ signal }) => signal.aborted),
    [true, false],
  );
  assert.equal(seen[0]?.idempotencyKey, seen[1]?.idempotencyKey);
});

test('what a hedge throws at once is a failure of its own', async () => {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 10 }, retry: false });
  let answer: (value: string) => void = () => {};
  const call = policy.execute(({ attempt }) => {
    if (attempt === 2) throw fatal();
    return new Promise<string>((resolve) => {
      answer = resolve;
    });
  });
  await clock.advance(10);
  answer('a');
  assert.equal(await call, 'a');
});

test('a guarded fetch is hedged, but not one whose body streams', async () => {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 10 } });
  const real = globalThis.fetch;
  const aborted: string[] = [];
  let requests = 0;
  globalThis.fetch = ((_: unknown, init?: RequestInit) => {
    const request = ++requests;
    init?.signal?.addEventListener('abort', () => aborted.push(`${request}`));
    return request === 2 ? Promise.resolve(new Response('fine')) : deaf();
  }) as never;
  try {
    const answer = policy.fetch('http://127.0.0.1/');
    await clock.advance(10);
    assert.equal(await (await answer).text(), 'fine');
    assert.deepEqual([requests, aborted], [2, ['1']]);
    const body = new ReadableStream();
    policy
      .fetch('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' } as RequestInit)
      .catch(() => {});
    await clock.advance(1000);
    assert.equal(requests, 3);
    policy.dispose();
  } finally {
    globalThis.fetch = real;
  }
});

test('wrong options are TypeErrors that say what was expected', () => {
  for (const [hedge, message] of [
    [{}, /option 'hedge.afterMs' must be a finite number of milliseconds, 0 or more, got undefined/],
    [{ afterMs: -1 }, /option 'hedge.afterMs' must be a finite number of milliseconds, 0 or more, got -1/],
    [{ afterMs: 1, max: 0 }, /option 'hedge.max' must be a whole number, 1 or more, got 0/],
    [true, /option 'hedge' must be false, or an object, got true/],
  ] as const) {
    assert.throws(() => createPolicy({ hedge: hedge as never }), message);
    assert.throws(() => createPolicy().execute(() => 1, { hedge: hedge as never }), message);
    assert.throws(() => createPolicy().wrap(() => 1, { hedge: hedge as never }), message);
  }
});

test('whatever is combined and however it ends: it settles once, and leaves no timer, listener or slot', async () => {
  let state = 20261123;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 400; round++) {
    const clock = new CountingClock();
    const policy = createPolicy({
      clock,
      seed: round,
      hedge: random(8) === 0 ? false : { afterMs: random(200), max: 1 + random(3) },
      retry:
        random(5) === 0
          ? false
          : {
              maxRetries: random(3),
              baseDelayMs: random(300),
              backoff: random(2) === 0 ? undefined : () => random(50),
            },
      breaker: random(3) === 0 ? false : { failureThreshold: 1 + random(3), resetTimeoutMs: 100 },
      breakerScope: random(2) === 0 ? 'call' : 'attempt',
      bulkhead: { maxConcurrent: 1 + random(4), maxQueued: random(3) },
      ...(random(3) === 0 && { rateLimit: { limit: 1 + random(4), windowMs: 300, maxWaitMs: random(400) } }),
      timeout: { attemptMs: 100 + random(300), totalMs: 400 + random(800) },
      unref: random(2) === 0,
      staleIfError: { maxAgeMs: 500 },
    });
    const { events } = recordEvents(policy as never);
    const { controller, signal, listeners } = countingSignal();
    let settled = 0;
    const signals: AbortSignal[] = [];
    const calls = Array.from({ length: 4 }, () =>
      policy
        .execute(
          (context) => {
            signals.push(context.signal);
            const [kind, after] = [random(5), random(400)];
            if (kind === 0) return deaf();
            if (kind === 1 && after < 40) throw retryable();
            return new Promise((resolve, reject) => {
              clock.setTimeout(
                () => (kind < 3 ? reject(kind === 1 ? fatal() : retryable()) : resolve(kind)),
                after,
              );
            });
          },
          {
            signal,
            cacheKey: `${random(2)}`,
            validate: random(3) === 0 ? async () => random(4) > 0 : undefined,
            idempotent: random(6) > 0,
          },
        )
        .then(
          () => settled++,
          () => settled++,
        ),
    );
    for (let step = 0; step < 6; step++) {
      await clock.advance(random(300));
      if (step === 4 && random(3) === 0) controller.abort();
    }
    await clock.advance(5000);
    await Promise.all(calls);
    const where = `round ${round}`;
    assert.deepEqual([settled, listeners(), clock.pending], [4, 0, 0], where);
    const ends = events.filter(({ type }) => /^call\.(succeeded|failed|rejected)$/.test(type));
    assert.equal(ends.length, 4, where);
    const { calls: counted, inFlight, attempts } = policy.stats();
    assert.deepEqual([counted, inFlight], [4, 0], where);
    const begun = events.filter(({ type }) => type === 'attempt.started').length;
    assert.equal(attempts, begun, where);
    // No call holds a slot: the number of admitted calls equals the number of slots.
    policy.update({ rateLimit: { limit: 1000, windowMs: 1, maxWaitMs: 0 }, hedge: false });
    policy.breaker?.reset();
    const slots = (
      policy as never as { host: { settings: { given: { bulkhead: { maxConcurrent: number } } } } }
    ).host.settings.given.bulkhead.maxConcurrent;
    for (let slot = 0; slot < slots; slot++) policy.execute(deaf).catch(() => {});
    assert.equal(policy.stats().attempts, attempts + slots, where);
    policy.dispose();
  }
});
