// The lab as an application has it: the same results as natively, errors that name the path, cancelling, progress.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { longestSurvivedPause, type Scenario, sensitivity, simulate, simulateMany } from 'halfopen/lab';
import { paused } from './paused.js';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../tests/vectors/lab/${name}.json`, import.meta.url), 'utf8'));

test('decides in WebAssembly as it does natively: the hashes are those of the core', async () => {
  const { policies } = await simulate(read('everything'));
  const hashes = Object.fromEntries(Object.entries(policies).map(([name, { hash }]) => [name, hash]));
  assert.deepEqual(hashes, read('hashes').hashes);
});

test('shows what retries do after a pause that lasted a second', async () => {
  const { scenario, policies } = await simulate(paused);
  assert.equal(scenario, paused);
  const { retries, none } = policies;
  assert.ok(retries && none);
  assert.equal(none.totals.amplification, 1);
  assert.ok(retries.totals.amplification > 3, `${retries.totals.amplification}`);
  const last = (series: readonly number[]) => series.slice(110, 120).reduce((sum, count) => sum + count, 0);
  assert.deepEqual([last(none.series.succeeded), last(retries.series.succeeded)], [70, 0]);
  const { offered, succeeded, failed, rejected, abandoned, fallbacks } = retries.totals;
  assert.equal(succeeded + failed + rejected + abandoned + fallbacks, offered);
  assert.equal(retries.series.breaker.length, retries.series.offered.length);
  assert.deepEqual(Object.keys(retries.series.breaker[0] ?? {}), [
    'closed',
    'open',
    'half_open',
    'isolated',
    'disabled',
  ]);
});

test('finds the longest pause that a policy survives', async () => {
  assert.equal(await longestSurvivedPause(paused, 'retries', { maxMs: 1000 }), 400);
  assert.equal(await longestSurvivedPause(paused, 'none', { maxMs: 1000 }), null);
  await assert.rejects(longestSurvivedPause(paused, 'other'), {
    name: 'TypeError',
    message: "halfopen: option 'policy' must be one of retries, none, got 'other'",
  });
});

test('gives bands over many seeds', async () => {
  const scenario = { ...read('everything'), durationMs: 20_000 };
  const bands = await simulateMany(scenario, { seeds: 5 });
  const band = bands.breaker?.['userMs.p95'];
  assert.ok(
    band && band.low <= band.mean && band.mean <= band.high && band.low < band.high,
    JSON.stringify(band),
  );
  await assert.rejects(simulateMany(scenario, { seeds: 0 }), {
    name: 'TypeError',
    message: "halfopen: option 'seeds' must be a whole number from 1 to 100000, got 0",
  });
});

test('says on which inputs a difference hangs', async () => {
  const inputs = await sensitivity(paused, { policies: ['none', 'retries'], total: 'successRate' });
  assert.ok(inputs.some(({ path }) => path === 'provider.service.mean'));
  assert.ok(inputs.some(({ path }) => path === 'faults.0.forMs'));
  const sizes = inputs.map(({ effect }) => Math.abs(effect));
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
  );
});

const misfits: readonly [string, object, string][] = [
  ['a negative time', { durationMs: -1 }, 'durationMs: expected a number of milliseconds above 0, got -1'],
  ['NaN', { durationMs: Number.NaN }, "durationMs: expected a number of milliseconds above 0, got 'NaN'"],
  [
    'an unknown key',
    { provider: { ...paused.provider, serviceMs: 3 } },
    "provider.serviceMs: expected one of the keys servers, service, queue, abandons, rateLimit, tokenLimit, errors, got the unknown key 'serviceMs'",
  ],
  [
    'a function',
    { policies: { it: { retry: { retryOn: () => true } } } },
    "policies.it.retry.retryOn: expected a list, got 'a function'",
  ],
  [
    'a negative rate',
    { clients: { ...paused.clients, arrivals: { kind: 'open', perSecond: -7 } } },
    'clients.arrivals.perSecond: expected a number above 0, got -7',
  ],
  ['another version', { version: 2 }, 'version: expected 1, got 2'],
  [
    'what needs 10^12 events',
    { clients: { count: 1, arrivals: { kind: 'open', perSecond: 1e9 } }, durationMs: 120_000 },
    'clients.arrivals.perSecond: expected what needs 1e10 events at most, got 1000000000, with which the run has up to 2e12 and takes 4 days',
  ],
  ['no policies', { policies: {} }, 'policies: expected an object with 1 to 100 policies, got an object'],
];

for (const [what, part, message] of misfits) {
  test(`refuses ${what} before anything runs`, async () => {
    const scenario = { ...paused, ...part } as Scenario;
    await assert.rejects(simulate(scenario), { name: 'TypeError', message: `halfopen: ${message}` });
  });
}

test('refuses an invalid scenario', async () => {
  const nothing = undefined as unknown as Scenario;
  await assert.rejects(simulate(nothing), {
    name: 'TypeError',
    message: "halfopen: option 'scenario' must be an object, got undefined",
  });
});

test('lets others run, reports progress, and ends when it is aborted', async () => {
  const large: Scenario = {
    ...paused,
    durationMs: 3_600_000,
    clients: { count: 1000, arrivals: { kind: 'open', perSecond: 2000 } },
    provider: { servers: 1000, service: { kind: 'exponential', mean: 100 } },
    faults: [],
  };
  const abort = new AbortController();
  const reason = new Error('enough');
  const shares: number[] = [];
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
    if (turns === 5) abort.abort(reason);
  }, 5);
  try {
    const onProgress = (share: number) => shares.push(share);
    await assert.rejects(simulate(large, { signal: abort.signal, onProgress }), reason);
  } finally {
    clearInterval(ticking);
  }
  assert.ok(shares.length > 3);
  assert.deepEqual(
    shares,
    [...shares].sort((a, b) => a - b),
  );
});

test('two simulations at a time do not disturb each other', async () => {
  const one = await simulate(paused);
  const both = await Promise.all([simulate(paused), simulate(read('everything')), simulate(paused)]);
  assert.deepEqual([both[0], both[2]], [one, one]);
});
