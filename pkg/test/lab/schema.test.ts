// The published schema of scenarios agrees with the lab, which reads them: over scenarios made by chance, whole and damaged.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AGENT_ERROR_CODES } from 'halfopen';
import { type Scenario, simulate } from 'halfopen/lab';
import { random } from './recorded.js';

const schema = JSON.parse(
  readFileSync(new URL('../../schema/scenario.schema.json', import.meta.url), 'utf8'),
);
const fitsSchema = new Ajv2020({ allErrors: false }).compile(schema);

/** Returns the lab's error for a scenario, if any: a misfit is a TypeError, and nothing else runs. */
async function misfit(scenario: unknown): Promise<string | undefined> {
  const stop = new Error('it fits');
  try {
    await simulate(scenario as Scenario, { signal: AbortSignal.abort(stop) });
  } catch (error) {
    return error === stop ? undefined : (error as Error).message;
  }
  return undefined;
}

const everything = JSON.parse(
  readFileSync(new URL('../../../tests/vectors/lab/everything.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

type Draw = () => number;
const one = <T>(draw: Draw, values: readonly T[]): T => values[Math.floor(draw() * values.length)] as T;
const maybe = (draw: Draw, part: object): object => (draw() < 0.5 ? part : {});

function policy(draw: Draw): object {
  return {
    ...maybe(draw, {
      retry: one<unknown>(draw, [
        false,
        { maxRetries: one(draw, [0, 2, 3]), jitter: one<unknown>(draw, [0.3, 'full', 'equal']) },
        {
          maxDelayMs: 'Infinity',
          retryOn: ['TIMEOUT', 'network'],
          budget: one<unknown>(draw, [{ ratio: 0.1 }, 'default', false]),
          switchAfterMs: 2000,
        },
      ]),
    }),
    ...maybe(draw, {
      breaker: one<unknown>(draw, [
        false,
        { failureThreshold: 3, rampMs: 100, name: 'b' },
        { window: { kind: 'count', size: 5, failureRate: 0.5 }, slowCall: { durationMs: 9, rate: 1 } },
        { window: { kind: 'time', durationMs: 500, failureRate: 0.5, minimumCalls: 3 } },
        { throttle: { k: 1.5 } },
      ]),
    }),
    ...maybe(draw, { timeout: { attemptMs: 100, totalMs: 900.5 }, breakerScope: 'attempt' }),
    ...maybe(draw, {
      bulkhead: { maxConcurrent: 2, maxQueued: 0 },
      fallback: true,
      hedge: { afterMs: 5, max: 2 },
    }),
    ...maybe(draw, {
      rateLimit: one<unknown>(draw, [
        { limit: 3, windowMs: 100 },
        [{ limit: 3, windowMs: 100, unit: 'tokens' }],
      ]),
      adaptive: one<unknown>(draw, [true, false, { min: 2, max: 9, initial: 3, decrease: 0.5 }, {}]),
    }),
  };
}

function scenario(draw: Draw): Record<string, unknown> {
  const distribution = () =>
    one<unknown>(draw, [
      { kind: 'constant', mean: 10 },
      { kind: 'exponential', mean: 0.5 },
      { kind: 'lognormal', median: 30, sigma: 0.4 },
      { kind: 'empirical', values: [0, 5, 10] },
    ]);
  return {
    ...maybe(draw, { $schema: 'scenario.schema.json', name: 'it', seed: 7, intervalMs: 500 }),
    version: 1,
    durationMs: 1000,
    clients: {
      count: one(draw, [1, 5]),
      arrivals: one<unknown>(draw, [
        { kind: 'once' },
        { kind: 'closed', think: distribution() },
        { kind: 'open', perSecond: 3, ...maybe(draw, { process: 'constant' }) },
      ]),
      ...maybe(draw, { processes: 2, patienceMs: 5, shared: { stalenessMs: 0 }, nested: [policy(draw)] }),
    },
    policies: { a: policy(draw), b: policy(draw) },
    provider: {
      servers: 2,
      service: distribution(),
      ...maybe(draw, { queue: one<unknown>(draw, ['unbounded', 0, 7]), abandons: true }),
      ...maybe(draw, { rateLimit: { limit: 2, windowMs: 100, retryAfter: 'seconds' } }),
      ...(draw() < 0.2 && { tokenLimit: { limit: 5, windowMs: 100 } }),
      ...maybe(draw, { errors: [{ code: one(draw, AGENT_ERROR_CODES), rate: 0.2, latencyMs: 3 }] }),
    },
    ...maybe(draw, {
      faults: [
        { kind: 'pause', atMs: 0, forMs: 10 },
        { kind: 'errors', atMs: 5, forMs: 10, code: 'TIMEOUT', rate: 0.1 },
        { kind: one(draw, ['slow', 'load', 'capacity']), atMs: 5, forMs: 10, factor: 2, rampMs: 3 },
      ],
      cost: { perAttempt: 0.5, ...maybe(draw, { tokensPerAttempt: 1 }) },
      expect: { minSuccessRate: 0.9, maxCost: 3 },
    }),
  };
}

/** Every place in a value: the object, and the key in it. */
function places(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Record<string, unknown>;
  return Object.keys(object).flatMap((key) => [
    [object, key] as [typeof object, string],
    ...places(object[key]),
  ]);
}

/**
 * Replacements for a value. They all stay within the range of a neighbour, because a schema cannot compare two values.
 */
const STRANGE: readonly unknown[] = [
  -1,
  0,
  0.5,
  2.5,
  1e16,
  'word',
  '',
  true,
  false,
  null,
  [],
  {},
  [1],
  { kind: 'x' },
];

test('it takes what the lab takes, and refuses what the lab refuses', async () => {
  const draw = random(11);
  const refused = { lab: 0, all: 0 };
  for (let round = 0; round < 1500; round++) {
    const made = scenario(draw);
    if (round % 4 > 0) {
      const [object, key] = one(draw, places(made));
      // A schema cannot say that a ramp is longer than its fault, or an interval too short for a duration.
      if (key === 'forMs' || key === 'rampMs' || key === 'durationMs') continue;
      const how = draw();
      if (how < 0.2) delete object[key];
      else if (how < 0.4 && !Array.isArray(object)) object[`${key}s`] = object[key];
      else object[key] = one(draw, STRANGE);
    }
    const why = await misfit(made);
    refused.all++;
    if (why !== undefined) refused.lab++;
    assert.equal(
      fitsSchema(made),
      why === undefined,
      `${why ?? JSON.stringify(fitsSchema.errors)}: ${JSON.stringify(made)}`,
    );
  }
  assert.ok(refused.lab > 300 && refused.lab < refused.all - 300, JSON.stringify(refused));
});

test('it takes the scenarios of the tests, and has every code', async () => {
  assert.equal(await misfit({ ...everything, $schema: './scenario.schema.json' }), undefined);
  assert.ok(fitsSchema(everything), JSON.stringify(fitsSchema.errors));
  assert.deepEqual(schema.$defs.code.enum, [...AGENT_ERROR_CODES]);
});

test('the package publishes it', () => {
  const path = new URL('../../package.json', import.meta.url);
  const { exports } = JSON.parse(readFileSync(path, 'utf8')) as { exports: Record<string, unknown> };
  assert.equal(exports['./lab/scenario.schema.json'], './schema/scenario.schema.json');
});
