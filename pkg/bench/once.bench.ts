// The cost of an act that happens once: the processor time on a ledger in memory, in nanoseconds, and the commands that one on
// Redis sends. Run: node --expose-gc --import tsx pkg/bench/once.bench.ts
import { createLedger, memoryStore, type OnceStore } from 'halfopen/once';
import { redisStore } from 'halfopen/once/redis';
import { Redis } from 'ioredis';
import { startRedis } from './redis.js';
import { keepRows, type Row, rounds } from './rows.js';

/** Each act and each later call at most this, in nanoseconds of processor time. */
const BUDGET = 20_000;
const ROUNDS = rounds(7);
const ACTS = 5_000;

const refunding = (store: OnceStore) =>
  createLedger({ store, secret: 'of this bench' }).once(
    'refund',
    async (charge: string) => ({ id: charge }),
    {
      key: (charge) => charge,
    },
  );

/** Nanoseconds of processor time for each of the calls, one after the other. */
async function timed(call: (at: number) => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let at = 0; at < ACTS; at += 1) await call(at);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / ACTS;
}

const acts: number[] = [];
const reuses: number[] = [];
for (let round = -1; round < ROUNDS; round += 1) {
  const refund = refunding(memoryStore());
  const act = await timed((at) => refund(`ch_${at}`));
  const reuse = await timed((at) => refund(`ch_${at}`));
  // The first round warms up.
  if (round >= 0) acts.push(act);
  if (round >= 0) reuses.push(reuse);
}
const row = { what: 'an act that happens once', who: '**halfopen**', unit: 'ns' } as const;
const rows: Row[] = [
  { ...row, how: 'a ledger in memory', values: acts },
  { ...row, how: 'a later call, which gets the result', values: reuses },
];
keepRows('once', rows);
const median = (some: readonly number[]) => [...some].sort((a, b) => a - b)[some.length >> 1] ?? 0;
for (const { how, values } of rows) {
  const each = median(values);
  const verdict = each > BUDGET ? `MISSED: at most ${BUDGET} ns` : '';
  console.log(`${how}: ${Math.round(each)} ns ${verdict}`);
  if (verdict !== '') process.exitCode = 1;
}

const { port, server } = await startRedis();
const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 }).on('error', () => {});
const commands = async (): Promise<number> =>
  [...(await client.info('commandstats')).matchAll(/^cmdstat_(?:eval|evalsha):calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
const refund = refunding(redisStore(client));
// Loads the script, and the first answer has the server's time.
await refund('first');
for (const [how, most, call] of [
  ['an act', 2, (at: number) => refund(`ch_${at}`)],
  ['a later call', 1, (at: number) => refund(`ch_${at}`)],
] as const) {
  const before = await commands();
  for (let at = 0; at < 100; at += 1) await call(at);
  const each = ((await commands()) - before) / 100;
  console.log(`${how} on Redis: ${each} commands ${each > most ? `MISSED: at most ${most}` : ''}`);
  if (each > most) process.exitCode = 1;
}
client.disconnect();
server.kill('SIGKILL');
