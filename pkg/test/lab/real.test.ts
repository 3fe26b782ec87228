// A scenario run for real: real requests to a provider that fails as the scenario says, compared with its simulation.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type Scenario, type Simulation, simulate } from 'halfopen/lab';
import { ownTime, ownWork, until } from '../../../scripts/patience.mjs';
import { onEvent } from '../../src/index.js';
import { Faults } from '../../src/lab/real/faults.js';
import { runForReal } from '../../src/lab/real/index.js';
import { ask, start } from '../devtools/server.js';

/** Longer than a busy machine makes an answer: what times out on it is no part of what is compared. */
const timeout = { attemptMs: 30_000 };

const SCENARIO: Scenario = {
  version: 1,
  durationMs: 4000,
  intervalMs: 500,
  clients: { count: 10, processes: 2, arrivals: { kind: 'open', perSecond: 40, process: 'constant' } },
  policies: {
    'no retry': { retry: false, breaker: false, timeout },
    retries: {
      retry: { maxRetries: 3, baseDelayMs: 100, enableJitter: false },
      breaker: false,
      timeout,
    },
    breaker: { retry: false, breaker: { failureThreshold: 5, resetTimeoutMs: 60_000 }, timeout },
  },
  provider: { servers: 8, service: { kind: 'constant', mean: 50 } },
  faults: [{ kind: 'outage', atMs: 1000, forMs: 1000 }],
};

/**
 * Compares a measurement with its simulation: returns the first difference that exceeds those of an idle machine's
 * timers.
 */
function difference(
  measured: Awaited<ReturnType<typeof runForReal>>,
  simulated: Simulation,
): string | undefined {
  for (const { policy, totals } of measured) {
    const expected = simulated.policies[policy]?.totals;
    for (const [name, within] of [
      ['successRate', 0.1],
      ['amplification', 0.3],
    ] as const)
      if (!(Math.abs(totals[name] - (expected?.[name] ?? Number.NaN)) < within))
        return `${policy}, ${name}: ${totals[name]} measured, ${expected?.[name]} simulated`;
  }
  return undefined;
}

test('the measurement agrees with the simulation', async () => {
  const simulated = await simulate(SCENARIO);
  // Where other work holds the processor, an outage of a second is over before its calls are sent: the run is measured
  // again until the machine has a quiet moment.
  let measured: Awaited<ReturnType<typeof runForReal>> = [];
  await until(
    async () => {
      measured = await runForReal(SCENARIO);
      return difference(measured, simulated);
    },
    (differing) => differing === undefined,
  );
  assert.deepEqual(
    measured.map(({ policy }) => policy),
    Object.keys(SCENARIO.policies),
  );
  for (const { policy, totals, charted } of measured) {
    assert.ok(
      Math.abs(totals.offered - (simulated.policies[policy]?.totals.offered ?? 0)) <= 2,
      `${totals.offered}`,
    );
    assert.ok(charted.offered.length >= 6 && charted.offered.length <= 8, `${charted.offered.length}`);
  }
  const refused = measured.find(({ policy }) => policy === 'breaker');
  assert.ok((refused?.totals.rejected ?? 0) > 50, 'a breaker that opened refuses the rest');
  assert.deepEqual(refused?.charted.open.at(-1), 2);
});

test('a run for real can be ended', async () => {
  const abort = new AbortController();
  const shares: number[] = [];
  const took = ownTime();
  const run = runForReal(SCENARIO, {
    signal: abort.signal,
    onProgress(share) {
      shares.push(share);
      abort.abort(new Error('enough'));
    },
  });
  await assert.rejects(run, /enough/);
  assert.ok(took() < 3000);
  assert.equal(shares.length, 1);
});

test('a scenario that is too large, or can only be simulated, is refused before anything runs', async () => {
  const refused = (change: object, message: RegExp) =>
    assert.rejects(runForReal({ ...SCENARIO, ...change } as Scenario), message);
  const { clients } = SCENARIO;
  await refused({ clients: { ...clients, count: 201 } }, /clients\.count.*at most 200.*got 201/);
  await refused({ durationMs: 60_001 }, /durationMs.*at most 60000.*got 60001/);
  await refused(
    { clients: { ...clients, arrivals: { kind: 'open', perSecond: 201 } } },
    /perSecond.*at most 200/,
  );
  await refused({ clients: { ...clients, patienceMs: 100 } }, /clients\.patienceMs/);
  await refused(
    { provider: { ...SCENARIO.provider, servers: -1 } },
    /provider\.servers: expected a whole number/,
  );
});

test('the factors of load count for the limit, those that are on at once multiplied', async () => {
  const load = (factor: number, atMs: number) => ({ kind: 'load', atMs, forMs: 1000, factor }) as const;
  const run = (...faults: Scenario['faults'] & {}) => runForReal({ ...SCENARIO, durationMs: 3000, faults });
  await assert.rejects(
    run(load(6, 1000)),
    /'faults' must be factors of 'load' that make at most 200 calls a second .*, got 240/,
  );
  await assert.rejects(run(load(3, 1000), load(2, 1500)), /got 240/);
  await run(load(3, 0), load(2, 1500), load(0.5, 1000));
});

test('too many clients are refused before they are made', async () => {
  const work = ownWork();
  const clients = { ...SCENARIO.clients, count: 1e8, processes: undefined };
  await assert.rejects(runForReal({ ...SCENARIO, clients }), /clients\.count.*at most 200/);
  assert.ok(work() < 500);
});

test('a run whose calls pile up ends with words', async () => {
  const arrivals = { kind: 'open', perSecond: 200, process: 'constant' } as const;
  const faults = [{ kind: 'blackhole', atMs: 0, forMs: 30_000 } as const];
  const policies = { patient: { retry: false, breaker: false, timeout: { attemptMs: 60_000 } } } as const;
  const scenario = { ...SCENARIO, durationMs: 30_000, clients: { count: 10, arrivals }, faults, policies };
  await assert.rejects(
    runForReal(scenario, {}, 50),
    /more than 50 calls of 'patient' are under way after \d\.\d s/,
  );
});

test('a run that is late catches up in small steps: what else the process does goes on meanwhile', async () => {
  const arrivals = { kind: 'open', perSecond: 200, process: 'constant' } as const;
  const policies = { 'no retry': { retry: false, breaker: false, timeout } } as const;
  const run = runForReal({
    ...SCENARIO,
    durationMs: 5000,
    clients: { count: 10, arrivals },
    policies,
    faults: [],
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  // Something else holds the process up: 600 calls are late then.
  const end = performance.now() + 3000;
  while (performance.now() < end);
  // Of each turn: how many requests have begun since the one before.
  let begun = 0;
  let most = 0;
  let turns = 0;
  const stop = onEvent(({ type }) => {
    if (type === 'call.started') begun += 1;
  });
  try {
    while (turns++ < 200) {
      begun = 0;
      await new Promise(setImmediate);
      most = Math.max(most, begun);
    }
  } finally {
    stop();
  }
  const [measured] = await run;
  assert.ok((measured?.totals.offered ?? 0) > 900, `${measured?.totals.offered}`);
  assert.ok(most > 0 && most < 200, `${most} calls began in one turn`);
});

test('faults hold for their time, grow, and stop what is being served', () => {
  const faults = new Faults({
    ...SCENARIO,
    faults: [
      { kind: 'slow', atMs: 1000, forMs: 1000, factor: 3, rampMs: 500 },
      { kind: 'pause', atMs: 5000, forMs: 1000 },
    ],
  });
  assert.deepEqual(
    [0, 1000, 1250, 1500, 1999, 2000].map((now) => faults.factor('slow', now)),
    [1, 1, 2, 3, 3, 1],
  );
  assert.equal(faults.done(4900, 200), 6100);
  assert.equal(faults.done(5500, 200), 6200);
  assert.equal(faults.done(6000, 200), 6200);
});

test('the server runs it for its own page and for who has the token, and says what does not fit', async (t) => {
  const token = 'a-token-of-this-test-only';
  const server = await start(t, { token });
  const url = `${server.url}/lab/real`;
  const post = (bearer: string, body: object | string, headers: Record<string, string> = {}) =>
    ask(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${bearer}`, ...headers },
    });
  const key = createHmac('sha256', token).update('halfopen dashboard events').digest('base64url');
  const short = { ...SCENARIO, durationMs: 1000, faults: [] };
  const [first, second] = await Promise.all([post(key, short), post(token, short)]);
  const [done, busy] = first.status === 200 ? [first, second] : [second, first];
  assert.equal(done.status, 200, done.body);
  assert.equal(busy.status, 409, 'one at a time');
  const lines = done.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { policy: string });
  assert.deepEqual(
    lines.map(({ policy }) => policy),
    Object.keys(short.policies),
  );
  const large = await post(key, { ...SCENARIO, durationMs: 180_000 });
  assert.equal(large.status, 400);
  assert.match(large.body, /durationMs.*at most 60000/);
  assert.equal((await post(key, 'no JSON')).status, 400);
  const deep = await post(key, `${'['.repeat(40_000)}${']'.repeat(40_000)}`);
  assert.equal(deep.status, 400, deep.body);
  assert.equal((await post('wrong', short)).status, 401);
  const foreign = await post(key, short, { origin: 'http://127.0.0.1:9' });
  assert.equal(foreign.status, 403, 'the key is for the page of this server alone');
  const reading = await ask(`${server.url}/events`, {
    method: 'POST',
    body: '',
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(reading.status, 401, 'the key still writes no events');
});
