// The provider of a run for real: what it answers, refuses and forgets as its scenario says, over real connections.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Fault, Scenario } from 'halfopen/lab';
import { runForReal } from '../../src/lab/real/index.js';
import { drawn, RealProvider } from '../../src/lab/real/provider.js';
import { until } from '../devtools/server.js';

const scenario = (provider: Partial<Scenario['provider']>, faults: Fault[] = []): Scenario => ({
  version: 1,
  durationMs: 1000,
  clients: { count: 1, arrivals: { kind: 'once' } },
  policies: { none: { retry: false, breaker: false } },
  provider: { servers: 1, service: { kind: 'constant', mean: 1 }, ...provider },
  faults,
});

/** Starts it at a moment of its run that the test sets. */
async function listening(t: TestContext, provider: Partial<Scenario['provider']>, faults: Fault[] = []) {
  const at = { now: 0 };
  const real = new RealProvider(scenario(provider, faults), () => at.now);
  t.after(() => real.close());
  const url = await real.listen();
  const ask = async (signal?: AbortSignal) => {
    const response = await fetch(url, { method: 'POST', body: '{}', ...(signal && { signal }) });
    return { status: response.status, body: await response.json() };
  };
  return { real, at, ask };
}

for (const [retryAfter, hint] of [
  ['exact', 8_500],
  ['seconds', 9_000],
  ['none', undefined],
] as const)
  test(`beyond its rate limit it refuses until the window ends, with a hint that is ${retryAfter}`, async (t) => {
    const { at, ask } = await listening(t, { rateLimit: { limit: 2, windowMs: 10_000, retryAfter } });
    at.now = 1_500;
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
    const { status, body } = await ask();
    assert.deepEqual([status, body.code, body.retryAfterMs], [503, 'RATE_LIMITED', hint]);
    at.now = 10_000;
    assert.equal((await ask()).status, 200);
  });

test('it fails by itself, and for the time of a fault with that first', async (t) => {
  const own = { code: 'SERVER_ERROR', rate: 1, latencyMs: 5 } as const;
  const fault = {
    kind: 'errors',
    atMs: 100,
    forMs: 100,
    code: 'RATE_LIMITED',
    rate: 1,
    retryAfterMs: 70,
  } as const;
  const { at, ask } = await listening(t, { errors: [own] }, [fault]);
  assert.deepEqual(await ask(), { status: 503, body: { code: 'SERVER_ERROR' } });
  at.now = 150;
  assert.deepEqual(await ask(), { status: 503, body: { code: 'RATE_LIMITED', retryAfterMs: 70 } });
});

test('a full queue refuses at once; a pause keeps waiting requests until it is over', async (t) => {
  const { real, at, ask } = await listening(t, { queue: 1, service: { kind: 'constant', mean: 5 } }, [
    { kind: 'pause', atMs: 0, forMs: 100 },
    { kind: 'capacity', atMs: 100, forMs: 100, factor: 0 },
  ]);
  // Nothing is served, so the first takes the place in the queue.
  const waiting = ask();
  await until(() => real.queued === 1, 'the first request');
  at.now = 150;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(real.queued, 1, 'there is no server for it');
  at.now = 200;
  assert.equal((await waiting).status, 200);
  assert.equal(real.queued, 0);
});

test('one that is served and one that waits are all that a queue of one takes', async (t) => {
  const { real, ask } = await listening(t, { queue: 1, service: { kind: 'constant', mean: 60_000 } });
  const gone = new AbortController();
  const [served, waits] = [ask(gone.signal).catch(() => 'left'), ask(gone.signal).catch(() => 'left')];
  await until(() => real.queued === 1, 'the one that waits');
  assert.deepEqual(await ask(), { status: 503, body: { code: 'PROVIDER_OVERLOADED' } });
  gone.abort();
  assert.deepEqual(await Promise.all([served, waits]), ['left', 'left']);
});

for (const abandons of [true, false])
  test(`work whose caller has left is ${abandons ? 'dropped' : 'done in vain'}`, async (t) => {
    const service = { kind: 'constant', mean: 20 } as const;
    const { real, at, ask } = await listening(t, { service, abandons }, [
      { kind: 'pause', atMs: 0, forMs: 100 },
    ]);
    const gone = new AbortController();
    const left = ask(gone.signal).catch(() => 'left');
    await until(() => real.queued === 1, 'the request');
    gone.abort();
    assert.equal(await left, 'left');
    const other = ask();
    await until(() => real.queued === 2, 'the other request');
    at.now = 100;
    assert.equal((await other).status, 200);
    assert.equal(real.wastedServiceMs, abandons ? 0 : 20);
  });

test('an outage resets connections, and a black hole answers nothing', async (t) => {
  const { at, ask } = await listening(t, {}, [
    { kind: 'outage', atMs: 0, forMs: 100 },
    { kind: 'blackhole', atMs: 100, forMs: 100 },
  ]);
  await assert.rejects(ask(), /fetch failed/);
  at.now = 150;
  await assert.rejects(ask(AbortSignal.timeout(300)), /timeout/);
  at.now = 200;
  assert.equal((await ask()).status, 200);
});

test('durations are drawn from their distribution', () => {
  const draw = (distribution: Parameters<typeof drawn>[0]) =>
    Array.from({ length: 4_000 }, () => drawn(distribution)).sort((a, b) => a - b);
  const median = (values: number[]) => values[values.length / 2] ?? Number.NaN;
  assert.deepEqual([...new Set(draw({ kind: 'constant', mean: 7 }))], [7]);
  assert.deepEqual([...new Set(draw({ kind: 'empirical', values: [1, 5, 9] }))], [1, 5, 9]);
  assert.equal(drawn({ kind: 'empirical', values: [] }), 0);
  // Both medians are 100 in the limit; of 4,000 draws they are within 20 % but once in more than a million runs.
  for (const values of [
    draw({ kind: 'exponential', mean: 100 / Math.LN2 }),
    draw({ kind: 'lognormal', median: 100, sigma: 1 }),
  ])
    assert.ok(Math.abs(median(values) - 100) < 20 && (values[0] ?? -1) >= 0, `${median(values)}`);
});

test('clients that think, and clients that come at once, call as often as they should', async () => {
  const run = async (arrivals: Scenario['clients']['arrivals']) => {
    const [result] = await runForReal({ ...scenario({ servers: 8 }), clients: { count: 3, arrivals } });
    return result?.totals;
  };
  const once = await run({ kind: 'once' });
  assert.deepEqual([once?.offered, once?.succeeded], [3, 3]);
  const closed = await run({ kind: 'closed', think: { kind: 'constant', mean: 200 } });
  assert.ok(closed !== undefined && closed.offered >= 1 && closed.offered <= 15, `${closed?.offered}`);
});

test('unanswered calls end after the last arrival; a fallback answers for them', async () => {
  const silence = [{ kind: 'blackhole', atMs: 0, forMs: 1e6 }] as const;
  const results = await runForReal({
    ...scenario({}, [...silence]),
    policies: {
      silent: { retry: false, breaker: false },
      fallback: { retry: false, breaker: false, timeout: { attemptMs: 100 }, fallback: true },
    },
  });
  const [silent, fallback] = results.map(({ totals }) => totals);
  assert.deepEqual([silent?.offered, silent?.succeeded], [1, 0]);
  assert.deepEqual([fallback?.offered, fallback?.fallbacks], [1, 1]);
});

test('a run that has ended before it begins does not begin', async () => {
  await assert.rejects(
    runForReal(scenario({}), { signal: AbortSignal.abort(new Error('enough')) }),
    /enough/,
  );
});

test('more than four policies, and layers around them, are only simulated', async () => {
  const policies = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, {}]));
  await assert.rejects(
    runForReal({ ...scenario({}), policies }),
    (error: Error) =>
      error instanceof TypeError && /'policies'.*at most 4 in a run for real.*got 5/.test(error.message),
  );
  const clients = { count: 1, arrivals: { kind: 'once' }, nested: [{}] } as const;
  await assert.rejects(
    runForReal({ ...scenario({}), clients }),
    /clients\.nested.*nothing in a run for real/,
  );
});
