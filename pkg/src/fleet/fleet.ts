/** A fleet: the policies of many processes that share what they know. */

import type { SharedState } from '../call/shared.js';
import { emit } from '../event/events.js';
import * as is from '../options.js';
import type { PolicyHost } from '../policy/host.js';
import { Directory } from './directory.js';
import { directoryKey, policyKey, scopeKey } from './keys.js';
import { LEASE_SYNCS, Member, type MemberOptions } from './member.js';
import { Scope } from './scope.js';
import type { FleetStore } from './store.js';
import { type Pace, type StoreSync, syncOf } from './sync.js';

/** The options of a fleet. */
export interface FleetOptions {
  /** Where the processes meet: `redisStore(client)`, `durableObjectStore(namespace)`, `memoryStore()` or one of your own. */
  store: FleetStore;
  /** What processes share; with the policy's name, the key. */
  name: string;
  /**
   * What shares a quota: 'org-1/gpt-5'. A wait that the provider asked one process for (Retry-After) holds for all calls of
   * the scope, and `failover` passes over targets of an exhausted scope. Default: none, a wait concerns its own call.
   */
  quotaScope?: string | undefined;
  /**
   * 'quorum': failures of two processes at least open the shared breaker, where there are two; a process that alone fails
   * opens only its own. 'any': those of one are enough. Default: 'quorum'.
   */
  evidence?: 'quorum' | 'any' | undefined;
  /**
   * What asks the store before a call goes on, one round trip, bounded by `storeTimeoutMs`: 'probe', so that no more probes run
   * than `halfOpenMaxCalls`; 'rateLimit' and 'bulkhead', so that nothing of a limit is held that is not used. These two need a
   * store that is not eventual. Default: ['probe'].
   */
  exact?: readonly ('rateLimit' | 'bulkhead' | 'probe')[] | undefined;
  /**
   * What holds while the store is lost. 'local': the process's own breaker, and of a limit the safe share (the limit over the
   * processes that were known last). 'allow': its own limits, as if it were alone. 'deny': calls fail with CAPACITY_EXCEEDED.
   * Default: 'local'.
   */
  onStoreLost?: 'local' | 'allow' | 'deny' | undefined;
  /** How long the store may take to answer, in milliseconds. Default: 50. */
  storeTimeoutMs?: number | undefined;
  /**
   * How often the store is synced while calls run, in milliseconds: the store's load sets the pace between the two. Default:
   * `{ min: 250, max: 10000 }`.
   */
  syncMs?: { min?: number | undefined; max?: number | undefined } | undefined;
}

/** A fleet as one process sees it. */
export interface Fleet {
  /** 'joined': the store answers. 'degraded': it does not, or has not yet; what `onStoreLost` says holds. 'left': it was closed. */
  readonly status: 'joined' | 'degraded' | 'left';
  /** How many processes run the policies of the fleet, as far as is known. */
  readonly nodes: number;
  /** How old what is known of the others is, in milliseconds; `Infinity` before the first answer. */
  readonly stalenessMs: number;
  /** Gives back what the process holds, and leaves: its policies go on by themselves. The store stays the caller's. */
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

/** A lease lasts so long at least, in milliseconds. */
const LEASE_MS = 10_000;

class OneFleet implements Fleet {
  /** What `policy.configured` says of it. */
  readonly described: { readonly name: string; readonly quotaScope: string | undefined };
  private readonly name: string;
  private readonly quotaScope: string | undefined;
  private readonly sync: StoreSync;
  private readonly pace: Pace;
  private readonly options: MemberOptions;
  private readonly members = new Set<Member>();
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

  /** A policy of this process belongs to the fleet. */
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
    await Promise.all([...this.members].map((member) => member.leave()));
    if (this.directory !== undefined) this.sync.remove(this.directory);
    this.emit({ type: 'fleet.changed', fleet: this.name, status: 'left' });
  }

  private changed(status: 'joined' | 'degraded', reason?: string): void {
    this.emit({ type: 'fleet.changed', fleet: this.name, status, reason });
  }

  /** Once, to the listeners of all its policies. */
  private emit(details: Parameters<typeof emit>[1]): void {
    const hosts = [...this.members].map(({ host }) => host);
    const wall = hosts[0]?.time.wall() ?? Date.now();
    emit({}, details, wall, [...new Set(hosts.flatMap((host) => host.listeners))]);
  }
}

/**
 * Lets the policies of many processes share what they know: breakers, limits, budgets, waits that providers ask for. A call
 * never waits for the store, except for what is `exact`; a store that is away or slow changes no call's outcome beyond
 * `onStoreLost`. Nothing is sent before the first call, and nothing while no calls run.
 *
 * @throws TypeError for a wrong option, without `store` and `name`, and for an `exact` limit in a store that is eventual.
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
