/** Processes of a fleet within one: each has a sync of its own with the one store. */
import { createPolicy, type PolicyOptions } from 'halfopen';
import { type Fleet, type FleetOptions, type FleetStore, fleet, memoryStore } from 'halfopen/fleet';
import { VirtualClock } from 'halfopen/testing';
import { deltaOf, REPORT } from '../../src/fleet/protocol.js';
import { mergeAll } from '../../src/fleet/store.js';

/** A store that can refuse, freeze or be flushed, and counts its syncs. */
class TestStore implements FleetStore {
  inner: FleetStore;
  syncs = 0;
  mode: 'fine' | 'frozen' | 'refuses' = 'fine';
  /** How long its answers are on their way, in milliseconds. */
  delayMs = 0;
  private readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
    this.inner = memoryStore({ clock });
  }

  flush(): void {
    this.inner = memoryStore({ clock: this.clock });
  }

  async sync(resources: Parameters<FleetStore['sync']>[0], signal: AbortSignal) {
    this.syncs++;
    if (this.mode === 'refuses') throw new Error('ECONNREFUSED');
    if (this.mode === 'frozen') return new Promise<never>(() => {});
    const answer = await this.inner.sync(resources, signal);
    if (this.delayMs > 0) await new Promise<void>((resolve) => this.clock.setTimeout(resolve, this.delayMs));
    return answer;
  }

  async close(): Promise<void> {}
}

/**
 * The store of a large fleet: `processes` other processes have reported to `key`, and hold their leases for two
 * minutes.
 */
export function crowded(clock: VirtualClock, key: string, processes: number): FleetStore {
  const now = clock.wall();
  const report = { kind: REPORT, number: 1, leaseMs: 120_000, resetMs: 60_000 };
  const deltas = Array.from({ length: processes }, (_, index) =>
    deltaOf({ ...report, node: 2 ** 50 + index * 2 ** 32 }),
  );
  const states = new Map([[key, mergeAll(undefined, deltas, new Array(processes).fill(now))]]);
  return {
    async sync(resources) {
      return resources.map(({ key, delta }) => {
        const state = mergeAll(states.get(key), [delta], [clock.wall()]);
        states.set(key, state);
        return { key, state, now: clock.wall() };
      });
    },
    async close() {},
  };
}

/** The store as another process reaches it. */
function reached(store: FleetStore): FleetStore {
  return { sync: (resources, signal) => store.sync(resources, signal), close: async () => {} };
}

export function world(start = 1_000_000) {
  const clock = new VirtualClock(start);
  const store = new TestStore(clock);
  const process = (options: PolicyOptions = {}, of: Partial<FleetOptions> = {}) => {
    const joined: Fleet = fleet({ store: reached(store), name: 'test', ...of });
    // The numbers of `new CircuitBreaker()`.
    const resetTimeoutMs = 60_000;
    const own = { resetTimeoutMs, halfOpenMaxCalls: 1, ...options.breaker };
    const breaker = options.breaker !== false && { probeTimeoutMs: own.resetTimeoutMs, ...own };
    const policy = createPolicy({ name: 'p', clock, retry: false, ...options, breaker, fleet: joined });
    return { fleet: joined, policy };
  };
  return { clock, store, process };
}

export const overloaded = () => Object.assign(new Error('503 service unavailable'), { status: 503 });

export async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
}
