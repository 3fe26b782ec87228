// Retries: what is retried, how long it waits, and when it stops (rules 7, 8, 9, 10).
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AgentError,
  type AgentErrorCode,
  calculateExponentialBackoff,
  createPolicy,
  RetryBudget,
  type RetryOptions,
  retryPresets,
} from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import { fatal, onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

const error = (code: AgentErrorCode, retryAfterMs?: number): AgentError =>
  new AgentError(code, code, retryAfterMs === undefined ? {} : { retryAfterMs });

/** The delays that a policy plans when everything fails. */
async function delays(
  retry: RetryOptions,
  seed?: number,
  thrown: AgentError = retryable(),
): Promise<number[]> {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, retry, breaker: false, ...(seed === undefined ? {} : { seed }) });
  const { events } = recordEvents(policy as never);
  const result = policy.execute(() => Promise.reject(thrown)).catch(() => {});
  await clock.advance(1e9);
  await result;
  return events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.delayMs] : []));
}

test('a Retry-After that lies years ahead ends the call, as one that is longer than maxRetryAfterMs does', async () => {
  for (const after of ['61', '999999999', 'Thu, 01 Jan 2099 00:00:00 GMT']) {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    const headers = { date: 'Sun, 29 Nov 2026 00:00:00 GMT', 'retry-after': after };
    const limited = Object.assign(new Error('429'), { status: 429, headers });
    const error = await rejection(policy.execute(() => Promise.reject(limited)));
    assert.deepEqual([error.code, error.attempts], ['RATE_LIMITED', 1], after);
    assert.ok((error.retryAfterMs ?? 0) >= 61_000);
    const failed = events.find(({ type }) => type === 'call.failed');
    assert.ok(failed?.type === 'call.failed' && failed.why === 'hint');
  }
});

test('without jitter: 1000, 2000, 4000, 8000, 10000, 10000', async () => {
  assert.deepEqual(
    await delays({ maxRetries: 6, enableJitter: false }),
    [1000, 2000, 4000, 8000, 10000, 10000],
  );
  const options = { enableJitter: false };
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((attempt) => calculateExponentialBackoff(attempt, options)),
    [0, 1000, 2000, 4000, 8000, 10000, 10000],
  );
});

test('jitter stays within ±20 % and below the cap, and does not pile up at it', async () => {
  const seen = await Promise.all(Array.from({ length: 50 }, (_, seed) => delays({ maxRetries: 6 }, seed)));
  const bounds = [
    [800, 1200],
    [1600, 2400],
    [3200, 4800],
    [6400, 9600],
    [8000, 10_000],
    [8000, 10_000],
  ];
  for (const one of seen) {
    one.forEach((delay, index) => {
      const [low, high] = bounds[index] as [number, number];
      assert.ok(delay >= low && delay <= high, `${delay} of retry ${index + 1}`);
    });
  }
  const atCap = seen.flatMap((one) => one.slice(4)).filter((delay) => delay === 10_000).length;
  assert.ok(atCap <= 5, `${atCap} of 100 at the cap`);
});

test('a seed reproduces every delay', async () => {
  for (const jitter of [0.2, 'full', 'equal', 'decorrelated'] as const) {
    const options = { maxRetries: 5, jitter };
    assert.deepEqual(await delays(options, 7), await delays(options, 7), String(jitter));
    assert.notDeepEqual(await delays(options, 7), await delays(options, 8), String(jitter));
  }
});

test('decorrelated jitter is min(cap, U(base, 3 · previous))', async () => {
  for (let seed = 0; seed < 20; seed++) {
    let previous = 1000;
    for (const delay of await delays({ maxRetries: 8, jitter: 'decorrelated', maxDelayMs: 20_000 }, seed)) {
      assert.ok(delay >= 1000 && delay <= Math.min(20_000, 3 * previous), `${delay} after ${previous}`);
      previous = delay;
    }
  }
});

test('the backoff is never NaN, negative or above the cap, for any finite input', () => {
  const numbers = [0, 1, 1e-9, 0.5, 3, 1e9, 1e300, Number.MAX_VALUE];
  for (const attempt of [-1, ...numbers]) {
    for (const baseDelayMs of numbers) {
      for (const backoffFactor of numbers) {
        for (const jitter of [0, 0.2, 1, 'full', 'equal', 'decorrelated'] as const) {
          for (const random of [0, 0.5, 0.999]) {
            const delay = calculateExponentialBackoff(
              attempt,
              { baseDelayMs, backoffFactor, jitter },
              () => random,
              7,
            );
            assert.ok(
              delay >= 0 && delay <= 10_000,
              `${attempt} ${baseDelayMs} ${backoffFactor} ${jitter}: ${delay}`,
            );
          }
        }
      }
    }
  }
});

test('presets hold their values and cannot be changed', async () => {
  assert.equal(retryPresets.agent.maxDelayMs, 10_000);
  assert.equal(retryPresets.agent.jitter, 0.2);
  assert.equal(retryPresets.capability.backoffFactor, 1.5);
  assert.equal(retryPresets.capability.enableJitter, false);
  assert.deepEqual(retryPresets.service.retryOn, ['llm_failed', 'network', 'timeout']);
  assert.equal(retryPresets.service.maxDelayMs, 30_000);
  assert.throws(() => {
    (retryPresets.agent as RetryOptions).maxRetries = 9;
  }, TypeError);
  assert.deepEqual(
    await delays({ ...retryPresets.capability, maxRetries: 8 }),
    Array.from({ length: 8 }, (_, index) => Math.ceil(1000 * 1.5 ** index)),
  );
});

test('a hint beats the backoff exactly; Retry-After: 0 retries at once', async () => {
  assert.deepEqual(await delays({ maxRetries: 2 }, 1, error('RATE_LIMITED', 4321)), [4321, 4321]);
  const { clock, policy } = onVirtualClock();
  assert.equal(await policy.execute(script<string>(error('RATE_LIMITED', 0), 'now')), 'now');
  assert.equal(clock.now(), 0);
});

test('a hint beyond maxRetryAfterMs or beyond the deadline ends the call at once', async () => {
  const { clock, policy } = onVirtualClock<string>();
  const long = await rejection(policy.execute(script<string>(error('RATE_LIMITED', 60_001))));
  assert.deepEqual(
    [long.code, long.attempts, long.retryAfterMs, clock.now()],
    ['RATE_LIMITED', 1, 60_001, 0],
  );
  const late = await rejection(
    policy.execute(script<string>(error('RATE_LIMITED', 5000)), { timeout: { totalMs: 5000 } }),
  );
  assert.deepEqual([late.code, late.attempts, clock.now()], ['RATE_LIMITED', 1, 0]);
  const answer = await policy.execute(script<string>(error('RATE_LIMITED', 60_001)), {
    fallback: () => 'spare',
  });
  assert.equal(answer, 'spare');
});

test('retryOn as a list is complete: types narrow, named codes are retried even where they would not be', async () => {
  const cases: [RetryOptions['retryOn'], AgentErrorCode, number][] = [
    [undefined, 'SERVER_ERROR', 2],
    [undefined, 'AUTHENTICATION_ERROR', 1],
    [['network'], 'NETWORK_ERROR', 2],
    [['network'], 'SERVER_ERROR', 1],
    [['llm_failed'], 'SERVER_ERROR', 2],
    [['llm_failed'], 'AUTHENTICATION_ERROR', 1],
    [['AUTHENTICATION_ERROR'], 'AUTHENTICATION_ERROR', 2],
    [['AUTHENTICATION_ERROR'], 'SERVER_ERROR', 1],
    [[], 'SERVER_ERROR', 1],
  ];
  for (const [retryOn, code, calls] of cases) {
    const { clock, policy } = onVirtualClock({ retry: { retryOn, maxRetries: 1 } });
    const operation = script<string>(error(code));
    const result = rejection(policy.execute(operation));
    await clock.advance(2000);
    await result;
    assert.equal(operation.calls, calls, `${retryOn} ${code}`);
  }
});

test('retryOn as a function decides, passes with undefined, and may throw without harm', async () => {
  const run = async (
    retryOn: (error: AgentError) => boolean | undefined,
    thrown: AgentError,
  ): Promise<number> => {
    const { clock, policy } = onVirtualClock({ retry: { retryOn, maxRetries: 1 } });
    const operation = script(thrown);
    const result = rejection(policy.execute(operation));
    await clock.advance(2000);
    await result;
    return operation.calls;
  };
  assert.equal(await run(() => true, fatal()), 2);
  assert.equal(await run(() => false, retryable()), 1);
  assert.equal(await run(() => undefined, retryable()), 2);
  assert.equal(await run(() => undefined, fatal()), 1);
  assert.equal(
    await run(() => {
      throw new Error('predicate');
    }, retryable()),
    2,
  );
});

test('onRetry is awaited before the wait, gets the next attempt, and ends the call by throwing', async () => {
  const told: unknown[] = [];
  const { clock, policy } = onVirtualClock({
    retry: {
      onRetry: async ({ code }, next) => {
        told.push([code, next]);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 50));
      },
    },
  });
  const operation = script<string>(retryable(), 'fine');
  const result = policy.execute(operation);
  await clock.advance(1049);
  assert.equal(operation.calls, 1);
  await clock.advance(1);
  assert.equal(await result, 'fine');
  assert.deepEqual(told, [['SERVER_ERROR', { attempt: 2, delayMs: 1000 }]]);
  const failing = onVirtualClock({ retry: { onRetry: () => Promise.reject(fatal('no token')) } });
  const ended = await rejection(failing.policy.execute(script<string>(retryable())));
  assert.deepEqual([ended.code, ended.message, ended.attempts], ['AUTHENTICATION_ERROR', 'no token', 1]);
  assert.equal(failing.clock.pending, 0);
});

test('a budget bounds retries to its share of the calls', async () => {
  const clock = new VirtualClock();
  const budget = new RetryBudget({ ratio: 0.1, minPerSecond: 0, clock });
  const { policy } = onVirtualClock({ clock, breaker: false, retry: { budget, baseDelayMs: 0 } });
  let calls = 0;
  for (let i = 0; i < 200; i++) {
    await policy
      .execute(() => {
        calls++;
        throw retryable();
      })
      .catch(() => {});
  }
  assert.ok(calls - 200 <= 20, `${calls - 200} retries of 200 calls`);
  assert.ok(calls - 200 >= 15, `${calls - 200} retries of 200 calls`);
});

test('a budget is shared by policies, starts with its reserve, and ends the call with its last error', async () => {
  const clock = new VirtualClock();
  const budget = new RetryBudget({ ratio: 0, minPerSecond: 0.2, windowMs: 10_000, clock });
  assert.equal(budget.available, 2);
  const one = onVirtualClock({ clock, retry: { budget } }).policy;
  const other = onVirtualClock({ clock, retry: { budget } }).policy;
  const ended = [
    rejection(one.execute(script<string>(retryable('1')))),
    rejection(other.execute(script<string>(retryable('2')))),
  ];
  await clock.advance(30_000);
  const errors = await Promise.all(ended);
  assert.equal(
    errors.reduce((sum, each) => sum + each.attempts, 0),
    4,
  );
  assert.deepEqual(
    errors.map((each) => each.code),
    ['SERVER_ERROR', 'SERVER_ERROR'],
  );
});

test('nested policies do not multiply unless retryNested is set', async () => {
  for (const [retryNested, calls] of [
    [false, 4],
    [true, 16],
  ] as const) {
    const clock = new VirtualClock();
    const inner = onVirtualClock({ clock, breaker: false }).policy;
    const outer = onVirtualClock({ clock, breaker: false, retry: { retryNested } }).policy;
    const operation = script<string>(retryable());
    const result = rejection(outer.execute(() => inner.execute(operation)));
    await clock.advance(1e6);
    await result;
    assert.equal(operation.calls, calls);
  }
});

test('an inner policy without retries leaves them to the outer one', async () => {
  const { clock, policy } = onVirtualClock();
  const inner = createPolicy({ clock, retry: false });
  const operation = script<string>(retryable(), 'fine');
  const result = policy.execute(() => inner.execute(operation));
  await clock.advance(1000);
  assert.equal(await result, 'fine');
});

test('retries of a call stand over the policy, key by key', async () => {
  const { clock, policy } = onVirtualClock({ retry: { baseDelayMs: 10 } });
  const operation = script<string>(retryable());
  await rejection(policy.execute(operation, { retry: false }));
  assert.equal(operation.calls, 1);
  const once = rejection(policy.execute(operation, { retry: { maxRetries: 1 } }));
  await clock.advance(10);
  await once;
  assert.equal(operation.calls, 3);
  const never = onVirtualClock({ retry: false });
  const own = never.policy.execute(script<string>(retryable(), 'fine'), {
    retry: { maxRetries: 1, enableJitter: false },
  });
  await never.clock.advance(1000);
  assert.equal(await own, 'fine');
});

test('a call that is not idempotent is not repeated once it may have reached the provider', async () => {
  const network = (errno: string): Error =>
    Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(errno), { code: errno }) });
  const cases: [() => unknown, boolean, number][] = [
    [
      () => {
        throw network('ECONNRESET');
      },
      false,
      1,
    ],
    [
      () => {
        throw network('ECONNREFUSED');
      },
      false,
      2,
    ],
    [
      () => {
        throw network('ECONNRESET');
      },
      true,
      2,
    ],
    [
      () => {
        throw error('SERVER_ERROR');
      },
      false,
      1,
    ],
    [
      () => {
        throw error('RATE_LIMITED');
      },
      false,
      2,
    ],
    [
      () => {
        throw error('TIMEOUT');
      },
      false,
      1,
    ],
  ];
  for (const [throws, idempotent, expected] of cases) {
    const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
    let calls = 0;
    const result = rejection(
      policy.execute(
        () => {
          calls++;
          throws();
        },
        { idempotent },
      ),
    );
    await clock.advance(5000);
    await result;
    assert.equal(calls, expected, String(throws));
  }
});

test('options are copied, never held and never changed', async () => {
  const retryOn: AgentErrorCode[] = ['SERVER_ERROR'];
  const options = { retry: { maxRetries: 1, enableJitter: false, retryOn }, timeout: { attemptMs: 1000 } };
  const frozen = structuredClone(options);
  const clock = new VirtualClock();
  const policy = createPolicy({ ...options, clock });
  assert.deepEqual(options, frozen);
  options.retry.maxRetries = 50;
  retryOn.pop();
  const operation = script<string>(retryable());
  const result = rejectsWith(policy.execute(operation), 'SERVER_ERROR');
  await clock.advance(1e6);
  await result;
  assert.equal(operation.calls, 2);
});
