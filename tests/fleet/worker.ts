// One process of a fleet under load, as the harness starts it: calls a provider under a policy, and writes down what it is
// granted and what it sees. Bundled from the package's sources, so that a mutant of them can be run as well.
import { openSync, writeSync } from 'node:fs';
import { createPolicy, type PolicyOptions } from 'halfopen';
import { type FleetOptions, type FleetStore, fleet } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';
import { viewOf } from '../../pkg/src/fleet/protocol.js';
import { connect } from './clients.js';
import type { Entry } from './history.js';

export interface WorkerOptions {
  readonly process: string;
  readonly history: string;
  readonly redis: {
    readonly client: 'ioredis' | 'redis' | 'redis-5';
    readonly kind: 'single' | 'sentinels' | 'cluster';
    readonly host: string;
    /** Of the server, of all of a cluster, or of the sentinels. */
    readonly ports: readonly number[];
  };
  readonly provider: string;
  readonly policy: PolicyOptions & { readonly name: string };
  readonly fleet: Omit<FleetOptions, 'store'>;
  readonly callsPerSecond: number;
  /** How wrong its wall clock is, in milliseconds. */
  readonly skewMs: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const file = openSync(options.history, 'a');
type Unnamed = Entry extends infer One ? (One extends Entry ? Omit<One, 'process' | 'at'> : never) : never;
/** Written at once: a line is whole even if the process is killed behind it. */
const note = (entry: Unnamed, at = Date.now()): void => {
  writeSync(file, `${JSON.stringify({ at, process: options.process, ...entry })}\n`);
};

const client = await connect(options.redis);

/** The first numbers of a delta: which process, its how manieth delta, what for, and for how long it holds what it gets. */
function headOf(delta: Uint8Array): { node: number; number: number; leaseMs: number } {
  let at = 4;
  const numbers = [0, 0, 0, 0].map(() => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = delta[at++] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  });
  const [node = 0, number = 0, , leaseMs = 0] = numbers;
  return { node, number, leaseMs: leaseMs || 10_000 };
}

/** When the store has answered last. */
let answeredAt = 0;
let lease: number | undefined;
const key = `${options.fleet.name}/policy/${options.policy.name}`;

/** Records the store's responses as the process receives them, and passes them on unchanged. */
function recorded(store: FleetStore): FleetStore {
  return {
    async sync(resources, signal) {
      const answer = await store.sync(resources, signal);
      answeredAt = performance.now();
      // Too late: the process does not look at it any more.
      if (signal.aborted) return answer;
      for (const [index, { delta }] of resources.entries()) {
        const found = answer[index];
        if (found?.key !== key || delta.length === 0) continue;
        const { node, leaseMs } = headOf(delta);
        const view = viewOf(found.state, node, found.now);
        const { epoch, version, generation, since, state } = view;
        note({ kind: 'state', resource: key, state, generation, epoch, version, since }, found.now);
        lease = view.probe === 0 ? undefined : view.probe;
        if (lease !== undefined)
          note({ kind: 'probe', resource: key, lease, epoch, until: found.now + view.probeForMs }, found.now);
        for (const [place, { limit, granted }] of view.limits.entries()) {
          const part = { resource: `${key} ${place}`, limit, amount: granted, epoch, version };
          note({ kind: 'part', ...part, until: found.now + leaseMs }, found.now);
        }
      }
      return answer;
    },
    close: () => store.close(),
  };
}

const wall = () => Date.now() + options.skewMs;
const shared = fleet({ ...options.fleet, store: recorded(redisStore(client)) });
const policy = createPolicy({
  ...options.policy,
  fleet: shared,
  clock: {
    now: () => performance.now(),
    wall,
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  },
});
const probing = new Map<string, number | undefined>();
policy.onEvent((event) => {
  if (event.type === 'attempt.started' && event.probe === true) {
    probing.set(String(event.call), lease);
    note({ kind: 'probing', resource: key, lease });
  }
  if (event.type !== 'attempt.succeeded' && event.type !== 'attempt.failed') return;
  const held = probing.get(String(event.call));
  probing.delete(String(event.call));
  if (held !== undefined) note({ kind: 'probe-ended', resource: key, lease: held });
});

policy.onEvent((event) => {
  if (event.type === 'fleet.changed' && event.status !== 'left')
    note({ kind: 'status', status: event.status, reason: event.reason });
});

note({ kind: 'started' });
const call = async () => {
  const began = performance.now();
  let hasWaited = false;
  /** Noted when the wait is over: what comes then may take long. */
  const waited = () => {
    if (!hasWaited) note({ kind: 'waited', ms: Math.round(performance.now() - began) });
    hasWaited = true;
  };
  await policy
    .execute(async ({ attempt, signal }) => {
      waited();
      // The time since the response that it waited for, if any: the machine may have been suspended since the decision.
      const decidedMs = Math.ceil(performance.now() - Math.max(began, answeredAt));
      note({ kind: 'admitted', resource: key, decidedMs });
      const query = `process=${options.process}&resource=${encodeURIComponent(key)}&retry=${attempt > 1 ? 1 : 0}`;
      const answer = await fetch(`${options.provider}?${query}`, { signal }).catch((error: unknown) => {
        note({ kind: 'unanswered', resource: key });
        throw error;
      });
      if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { status: answer.status });
    })
    .catch((error: { code?: unknown }) => {
      if (!hasWaited) note({ kind: 'refused', code: String(error.code) });
      waited();
    });
};
const every = setInterval(call, 1_000 / options.callsPerSecond);
process.on('SIGTERM', async () => {
  clearInterval(every);
  await shared.close();
  process.exit(0);
});
