// The cost of a sync with Redis by the number of processes: scripts, bytes, and processor time on both sides. The
// processes are clients of this one. `node --import tsx pkg/bench/fleet-sync.ts 10,100,400` prints a row for each
// number. Run it by hand, because its figures depend on the machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { redisStore } from 'halfopen/fleet/redis';
import { Redis } from 'ioredis';
import { deltaOf, REPORT, randomNode, viewOf } from '../src/fleet/protocol.js';
import { startRedis } from './redis.js';

const KEY = 'workers/policy/openai';
const SECONDS = 6;
/** As `halfopen/fleet` does: not sooner than this, nor than four times as long as the last sync took. */
const SOONEST_MS = 250;
const PER_SYNC = 4;

const { port, server } = await startRedis();
const connect = () => new Redis(port, '127.0.0.1').on('error', () => {});
const admin = connect();
await admin.ping();

/** The server's counters so far. */
async function done() {
  const info = await admin.info('everything');
  const of = (name: string) => Number(new RegExp(`${name}[:=](\\d+)`).exec(info)?.[1] ?? 0);
  const [, calls = 0, us = 0] = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(info)?.map(Number) ?? [];
  return { calls, us, out: of('total_net_output_bytes'), in: of('total_net_input_bytes') };
}

const terms = { threshold: 5, reset: 60_000, resetBackoff: 1, maxReset: 600_000, maxProbes: 1, successes: 1 };
const head = { ...terms, probeTimeout: 60_000, kind: REPORT, leaseMs: 10_000, options: 1, quorum: 1 };

/** One process, until `isOver`: syncs at its pace, and notes how long each took. */
async function processOf(client: Redis, took: number[], isOver: () => boolean): Promise<void> {
  const store = redisStore(client);
  const node = randomNode();
  let has = 0;
  await sleep(Math.random() * SOONEST_MS);
  for (let number = 1; !isOver(); number++) {
    const limit = { limit: 100_000, windowMs: 60_000, ofTokens: 0, exact: 0, wants: 30, used: 20, has };
    const delta = deltaOf({ ...head, node, number, total: 3 * number, baseTotal: 3 * (number - 1) }, [limit]);
    const began = performance.now();
    const [found] = await store.sync([{ key: KEY, delta }], new AbortController().signal);
    const ms = performance.now() - began;
    took.push(ms);
    if (found === undefined) return;
    const { limits, nextSyncMs } = viewOf(found.state, node, found.now);
    has = limits[0]?.granted ?? 0;
    await sleep(Math.max(SOONEST_MS, nextSyncMs, PER_SYNC * ms) * (0.75 + Math.random() / 2));
  }
}

const row = (...cells: (string | number)[]) =>
  console.log(cells.map((cell) => `${cell}`.padStart(14)).join(''));
row(
  'clients',
  'syncs/s',
  'p50 ms',
  'p99 ms',
  'scripts/sync',
  'B from Redis',
  'B to Redis',
  'µs in Redis',
  'µs here',
);
for (const count of (process.argv[2] ?? '10,100,400').split(',').map(Number)) {
  await admin.flushall();
  let isOver = false;
  const took: number[] = [];
  const clients = Array.from({ length: count }, connect);
  const running = clients.map((client) => processOf(client, took, () => isOver));
  await sleep(2_000);
  const [before, cpu] = [await done(), process.cpuUsage()];
  took.length = 0;
  await sleep(SECONDS * 1_000);
  const [after, used, syncs] = [await done(), process.cpuUsage(cpu), took.length];
  const times = took.slice(0, syncs).sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1) ?? '–';
  const each = (sum: number) => (sum / syncs).toFixed(1);
  row(
    ...[count, (syncs / SECONDS).toFixed(0), at(0.5), at(0.99), each(after.calls - before.calls)],
    ...[each(after.out - before.out), each(after.in - before.in), each(after.us - before.us)],
    each(used.user + used.system),
  );
  isOver = true;
  await Promise.all(running);
  for (const client of clients) client.disconnect();
}
admin.disconnect();
server.kill('SIGKILL');
