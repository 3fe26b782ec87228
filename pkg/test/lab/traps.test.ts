// A trap of the lab's module, in whichever of its functions: the run ends with a RangeError that says what to do, runs at the same
// time end with it too, and the next run has its own result. No RuntimeError of the core, no result of another run, no hang.
// In a process of its own: it changes what the core's modules export, before they are first used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import type { Scenario, Simulation } from 'halfopen/lab';
import { changeExports, guarded, trap } from '../instances.js';
import { recorded } from './recorded.js';

/** The function that traps, and at how many calls from now. */
const armed: { name: string; calls: number } = { name: '', calls: 0 };
/** All functions of the module, and those that did trap. */
const names = new Set<string>();
const sprung = new Set<string>();

changeExports((module, real) => {
  if (module !== 'lab') return { ...real };
  return guarded(real, (name, value) => {
    names.add(name);
    return (...args) => {
      if (name !== armed.name || --armed.calls > 0) return value(...args);
      armed.name = '';
      sprung.add(name);
      return trap(real);
    };
  });
});

const { drawScenario, replay, simulate } = await import('halfopen/lab');
const { createRun } = await import('halfopen/run');

/** Of some sixty thousand events: several steps of work. */
const scenario: Scenario = {
  version: 1,
  durationMs: 2_000_000,
  clients: { count: 100, arrivals: { kind: 'open', perSecond: 7, process: 'poisson' } },
  policies: { retries: { retry: { maxRetries: 3, baseDelayMs: 50 }, timeout: { attemptMs: 500 } } },
  provider: { servers: 1, service: { kind: 'exponential', mean: 100 } },
  faults: [{ kind: 'pause', atMs: 30_000, forMs: 1000 }],
};
const other: Scenario = { ...scenario, seed: 2 };
const ofRun: HalfopenEvent[] = [];
const run = createRun({ name: 'coder', ladder: [], onEvent: (event) => ofRun.push(event) });
const read = run.tool('read_file', async () => 'the same contents');
for (let step = 0; step < 5; step++) {
  run.step();
  await read();
}
run.finish();
const log = [...(await recorded({}, { seconds: 60 })), ...ofRun];
const policies = { chat: { retry: { maxRetries: 1 } } };
const hash = ({ policies }: Simulation) => policies.retries?.hash;

const expected = {
  scenario: hash(await simulate(scenario)),
  other: hash(await simulate(other)),
  replay: await replay(log, { policies, seeds: 3 }),
};

/** Returns the outcome of a run: its result, or the error that ended it. */
const outcomeOf = <T>(run: Promise<T>): Promise<T | Error> => run.catch((error: Error) => error);

/** Ends a run that would go on for ever. */
const limited = () => ({ signal: AbortSignal.timeout(120_000) });

function assertOutOfMemory(outcome: unknown): void {
  assert.ok(outcome instanceof RangeError, `${outcome}`.slice(0, 200));
  assert.match(outcome.message, /^halfopen: the lab has run out of memory: use fewer clients/);
  assert.equal((outcome.cause as Error).name, 'RuntimeError');
}

async function assertGoesOn(): Promise<void> {
  assert.equal(hash(await simulate(scenario)), expected.scenario);
  assert.deepEqual(await replay(log, { policies, seeds: 3 }), expected.replay);
}

const RUNS: Record<string, () => Promise<unknown>> = {
  simulate: () => simulate(scenario, limited()),
  'simulate, and the scenario does not fit': () =>
    simulate({ ...scenario, durationMs: -1 }).catch((error: Error) => {
      if (error instanceof TypeError) return expected;
      throw error;
    }),
  'simulate, and somebody ends it': () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort(new TypeError('enough'));
    return simulate(scenario, { signal: controller.signal, onProgress }).catch((error: Error) => {
      if (error.message === 'enough') return expected;
      throw error;
    });
  },
  drawScenario: async () => drawScenario(1, 0),
  replay: () => replay(log, { policies, seeds: 3, onProgress: () => {}, ...limited() }),
  'replay, of runs too': () => replay(log, { policies, runs: { coder: {} }, seeds: 3, ...limited() }),
};

for (const [what, run] of Object.entries(RUNS)) {
  test(`${what}: whichever function traps, the run ends with a RangeError, and the next one goes well`, async () => {
    for (const name of names)
      for (let nth = 1; nth <= 3; nth++) {
        Object.assign(armed, { name, calls: nth });
        const outcome = await outcomeOf(run());
        const isSprung = armed.name === '';
        armed.name = '';
        if (!isSprung) break;
        // Memory that is not given back changes nothing of a run that is over.
        if (name.endsWith('Free')) assert.ok(!(outcome instanceof Error), String(outcome));
        else assertOutOfMemory(outcome);
        await assertGoesOn();
      }
  });
}

test('every function of the lab has trapped', () => {
  assert.deepEqual(
    [...names].filter((name) => !sprung.has(name)),
    [],
  );
});

/** Runs that are under way while the module traps in another one. */
async function whileOneTraps<T>(start: (onProgress: () => void) => Promise<T>[]): Promise<Promise<T>[]> {
  let begun = () => {};
  const underWay = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const runs = start(begun);
  await underWay;
  Object.assign(armed, { name: 'labNew', calls: 1 });
  assertOutOfMemory(await outcomeOf(simulate(scenario)));
  return runs;
}

test('simulations at the same time end with the one that traps; none has the result of another', async () => {
  const runs = await whileOneTraps((onProgress) => [
    simulate(other, { ...limited(), onProgress }),
    simulate(other, limited()),
  ]);
  // The new instance gives their handles to these.
  const next = [simulate(scenario), simulate(scenario), simulate(scenario)];
  for (const run of runs) assertOutOfMemory(await outcomeOf(run));
  for (const run of next) assert.equal(hash((await outcomeOf(run)) as Simulation), expected.scenario);
});

test('a replay at the same time ends with the simulation that traps', async () => {
  const runs = await whileOneTraps((onProgress) => [
    replay(log, { policies, seeds: 2000, onProgress, ...limited() }),
  ]);
  for (const run of runs) assertOutOfMemory(await outcomeOf(run));
  await assertGoesOn();
});
