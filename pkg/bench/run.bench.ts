// The cost of a tool call in a run: `run.step()`, `run.toolCall()` and `run.toolResult()`, each time with new arguments and results;
// and of what no run can do without: their JSON, and a hash of it. Nanoseconds for each. Run: node --expose-gc --import tsx pkg/bench/run.bench.ts
import { createRun } from 'halfopen/run';
import { keepRows, type Row, rounds } from './rows.js';

/** Each tool call costs at most this more than the case without a library, in nanoseconds of processor time. */
const BUDGET = 2_000;
const ROUNDS = rounds(7);
const CALLS = 20_000;

const read = ({ path }: { path: string }) => path;

/** Arguments of 200 bytes, and a result of 200. */
const query = (round: number) => ({
  path: `src/folder/${round}.ts`,
  query: 'where is the state of the run kept and who writes it',
  limit: 20,
  recursive: true,
  glob: '**/*.{ts,tsx,rs,md}',
  exclude: ['node_modules', 'dist', 'target'],
  context: 3,
});
const answer = (round: number) =>
  `line ${round}: ${'the quick brown fox jumps over the lazy dog; '.repeat(5)}`.slice(0, 200);

/** FNV-1a of the JSON. */
function hashed(value: unknown): number {
  const text = JSON.stringify(value);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

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
  [
    '(no library)',
    'JSON and a hash of arguments and of a result of 200 bytes each',
    () => (round) => void (hashed(query(round)) + hashed(answer(round))),
  ],
  [
    '**halfopen**',
    '`toolCall` and `toolResult` with these, a step each',
    () => {
      const run = createRun();
      return (round) => {
        run.step();
        const call = { id: `call_${round}`, name: 'search', arguments: query(round) };
        if (run.toolCall(call).do === 'go') run.toolResult(call, { result: answer(round) });
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
for (const [index, { who, how, values }] of rows.entries()) {
  // Of each two, the first is the least that any library does.
  const least = median(rows[index - (index % 2)]?.values ?? []);
  const each = median(values);
  const verdict = each - least > BUDGET ? `MISSED: at most ${BUDGET} ns more` : '';
  console.log(`${who.padEnd(14)} ${how}: ${Math.round(each)} ns a call ${verdict}`);
  if (verdict !== '') process.exitCode = 1;
}
