// The time that a guarded call adds to a bare await, beside cockatiel, opossum, p-retry, effect and the AI SDK's retry:
// nanoseconds of CPU time, rounds of all cases interleaved, medians. The bounds are this project's own; a run on a busy
// machine may miss one.
import { prepareRetries } from 'ai/internal';
import * as cockatiel from 'cockatiel';
import { Effect, Schedule, Stream } from 'effect';
import { createPolicy } from 'halfopen';
import Opossum from 'opossum';
import pRetry from 'p-retry';
import { keepRows, type Row, rounds as roundsOr } from './rows.js';

const ROUNDS = roundsOr(15);
const WARM_UP = 3;

const operation = async (): Promise<number> => 1;
const failing = async (): Promise<number> => {
  throw Object.assign(new Error('x'), { status: 503 });
};
const ignore = (): void => {};

// ── the same guard three times: fallback around retry around breaker
const ours = createPolicy<number>({ fallback: () => 0 });
const theirs = cockatiel.wrap(
  cockatiel.fallback(cockatiel.handleAll, 0),
  cockatiel.retry(cockatiel.handleAll, { maxAttempts: 3, backoff: new cockatiel.ExponentialBackoff() }),
  cockatiel.circuitBreaker(cockatiel.handleAll, {
    halfOpenAfter: 60_000,
    breaker: new cockatiel.ConsecutiveBreaker(5),
  }),
);
/**
 * Without percentiles, which no other library keeps: with them, each failure sorts the latencies of the last ten
 * seconds.
 */
const OPOSSUM = { timeout: false, rollingPercentilesEnabled: false } as const;
const opossum = new Opossum(operation, OPOSSUM);
opossum.fallback(() => 0);

// ── open circuits
const oursOpen = createPolicy({ retry: false, breaker: { failureThreshold: 1 } });
await oursOpen.execute(failing).catch(ignore);
const theirsOpen = cockatiel.circuitBreaker(cockatiel.handleAll, {
  halfOpenAfter: 1e9,
  breaker: new cockatiel.ConsecutiveBreaker(1),
});
await theirsOpen.execute(failing).catch(ignore);
const opossumOpen = new Opossum(operation, OPOSSUM);
opossumOpen.open();

// ── timeouts
const oursTimed = createPolicy({ retry: false, breaker: false, timeout: { attemptMs: 10_000 } });
const theirsTimed = cockatiel.timeout(10_000, cockatiel.TimeoutStrategy.Aggressive);
const opossumTimed = new Opossum(operation, { ...OPOSSUM, timeout: 10_000 });
const effectTimed = Effect.timeout(Effect.promise(operation), '10 seconds');
const readSignal = async ({ signal }: { signal: AbortSignal }): Promise<number> => (signal.aborted ? 0 : 1);

// ── retry alone
const oursRetry = createPolicy({ breaker: false });
const theirsRetry = cockatiel.retry(cockatiel.handleAll, {
  maxAttempts: 3,
  backoff: new cockatiel.ExponentialBackoff(),
});
const effect = Effect.retry(Effect.promise(operation), Schedule.recurs(3));
/** `generateText` and the others call their model through this. */
const aiSdk = prepareRetries({ maxRetries: 3, abortSignal: undefined });

// ── a call that fails for good: classified by us, passed on as it is by the others
const oursFails = createPolicy({ retry: false, breaker: false });
const theirsFails = cockatiel.retry(
  cockatiel.handleWhen(() => false),
  { maxAttempts: 3, backoff: new cockatiel.ExponentialBackoff() },
);
const failsOnce = async (): Promise<never> => {
  await undefined;
  throw Object.assign(new Error('x'), { status: 400 });
};
const opossumFails = new Opossum(failsOnce, { ...OPOSSUM, volumeThreshold: Number.MAX_SAFE_INTEGER });
const effectFails = Effect.tryPromise(failsOnce);

// ── a stream of a thousand chunks
const CHUNKS = 1000;
async function* chunks(): AsyncGenerator<number> {
  for (let chunk = 0; chunk < CHUNKS; chunk++) yield chunk;
}
const consume = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
};
const effectStream = Stream.suspend(() => Stream.fromAsyncIterable(chunks(), (cause) => cause)).pipe(
  Stream.retry(Schedule.recurs(3)),
  Stream.runDrain,
);
const readStack = (error: unknown): unknown => (error as Error).stack;

interface Case extends Pick<Row, 'what' | 'who' | 'how'> {
  run: () => PromiseLike<unknown>;
  count: number;
  /** How many of them one run has, if not one. */
  each?: number;
}

const HAPPY = 'a call that succeeds';
const RETRY = 'the same, with retry alone';
const REFUSED = 'a call that an open breaker refuses';
const TIMED = 'a call under a timeout of 10 s';
const FAILS = 'a call that fails for good';
const STREAM = 'a chunk of a stream';
const GUARD = 'fallback, 3 retries, breaker of 5 failures in a row';
const BARE = '`await operation()`';

const cases: Case[] = [
  { what: HAPPY, who: 'bare', how: BARE, run: operation, count: 50_000 },
  { what: HAPPY, who: 'halfopen', how: GUARD, run: () => ours.execute(operation), count: 50_000 },
  { what: HAPPY, who: 'cockatiel', how: GUARD, run: () => theirs.execute(operation), count: 30_000 },
  {
    what: HAPPY,
    who: 'opossum',
    how: 'fallback, breaker without percentiles (it has no retry)',
    run: () => opossum.fire(),
    count: 20_000,
  },
  { what: RETRY, who: 'halfopen', how: '3 retries', run: () => oursRetry.execute(operation), count: 50_000 },
  {
    what: RETRY,
    who: 'cockatiel',
    how: '3 retries',
    run: () => theirsRetry.execute(operation),
    count: 30_000,
  },
  { what: RETRY, who: 'p-retry', how: 'its defaults', run: () => pRetry(operation), count: 20_000 },
  {
    what: RETRY,
    who: 'effect',
    how: '3 retries, `runPromise`',
    run: () => Effect.runPromise(effect),
    count: 10_000,
  },
  {
    what: RETRY,
    who: 'AI SDK',
    how: '3 retries: what its functions call a model through',
    run: () => aiSdk.retry(operation),
    count: 30_000,
  },
  {
    what: REFUSED,
    who: 'halfopen',
    how: 'breaker',
    run: () => oursOpen.execute(operation).catch(ignore),
    count: 10_000,
  },
  {
    what: REFUSED,
    who: 'cockatiel',
    how: 'breaker',
    run: () => theirsOpen.execute(operation).catch(ignore),
    count: 10_000,
  },
  {
    what: REFUSED,
    who: 'opossum',
    how: 'breaker without percentiles',
    run: () => opossumOpen.fire().catch(ignore),
    count: 5000,
  },
  { what: TIMED, who: 'halfopen', how: 'timeout', run: () => oursTimed.execute(operation), count: 20_000 },
  {
    what: TIMED,
    who: 'halfopen',
    how: 'timeout; the operation reads its signal',
    run: () => oursTimed.execute(readSignal),
    count: 10_000,
  },
  {
    what: TIMED,
    who: 'cockatiel',
    how: 'aggressive timeout, which always makes a signal',
    run: () => theirsTimed.execute(operation),
    count: 5000,
  },
  {
    what: TIMED,
    who: 'opossum',
    how: 'timeout, with its breaker without percentiles',
    run: () => opossumTimed.fire(),
    count: 5000,
  },
  {
    what: TIMED,
    who: 'effect',
    how: 'timeout, `runPromise`',
    run: () => Effect.runPromise(effectTimed),
    count: 5000,
  },
  { what: FAILS, who: 'bare', how: BARE, run: () => failsOnce().catch(ignore), count: 5000 },
  {
    what: FAILS,
    who: 'halfopen',
    how: 'no retry, no breaker; it classifies the error',
    run: () => oursFails.execute(failsOnce).catch(ignore),
    count: 3000,
  },
  {
    what: FAILS,
    who: 'halfopen',
    how: "the same; somebody reads the error's stack",
    run: () => oursFails.execute(failsOnce).catch(readStack),
    count: 2000,
  },
  {
    what: FAILS,
    who: 'cockatiel',
    how: 'a retry that handles nothing',
    run: () => theirsFails.execute(failsOnce).catch(ignore),
    count: 5000,
  },
  {
    what: FAILS,
    who: 'cockatiel',
    how: "the same; somebody reads the error's stack",
    run: () => theirsFails.execute(failsOnce).catch(readStack),
    count: 2000,
  },
  {
    what: FAILS,
    who: 'p-retry',
    how: '0 retries',
    run: () => pRetry(failsOnce, { retries: 0 }).catch(ignore),
    count: 5000,
  },
  {
    what: FAILS,
    who: 'opossum',
    how: 'a breaker without percentiles that never opens',
    run: () => opossumFails.fire().catch(ignore),
    count: 5000,
  },
  {
    what: FAILS,
    who: 'effect',
    how: '`tryPromise`, `runPromise`',
    run: () => Effect.runPromise(effectFails).catch(ignore),
    count: 5000,
  },
  {
    what: STREAM,
    who: 'bare',
    how: '`for await` over an async generator',
    run: () => consume(chunks()),
    count: 20,
    each: CHUNKS,
  },
  {
    what: STREAM,
    who: 'halfopen',
    how: '`policy.stream` around it, the defaults',
    run: () => consume(oursRetry.stream(() => chunks())),
    count: 20,
    each: CHUNKS,
  },
  {
    what: STREAM,
    who: 'effect',
    how: '`Stream.retry` of 3, `runPromise`',
    run: () => Effect.runPromise(effectStream),
    count: 20,
    each: CHUNKS,
  },
  {
    what: STREAM,
    who: 'cockatiel',
    how: '3 retries of its beginning; nothing guards the chunks',
    run: async () => consume(await theirsRetry.execute(chunks)),
    count: 20,
    each: CHUNKS,
  },
  {
    what: STREAM,
    who: 'AI SDK',
    how: '3 retries of its beginning; nothing guards the chunks',
    run: async () => consume(await aiSdk.retry(async () => chunks())),
    count: 20,
    each: CHUNKS,
  },
];
const nameOf = ({ what, who, how }: Case): string => `${what}: ${who}, ${how}`;

async function measure({ run, count, each = 1 }: Case): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) await run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / count / each;
}

const rounds = new Map<string, number[]>(cases.map((one) => [nameOf(one), []]));
for (let round = -WARM_UP; round < ROUNDS; round++) {
  for (const one of cases) {
    const took = await measure(one);
    if (round >= 0) rounds.get(nameOf(one))?.push(took);
  }
}

keepRows(
  'policy',
  cases.map((one) => ({ ...one, unit: 'ns', values: rounds.get(nameOf(one)) ?? [] })),
);

/** The median of the first case of that library, or of the one whose options say so. */
function median(what: string, who: string, how = ''): number {
  const found = cases.find((one) => one.what === what && one.who === who && one.how.includes(how));
  const sorted = [...(found === undefined ? [] : (rounds.get(nameOf(found)) ?? []))].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
const bare = median(HAPPY, 'bare');

console.log(`Node ${process.version}, ${ROUNDS} rounds, medians of CPU time\n`);
for (const { what, who, how } of cases) {
  const took = median(what, who, how);
  console.log(
    `${`${what}: ${who}, ${how}`.padEnd(84)} ${took.toFixed(0).padStart(7)} ns   adds ${(took - bare).toFixed(0).padStart(7)} ns`,
  );
}

/** The measured case and peer, the most that ours may add of what theirs adds, and the aim. */
const bounds: [what: string, how: string, other: string, bound: number, aim: number][] = [
  [HAPPY, '', 'cockatiel', 0.35, 0.2],
  [REFUSED, '', 'cockatiel', 0.35, 0.25],
  [TIMED, '', 'cockatiel', 0.15, 0.1],
  [TIMED, 'reads its signal', 'cockatiel', 0.35, 0.25],
  [RETRY, '', 'p-retry', 0.7, 0.5],
  [RETRY, '', 'cockatiel', 0.7, 0.5],
];
let missed = 0;
console.log(`\n${'adds, as a share of'.padEnd(66)} bound    aim   share`);
for (const [what, how, other, bound, aim] of bounds) {
  const share = (median(what, 'halfopen', how) - bare) / (median(what, other) - bare);
  const verdict = share <= bound ? 'holds' : 'MISSED';
  if (verdict === 'MISSED') missed += 1;
  console.log(
    `${`${what} ${how}`.padEnd(54)} ${other.padEnd(11)} ${bound.toFixed(2).padStart(6)} ${aim.toFixed(2).padStart(6)}  ${share.toFixed(3)}  ${verdict}`,
  );
}

/** Shown, not bounded: of a call that fails, the classification is most of what is paid. Whole costs, not what is added. */
console.log(`\n${'costs, as a multiple of'.padEnd(66)}`);
for (const [how, other] of [
  ['', 'cockatiel'],
  ['', 'p-retry'],
  ['', 'bare'],
  ['stack', 'cockatiel'],
] as const) {
  const times = median(FAILS, 'halfopen', how) / median(FAILS, other, how);
  console.log(`${`${FAILS} ${how}`.padEnd(54)} ${other.padEnd(11)} ${times.toFixed(2).padStart(6)}`);
}
process.exit(missed === 0 ? 0 : 1);
