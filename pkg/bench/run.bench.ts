// The cost of a tool call in a run: `run.step()`, then `run.tool` around a function that does nothing, and the same call of that
// function alone. Nanoseconds for each. Run: node --expose-gc --import tsx pkg/bench/run.bench.ts
import { createRun } from 'halfopen/run';
import { keepRows, type Row, rounds } from './rows.js';

/** Each tool call at most this, in nanoseconds of processor time. */
const BUDGET = 2_000;
const ROUNDS = rounds(7);
const CALLS = 20_000;

const read = ({ path }: { path: string }) => path;

/** Nanoseconds of processor time for each call. */
function timed(turn: (round: number) => void): number {
  const before = process.cpuUsage();
  for (let round = 0; round < CALLS; round += 1) turn(round);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / CALLS;
}

const CASES: readonly [string, string, () => (round: number) => void][] = [
  ['(no library)', 'the function alone', () => (round) => void read({ path: `${round}.ts` })],
  [
    '**halfopen**',
    '`toolCall` and `toolResult`, a step each, new arguments and results',
    () => {
      const run = createRun();
      return (round) => {
        run.step();
        const call = { name: 'read_file', arguments: { path: `${round}.ts` } };
        if (run.toolCall(call).do === 'go') run.toolResult(call, { result: read(call.arguments) });
      };
    },
  ],
];

const values = CASES.map((): number[] => []);
for (let round = -1; round < ROUNDS; round += 1) {
  for (const [index, [, , begin]] of CASES.entries()) {
    globalThis.gc?.();
    const each = timed(begin());
    // The first round warms up.
    if (round >= 0) values[index]?.push(each);
  }
}

const rows: Row[] = CASES.map(([who, how], index) => ({
  what: 'a tool call in a run',
  who,
  how,
  unit: 'ns',
  values: values[index] ?? [],
}));
keepRows('run', rows);
const median = (some: readonly number[]) => [...some].sort((a, b) => a - b)[some.length >> 1] ?? 0;
for (const { who, how, values } of rows) {
  const each = median(values);
  const verdict = each > BUDGET ? `MISSED: at most ${BUDGET} ns` : '';
  console.log(`${who.padEnd(14)} ${how}: ${Math.round(each)} ns a call ${verdict}`);
  if (verdict !== '') process.exitCode = 1;
}
