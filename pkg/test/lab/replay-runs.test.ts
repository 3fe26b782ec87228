// Replay of runs: what other limits and thresholds would have done to the runs of a log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy, type HalfopenEvent } from 'halfopen';
import { type ReplayOptions, replay } from 'halfopen/lab';
import { createRun } from 'halfopen/run';

/** The events of what `act` does. */
async function logOf(act: (onEvent: (event: HalfopenEvent) => void) => unknown): Promise<HalfopenEvent[]> {
  const log: HalfopenEvent[] = [];
  await act((event) => log.push(event));
  return log;
}

/** A run that only observes: it reads one of the files in each step. */
async function reads(
  name: string,
  files: readonly string[],
  onEvent: (event: HalfopenEvent) => void,
): Promise<void> {
  const run = createRun({ name, ladder: [], onEvent });
  const read = run.tool('read_file', async ({ path }: { path: string }) => `contents of ${path}`);
  for (const path of files) {
    run.step();
    await read({ path });
  }
  run.finish();
}

const runsOf = async (log: readonly HalfopenEvent[], runs: ReplayOptions['runs']) =>
  (await replay(log, { runs })).runs;

const LOOP = Array.from({ length: 10 }, () => 'a.ts');
const WORK = Array.from({ length: 10 }, (_, index) => `${index}.ts`);

test('a loop that was only observed would have been advised for certain, and stopped if the model did not listen', async () => {
  const log = await logOf(async (onEvent) => {
    await reads('coder', LOOP, onEvent);
    await reads('coder', WORK, onEvent);
    await reads('other', LOOP, onEvent);
  });
  const result = await runsOf(log, { coder: {} });
  assert.equal(result?.runs, 2);
  const { completed, advised, advisedCompleted, stopped, modelled, cutOff, saved } = result;
  assert.deepEqual([completed, advised, advisedCompleted, stopped, modelled, cutOff], [2, 1, 1, 1, 1, 1]);
  assert.deepEqual([saved.steps, saved.toolCalls], [4, 4]);
  const [change] = result.changed;
  const because = { kind: 'loop', loop: 'repeats', tool: 'read_file' };
  assert.deepEqual(change?.advice, { do: 'steer', step: 4, because: { ...because, count: 3 } });
  assert.deepEqual(change?.stop, { step: 7, because: { ...because, count: 4 } });
  assert.deepEqual([change?.end, change?.cutOff, change?.modelled], ['completed', true, true]);
});

test('other thresholds, a tool that may repeat itself, and no loops at all leave it alone', async () => {
  const log = await logOf((onEvent) => reads('coder', LOOP, onEvent));
  for (const loops of [{ repeats: 20 }, { key: { read_file: false } }, false] as const)
    assert.equal((await runsOf(log, { coder: { loops } }))?.advised, 0, JSON.stringify(loops));
});

test('a loop of another kind counts as it was noticed', async () => {
  const inTurn = Array.from({ length: 16 }, (_, at) => WORK[at % 2] ?? '');
  const log = await logOf((onEvent) => reads('coder', inTurn, onEvent));
  const found = await runsOf(log, { coder: {} });
  assert.equal(found?.changed[0]?.advice?.because.kind, 'loop');
  assert.deepEqual([found.stopped, found.modelled], [1, 1]);
  assert.equal((await runsOf(log, { coder: { loops: { cycles: 20 } } }))?.advised, 0);
});

test('tokens of guarded calls stop a run for certain, and a log says what that saves', async () => {
  const policy = createPolicy({ name: 'model' });
  const log = await logOf(async (onEvent) => {
    policy.onEvent(onEvent);
    const run = createRun({ name: 'support', onEvent });
    await run.within(async () => {
      for (let step = 0; step < 6; step++) {
        run.step();
        await policy.execute(() => ({ text: 'x', usage: { input_tokens: 90, output_tokens: 10 } }));
      }
    });
    run.finish();
  });
  const result = await runsOf(log, { support: { limits: { tokens: 250 } } });
  assert.deepEqual(result?.changed[0]?.stop, {
    step: 4,
    because: { kind: 'limit', limit: 'tokens', max: 250, spent: 300 },
  });
  assert.deepEqual([result.modelled, result.cutOff, result.saved.tokens, result.saved.steps], [0, 1, 300, 3]);
  // The calls are replayed beside it.
  const both = await replay(log, { policies: {}, runs: { support: {} }, seeds: 1 });
  assert.deepEqual([both.identity, both.before.succeeded, both.runs?.stopped], [1, 6, 0]);
});

test('cost that only the end has is spread, and the stop is modelled', async () => {
  const log = await logOf((onEvent) => {
    const run = createRun({ name: 'support', onEvent, costOf: ({ inputTokens = 0 }) => inputTokens / 100 });
    for (let step = 0; step < 10; step++) {
      run.step();
      run.used({ inputTokens: 100 });
    }
    run.finish();
  });
  const result = await runsOf(log, { support: { limits: { cost: 4.5 } } });
  assert.deepEqual([result?.stopped, result?.modelled, result?.changed[0]?.stop?.step], [1, 1, 6]);
  assert.ok(Math.abs((result?.saved.cost ?? 0) - 5) < 1e-9, JSON.stringify(result?.saved));
});

test('rules that do not fit the log or its limits are a TypeError that names them', async () => {
  const log = await logOf((onEvent) => reads('coder', WORK, onEvent));
  const wrong: [NonNullable<ReplayOptions['runs']>, RegExp][] = [
    [{ code: {} }, /runs\.code: expected the name of a run in the log, 'coder'/],
    [{ coder: { limits: { steps: 0 } } }, /runs\.coder\.limits\.steps|limits\.steps/],
    [{ coder: { clock: 1 } as object }, /runs\.coder\.clock/],
    [{ coder: { loops: { key: { read_file: (() => 1) as never } } } }, /runs\.coder\.loops\.key/],
  ];
  for (const [runs, message] of wrong)
    await assert.rejects(runsOf(log, runs), { name: 'TypeError', message });
  await assert.rejects(replay(log, {}), /'policies' must be an object/);
});
