// The cost of sharing a judgement through one Redis: its commands and its processor time for each guarded call, the
// wait of a call for its admission, and the behaviour of a call while Redis is frozen. Libraries that share through
// Redis too run beside it, on the same server, with default clients.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import Bottleneck from 'bottleneck';
import { Effect, Layer, ManagedRuntime } from 'effect';
import { CircuitBreaker, Redis as EffectRedis, RateLimiter } from 'effect/persistence';
import { createPolicy } from 'halfopen';
import { fleet } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { startRedis } from './redis.js';

/** The most commands for a call of a policy if nothing is exact. */
const MOST_COMMANDS = 0.05;
/** While the store is frozen a call waits for `storeTimeoutMs` (50 ms) at most, and what a busy machine adds. */
const MOST_FROZEN_MS = 250;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const AT_ONCE = 32;
/** Decisions that are measured alone, and the pause between two of them: nothing else is on its way then. */
const [ALONE, APART_MS] = [500, 5];
const FROZEN_MS = 3_000;
/** More than is used: what is measured is the way there, not a refusal. */
const LIMIT = 10_000_000;

const { port, server } = await startRedis();

const connect = (): Redis => {
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => {});
  return client;
};
const admin = connect();
await admin.ping();

/** Commands (those that scripts run are not counted) and processor time, of the server so far. */
async function used(): Promise<{ commands: number; cpuMs: number }> {
  const stats = await admin.info('commandstats');
  const cpu = await admin.info('cpu');
  const sum = [...stats.matchAll(/^cmdstat_(\w+)(?:\|\w+)?:calls=(\d+)/gm)]
    .filter(([, name]) => ['evalsha', 'eval', 'fcall'].includes(name ?? ''))
    .reduce((total, [, , calls]) => total + Number(calls), 0);
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(cpu)?.[1] ?? 0);
  return { commands: sum, cpuMs: 1_000 * (seconds('used_cpu_user') + seconds('used_cpu_sys')) };
}

interface Subject {
  readonly name: string;
  /** One guarded call of nothing. */
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<unknown> | unknown;
}

function ours(name: string, more: object, shared: object): Subject {
  const client = connect();
  const workers = fleet({ store: redisStore(client), name, ...shared });
  const policy = createPolicy({ name, retry: false, fleet: workers, ...more });
  const call = async () => policy.execute(() => undefined);
  return { name, call, close: () => workers.close().then(() => client.disconnect()) };
}

function effects(): Subject[] {
  const client = connect();
  const command = <A>(name: string, args: readonly string[]) =>
    Effect.tryPromise({
      try: () => client.call(name, ...args) as Promise<A>,
      catch: (cause) => new EffectRedis.RedisError({ cause }),
    });
  const redis = Layer.effect(
    EffectRedis.Redis,
    EffectRedis.make({
      send: (name, ...args) => command(name, args),
      subscribe: () => Effect.never,
      connect: Effect.never,
    }),
  );
  const breaker = Layer.provide(
    CircuitBreaker.layer({ tripPolicy: CircuitBreaker.consecutive(5), openDuration: '1 minute' }),
    CircuitBreaker.layerStoreRedis(),
  );
  const limiter = Layer.provide(RateLimiter.layer, RateLimiter.layerStoreRedis());
  const runtime = ManagedRuntime.make(Layer.provide(Layer.merge(breaker, limiter), redis));
  const guarded = Effect.flatMap(CircuitBreaker.CircuitBreaker, (one) =>
    one.execute(Effect.void, { key: 'effect' }),
  );
  const limited = Effect.flatMap(RateLimiter.RateLimiter, (one) =>
    one.consume({
      key: 'effect',
      algorithm: 'token-bucket',
      window: '1 minute',
      limit: LIMIT,
      onExceeded: 'fail',
    }),
  );
  return [
    { name: 'effect CircuitBreaker', call: () => runtime.runPromise(guarded), close: () => {} },
    {
      name: 'effect RateLimiter',
      call: () => runtime.runPromise(limited),
      close: () => runtime.dispose().then(() => client.disconnect()),
    },
  ];
}

function flexible(): Subject {
  const client = connect();
  const limiter = new RateLimiterRedis({ storeClient: client, points: LIMIT, duration: 60 });
  return {
    name: 'rate-limiter-flexible',
    call: () => limiter.consume('one'),
    close: () => client.disconnect(),
  };
}

function bottleneck(): Subject {
  const client = connect();
  const connection = new Bottleneck.IORedisConnection({ client });
  connection.on('error', () => {});
  const limiter = new Bottleneck({ id: 'bench', reservoir: LIMIT, datastore: 'ioredis', connection });
  limiter.on('error', () => {});
  return {
    name: 'bottleneck',
    call: () => limiter.schedule(async () => {}),
    close: () => limiter.disconnect(false),
  };
}

const minute = { limit: LIMIT, windowMs: 60_000 };
const subjects: Subject[] = [
  ours('halfopen: breaker and limit', { rateLimit: minute }, {}),
  ours('halfopen: exact limit', { rateLimit: minute }, { exact: ['probe', 'rateLimit'] }),
  ...effects(),
  flexible(),
  bottleneck(),
];

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;

/** Runs `atOnce` concurrent calls for some seconds. */
async function load(subject: Subject, atOnce: number, seconds: number) {
  const waits: number[] = [];
  let failed = 0;
  const end = performance.now() + seconds * 1_000;
  const before = await used();
  const worker = async () => {
    while (performance.now() < end) {
      const began = performance.now();
      await subject.call().catch(() => {
        failed += 1;
      });
      waits.push(performance.now() - began);
      // Calls that wait for nothing leave the event loop no turn.
      if (waits.length % 64 === 0) await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const after = await used();
  waits.sort((a, b) => a - b);
  return {
    calls: waits.length,
    failed,
    commands: (after.commands - before.commands) / waits.length,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / waits.length,
    p50: at(waits, 0.5),
    p99: at(waits, 0.99),
  };
}

/** How long one decision takes, where nothing else goes on: one call at a time, with a pause after each. */
async function alone({ call }: Subject): Promise<{ p50: number; p99: number }> {
  const waits: number[] = [];
  for (let count = 0; count < ALONE; count += 1) {
    const began = performance.now();
    await call();
    waits.push(performance.now() - began);
    await sleep(APART_MS);
  }
  waits.sort((a, b) => a - b);
  return { p50: at(waits, 0.5), p99: at(waits, 0.99) };
}

const missed: string[] = [];
const row = (...cells: (string | number)[]) =>
  console.log(
    cells.map((cell, index) => (index === 0 ? String(cell).padEnd(30) : String(cell).padStart(14))).join(''),
  );

console.log(
  `one Redis ${execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).split(' ')[2]}, Node ${process.version}`,
);
for (const atOnce of [1, AT_ONCE]) {
  console.log(`\n${atOnce} at once, ${SECONDS} s each`);
  row('', 'calls/s', 'scripts/call', 'Redis µs', 'p50 ms', 'p99 ms');
  for (const subject of subjects) {
    await load(subject, atOnce, 0.3);
    const { calls, failed, commands, cpuUs, p50, p99 } = await load(subject, atOnce, SECONDS);
    row(
      subject.name,
      Math.round(calls / SECONDS),
      commands.toFixed(3),
      cpuUs.toFixed(2),
      p50.toFixed(3),
      p99.toFixed(3),
    );
    if (failed > 0) console.log(`  ${failed} of its calls failed`);
    if (subject === subjects[0] && commands > MOST_COMMANDS)
      missed.push(`${commands} scripts a call, not ${MOST_COMMANDS}`);
  }
}

console.log(`\none decision alone: ${ALONE} of them, ${APART_MS} ms apart`);
row('', 'p50 ms', 'p99 ms');
for (const subject of subjects) {
  const { p50, p99 } = await alone(subject);
  row(subject.name, p50.toFixed(3), p99.toFixed(3));
}

/** The capacity of one core: syncs of one resource by many processes, with all of their scripts. */
const client = connect();
const fleets = Array.from({ length: 16 }, (_, index) => {
  const workers = fleet({ store: redisStore(client), name: 'many', exact: ['probe', 'rateLimit'] });
  return {
    workers,
    policy: createPolicy({ name: `many-${index % 4}`, retry: false, rateLimit: minute, fleet: workers }),
  };
});
const before = await used();
const end = performance.now() + SECONDS * 1_000;
while (performance.now() < end)
  await Promise.all(
    fleets.map(({ policy }) => Promise.resolve(policy.execute(() => undefined)).catch(() => {})),
  );
const after = await used();
const scripts = after.commands - before.commands;
const microseconds = ((after.cpuMs - before.cpuMs) * 1_000) / scripts;
console.log(
  `\na script takes ${microseconds.toFixed(1)} µs of Redis, network included: one core carries ${Math.round(1e6 / microseconds)} a second`,
);
await Promise.all(fleets.map(({ workers }) => workers.close()));
client.disconnect();

console.log(
  `\nRedis is frozen for ${FROZEN_MS} ms: how long a call takes that begins then, and the ten after it`,
);
row('', 'first ms', 'others ms', 'outcome');
for (const subject of subjects) {
  await subject.call().catch(() => {});
  server.kill('SIGSTOP');
  setTimeout(() => server.kill('SIGCONT'), FROZEN_MS);
  await sleep(20);
  const took: number[] = [];
  let outcome = 'went on';
  for (let call = 0; call < 11; call += 1) {
    const began = performance.now();
    await subject.call().catch((error: Error) => {
      outcome = error.name;
    });
    took.push(performance.now() - began);
  }
  const others = Math.max(...took.slice(1));
  row(subject.name, Math.round(took[0] ?? 0), Math.round(others), outcome);
  if (subject.name.startsWith('halfopen') && Math.max(...took) > MOST_FROZEN_MS)
    missed.push(
      `${subject.name}: a call took ${Math.round(Math.max(...took))} ms while Redis was frozen, not ${MOST_FROZEN_MS}`,
    );
  await sleep(
    FROZEN_MS +
      500 -
      Math.min(
        FROZEN_MS,
        took.reduce((sum, ms) => sum + ms, 0),
      ),
  );
}
for (const { close } of subjects) await Promise.race([close(), sleep(1_000)]);
for (const bound of missed) console.log(`MISSED: ${bound}`);
process.exit(missed.length > 0 ? 1 : 0);
