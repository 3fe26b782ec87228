// What a guarded call adds to a bare await, beside cockatiel 4, opossum 10, p-retry 9 and effect 4: nanoseconds of CPU
// time, rounds of all cases interleaved, medians. The bounds are this project's own; a run on a busy machine may miss one.
import * as cockatiel from 'cockatiel';
import { Effect, Schedule } from 'effect';
import { createPolicy } from 'halfopen';
import Opossum from 'opossum';
import pRetry from 'p-retry';

const ROUNDS = 15;
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
const opossum = new Opossum(operation, { timeout: false });
opossum.fallback(() => 0);

// ── open circuits
const oursOpen = createPolicy({ retry: false, breaker: { failureThreshold: 1 } });
await oursOpen.execute(failing).catch(ignore);
const theirsOpen = cockatiel.circuitBreaker(cockatiel.handleAll, {
  halfOpenAfter: 1e9,
  breaker: new cockatiel.ConsecutiveBreaker(1),
});
await theirsOpen.execute(failing).catch(ignore);
const opossumOpen = new Opossum(operation, { timeout: false });
opossumOpen.open();

// ── timeouts
const oursTimed = createPolicy({ retry: false, breaker: false, timeout: { attemptMs: 10_000 } });
const theirsTimed = cockatiel.timeout(10_000, cockatiel.TimeoutStrategy.Aggressive);
const readSignal = async ({ signal }: { signal: AbortSignal }): Promise<number> => (signal.aborted ? 0 : 1);

// ── retry alone
const oursRetry = createPolicy({ breaker: false });
const theirsRetry = cockatiel.retry(cockatiel.handleAll, {
  maxAttempts: 3,
  backoff: new cockatiel.ExponentialBackoff(),
});
const effect = Effect.retry(Effect.promise(operation), Schedule.recurs(3));

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
const readStack = (error: unknown): unknown => (error as Error).stack;

interface Case {
  name: string;
  run: () => Promise<unknown>;
  count: number;
}

const cases: Case[] = [
  { name: 'bare await', run: operation, count: 50_000 },
  { name: 'halfopen: fallback, retry, breaker', run: () => ours.execute(operation), count: 50_000 },
  { name: 'cockatiel: fallback, retry, breaker', run: () => theirs.execute(operation), count: 30_000 },
  { name: 'opossum: fallback, breaker', run: () => opossum.fire(), count: 20_000 },
  { name: 'halfopen: refused', run: () => oursOpen.execute(operation).catch(ignore), count: 10_000 },
  { name: 'cockatiel: refused', run: () => theirsOpen.execute(operation).catch(ignore), count: 10_000 },
  { name: 'opossum: refused', run: () => opossumOpen.fire().catch(ignore), count: 5000 },
  { name: 'halfopen: timeout', run: () => oursTimed.execute(operation), count: 20_000 },
  { name: 'halfopen: timeout, signal read', run: () => oursTimed.execute(readSignal), count: 10_000 },
  { name: 'cockatiel: timeout, aggressive', run: () => theirsTimed.execute(operation), count: 5000 },
  { name: 'halfopen: retry', run: () => oursRetry.execute(operation), count: 50_000 },
  { name: 'p-retry', run: () => pRetry(operation), count: 20_000 },
  { name: 'cockatiel: retry', run: () => theirsRetry.execute(operation), count: 30_000 },
  { name: 'effect: retry', run: () => Effect.runPromise(effect), count: 10_000 },
  { name: 'bare await: fails', run: () => failsOnce().catch(ignore), count: 5000 },
  { name: 'halfopen: fails', run: () => oursFails.execute(failsOnce).catch(ignore), count: 3000 },
  {
    name: 'halfopen: fails, stack read',
    run: () => oursFails.execute(failsOnce).catch(readStack),
    count: 2000,
  },
  { name: 'cockatiel: fails', run: () => theirsFails.execute(failsOnce).catch(ignore), count: 5000 },
  {
    name: 'cockatiel: fails, stack read',
    run: () => theirsFails.execute(failsOnce).catch(readStack),
    count: 2000,
  },
  { name: 'p-retry: fails', run: () => pRetry(failsOnce, { retries: 0 }).catch(ignore), count: 5000 },
];

async function measure({ run, count }: Case): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) await run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / count;
}

const rounds = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
for (let round = -WARM_UP; round < ROUNDS; round++) {
  for (const one of cases) {
    const took = await measure(one);
    if (round >= 0) rounds.get(one.name)?.push(took);
  }
}

const median = (name: string): number => {
  const sorted = [...(rounds.get(name) ?? [])].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
const bare = median('bare await');
const adds = (name: string): number => median(name) - bare;

console.log(`Node ${process.version}, ${ROUNDS} rounds, medians of CPU time\n`);
for (const { name } of cases) {
  console.log(
    `${name.padEnd(38)} ${median(name).toFixed(0).padStart(7)} ns   adds ${adds(name).toFixed(0).padStart(7)} ns`,
  );
}

/** What is measured, against what, the most that the one may add of what the other adds, and the aim. */
const bounds: [what: string, mine: string, other: string, bound: number, aim: number][] = [
  ['a guarded call', 'halfopen: fallback, retry, breaker', 'cockatiel: fallback, retry, breaker', 0.35, 0.2],
  ['a refusal', 'halfopen: refused', 'cockatiel: refused', 0.35, 0.25],
  ['a timeout, signal not read', 'halfopen: timeout', 'cockatiel: timeout, aggressive', 0.15, 0.1],
  ['a timeout, signal read', 'halfopen: timeout, signal read', 'cockatiel: timeout, aggressive', 0.35, 0.25],
  ['retry alone', 'halfopen: retry', 'p-retry', 0.7, 0.5],
  ['retry alone', 'halfopen: retry', 'cockatiel: retry', 0.7, 0.5],
];
let missed = 0;
console.log(`\n${'adds, as a share of'.padEnd(66)} bound    aim   share`);
for (const [what, mine, other, bound, aim] of bounds) {
  const share = adds(mine) / adds(other);
  const verdict = share <= bound ? 'holds' : 'MISSED';
  if (verdict === 'MISSED') missed += 1;
  console.log(
    `${what.padEnd(28)} ${other.padEnd(36)} ${bound.toFixed(2).padStart(6)} ${aim.toFixed(2).padStart(6)}  ${share.toFixed(3)}  ${verdict}`,
  );
}

/** Shown, not bounded: of a call that fails, the classification is most of what is paid. Whole costs, not what is added. */
const shares: [what: string, mine: string, other: string][] = [
  ['a call that fails', 'halfopen: fails', 'cockatiel: fails'],
  ['a call that fails', 'halfopen: fails', 'p-retry: fails'],
  ['a call that fails', 'halfopen: fails', 'bare await: fails'],
  ['a call that fails, stack read', 'halfopen: fails, stack read', 'cockatiel: fails, stack read'],
];
console.log(`\n${'costs, as a multiple of'.padEnd(66)}`);
for (const [what, mine, other] of shares) {
  const times = median(mine) / median(other);
  console.log(`${what.padEnd(30)} ${other.padEnd(36)} ${times.toFixed(2).padStart(6)}`);
}
process.exit(missed === 0 ? 0 : 1);
