// One process that pays orders once each, as tests/fleet/once.test.ts starts it: the effect is a line in a file. Arguments make it
// kill itself at one point of a call, or stop before its first effect.
import { appendFileSync, readFileSync } from 'node:fs';
import { createLedger } from 'halfopen/once';
import { postgresStore } from 'halfopen/once/postgres';
import { redisStore } from 'halfopen/once/redis';
import { Redis } from 'ioredis';
import pg from 'pg';

const { kind, url, effects, orders, leaseMs, dieAt, stopsFirst, skewMs = 0 } = JSON.parse(process.argv[2]);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A wrong wall clock: leases count the store's time.
const right = Date.now;
Date.now = () => right() + skewMs;

const die = (point) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL');
};

const store =
  kind === 'redis'
    ? redisStore(new Redis(url))
    : postgresStore(new pg.Pool({ connectionString: url, max: 2 }));
let swaps = 0;
let isFirst = true;
let hasActed = false;
const watched = {
  ...store,
  async swap(...args) {
    const number = ++swaps;
    die(`before swap ${number}`);
    const answered = store.swap(...args);
    // Sent, and not answered.
    die(`in swap ${number}`);
    const answer = await answered;
    die(`after swap ${number}`);
    return answer;
  },
};

const paid = (order) =>
  readFileSync(effects, 'utf8')
    .split('\n')
    .filter((line) => line === order).length > 0;

const ledger = createLedger({ store: watched, secret: 'of-the-ledger', leaseMs, waitMs: 2 * leaseMs });
const pay = ledger.once(
  'pay',
  async function (order) {
    die('before the effect');
    // Until the test continues it.
    if (stopsFirst && isFirst) process.kill(process.pid, 'SIGSTOP');
    isFirst = false;
    await pause(Math.random() * 20);
    if (this.signal.aborted) throw this.signal.reason;
    appendFileSync(effects, `${order}\n`);
    if (!hasActed) appendFileSync(`${effects}-acting`, `${process.pid}\n`);
    hasActed = true;
    // The system stopped this process between its look and its effect, until the lease was over.
    if (this.signal.aborted) appendFileSync(`${effects}-late`, `${order}\n`);
    die('after the effect');
    await pause(Math.random() * 20);
    return { receipt: `receipt of an order`, attempt: this.attempt };
  },
  {
    key: (order) => [order],
    verify: (_, order) =>
      paid(order) ? { happened: true, result: { receipt: 'found' } } : { happened: false },
  },
);

for (const order of orders) {
  for (;;) {
    const error = await pay(order).then(
      () => undefined,
      (error) => error,
    );
    if (error === undefined) break;
    // Another call acts, the claim was lost, or the store is slow.
    if (!error.retryable) {
      console.error(error);
      process.exit(3);
    }
  }
}
process.exit(0);
