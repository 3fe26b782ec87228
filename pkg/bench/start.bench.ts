// The cost of a program's start: the import in Node beside that of an empty module and of the peers, the first guarded
// call and the first failure (each instantiates a wasm module). A process for each reading, in turns; medians, in
// milliseconds.
import { execFileSync } from 'node:child_process';
import { keepRows, rounds } from './rows.js';

const READINGS = rounds(15);

/** Prints how long the last line took. The lines before it are not measured. */
const timed = (before: string, measured: string): string =>
  `${before}
   const begun = performance.now();
   ${measured};
   console.log(performance.now() - begun);`;

const createPolicy = `const { createPolicy } = await import('halfopen'); const policy = createPolicy();`;
const COCKATIEL = `const { circuitBreaker, handleAll, ConsecutiveBreaker } = await import('cockatiel');
  const policy = circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker: new ConsecutiveBreaker(5) });`;
const OPOSSUM = `const { default: Opossum } = await import('opossum'); const breaker = new Opossum(async () => 1);`;
const P_RETRY = `const { default: pRetry } = await import('p-retry');`;
const EFFECT = `const { Effect, Schedule } = await import('effect');
  const guarded = Effect.retry(Effect.promise(async () => 1), Schedule.recurs(3));`;
const AI_SDK = `const { prepareRetries } = await import('ai/internal');
  const { retry } = prepareRetries({ maxRetries: 3, abortSignal: undefined });`;
const FAILS = `() => { throw Object.assign(new Error('x'), { status: 400 }); }`;
const FAILING = `policy.execute(${FAILS}).catch(() => {})`;

const IMPORT = 'import in Node, beyond that of an empty module';
const FIRST = 'the first call of a process';
const FAILURE = 'the first failure of a process, after a call';

/** `bound` and `aim` are in milliseconds; those of an import are over the import of an empty module. */
const CASES: {
  name: string;
  program: string;
  bound?: number;
  aim?: number;
  overEmpty?: boolean;
  row?: [what: string, who: string, how: string];
}[] = [
  { name: 'import of an empty module', program: timed('', `await import('data:text/javascript,')`) },
  {
    name: 'import of halfopen',
    program: timed('', `await import('halfopen')`),
    row: [IMPORT, 'halfopen', 'all of it, as ESM'],
    bound: 8,
    aim: 4,
    overEmpty: true,
  },
  {
    name: 'import of cockatiel',
    program: timed('', `await import('cockatiel')`),
    row: [IMPORT, 'cockatiel', 'all of it, as ESM'],
    overEmpty: true,
  },
  {
    name: 'import of p-retry',
    program: timed('', `await import('p-retry')`),
    row: [IMPORT, 'p-retry', 'all of it, as ESM'],
    overEmpty: true,
  },
  {
    name: 'import of opossum',
    program: timed('', `await import('opossum')`),
    row: [IMPORT, 'opossum', 'all of it, as ESM'],
    overEmpty: true,
  },
  {
    name: 'import of effect',
    program: timed('', `await import('effect')`),
    row: [IMPORT, 'effect', 'all of it, as ESM'],
    overEmpty: true,
  },
  {
    name: "import of the AI SDK's retry",
    program: timed('', `await import('ai/internal')`),
    row: [IMPORT, 'AI SDK', '`ai/internal`, which has its retry'],
    overEmpty: true,
  },
  {
    name: 'the first guarded call',
    program: timed(createPolicy, 'await policy.execute(async () => 1)'),
    row: [FIRST, 'halfopen', 'the defaults; its module is compiled meanwhile'],
    bound: 4,
    aim: 2,
  },
  {
    name: 'the first guarded call of cockatiel',
    program: timed(COCKATIEL, 'await policy.execute(async () => 1)'),
    row: [FIRST, 'cockatiel', 'breaker'],
  },
  {
    name: 'the first guarded call of opossum',
    program: timed(OPOSSUM, 'await breaker.fire()'),
    row: [FIRST, 'opossum', 'breaker, timeout'],
  },
  {
    name: 'the first guarded call of p-retry',
    program: timed(P_RETRY, 'await pRetry(async () => 1)'),
    row: [FIRST, 'p-retry', 'its defaults'],
  },
  {
    name: 'the first guarded call of effect',
    program: timed(EFFECT, 'await Effect.runPromise(guarded)'),
    row: [FIRST, 'effect', '3 retries, `runPromise`'],
  },
  {
    name: 'the first guarded call of the AI SDK',
    program: timed(AI_SDK, 'await retry(async () => 1)'),
    row: [FIRST, 'AI SDK', '3 retries: what its functions call a model through'],
  },
  {
    name: 'the first failure, after a call',
    program: timed(`${createPolicy} await policy.execute(async () => 1);`, `await ${FAILING}`),
    row: [FAILURE, 'halfopen', 'classified; the module for that is compiled meanwhile'],
    bound: 10,
    aim: 5,
  },
  {
    name: 'the first failure of cockatiel, after a call',
    program: timed(`${COCKATIEL} await policy.execute(async () => 1);`, `await ${FAILING}`),
    row: [FAILURE, 'cockatiel', 'breaker; passed on as it is'],
  },
  {
    name: 'the first failure of p-retry, after a call',
    program: timed(
      `${P_RETRY} await pRetry(async () => 1);`,
      `await pRetry(${FAILS}, { retries: 0 }).catch(() => {})`,
    ),
    row: [FAILURE, 'p-retry', '0 retries; passed on as it is'],
  },
];

const readings = new Map<string, number[]>(CASES.map(({ name }) => [name, []]));
for (let round = 0; round < READINGS; round++) {
  for (const { name, program } of CASES) {
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    readings.get(name)?.push(Number(printed));
  }
}

const median = (name: string): number => {
  const sorted = [...(readings.get(name) ?? [])].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const empty = median('import of an empty module');
keepRows(
  'start',
  CASES.flatMap(({ name, row, overEmpty }) => {
    if (row === undefined) return [];
    const [what, who, how] = row;
    const values = (readings.get(name) ?? []).map((ms) => (overEmpty ? ms - empty : ms));
    return [{ what, who, how, unit: 'ms' as const, values }];
  }),
);
let missed = 0;
console.log(`Node ${process.version}, medians of ${READINGS} processes, milliseconds\n`);
for (const { name, bound, aim, overEmpty } of CASES) {
  const took = median(name) - (overEmpty ? empty : 0);
  const holds = bound === undefined || took <= bound;
  if (!holds) missed += 1;
  const limits = bound === undefined ? '' : `   at most ${bound}, aim ${aim}  ${holds ? 'holds' : 'MISSED'}`;
  const over = overEmpty ? ' (over empty)' : '';
  console.log(`${(name + over).padEnd(44)} ${took.toFixed(1).padStart(6)}${limits}`);
}
process.exit(missed === 0 ? 0 : 1);
