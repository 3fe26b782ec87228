/** A fleet: policies in many processes that share their state. */

import type { SharedState } from '../call/shared.js';
import type { Time } from '../clock.js';
import { emit } from '../event/events.js';
import * as is from '../options.js';
import type { PolicyHost } from '../policy/host.js';
import { Budget, type BudgetLimits } from './budget.js';
import { Directory } from './directory.js';
import { budgetKey, directoryKey, policyKey, scopeKey } from './keys.js';
import { LEASE_SYNCS, Member, type MemberOptions } from './member.js';
import { Scope } from './scope.js';
import type { FleetStore } from './store.js';
import { type Pace, type StoreSync, syncOf } from './sync.js';

/** The options of a fleet. */
export interface FleetOptions {
  /**
   * The processes' common store: `redisStore(client)`, `durableObjectStore(namespace)`, `memoryStore()` or your own.
   */
  store: FleetStore;
  /** The name of the shared state. Together with the policy's name it is the key. */
  name: string;
  /**
   * The name of a quota that several policies share, such as 'org-1/gpt-5'. A wait that the provider requests of one
   * process (Retry-After) then holds for all calls of the scope, and `failover` skips targets whose scope is exhausted.
   * Default: none; a wait concerns its own call.
   */
  quotaScope?: string | undefined;
  /**
   * 'quorum': the shared breaker opens only if at least two processes see failures, if there are two. A process that
   * fails alone opens only its own breaker. 'any': failures of one process suffice. Default: 'quorum'.
   */
  evidence?: 'quorum' | 'any' | undefined;
  /**
   * The parts that query the store before a call goes on, in one round trip that `storeTimeoutMs` bounds. 'probe': no
   * more probes run than `halfOpenMaxCalls`. 'rateLimit' and 'bulkhead': no process holds a part of the limit that it
   * does not use; both need a store that is not eventual. Default: ['probe'].
   */
  exact?: readonly ('rateLimit' | 'bulkhead' | 'probe')[] | undefined;
  /**
   * The behaviour while the store is lost. 'local': the process's own breaker, and the safe share of each limit (the
   * limit divided by the last known number of processes). 'allow': its own full limits, as if it were alone. 'deny':
   * calls fail with CAPACITY_EXCEEDED. Default: 'local'.
   */
  onStoreLost?: 'local' | 'allow' | 'deny' | undefined;
  /** The longest time to wait for the store, in milliseconds. Default: 50. */
  storeTimeoutMs?: number | undefined;
  /**
   * The interval between syncs while calls run, in milliseconds. The store's load sets the pace between the two bounds.
   * Default: `{ min: 250, max: 10000 }`.
   */
  syncMs?: { min?: number | undefined; max?: number | undefined } | undefined;
}

/** A fleet as one process sees it. */
export interface Fleet {
  /**
   * 'joined': the store responds. 'degraded': it does not, or has not yet, so `onStoreLost` applies. 'left': the fleet
   * was closed.
   */
  readonly status: 'joined' | 'degraded' | 'left';
  /** The number of processes that run the fleet's policies, as far as known. */
  readonly nodes: number;
  /** The age of the latest state of the other processes, in milliseconds; `Infinity` before the first one. */
  readonly stalenessMs: number;
  /**
   * Returns this process's grants and leaves the fleet. Its policies then work alone. The store stays open: it belongs
   * to the caller.
   */
  close(): Promise<void>;
}

const shape: is.Shape = {
  store: is.kind('a store with sync and close', (store) => typeof (store as FleetStore)?.sync === 'function'),
  name: is.filledText,
  quotaScope: is.filledText,
  evidence: is.oneOf('quorum', 'any'),
  exact: is.kind(
    "an array of 'rateLimit', 'bulkhead', 'probe'",
    (exact) => Array.isArray(exact) && exact.every((one) => ['rateLimit', 'bulkhead', 'probe'].includes(one)),
  ),
  onStoreLost: is.oneOf('local', 'allow', 'deny'),
  storeTimeoutMs: is.finiteSpan,
  syncMs: is.object({ min: is.finiteSpan, max: is.finiteSpan }),
};

/** The shortest lease, in milliseconds. */
const LEASE_MS = 10_000;

class OneFleet implements Fleet {
  /** The fleet's part of the event `policy.configured`. */
  readonly described: { readonly name: string; readonly quotaScope: string | undefined };
  private readonly name: string;
  private readonly quotaScope: string | undefined;
  private readonly sync: StoreSync;
  private readonly pace: Pace;
  private readonly options: MemberOptions;
  private readonly members = new Set<Member>();
  private readonly budgets = new Map<string, Budget>();
  private directory: Directory | undefined = undefined;
  private scope: Scope | undefined = undefined;
  private hasLeft = false;
  private readonly ignore: () => void;

  constructor(options: FleetOptions) {
    const { store, name, quotaScope, evidence, exact = ['probe'], onStoreLost = 'local' } = options;
    const { min = 250, max = 10_000 } = options.syncMs ?? {};
    this.name = name;
    this.quotaScope = quotaScope;
    this.described = { name, quotaScope };
    this.sync = syncOf(store);
    this.pace = { minMs: min, maxMs: Math.max(min, max), timeoutMs: options.storeTimeoutMs ?? 50 };
    this.options = {
      isQuorum: evidence !== 'any',
      exact: new Set(exact),
      onStoreLost,
      leaseMs: Math.max(LEASE_MS, LEASE_SYNCS * min),
    };
    this.ignore = this.sync.listen((status, reason) => this.changed(status, reason));
  }

  /** Adds a policy of this process to the fleet. */
  join(host: PolicyHost): SharedState {
    const { sync, name, pace } = this;
    if (this.directory === undefined) {
      this.directory = new Directory(directoryKey(name), host.time);
      sync.add(this.directory, host.time, pace);
    }
    this.directory.list(host.name);
    if (this.quotaScope !== undefined && this.scope === undefined) {
      this.scope = new Scope(scopeKey(name, this.quotaScope), host.time, sync);
      sync.add(this.scope, host.time, pace);
    }
    const key = policyKey(name, host.name);
    const member = new Member(host, key, sync, this.options, this.scope?.hold(), () => {
      this.emit({ type: 'fleet.mismatch', fleet: name, key });
    });
    this.members.add(member);
    sync.add(member, host.time, pace);
    return member;
  }

  /** The budget of that key. The limits of its first run hold in this process. */
  budget(key: string, limits: BudgetLimits, time: Time): Budget {
    const known = this.budgets.get(key);
    if (known !== undefined) return known;
    this.dropIdleBudgets();
    const { sync, pace } = this;
    const budget = new Budget(budgetKey(this.name, key), limits, time, sync, this.options.leaseMs);
    this.budgets.set(key, budget);
    sync.add(budget, time, pace);
    return budget;
  }

  /** A key may be a user: a server sees new ones all the time. */
  private dropIdleBudgets(): void {
    for (const [key, budget] of this.budgets) {
      if (!budget.isIdle) continue;
      this.budgets.delete(key);
      this.sync.remove(budget);
    }
  }

  get status(): 'joined' | 'degraded' | 'left' {
    return this.hasLeft ? 'left' : this.sync.status;
  }

  get nodes(): number {
    return Math.max(0, ...[...this.members].map((member) => member.nodes));
  }

  get stalenessMs(): number {
    const [member] = this.members;
    return member === undefined ? Number.POSITIVE_INFINITY : member.host.time.now() - this.sync.syncedAt;
  }

  async close(): Promise<void> {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.ignore();
    const all = [...this.members, ...this.budgets.values()];
    await Promise.all(all.map((one) => one.leave()));
    if (this.directory !== undefined) this.sync.remove(this.directory);
    this.emit({ type: 'fleet.changed', fleet: this.name, status: 'left' });
  }

  private changed(status: 'joined' | 'degraded', reason?: string): void {
    this.emit({ type: 'fleet.changed', fleet: this.name, status, reason });
  }

  /** Emits the event once, to the listeners of all its policies. */
  private emit(details: Parameters<typeof emit>[1]): void {
    const hosts = [...this.members].map(({ host }) => host);
    const wall = hosts[0]?.time.wall() ?? Date.now();
    emit({}, details, wall, [...new Set(hosts.flatMap((host) => host.listeners))]);
  }
}

/**
 * Lets the policies of many processes share breakers, limits, budgets and the waits that providers request. A call
 * never waits for the store, except for the parts that are `exact`. An absent or slow store changes no call's outcome,
 * except as `onStoreLost` says. Nothing is sent before the first call, nor while no calls run.
 *
 * @throws TypeError for a wrong option, for a missing `store` or `name`, and for an `exact` limit in an eventual store.
 *
 * @example
 * ```ts
 * const workers = fleet({ store: memoryStore(), name: 'workers' });
 * const policy = createPolicy({ name: 'openai', fleet: workers });
 * await policy.execute(call);
 * await workers.close();
 * ```
 */
export function fleet(options: FleetOptions): Fleet {
  const read = is.readOptions<FleetOptions>(shape, options, 'fleet');
  for (const name of ['store', 'name'] as const) {
    if (!(name in read)) throw is.misuse(name, (shape[name] as is.Kind).expected, undefined);
  }
  const exact = read.exact?.filter((one) => one !== 'probe') ?? [];
  if (read.store.isEventual === true && exact.length > 0)
    throw is.misuse('exact', "['probe'] or [], for a store that is eventual keeps no limit exact", exact);
  return new OneFleet(read);
}
