// Acts that happen once, on a real Redis and a real PostgreSQL: processes are killed at every point and at random, their clocks
// differ by an hour, and the store is searched for what it must not hold. KILLS=200 kills that often.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLedger, type Ledger, type OnceStore } from 'halfopen/once';
import { checkStore } from 'halfopen/once/conformance';
import { postgresStore } from 'halfopen/once/postgres';
import { redisStore } from 'halfopen/once/redis';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { type RedisServer, redisServer } from '../../pkg/test/fleet/redis.js';
import { effectsCommand } from '../../pkg/test/once/effects-command.js';
import { until } from '../../scripts/patience.mjs';
import { type PostgresServer, startPostgres } from './postgres-server.js';
import { startProxy, type TcpProxy } from './proxy.js';

const WORKER = fileURLToPath(new URL('once-worker.mjs', import.meta.url));
const KILLS = Number(process.env.KILLS ?? 15);
const POINTS = [
  ...[1, 2, 3].flatMap((swap) => ['before', 'in', 'after'].map((point) => `${point} swap ${swap}`)),
  'before the effect',
  'after the effect',
];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let redis: RedisServer;
let client: Redis;
let postgres: PostgresServer;
let pool: pg.Pool;
const folder = mkdtempSync(join(tmpdir(), 'halfopen-once-'));
before(async () => {
  redis = await redisServer();
  client = new Redis(redis.url);
  postgres = await startPostgres();
  pool = new pg.Pool({ connectionString: postgres.url });
  pool.on('error', () => {});
});
after(async () => {
  client.disconnect();
  await redis.stop();
  await pool.end();
  await postgres.remove();
  rmSync(folder, { recursive: true });
});

const kinds = ['redis', 'postgres'] as const;
type Kind = (typeof kinds)[number];
const storeOf = (kind: Kind): OnceStore => (kind === 'redis' ? redisStore(client) : postgresStore(pool));
const urlOf = (kind: Kind): string => (kind === 'redis' ? redis.url : postgres.url);

/** A store by a client of its own, and how to end that. */
function connected(kind: Kind, url: string): [store: OnceStore, end: () => unknown] {
  if (kind === 'redis') {
    const own = new Redis(url, { retryStrategy: () => 50 });
    own.on('error', () => {});
    return [redisStore(own), () => own.disconnect()];
  }
  const own = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 1000 });
  own.on('error', () => {});
  own.on('connect', (one) => one.on('error', () => {}));
  return [postgresStore(own), () => void own.end()];
}

type Strike = (kind: Kind, proxy: TcpProxy) => void;
function freeze(kind: Kind): void {
  if (kind === 'redis') redis.process.kill('SIGSTOP');
  else postgres.pause();
}
function thaw(kind: Kind): void {
  if (kind === 'redis') redis.process.kill('SIGCONT');
  else postgres.resume();
}
/** The faults of a store, each with its end. Nothing listens on port 1. */
const FAULTS: readonly [fault: string, strike: Strike, mend: Strike][] = [
  ['freezes', freeze, thaw],
  ['is cut off without a word', (_, proxy) => proxy.cut(), (_, proxy) => proxy.heal()],
  [
    'refuses connections',
    (_, proxy) => proxy.leadTo(1),
    (kind, proxy) => proxy.leadTo(Number(new URL(urlOf(kind)).port)),
  ],
];

let files = 0;
function effectsFile(): string {
  const file = join(folder, `effects-${++files}`);
  writeFileSync(file, '');
  writeFileSync(`${file}-late`, '');
  writeFileSync(`${file}-acting`, '');
  return file;
}

function worker(kind: Kind, effects: string, orders: readonly string[], more: object = {}): ChildProcess {
  const options = { kind, url: urlOf(kind), effects, orders, leaseMs: 700, ...more };
  return spawn(process.execPath, [WORKER, JSON.stringify(options)], { stdio: 'inherit' });
}

const ended = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));

/** The state of a process as Linux has it: 'T' is stopped. */
const stateOf = ({ pid }: ChildProcess): string | undefined =>
  /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean).sort();

test('the stores pass the suite, through every client', async () => {
  const { cases } = await checkStore(async () => redisStore(client, { prefix: 'p:' }));
  assert.ok(cases >= 9);
  for (const other of [createClient({ url: redis.url }), createClient5({ url: redis.url })]) {
    await other.connect();
    await checkStore(async () => redisStore(other));
    other.destroy();
  }
  // Over HTTP there are only texts and numbers.
  const rest = {
    eval: (script: string, keys: string[], args: string[]) =>
      client.eval(script, keys.length, ...keys, ...args),
  };
  await checkStore(async () => redisStore(rest));
  await checkStore(async () => postgresStore(pool));
  await checkStore(async () => postgresStore(pool, { table: 'public.other "acts"' }));
});

test('processes that create the table at the same time all get it', async () => {
  const stores = Array.from({ length: 8 }, () => postgresStore(pool, { table: 'at_once' }));
  const { signal } = new AbortController();
  const all = await Promise.all(stores.map((store) => store.swap('a/b', 0, Uint8Array.of(1), 1e9, signal)));
  assert.equal(all.filter(({ written }) => written).length, 1);
});

for (const kind of kinds) {
  test(`${kind}: a process that dies at any point leaves an act that happens once`, async () => {
    const effects = effectsFile();
    const orders = POINTS.map((point) => `order ${point}`);
    // Two at once: a busy machine has no more for this.
    const deaths: (number | string | null)[] = [];
    for (let at = 0; at < POINTS.length; at += 2) {
      const some = [at, at + 1].filter((one) => one < POINTS.length);
      deaths.push(
        ...(await Promise.all(
          some.map((one) => ended(worker(kind, effects, [orders[one] ?? ''], { dieAt: POINTS[one] }))),
        )),
      );
    }
    assert.ok(deaths.filter((how) => how === 'SIGKILL').length >= POINTS.length - 1, deaths.join());
    assert.equal(await ended(worker(kind, effects, orders, { skewMs: 3_600_000 })), 0);
    assert.deepEqual(linesOf(effects), [...orders].sort());
  });

  test(`${kind}: processes that are killed at random, with clocks an hour apart, act once`, async (t) => {
    const effects = effectsFile();
    // More than three processes carry out between two kills, so that each kill meets an act.
    const orders = Array.from({ length: 40 * KILLS }, (_, index) => `random ${index}`);
    const start = (index: number) => {
      const begun = new Set(linesOf(effects));
      const left = orders.filter((order) => !begun.has(order));
      // Each begins at another place: a process that waits for the act of another is in no act of its own.
      const from = Math.floor((index * left.length) / 3);
      const turned = [...left.slice(from), ...left.slice(0, from)];
      return worker(kind, effects, turned, { skewMs: (index - 1) * 3_600_000 });
    };
    const workers = [0, 1, 2].map(start);
    for (let kills = 0; kills < KILLS; kills++) {
      const index = kills % workers.length;
      const killed = workers[index];
      if (killed === undefined) continue;
      // A process that only starts has nothing to lose.
      await until(() => killed.exitCode !== null || linesOf(`${effects}-acting`).includes(`${killed.pid}`));
      await pause(Math.random() * 100);
      const over = killed.exitCode !== null ? undefined : ended(killed);
      killed.kill('SIGKILL');
      await over;
      workers[index] = start(index);
    }
    const codes = await Promise.all(
      workers.map((one) => (one.exitCode !== null ? one.exitCode : ended(one))),
    );
    assert.deepEqual(codes, [0, 0, 0]);
    // Acts that were killed after their effect are called again.
    assert.equal(await ended(worker(kind, effects, orders)), 0);
    // No lease helps a process that is stopped right before its effect: those acts, and no others, may happen twice.
    const late = linesOf(`${effects}-late`);
    t.diagnostic(
      `${KILLS} kills, ${linesOf(effects).length} effects of ${orders.length} orders, ${late.length} late`,
    );
    const notLate = linesOf(effects).filter(
      (order, at, all) => order !== all[at - 1] || !late.includes(order),
    );
    assert.deepEqual(notLate, [...orders].sort());
  });

  test(`${kind}: a process that is stopped for longer than its lease does not act when it goes on`, async () => {
    const effects = effectsFile();
    const orders = ['stopped'];
    const stopped = worker(kind, effects, orders, { stopsFirst: true });
    await until(() => stateOf(stopped) === 'T');
    assert.equal(await ended(worker(kind, effects, orders)), 0);
    stopped.kill('SIGCONT');
    assert.equal(await ended(stopped), 0);
    assert.deepEqual(linesOf(effects), orders);
  });

  test(`${kind}: the store holds neither arguments nor secrets`, async () => {
    const effects = effectsFile();
    const orders = Array.from({ length: 20 }, (_, index) => `random ${index}`);
    await ended(worker(kind, effects, ['order before'], { dieAt: POINTS[0] }));
    assert.equal(await ended(worker(kind, effects, orders)), 0);
    const text =
      kind === 'redis'
        ? await allOfRedis()
        : JSON.stringify(
            (
              await pool.query(
                "SELECT key, convert_from(record, 'UTF8') AS record FROM halfopen_once WHERE key LIKE 'once/%'",
              )
            ).rows,
          );
    assert.ok(text.includes('once') && text.length > 1000, text);
    assert.doesNotMatch(text, /random \d|order (before|after)|of-the-ledger/);
  });

  test(`${kind}: a store that freezes lets nothing act, and comes back`, async () => {
    const ledger = createLedger({ store: storeOf(kind), secret: 's', name: 'frozen', storeTimeoutMs: 300 });
    let acts = 0;
    const pay = ledger.once('pay', async (order: string) => `${order} ${++acts}`, { key: (order) => order });
    assert.equal(await pay('a'), 'a 1');
    const frozen: OnceStore = { ...storeOf(kind), swap: () => new Promise(() => {}) };
    const without = createLedger({ store: frozen, secret: 's', name: 'frozen', storeTimeoutMs: 300 });
    await assert.rejects(without.once('pay', async () => ++acts, { key: () => 'a' })(), {
      code: 'CAPACITY_EXCEEDED',
    });
    assert.equal(await pay('a'), 'a 1');
    assert.equal(acts, 1);
  });

  for (const [fault, strike, mend] of FAULTS) {
    test(`${kind}: while an act runs, the store ${fault}: it acts once, and callers know why they wait`, async (t) => {
      const proxy = await startProxy(Number(new URL(urlOf(kind)).port));
      const url = urlOf(kind).replace(/:\d+(?=\/|$)/, `:${proxy.port}`);
      const name = `store ${fault}`;
      const processes: Ledger[] = [];
      for (let times = 0; times < 2; times++) {
        const [store, end] = connected(kind, url);
        t.after(end);
        // The first request connects, and makes the table.
        await store.swap('warm/up', -1, undefined, 0, new AbortController().signal);
        processes.push(
          createLedger({
            store,
            secret: 's',
            name,
            storeTimeoutMs: 500,
            leaseMs: 900,
            waitMs: 300,
          }),
        );
      }
      t.after(() => {
        mend(kind, proxy);
        proxy.close();
      });
      const acts: string[] = [];
      let leave = () => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const [first, second] = processes.map((ledger) =>
        ledger.once(
          'pay',
          async (order: string) => {
            acts.push(order);
            if (order === 'begun') await left;
            return `paid ${order}`;
          },
          { key: (order) => order },
        ),
      );
      assert.ok(first !== undefined && second !== undefined);
      await second('earlier');
      const begun = first('begun');
      await until(() => acts.includes('begun'));
      strike(kind, proxy);
      // Neither what is begun nor what is new is carried out.
      for (const order of ['begun', 'new'])
        await assert.rejects(second(order), {
          code: 'CAPACITY_EXCEEDED',
          message: /^The store of the ledger did not answer: 'pay' was not carried out, because/,
        });
      // Its lease ends meanwhile.
      await pause(1000);
      leave();
      assert.equal(await begun, 'paid begun');
      assert.deepEqual(acts, ['earlier', 'begun']);
      mend(kind, proxy);
      // Until the first process has reported its result, the others know that they do not know.
      for (const order of ['begun', 'new']) {
        await until(async () => {
          const result = await second(order).catch((error) => error);
          if (result === `paid ${order}`) return true;
          assert.match(String(result.code), /^(?:CAPACITY_EXCEEDED|CONFLICT|TOOL_EXECUTION_ERROR)$/, result);
          return false;
        });
      }
      assert.deepEqual(acts, ['earlier', 'begun', 'new']);
    });
  }

  test(`${kind}: a person finds and settles what is unknown`, async () => {
    const ledger = createLedger({ store: storeOf(kind), secret: 's', name: 'settled' });
    let acts = 0;
    const pay = ledger.once(
      'pay',
      async (_order: string) => {
        if (++acts === 1) throw new Error('socket hang up');
        return acts;
      },
      { key: (order: string) => order, describe: (order) => `about ${order}` },
    );
    await assert.rejects(pay('a'), { code: 'TOOL_EXECUTION_ERROR' });
    const [act, ...more] = await ledger.unknown();
    assert.ok(act !== undefined && more.length === 0);
    assert.equal(act.about, 'about a');
    assert.ok(Math.abs(act.since - Date.now()) < 60_000);
    await ledger.settle(act.name, act.key, { happened: false });
    assert.equal(await pay('a'), 2);
    assert.deepEqual(await ledger.unknown(), []);
  });

  test(`${kind}: a person does the same by the command line`, async () => {
    const ledger = createLedger({ store: storeOf(kind), secret: 's', name: 'by hand' });
    const pay = ledger.once(
      'pay',
      async (): Promise<unknown> => {
        throw new Error('socket hang up');
      },
      { key: () => 'a', describe: () => 'about a' },
    );
    await assert.rejects(pay(), { code: 'TOOL_EXECUTION_ERROR' });
    const place = ['--ledger', 'by hand', ...(kind === 'redis' ? ['--redis'] : ['--database']), urlOf(kind)];
    const { out, error } = await effectsCommand(['list', ...place]);
    assert.match(out, /\npay +[\da-f]{12} +\S+Z +1 +about a\n$/, error);
    const [, key = ''] = /pay +(\S+)/.exec(out) ?? [];
    await effectsCommand(['settle', 'pay', key, 'happened', '--result', '{"id":"re_1"}', ...place]);
    assert.deepEqual(await pay(), { id: 're_1' });
    assert.deepEqual(await ledger.unknown(), []);
  });
}

test('the command line makes no table where a ledger has none', async () => {
  const { code, error } = await effectsCommand([
    'list',
    '--database',
    postgres.url,
    '--table',
    'public.none',
  ]);
  assert.deepEqual(
    [code, error],
    [
      1,
      `halfopen: there is no table 'public.none' in this database: no ledger has used it (--table names another)\n`,
    ],
  );
  const { rows } = await pool.query("SELECT to_regclass('public.none') AS found");
  assert.equal(rows[0].found, null);
});

async function allOfRedis(): Promise<string> {
  const all: unknown[] = [];
  for (const key of await client.keys('once1:*')) {
    const type = await client.type(key);
    const value = type === 'hash' ? await client.hgetall(key) : await client.zrange(key, '0', '-1');
    const record = 'r' in value ? Buffer.from(String(value.r).slice(1), 'base64').toString() : '';
    all.push([key, value, record]);
  }
  return JSON.stringify(all);
}
