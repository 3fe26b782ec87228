// A fleet of real processes against a provider that fails on command; a seed decides what is done to them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Redis } from 'ioredis';
import { WAIT } from '../../scripts/patience.mjs';
import { type Entry, type Fault, readHistories } from './history.js';
import { spawnApart, type Way } from './namespaces.js';
import { startProxy, type TcpProxy } from './proxy.js';
import type { RedisServers } from './redis-servers.js';
import type { WorkerOptions } from './worker.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const source = (path: string) => join(root, 'pkg/src', path);

/** A bug that is planted into the package's sources, to see that the checker finds it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const bundles = new Map<string, Promise<string>>();

/** The worker as one file, of the package's sources, with a bug in them or without. */
function worker(mutant?: Mutant): Promise<string> {
  const name = mutant?.name ?? 'right';
  let bundle = bundles.get(name);
  if (bundle === undefined) {
    bundle = buildWorker(mutant);
    bundles.set(name, bundle);
  }
  return bundle;
}

async function buildWorker(mutant?: Mutant): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-worker-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'worker.mjs');
  let planted = mutant === undefined;
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
    alias: {
      'halfopen/fleet/redis': source('fleet/redis.ts'),
      'halfopen/fleet': source('fleet/index.ts'),
      halfopen: source('index.ts'),
    },
    // ioredis is CommonJS, and requires modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'mutant',
        setup({ onLoad }) {
          onLoad({ filter: /\/pkg\/src\/fleet\/.*\.ts$/ }, ({ path }) => {
            if (mutant === undefined || path !== source(mutant.file)) return undefined;
            const text = readFileSync(path, 'utf8');
            planted = text.split(mutant.from).length === 2;
            return { contents: text.replace(mutant.from, () => mutant.to), loader: 'ts' };
          });
        },
      },
    ],
  });
  if (!planted)
    throw new Error(`the mutant '${mutant?.name}' has no place in ${mutant?.file}: ${mutant?.from}`);
  return outfile;
}

/** Numbers out of a seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seeds of this run: FLEET_SEEDS of them, from FLEET_SEED on. */
export function seeds(): number[] {
  const first = Number(process.env.FLEET_SEED ?? Math.floor(Math.random() * 1e6));
  return Array.from({ length: Number(process.env.FLEET_SEEDS ?? 1) }, (_, index) => first + index);
}

const LOCAL = '127.0.0.1';

/** How long a store may take here: on a machine that is busy, processes wait for their turn. */
export const STORE_TIMEOUT_MS = 1_000;

export interface FleetPlan {
  readonly redis: RedisServers;
  readonly policy: WorkerOptions['policy'];
  readonly fleet?: Partial<WorkerOptions['fleet']>;
  readonly workers?: number;
  readonly callsPerSecond?: number;
  readonly mutant?: Mutant;
  /** The Redis client of the processes. Default: ioredis. */
  readonly client?: WorkerOptions['redis']['client'];
  /** Each process has a network namespace of its own: see `namespaces.ts`. The store listens on all addresses then. */
  readonly isApart?: boolean;
}

interface Worker {
  readonly child: ChildProcess;
  readonly proxy?: TcpProxy | undefined;
  readonly way?: Way | undefined;
}

/** Processes, their provider, and what can be done to them. */
export class TestFleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'halfopen-fleet-'));
  private failing = false;
  private readonly plan: FleetPlan;
  private readonly workers = new Map<string, Worker>();
  private readonly provider = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://provider').searchParams;
    const isFailing = this.failing;
    this.note({
      ...{ kind: 'call', process: query.get('process') ?? '', resource: query.get('resource') ?? '' },
      ...{ failed: isFailing, tokens: 0, retry: query.get('retry') === '1' },
    });
    setTimeout(() => response.writeHead(isFailing ? 503 : 200).end(), 10);
  });
  private count = 0;

  constructor(plan: FleetPlan) {
    this.plan = plan;
  }

  static async start(t: TestContext, plan: FleetPlan): Promise<TestFleet> {
    const fleet = new TestFleet(plan);
    t.after(() => fleet.end());
    fleet.provider.listen(0, plan.isApart ? '0.0.0.0' : '127.0.0.1');
    await once(fleet.provider, 'listening');
    await Promise.all(Array.from({ length: plan.workers ?? 8 }, () => fleet.add()));
    return fleet;
  }

  /** `true` if the provider answers 503. */
  set isFailing(failing: boolean) {
    this.failing = failing;
    this.fault(failing ? 'outage' : 'outage-over');
  }

  /** The names of the processes that were not killed. */
  get names(): string[] {
    return [...this.workers.keys()];
  }

  /** The names of all that were ever started. */
  get known(): string[] {
    return Array.from({ length: this.count }, (_, index) => `w${index + 1}`);
  }

  /** Starts another process, and resolves when it runs. */
  async add(): Promise<void> {
    const { redis, policy, callsPerSecond = 20, mutant, isApart = false } = this.plan;
    this.count += 1;
    const number = this.count;
    const name = `w${number}`;
    const { isCluster, sentinels = [] } = redis;
    const kind = isCluster ? 'cluster' : sentinels.length > 0 ? 'sentinels' : 'single';
    const ports = (kind === 'sentinels' ? sentinels : redis.servers).map(({ port }) => port);
    const proxy = kind !== 'single' || isApart ? undefined : await startProxy(ports[0] ?? 0);
    const [store, provider] = isApart ? [`10.77.${number}.1`, `10.78.${number}.1`] : [LOCAL, LOCAL];
    const options: WorkerOptions = {
      process: name,
      history: join(this.folder, `${name}.jsonl`),
      redis: {
        client: this.plan.client ?? 'ioredis',
        kind,
        host: store,
        ports: proxy === undefined ? ports : [proxy.port],
      },
      provider: `http://${provider}:${(this.provider.address() as { port: number }).port}/`,
      policy,
      fleet: { name: 'workers', storeTimeoutMs: STORE_TIMEOUT_MS, ...this.plan.fleet },
      callsPerSecond,
      // An hour before, right, an hour after.
      skewMs: ((number % 3) - 1) * 3_600_000,
    };
    const command = [process.execPath, await worker(mutant), JSON.stringify(options)] as const;
    const [program, ...words] = command;
    const started: Worker = isApart
      ? await spawnApart(number, number % 3 === 0 ? 'answers' : 'both', command)
      : { child: spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] }), proxy };
    const { child } = started;
    this.workers.set(name, started);
    while (!existsSync(options.history)) {
      if (child.exitCode !== null) throw new Error(`worker ${name} ended with ${child.exitCode}`);
      await sleep(20);
    }
  }

  note(entry: object): void {
    appendFileSync(join(this.folder, 'harness.jsonl'), `${JSON.stringify({ at: Date.now(), ...entry })}\n`);
  }

  fault(fault: Fault, process?: string): void {
    this.note({ kind: 'fault', fault, process });
  }

  /** Freezes a process for a while, or until something has happened. */
  async pause(name: string, during: number | Promise<unknown>): Promise<void> {
    this.fault('pause', name);
    this.workers.get(name)?.child.kill('SIGSTOP');
    await (typeof during === 'number' ? sleep(during) : during);
    this.workers.get(name)?.child.kill('SIGCONT');
    this.fault('resume', name);
  }

  kill(name: string): void {
    this.fault('kill', name);
    this.workers.get(name)?.child.kill('SIGKILL');
    this.workers.get(name)?.proxy?.close();
    this.workers.delete(name);
  }

  /** Cuts a process off the store for a while. Returns the time at which the cut began to end. */
  async partition(name: string, ms: number): Promise<number> {
    this.fault('partition', name);
    const { proxy, way } = this.workers.get(name) ?? {};
    await (proxy ?? way)?.cut();
    await sleep(ms);
    const healedAt = Date.now();
    await (proxy ?? way)?.heal();
    this.fault('heal', name);
    return healedAt;
  }

  /** All processes go to another server. */
  leadTo(port: number): void {
    for (const { proxy } of this.workers.values()) proxy?.leadTo(port);
  }

  /** Notes how many scripts a server has run, five times a second by its own clock, until that is stopped. */
  measureLoad({ port }: { readonly port: number }): () => void {
    const client = new Redis(port, '127.0.0.1', {
      enableOfflineQueue: false,
      commandTimeout: 1_000,
      retryStrategy: () => 100,
    });
    client.on('error', () => {});
    const look = async () => {
      const [[, time], [, stats]] = (await client.multi().time().info('commandstats').exec()) as [
        [null, [string, string]],
        [null, string],
      ];
      const at = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
      const counts = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].map(([, count]) =>
        Number(count),
      );
      this.note({ at, kind: 'load', commands: counts.reduce((sum, count) => sum + count, 0) });
    };
    const timer = setInterval(() => look().catch(() => {}), 200);
    return () => {
      clearInterval(timer);
      client.disconnect();
    };
  }

  /** Resolves when something has happened, or after `ms`: the history then shows what is missing. */
  async until(
    happened: (history: readonly Entry[]) => boolean,
    everyMs = 200,
    ms: number = WAIT,
  ): Promise<void> {
    const end = Date.now() + ms;
    while (Date.now() < end && !happened(readHistories(this.folder))) await sleep(everyMs);
  }

  /** Ends all, and returns what happened. */
  async history(): Promise<Entry[]> {
    this.fault('end');
    await this.stop();
    return readHistories(this.folder);
  }

  private async stop(): Promise<void> {
    const ending = [...this.workers.values()].map(async ({ child, proxy }) => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 2_000);
      await ended;
      clearTimeout(timer);
      proxy?.close();
    });
    this.workers.clear();
    await Promise.all(ending);
  }

  private async end(): Promise<void> {
    await this.stop();
    this.provider.close();
    this.provider.closeAllConnections();
    if (process.env.FLEET_KEEP === undefined) rmSync(this.folder, { recursive: true, force: true });
    else console.error(`the histories are in ${this.folder}`);
  }
}
