// A fleet whose core begins again: the new instance has nothing of the shared state.
// In a process of its own: it changes what the core's modules export, before they are first used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeExports, type Exports, guarded, trap } from '../instances.js';

/** The export that traps when it is called next. */
let armed = '';
/** The numbers of all deltas, in the order in which they were made. */
const deltas: Record<string, number>[] = [];

changeExports((module, real) =>
  guarded(real, (name, value) => (...args) => {
    if (name === 'fleetDelta') deltas.push(numbersAt(real, args[0] as number));
    if (module !== 'policy' || name !== armed) return value(...args);
    armed = '';
    return trap(real);
  }),
);

const { FLEET_DELTA } = await import('../../src/core/wire.js');
const { codeOf, overloaded, world } = await import('./processes.js');

/** Reads the numbers of a delta where the module gets them. */
function numbersAt(real: Exports, pointer: number): Record<string, number> {
  const { buffer } = real.memory as unknown as WebAssembly.Memory;
  const numbers = new Float64Array(buffer, pointer, FLEET_DELTA.length);
  return Object.fromEntries(FLEET_DELTA.map((name, place) => [name, numbers[place] ?? Number.NaN]));
}

const fails = () => Promise.reject(overloaded());

test('a core that began again does not ramp a closed breaker up', async () => {
  const { clock, process } = world();
  const [a, b] = [process({ breaker: { rampMs: 60_000 } }), process()];
  const answers = async () => {
    for (let i = 0; i < 20; i++)
      for (const { policy } of [a, b]) assert.equal(await codeOf(policy.execute(() => 'fine')), 'ok');
    await clock.advance(1000);
  };
  await answers();
  armed = 'breakerShared';
  for (let i = 0; i < 4; i++) await answers();
  assert.equal(armed, '', 'it trapped');
  for (const { fleet } of [a, b]) await fleet.close();
});

const breaker = {
  resetTimeoutMs: 2000,
  window: { kind: 'time', durationMs: 10_000, failureRate: 0.5, minimumCalls: 4 },
} as const;

/** Makes a process with a first call. Returns it with a function for its reports since the last look. */
async function member({ clock, process }: ReturnType<typeof world>, ...options: Parameters<typeof process>) {
  const made = process(...options);
  deltas.length = 0;
  await made.policy.execute(() => 'fine');
  await clock.advance(1000);
  const node = deltas.at(-1)?.node;
  assert.ok(node !== undefined);
  const reports = () => deltas.splice(0).filter((delta) => delta.node === node);
  return { ...made, reports };
}

test('a core that began again reports its own results alone, for the generation that the process knows', async () => {
  const all = world();
  const { clock, store } = all;
  const a = await member(all, { breaker });
  const [b, c] = [await member(all, { breaker }), await member(all, { breaker })];
  // The others open the breaker while results of the first process are on no report yet: these are left out for good.
  store.delayMs = 30;
  for (let i = 0; i < 4; i++)
    for (const { policy } of [b, c]) assert.notEqual(await codeOf(policy.execute(fails)), 'ok');
  let answered = 1;
  for (let i = 0; i < 200; i++) {
    if ((await codeOf(a.policy.execute(() => 'fine'))) === 'ok') answered++;
    await clock.advance(5);
  }
  assert.equal(a.policy.breaker?.state, 'open');
  const before = a.reports().at(-1);
  assert.ok(before?.total !== undefined && before.total < answered, 'results are left out');

  armed = 'begin';
  // The call that finds the trap runs unguarded, so only the second one is counted.
  for (let i = 0; i < 2; i++) assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'ok');
  assert.equal(armed, '', 'it trapped');
  await clock.advance(1000);
  const { generation, baseTotal, baseFailed, total, failed } = a.reports()[0] ?? {};
  assert.deepEqual(
    { generation, baseTotal, baseFailed, total, failed },
    { generation: before.generation, baseTotal: 0, baseFailed: 0, total: 1, failed: 0 },
  );
  store.delayMs = 0;
  for (const { fleet } of [a, b, c]) await fleet.close();
});

test('a core that began again does not hold the lease of a probe that it does not know', async () => {
  const all = world();
  const { clock } = all;
  const [a, b] = [await member(all, { breaker }), await member(all, { breaker })];
  for (let i = 0; i < 4; i++) for (const { policy } of [a, b]) await codeOf(policy.execute(fails));
  await clock.advance(3000);
  let release = () => {};
  const probe = a.policy.execute(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  await clock.advance(1000);
  assert.notEqual(a.reports().at(-1)?.probe, 0, 'it probes');

  armed = 'begin';
  await codeOf(a.policy.execute(() => 'fine'));
  assert.equal(armed, '', 'it trapped');
  await clock.advance(1000);
  assert.equal(a.reports()[0]?.probe, 0);
  release();
  await probe;
  for (const { fleet } of [a, b]) await fleet.close();
});

test('a call that finds a core that began again still requests its probe', async () => {
  const all = world();
  const { clock } = all;
  const [a, b] = [await member(all, { breaker }), await member(all, { breaker })];
  // The failures of one of two processes open its own breaker, not the shared one.
  for (let i = 0; i < 4; i++) await codeOf(a.policy.execute(fails));
  assert.equal(a.policy.breaker?.state, 'open');
  await clock.advance(3000);
  assert.equal(a.policy.breaker?.state, 'half_open');
  a.reports();

  armed = 'breakerShared';
  await codeOf(a.policy.execute(() => 'fine'));
  assert.equal(armed, '', 'it trapped');
  await clock.advance(1000);
  assert.equal(a.reports()[0]?.wantsProbe, 1);
  for (const { fleet } of [a, b]) await fleet.close();
});
