// The thresholds of runs on recorded shapes of agents' work: how many loops the defaults notice in time, and how many honest runs they
// disturb. `loops.json` and `honest.json` are drawn after public threads, whose name each trace has, or by hand; `open.json` came with the
// task. `held.json` was drawn after other public threads once the rules were chosen, and changed none of them. `at` is the step at which
// somebody who watches would step in.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRun } from 'halfopen/run';

interface Step {
  step: number;
  tool?: string;
  args?: unknown;
  result?: unknown;
  error?: { message: string; code?: string; status?: number };
  text?: string;
}

interface Trace {
  title: string;
  source: string;
  loop: boolean;
  at?: number;
  steps: readonly Step[];
}

/** Steps from `at` on before a loop counts as missed. A step may have several calls. */
const IN_TIME = 3;

/** Loops that the rules miss, or report in error, each with the reason. The list may only shrink. */
const MISSED: Readonly<Record<string, string>> = {
  'searches the web nineteen times and gets something new each time': 'each outcome is new',
  'pings a service whose answer carries a counter':
    'a result that changes is progress; `loops.result` can leave the counter out',
  'echoes words to the shell in place of the tool that it needs': 'other words each time, and other results',
  // To compare results without arguments would notice both, and advise 14 of the 52 honest runs: writes and clicks answer "ok".
  'hides one command behind a new word each time': 'the same',
};
const DISTURBED: Readonly<Record<string, string>> = {
  'tries again three times while a service is overloaded': 'three times the same outcome is a loop',
};

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) as Trace[];
const held = read('held');
const traces = [...['open', 'loops', 'honest'].flatMap(read), ...held];

/** The step before or in which the first advice came, and whether the run was stopped. */
function played(trace: Trace): { advisedAt: number | undefined; stopped: boolean } {
  const run = createRun();
  let advisedAt: number | undefined;
  let current = 0;
  const hear = (advice: { do: string }): void => {
    if (advice.do !== 'go') advisedAt ??= current;
  };
  for (const { step, tool, args, result, error, text } of trace.steps) {
    if (step !== current) {
      current = step;
      hear(run.step());
    }
    if (run.end !== undefined) break;
    if (tool === undefined) {
      run.text(text ?? '');
      continue;
    }
    const call = { name: tool, arguments: args };
    const advice = run.toolCall(call);
    hear(advice);
    if (advice.do === 'go') {
      const outcome =
        error === undefined ? { result } : { error: Object.assign(new Error(error.message), error) };
      run.toolResult(call, outcome);
    }
  }
  current += 1;
  hear(run.step());
  const stopped = run.end?.kind === 'stopped';
  run.finish();
  return { advisedAt, stopped };
}

test('the defaults notice nine loops of ten within three steps, advise one honest run of twenty, and stop none', (context) => {
  const loops = traces.filter(({ loop }) => loop);
  const honest = traces.filter(({ loop }) => !loop);
  const missed = loops.filter((trace) => {
    const { advisedAt } = played(trace);
    return advisedAt === undefined || advisedAt > (trace.at ?? 0) + IN_TIME;
  });
  const disturbed = honest.filter((trace) => played(trace).advisedAt !== undefined);
  const of = (some: readonly Trace[], all: readonly Trace[], set: readonly Trace[]) =>
    `${some.filter((trace) => set.includes(trace)).length} of ${all.filter((trace) => set.includes(trace)).length}`;
  for (const [name, set] of [['all', traces] as const, ['held back', held] as const])
    context.diagnostic(
      `${name}: ${of(missed, loops, set)} loops missed, ${of(disturbed, honest, set)} honest runs advised`,
    );
  assert.deepEqual(
    missed.map(({ title }) => title),
    Object.keys(MISSED),
  );
  assert.ok(missed.length <= loops.length * 0.1);
  assert.deepEqual(
    disturbed.map(({ title }) => title),
    Object.keys(DISTURBED),
  );
  assert.ok(disturbed.length <= honest.length * 0.05);
  assert.deepEqual(
    honest.filter((trace) => played(trace).stopped),
    [],
  );
});

test('every trace says where it is from, and a loop when to step in', () => {
  assert.ok(traces.length >= 104);
  for (const { title, source, loop, at, steps } of traces) {
    assert.match(source, /^(?:[\w.-]+\/[\w.-]+#\d+|by hand)$/, title);
    assert.equal(at !== undefined, loop, title);
    assert.ok(steps.length > 3, title);
  }
});
