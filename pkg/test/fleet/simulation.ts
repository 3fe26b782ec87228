/**
 * Fleets in virtual time: policies and fleets of this package, a provider that is away for twenty seconds, and a store
 * in memory behind a network of 2 ms. `pkg/bench/fleet-sizes.ts` prints the results.
 */
import { type Clock, createPolicy } from 'halfopen';
import { type FleetStore, fleet, memoryStore } from 'halfopen/fleet';
import { viewOf } from '../../src/fleet/protocol.js';

/** In milliseconds: when the provider is away, when the simulation ends, how long the provider and the way to the store take. */
export const AWAY_FROM = 10_000;
const [AWAY_UNTIL, ENDS] = [30_000, 45_000];
const [LATENCY, ONE_WAY] = [100, 1];
const RESET_MS = 5_000;
/** The steady part lasts from here until the provider goes away. */
export const STEADY_FROM = 5_000;

/** A clock of whole milliseconds. Timers due at one of them fire, then promises settle. */
class Steps implements Clock {
  private time = 0;
  private readonly due = new Map<number, Set<() => void>>();
  private readonly start = 1_700_000_000_000;

  now(): number {
    return this.time;
  }

  wall(): number {
    return this.start + this.time;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const at = this.time + Math.max(1, Math.ceil(ms));
    const once = () => callback();
    const set = this.due.get(at) ?? new Set();
    this.due.set(at, set.add(once));
    return { at, once };
  }

  clearTimeout(handle: unknown): void {
    const { at, once } = handle as { at: number; once: () => void };
    this.due.get(at)?.delete(once);
  }

  after(ms: number): Promise<void> {
    return new Promise((resolve) => this.setTimeout(() => resolve(), ms));
  }

  async runUntil(end: number): Promise<void> {
    for (; this.time < end; this.time++) {
      const due = this.due.get(this.time);
      if (due === undefined) continue;
      for (const callback of due) callback();
      this.due.delete(this.time);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The outcomes of the simulated fleets; times in milliseconds. */
export interface Outcomes {
  processes: number;
  known: number[];
  recovered: number[];
  wasted: number;
  probes: number;
  syncs: number;
  bytes: number;
  waits: number[];
  bytesOfState: number;
  mostSyncs: number;
}

/** Nothing yet. */
export function nothing(): Outcomes {
  return {
    ...{ processes: 0, known: [], recovered: [], wasted: 0, probes: 0, syncs: 0 },
    ...{ bytes: 0, waits: [], bytesOfState: 0, mostSyncs: 0 },
  };
}

/**
 * Simulates one fleet, or, for a size of 1, a process without one. Each process makes `perSecond` calls a second. Adds
 * the outcomes.
 */
export async function simulate(size: number, perSecond: number, out: Outcomes): Promise<void> {
  const clock = new Steps();
  const isAway = () => clock.now() >= AWAY_FROM && clock.now() < AWAY_UNTIL;
  const inner = memoryStore({ clock });
  const perSecondOf = new Array<number>(ENDS / 1_000 + 1).fill(0);
  const store = (): FleetStore => ({
    async sync(resources, signal) {
      await clock.after(ONE_WAY);
      const answers = await inner.sync(resources, signal);
      const second = Math.floor(clock.now() / 1_000);
      for (const { key, state, now } of answers) {
        if (!key.includes('/policy/')) continue;
        perSecondOf[second] = (perSecondOf[second] ?? 0) + 1;
        if (clock.now() >= STEADY_FROM && clock.now() < AWAY_FROM) {
          out.syncs++;
          out.bytes += state.length;
          out.bytesOfState = state.length;
          if (out.syncs % 50 === 0) out.waits.push(Math.max(250, viewOf(state, 0, now).nextSyncMs));
        }
      }
      await clock.after(ONE_WAY);
      return answers;
    },
    close: async () => {},
  });
  const policies = Array.from({ length: size }, () => {
    const rateLimit = { limit: Math.ceil(size * perSecond * 120), windowMs: 60_000 };
    const breaker = { failureThreshold: 5, resetTimeoutMs: RESET_MS };
    const shared = size === 1 ? {} : { fleet: fleet({ store: store(), name: 'sizes' }) };
    const policy = createPolicy({
      name: 'p',
      clock,
      retry: false,

      breaker,
      rateLimit,
      ...shared,
    });
    let [known, recovered] = [AWAY_UNTIL - AWAY_FROM, ENDS - AWAY_UNTIL];
    let isKnown = false;
    policy.breaker?.onStateChange(() => {
      const isClosed = policy.breaker?.state === 'closed';
      if (clock.now() >= AWAY_FROM && !isClosed && !isKnown) {
        isKnown = true;
        known = clock.now() - AWAY_FROM;
      }
      if (clock.now() >= AWAY_UNTIL && isClosed) recovered = Math.min(recovered, clock.now() - AWAY_UNTIL);
    });
    const operation = async () => {
      if (isAway()) out.wasted++;
      if (policy.breaker?.state === 'half_open') out.probes++;
      await clock.after(LATENCY);
      if (isAway()) throw Object.assign(new Error('503 service unavailable'), { status: 503 });
    };
    const call = () => {
      clock.setTimeout(call, (-Math.log(1 - Math.random()) * 1_000) / perSecond);
      policy.execute(operation).catch(() => {});
    };
    clock.setTimeout(call, (-Math.log(1 - Math.random()) * 1_000) / perSecond);
    return { policy, ends: () => ({ known, recovered }) };
  });
  await clock.runUntil(ENDS);
  for (const { policy, ends } of policies) {
    out.known.push(ends().known);
    out.recovered.push(ends().recovered);
    await policy.dispose();
  }
  out.processes += size;
  out.mostSyncs = Math.max(out.mostSyncs, ...perSecondOf);
}

/** The value below which that share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
