// An option that is given replaces only itself: the others keep the default that createPolicy() has, at any depth.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AgentError,
  CircuitBreaker,
  createPolicy,
  type PolicyOptions,
  RetryBudget,
  type RetryOptions,
  retryPresets,
} from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';

const down = () => Promise.reject(new AgentError('SERVER_ERROR', '503'));

/** Returns the attempts of a hundred calls that begin at once and all fail. */
async function attempts(options: PolicyOptions, own?: { retry: RetryOptions }): Promise<number> {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, ...options });
  let count = 0;
  const calls = Array.from({ length: 100 }, () =>
    policy
      .execute(() => {
        count++;
        return down();
      }, own)
      .catch(() => {}),
  );
  await clock.advance(600_000);
  await Promise.all(calls);
  return count;
}

type Described = Record<string, Record<string, unknown> | undefined>;

/** Returns the options that a policy reports, after an update if there is one. */
async function configured(options: PolicyOptions, update?: PolicyOptions): Promise<Described> {
  const policy = createPolicy({ clock: new VirtualClock(), ...options });
  if (update !== undefined) policy.update(update);
  const { events } = recordEvents(policy);
  await policy.execute(() => 1);
  const [first] = events;
  assert.ok(first?.type === 'policy.configured');
  return first.options as Described;
}

const { breaker: BREAKER, retry: RETRY } = await configured({});

test('every form of `retry` leaves the quota, on a policy as on a call', async () => {
  const few = await attempts({});
  assert.ok(few <= 150, `${few} attempts`);
  const forms: RetryOptions[] = [
    {},
    { maxRetries: 3 },
    { onRetry() {} },
    { maxRetryAfterMs: 5000 },
    { baseDelayMs: 1 },
    { retryOn: () => true },
    { retryOn: ['SERVER_ERROR'] },
    { jitter: 'full' },
    { backoff: () => 10 },
  ];
  for (const retry of forms) {
    for (const [options, own] of [[{ retry }], [{}, { retry }], [{ retry: false }, { retry }]] as const) {
      const made = await attempts(options as PolicyOptions, own);
      assert.ok(made <= 150, `${made} attempts with ${JSON.stringify([options, own])}`);
    }
  }
  for (const preset of ['agent', 'capability', 'service'] as const)
    for (const options of [{ preset }, { preset, retry: { maxRetries: 3 } }])
      assert.ok((await attempts(options)) <= 150, preset);
});

test('`budget: false` is no quota, on a policy as on a call, and a budget of a call replaces it', async () => {
  assert.equal(await attempts({ breaker: false, retry: { budget: false } }), 400);
  assert.equal(await attempts({ breaker: false }, { retry: { budget: false } }), 400);
  assert.equal(
    await attempts({ breaker: false, retry: { budget: false } }, { retry: { maxRetries: 2 } }),
    300,
  );
  const none = { ratio: 0, minPerSecond: 0 };
  assert.equal(
    await attempts({ breaker: false, retry: { budget: false } }, { retry: { budget: none } }),
    100,
  );
  // The two numbers of a budget are two options: 0.5 a second over ten seconds.
  const merged = await attempts(
    { breaker: false, retry: { budget: none } },
    { retry: { budget: { minPerSecond: 0.5 } } },
  );
  assert.equal(merged, 105);
});

test('the reported options are complete', async () => {
  assert.deepEqual(RETRY, { ...retryPresets.agent, budget: 'default' });
  assert.deepEqual(BREAKER, {
    failureThreshold: 5,
    resetTimeoutMs: 1000,
    halfOpenMaxCalls: 3,
    probeTimeoutMs: 3000,
  });
  const own = await configured({ retry: { maxRetries: 1 }, breaker: { name: 'db', resetTimeoutMs: 500 } });
  assert.deepEqual(own.retry, { ...RETRY, maxRetries: 1 });
  assert.deepEqual(own.breaker, { ...BREAKER, name: 'db', resetTimeoutMs: 500 });
  const none = await configured({ retry: { budget: false, maxRetries: undefined } });
  assert.deepEqual(none.retry, { ...RETRY, budget: false });
});

test('of alternatives, what is given replaces the other', async () => {
  const { failureThreshold: _, ...rest } = BREAKER as Record<string, unknown>;
  const window = { kind: 'count', size: 20, failureRate: 0.5 } as const;
  assert.deepEqual((await configured({ breaker: { window } })).breaker, { ...rest, window });
  assert.deepEqual((await configured({ breaker: { throttle: {} } })).breaker, { ...rest, throttle: {} });
  const { retry } = await configured({ retry: { backoff: () => 5 } });
  assert.deepEqual(retry, {
    maxRetries: 3,
    maxDelayMs: 10_000,
    enableJitter: true,
    backoff: 'function',
    budget: 'default',
  });
});

test('a `baseDelayMs` of a call replaces the `backoff` of its policy, and the other way round', async () => {
  const waits = async (common: RetryOptions, own: RetryOptions): Promise<number[]> => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, retry: common });
    const { events } = recordEvents(policy);
    const failed = policy.execute(down, { retry: own }).catch(() => {});
    await clock.advance(600_000);
    await failed;
    return events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.delayMs] : []));
  };
  const fixed: RetryOptions = { backoff: () => 7 };
  assert.deepEqual(await waits(fixed, { baseDelayMs: 100, jitter: 0 }), [100, 200, 400]);
  assert.deepEqual(await waits({ baseDelayMs: 100 }, fixed), [7, 7, 7]);
  // Beside one another they are not at odds.
  assert.deepEqual(
    await waits({ baseDelayMs: 20_000, maxDelayMs: 30_000 }, { ...fixed, maxDelayMs: 9 }),
    [7, 7, 7],
  );
});

test('a preset counts as given, sets no other option, and has the quota', async () => {
  const service = await configured({ preset: 'service' });
  assert.deepEqual(service.retry, { ...RETRY, ...retryPresets.service });
  assert.deepEqual(service.breaker, {
    ...BREAKER,
    failureThreshold: 5,
    resetTimeoutMs: 60_000,
    halfOpenMaxCalls: 1,
  });
  const capability = await configured({ preset: 'capability' });
  assert.deepEqual(capability.retry, { ...RETRY, ...retryPresets.capability, maxDelayMs: 'Infinity' });
  assert.deepEqual(capability.breaker, BREAKER);
  const changed = await configured({
    preset: 'service',
    retry: { jitter: 'full' },
    breaker: { halfOpenMaxCalls: 2 },
  });
  assert.deepEqual(changed.retry, { ...RETRY, ...retryPresets.service, enableJitter: true, jitter: 'full' });
  assert.deepEqual(changed.breaker, { ...service.breaker, halfOpenMaxCalls: 2 });
});

test('an update replaces each option that it names, and merges it with the defaults', async () => {
  const given = { retry: { maxRetries: 1, jitter: 'full' }, breaker: { failureThreshold: 2 } } as const;
  const updated = await configured(given, { retry: { baseDelayMs: 10 } });
  assert.deepEqual(updated.retry, { ...RETRY, baseDelayMs: 10 });
  assert.deepEqual(updated.breaker, { ...BREAKER, failureThreshold: 2 });
  assert.deepEqual((await configured(given, { breaker: undefined })).breaker, BREAKER);
});

test('classes keep the numbers of their sources', async () => {
  const clock = new VirtualClock();
  const breaker = new CircuitBreaker({ clock });
  for (let failure = 0; failure < 5; failure++) breaker.recordFailure();
  assert.deepEqual([breaker.state, breaker.retryAfterMs], ['open', 60_000]);
  await clock.advance(60_000);
  const probe = breaker.acquire();
  assert.deepEqual([breaker.state, breaker.acquire()], ['half_open', undefined]);
  probe?.release();
  assert.equal(new RetryBudget({ clock }).available, 10);
});

test('the options of a shared breaker are reported complete, with the defaults of its class', async () => {
  const { breaker } = await configured({ breaker: new CircuitBreaker({ name: 'db', successThreshold: 2 }) });
  assert.deepEqual(breaker, {
    name: 'db',
    failureThreshold: 5,
    resetTimeoutMs: 60_000,
    halfOpenMaxCalls: 1,
    probeTimeoutMs: 60_000,
    successThreshold: 2,
    shared: true,
  });
});
