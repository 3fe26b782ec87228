// A grid over a policy's options: the front, the limits and their conflicts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExploredPoint, explore, type Scenario, simulate } from 'halfopen/lab';
import { paused } from './paused.js';

/** A provider that is brown for a minute: more of it fails, and it is slow. The seed and the times are the scenario's own. */
function brownout(seed: number, atMs: number, perSecond: number): Scenario {
  return {
    version: 1,
    seed,
    durationMs: 120_000,
    clients: { count: 50, processes: 2, arrivals: { kind: 'open', perSecond } },
    policies: { default: {} },
    provider: {
      servers: 6,
      service: { kind: 'exponential', mean: 120 },
      errors: [{ code: 'SERVER_ERROR', rate: 0.02 }],
    },
    faults: [
      { kind: 'errors', atMs, forMs: 40_000, code: 'SERVER_ERROR', rate: 0.3 },
      { kind: 'slow', atMs, forMs: 40_000, factor: 2 },
    ],
    cost: { perAttempt: 0.01 },
  };
}

const limits = { minSuccessRate: 0.98, maxAmplification: 1.5, maxUserP95Ms: 1300 };
const vary = {
  'retry.maxRetries': [0, 1, 2, 4],
  'retry.baseDelayMs': [100, 500],
  'retry.jitter': ['full'],
  breaker: [false, { failureThreshold: 5 }],
};

test('the cheapest point that meets the limits beats the default on a scenario that it has not seen', async () => {
  const { points, present, blocking } = await explore(brownout(1, 40_000, 20), {
    policy: 'default',
    vary,
    limits,
    seeds: 3,
  });
  assert.equal(points.length, 16);
  assert.equal(blocking, undefined);
  assert.equal(present.meets, false, 'else there is nothing to look for');
  const meeting = points.filter(({ meets }) => meets).sort((a, b) => a.totals.cost - b.totals.cost);
  const [cheapest] = meeting;
  assert.ok(cheapest);
  const unseen = brownout(77, 55_000, 22);
  const { policies } = await simulate({
    ...unseen,
    expect: limits,
    policies: { default: {}, cheapest: cheapest.policy },
  });
  const [ours, theirs] = [policies.cheapest, policies.default];
  assert.ok(ours && theirs);
  assert.ok(
    ours.expectations.every(({ holds }) => holds),
    JSON.stringify(ours.expectations),
  );
  assert.ok(!theirs.expectations.every(({ holds }) => holds));
  assert.ok(ours.totals.cost < theirs.totals.cost && ours.totals.userMs.p95 < theirs.totals.userMs.p95);
});

/** Returns `true` if one point is as good as another in all goals, and better in one. */
function beats(one: ExploredPoint, other: ExploredPoint): boolean {
  const goals = ({ totals }: ExploredPoint) => [
    totals.successRate,
    -totals.amplification,
    -totals.userMs.p95,
    -totals.cost,
  ];
  const [a, b] = [goals(one), goals(other)];
  return a.every((goal, index) => goal >= (b[index] ?? 0)) && a.some((goal, index) => goal > (b[index] ?? 0));
}

test('the front is what no other point beats, and each mean lies in its band', async () => {
  const { points } = await explore(brownout(3, 40_000, 20), { policy: 'default', vary, seeds: 2 });
  for (const point of points) {
    assert.equal(point.onFront, !points.some((other) => beats(other, point)), JSON.stringify(point.policy));
    assert.equal(point.meets, true, 'without limits every point meets them');
    const { totals, band } = point;
    assert.ok(band.low.userMs.p95 <= totals.userMs.p95 && totals.userMs.p95 <= band.high.userMs.p95);
  }
  const shown = await explore(paused, { policy: 'retries', vary: { 'retry.maxRetries': [0, 3] } });
  assert.deepEqual(
    shown.points.map(({ onFront }) => onFront),
    [true, false],
  );
});

test('names the limit that is the cause where no point meets them', async () => {
  const options = { policy: 'retries', vary: { 'retry.maxRetries': [0, 1, 3] } };
  const of = async (limits: Scenario['expect']) => (await explore(paused, { ...options, limits })).blocking;
  assert.equal(await of({ minSuccessRate: 1, maxAmplification: 10 }), 'minSuccessRate');
  assert.equal(await of({ maxAmplification: 0.5, minSuccessRate: 0.1 }), 'maxAmplification');
  assert.equal(await of({ maxAmplification: 10 }), undefined);
});

test('is the same for the same seeds, reports progress, and can be ended', async () => {
  const options = { policy: 'retries', vary: { 'retry.maxRetries': [0, 2], 'retry.baseDelayMs': [50, 500] } };
  assert.deepEqual(await explore(paused, options), await explore(paused, options));
  const shares: number[] = [];
  await explore(paused, { ...options, onProgress: (share) => shares.push(share) });
  assert.equal(shares.at(-1), 1);
  assert.deepEqual(
    shares,
    [...shares].sort((a, b) => a - b),
  );
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await assert.rejects(explore(paused, { ...options, signal }), reason);
});

const misfits: [what: string, options: object, message: string][] = [
  [
    'an unknown policy',
    { policy: 'other' },
    "option 'policy' must be the name of a policy of the scenario, got 'other'",
  ],
  ['no object', { vary: null }, "option 'vary' must be an object with the values of each option, got null"],
  ['no options', { vary: {} }, "option 'vary' must be an object with at least one option, got '{}'"],
  [
    'no values',
    { vary: { 'retry.maxRetries': [] } },
    "option 'vary['retry.maxRetries']' must be a list of values",
  ],
  [
    'an unknown option',
    { vary: { 'retry.max': [1] } },
    'policies.retries.retry.max: expected one of the keys',
  ],
  [
    'a value that does not fit',
    { vary: { 'retry.maxRetries': [1, -1] } },
    'policies.retries.retry.maxRetries: expected a whole number from 0',
  ],
  [
    'a grid that is too large',
    {
      vary: Object.fromEntries(
        ['retry.maxRetries', 'retry.baseDelayMs', 'retry.maxDelayMs'].map((path) => [
          path,
          Array(22).fill(1),
        ]),
      ),
    },
    "option 'vary' must be values that make 10000 points at most, got 10648",
  ],
];

for (const [what, options, message] of misfits) {
  test(`refuses ${what} before anything runs`, async () => {
    const running = explore(paused, { policy: 'retries', vary: { 'retry.maxRetries': [1] }, ...options });
    await assert.rejects(running, (error: Error) => {
      assert.equal(error.name, 'TypeError');
      assert.ok(error.message.startsWith(`halfopen: ${message}`), error.message);
      return true;
    });
  });
}
