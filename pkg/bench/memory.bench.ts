// The memory of a policy, and of a call that has not ended: bytes of the heap after a collection, and of the core's
// memory beside it. Run: node --expose-gc --import tsx pkg/bench/memory.bench.ts
import * as cockatiel from 'cockatiel';
import { createPolicy } from 'halfopen';
import Opossum from 'opossum';
import pRetry from 'p-retry';
import { keepRows, type Row, rounds } from './rows.js';

const COUNT = 2000;
const ROUNDS = rounds(5);

const { gc } = globalThis as unknown as { gc: () => void };
/**
 * The functions that could settle open promises. Without them the promises would be collected, with everything that
 * waits for them.
 */
const settlers: unknown[] = [];
const never = (): Promise<number> => new Promise((resolve) => settlers.push(resolve));
const succeeds = async (): Promise<number> => 1;
const GUARD = 'retry and breaker, used once';

const guardOf = () =>
  cockatiel.wrap(
    cockatiel.retry(cockatiel.handleAll, { maxAttempts: 3, backoff: new cockatiel.ExponentialBackoff() }),
    cockatiel.circuitBreaker(cockatiel.handleAll, {
      halfOpenAfter: 60_000,
      breaker: new cockatiel.ConsecutiveBreaker(5),
    }),
  );
const ours = createPolicy();
const theirs = guardOf();
const opossum = new Opossum(never, { timeout: false });

const POLICY = 'memory of a policy';
const FLIGHT = 'memory of a call in flight';
const cases: (Pick<Row, 'what' | 'who' | 'how'> & { make: () => unknown })[] = [
  {
    what: POLICY,
    who: 'halfopen',
    how: GUARD,
    make: async () => {
      const policy = createPolicy();
      await policy.execute(succeeds);
      return policy;
    },
  },
  {
    what: POLICY,
    who: 'cockatiel',
    how: GUARD,
    make: async () => {
      const policy = guardOf();
      await policy.execute(succeeds);
      return policy;
    },
  },
  {
    what: POLICY,
    who: 'opossum',
    how: 'breaker, used once; it keeps statistics',
    make: async () => {
      const breaker = new Opossum(succeeds, { timeout: false });
      await breaker.fire();
      return breaker;
    },
  },
  { what: FLIGHT, who: 'bare', how: 'a promise that nobody settles', make: () => [never()] },
  { what: FLIGHT, who: 'halfopen', how: 'retry and breaker', make: () => [ours.execute(never)] },
  { what: FLIGHT, who: 'cockatiel', how: 'retry and breaker', make: () => [theirs.execute(never)] },
  { what: FLIGHT, who: 'opossum', how: 'breaker', make: () => [opossum.fire()] },
  { what: FLIGHT, who: 'p-retry', how: 'its defaults', make: () => [pRetry(never)] },
];

/** Kept, so that nothing is collected. */
const held: unknown[] = [];

async function bytes(make: () => unknown): Promise<number> {
  const used = () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external; // the core's memory is outside of the heap
  };
  const before = used();
  const mine: unknown[] = [];
  for (let one = 0; one < COUNT; one += 1) mine.push(await make());
  held.push(mine);
  return (used() - before) / COUNT;
}

const measured = new Map<(typeof cases)[number], number[]>(cases.map((one) => [one, []]));
for (let round = -1; round < ROUNDS; round += 1)
  for (const one of cases) {
    const took = await bytes(one.make);
    if (round >= 0) measured.get(one)?.push(took);
  }
const rows: Row[] = [...measured].map(([{ what, who, how }, values]) => ({
  what,
  who,
  how,
  unit: 'bytes',
  values,
}));
keepRows('memory', rows);
for (const { what, who, how, values } of rows) {
  const median = [...values].sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
  console.log(`${`${what}: ${who}, ${how}`.padEnd(64)} ${median.toFixed(0).padStart(7)} bytes`);
}
process.exit(0); // opossum's timers would keep it
