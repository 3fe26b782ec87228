// When a failover leaves a target: before long waits, after one retry, after a timeout; and the last target's patience.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AgentError,
  type AgentErrorCode,
  createPolicy,
  failover,
  type HalfopenEvent,
  type PolicyOptions,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { deaf } from './given.js';

type Options = NonNullable<Parameters<typeof failover>[1]>;

/** When the second target is called, how often the first was, and what the first's policy has said. */
async function switching(
  run: () => Promise<string>,
  { policy = {}, ...options }: Options & { policy?: PolicyOptions } = {},
): Promise<{ at: number | undefined; calls: number; events: readonly HalfopenEvent[] }> {
  const clock = new VirtualClock();
  const events: HalfopenEvent[] = [];
  const onEvent = (event: HalfopenEvent) => void events.push(event);
  const retry = policy.retry === false ? false : { enableJitter: false, ...policy.retry };
  const first = createPolicy({ clock, onEvent, ...policy, retry });
  let calls = 0;
  let at: number | undefined;
  const targets = [
    {
      policy: first,
      run: () => {
        calls++;
        return run();
      },
    },
    {
      policy: createPolicy({ clock }),
      run: () => {
        at = clock.now();
        return 'second';
      },
    },
  ];
  const result = failover(targets, options);
  await clock.advance(1_000_000);
  assert.equal(await result, 'second');
  return { at, calls, events };
}

const failing = (code: AgentErrorCode, retryAfterMs?: number) => () =>
  Promise.reject(new AgentError(code, 'no', { retryAfterMs }));

test('a target that hangs delays the next by one attempt', async () => {
  const { at, calls, events } = await switching(deaf, { policy: { timeout: { attemptMs: 30_000 } } });
  assert.deepEqual([at, calls], [30_000, 1]);
  const failed = events.find((event) => event.type === 'call.failed');
  assert.ok(failed?.type === 'call.failed' && failed.why === 'exhausted' && failed.code === 'TIMEOUT');
});

test('a target that fails is tried once more, after a wait of two seconds at most', async () => {
  const once = await switching(failing('SERVER_ERROR'));
  assert.deepEqual([once.at, once.calls], [1000, 2]);
  const none = await switching(failing('SERVER_ERROR'), { retriesBeforeSwitch: 0 });
  assert.deepEqual([none.at, none.calls], [0, 1]);
  // Waits of one, two and four seconds.
  const patient = await switching(failing('SERVER_ERROR'), { retriesBeforeSwitch: Number.POSITIVE_INFINITY });
  assert.deepEqual([patient.at, patient.calls], [3000, 3]);
  const more = await switching(failing('SERVER_ERROR'), {
    ...{ retriesBeforeSwitch: 9, maxWaitMs: Number.POSITIVE_INFINITY },
  });
  assert.deepEqual([more.at, more.calls], [7000, 4]);
  const { POSITIVE_INFINITY: all } = Number;
  const byPolicy = await switching(failing('SERVER_ERROR'), { retriesBeforeSwitch: all, maxWaitMs: all });
  assert.deepEqual([byPolicy.at, byPolicy.calls], [7000, 4]);
});

test('a wait that is longer is not begun: of the backoff, of a function, of the provider', async () => {
  for (const [run, retry, waits] of [
    [failing('SERVER_ERROR'), { baseDelayMs: 2000 }, true],
    [failing('SERVER_ERROR'), { baseDelayMs: 2001 }, false],
    [failing('SERVER_ERROR'), { backoff: () => 2000 }, true],
    [failing('SERVER_ERROR'), { backoff: () => 2001 }, false],
    [failing('RATE_LIMITED', 2000), {}, true],
    [failing('RATE_LIMITED', 2001), {}, false],
  ] as const) {
    const { at, calls, events } = await switching(run, { policy: { retry } });
    assert.deepEqual([at, calls], waits ? [2000, 2] : [0, 1], JSON.stringify(retry));
    assert.equal(
      events.some(({ type }) => type === 'retry.scheduled'),
      waits,
    );
  }
});

test("a policy's own limits hold where they are tighter, and one without retries gets none", async () => {
  const own = await switching(failing('RATE_LIMITED', 1000), { policy: { retry: { maxRetryAfterMs: 500 } } });
  assert.deepEqual([own.at, own.calls], [0, 1]);
  const none = { retry: false } as const;
  assert.equal((await switching(failing('SERVER_ERROR'), { policy: none })).calls, 1);
  const zero = { retry: { maxRetries: 0 } };
  assert.equal((await switching(failing('SERVER_ERROR'), { policy: zero })).calls, 1);
});

test('the last target waits and retries as its policy says, and so does one behind which every breaker is open', async () => {
  for (const isLast of [true, false]) {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, retry: { enableJitter: false } });
    const open = createPolicy({ clock });
    open.breaker?.isolate();
    let calls = 0;
    const target = {
      policy,
      run: async () => {
        if (++calls < 4) throw new AgentError('RATE_LIMITED', 'later', { retryAfterMs: 20_000 });
        return clock.now();
      },
    };
    const refused = { policy: open, run: () => assert.fail('its breaker is open') };
    const result = failover(isLast ? [refused, target] : [target, refused]);
    await clock.advance(60_000);
    assert.equal(await result, 60_000);
  }
});

test('wrong options are TypeErrors that name them', () => {
  const targets = [{ policy: createPolicy(), run: () => 1 }];
  assert.throws(() => failover(targets, { maxWaitMs: -1 }), /option 'maxWaitMs' must be/);
  assert.throws(
    () => failover(targets, { retriesBeforeSwitch: 0.5 }),
    /option 'retriesBeforeSwitch' must be/,
  );
});
