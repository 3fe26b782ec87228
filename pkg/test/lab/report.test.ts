// The Lab view's report on a replay and on an exploration, made of real ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore, replay } from 'halfopen/lab';
import { exploreReport, replayReport, varied } from '../../src/lab/worker/report.js';
import { paused } from './paused.js';
import { recorded } from './recorded.js';

const options = { retry: { maxRetries: 3, baseDelayMs: 400, jitter: 0 }, breaker: false } as const;

test('a replay says how far the log can be trusted, and what each policy changes', async () => {
  const log = await recorded(options);
  const replays = [];
  const one = { retry: { maxRetries: 1 }, breaker: false } as const;
  for (const [policy, other] of Object.entries({ same: options, one }))
    replays.push({
      policy,
      options: other,
      replay: await replay(log, { policies: { chat: other }, seeds: 5 }),
    });
  const { says, rows } = replayReport(replays);
  assert.match(says[0] ?? '', /^Identity 100 %/);
  const [before, same, changed] = rows;
  assert.equal(before?.policy, 'As recorded');
  assert.deepEqual(before.bands, {});
  assert.deepEqual(before.totals, replays[0]?.replay.before);
  assert.equal(same?.note, 'no call ends otherwise');
  assert.equal(same.totals.failed, before.totals.failed);
  assert.match(changed?.note ?? '', /^[\d,]+ calls end otherwise, \d+ with drawn results$/);
  assert.ok(changed && changed.totals.failed > before.totals.failed);
  assert.deepEqual(changed.options, one);
  assert.match(
    changed.calls?.[0] ?? '',
    /^\S+: (succeeded|failed \w+) \(\d attempts?, \d+ ms\) → failed \w+ \(2 attempts, \d+ ms\)/,
  );
  assert.equal(changed.bands.failed?.mean, changed.totals.failed);
});

test('a log that cannot be given back is said to be one', () => {
  const totals = {} as never;
  const replay = {
    identity: 0.9996,
    before: totals,
    after: totals,
    afterBand: { low: totals, high: totals },
    policies: {},
    says: [],
    changed: [],
  };
  const { says } = replayReport([{ policy: 'a', options: {}, replay }]);
  assert.match(says[0] ?? '', /^Identity 99\.9 %: .*with care/);
});

test('a figure that the log cannot tell is said to be one, also without a timeout, and each policy has its identity', () => {
  const totals = (succeeded: number) => ({ succeeded, userMs: {} }) as never;
  const of = (identity: number, unknown?: { attempts: number; calls: number }) => ({
    identity,
    before: totals(1),
    after: totals(unknown === undefined ? 4 : Number.NaN),
    afterBand: { low: totals(0), high: totals(10) },
    policies: {},
    says: [`Under its own policies the log gives back ${identity}`, 'Another sentence.'],
    changed: [{ call: 'c', before: 'a', after: 'b', modelled: false, ...(unknown && { unknown: true }) }],
    ...(unknown && { unknown }),
  });
  const { says, rows } = replayReport([
    { policy: 'a', options: {}, replay: of(1) },
    { policy: 'b', options: {}, replay: of(0.5, { attempts: 3, calls: 3 }) },
  ]);
  assert.match(says[0] ?? '', /^Identity 100 % under 'a', 50\.0 % under 'b': /);
  assert.deepEqual(says.slice(1), ['Another sentence.']);
  assert.deepEqual(
    rows.slice(1).map(({ note }) => note),
    [
      '1 call ends otherwise, 0 with drawn results',
      'unknown, see the ranges: 1 call ends otherwise, 0 with drawn results; 1 unknown',
    ],
  );
  assert.equal(rows[2]?.totals.succeeded, 5);
});

test('an exploration has the present policy first, then the front with what it gains', async () => {
  const policy = 'retries';
  const vary = varied('retry.maxRetries=0, 1\nbreaker=false');
  assert.deepEqual(vary, { 'retry.maxRetries': [0, 1], breaker: [false] });
  const limits = { minSuccessRate: 0.01 };
  const explored = await explore(paused, { policy, vary, limits, seeds: 2 });
  const { says, rows } = exploreReport(policy, Object.keys(vary), limits, explored);
  assert.match(says[0] ?? '', /^2 combinations, of which [12] (is|are) on the front/);
  assert.match(says[1] ?? '', /^2 combinations meet the limits/);
  assert.equal(rows[0]?.policy, policy);
  assert.deepEqual(rows[0]?.totals, explored.present.totals);
  assert.equal(rows.length - 1, explored.points.filter(({ onFront }) => onFront).length);
  const none = rows.find((row) => row.policy === 'retry.maxRetries 0, breaker false');
  assert.match(none?.note ?? '', /^[+−]\d+\.\d points of success, −\d\.\d\d requests a call/);
  assert.equal(none?.meets, true);
});

test('where nothing meets the limits, it names the limit that is the cause', async () => {
  const policy = 'retries';
  const vary = { 'retry.maxRetries': [0, 1] };
  const limits = { minSuccessRate: 0.01, maxUserP95Ms: 1 };
  const explored = await explore(paused, { policy, vary, limits, seeds: 1 });
  const { says, rows } = exploreReport(policy, Object.keys(vary), limits, explored);
  assert.equal(says[1], 'No combination meets the limits. The cause is the longest p95 (1).');
  assert.ok(rows.every(({ meets }) => meets === false));
});

test('options to vary are read from lines, and an invalid line is refused', () => {
  assert.deepEqual(varied('retry.jitter=0.2, full\n\n breakerScope=call'), {
    'retry.jitter': [0.2, 'full'],
    breakerScope: ['call'],
  });
  assert.throws(() => varied('\n'), /expected values of at least one option/);
  assert.throws(() => varied('maxRetries'), /expected <option>=<value>,<value>…, got 'maxRetries'/);
});
