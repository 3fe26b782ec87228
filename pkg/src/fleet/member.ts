/** One policy's membership in a fleet: it reports the policy's counts and applies the store's grants. */

import type { CircuitBreaker } from '../breaker/breaker.js';
import type { SharedState } from '../call/shared.js';
import * as engine from '../core/engine.js';
import { type AgentError, cheapError } from '../error/agent-error.js';
import { drainRecords } from '../event/records.js';
import type { PolicyHost } from '../policy/host.js';
import { deltaOf, LEAVE, type LimitValues, REPORT, randomNode, type View, viewOf } from './protocol.js';
import type { Scope } from './scope.js';
import { exchanged, type Given, type Used } from './shared-numbers.js';
import type { Resource, StoreSync } from './sync.js';
import { optionsHash, termsOf } from './terms.js';

/** The fleet's options that concern each of its policies. */
export interface MemberOptions {
  readonly isQuorum: boolean;
  readonly exact: ReadonlySet<string>;
  readonly onStoreLost: 'local' | 'allow' | 'deny';
  /** The shortest time for which grants may be held without another report. */
  readonly leaseMs: number;
}

/** Unlimited probes, slots or parts of limits. */
const ALL = -1;
/**
 * The length of the ramp after the others have closed the breaker, in milliseconds, if `rampMs` is not set. The share
 * of admitted calls grows during the ramp.
 */
const RAMP_MS = 5000;
/** Waits with these codes concern the quota, so they hold for all that share it. */
const QUOTA_CODES = new Set(['RATE_LIMITED', 'QUOTA_EXCEEDED', 'PROVIDER_OVERLOADED', 'SERVER_ERROR']);
/** If the store did not grant a probe, it is not queried again for this time, in milliseconds. */
const BETWEEN_QUERIES_MS = 250;

/** The same as `View::SYNCS_PER_SECOND` in core/fleet/src/view.rs. */
const SYNCS_PER_SECOND = 2000;

/** A lease lasts for this number of waits between two syncs. */
export const LEASE_SYNCS = 4;

const COUNTS = ['total', 'failed', 'slow'] as const;

/** The details of a refusal. The message for users depends on the guard that refused. */
const LIMITED = { by: 'rate-limit' };

/** A lease of a probe, and the counts of probes when it was granted. */
interface Probe {
  readonly lease: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** The relation of the policy's breaker to the shared one. */
type Breaker =
  /**
   * Its own decides: the shared one is closed, isolated (then every call is refused) or absent, or no view can be
   * trusted. Since `since`, its own would admit a probe although the shared one is closed, as far as this process
   * knows.
   */
  | { readonly kind: 'own'; since: number | undefined; wantsProbe: boolean }
  /** The shared one is not closed, and a probe may be requested from `openUntil` on. */
  | { readonly kind: 'waiting'; readonly openUntil: number; wantsProbe: boolean }
  /** It holds the lease of a probe until `until`. */
  | { readonly kind: 'probing'; readonly openUntil: number; readonly until: number; readonly probe: Probe };

/** Returns the wire's number of the result: none yet, a success, a failure. */
function probeResult(probe: Probe, { probesSucceeded, probesFailed }: Used): number {
  if (probesFailed > probe.failed) return 2;
  return probesSucceeded > probe.succeeded ? 1 : 0;
}

/** A view does not say when the own breaker would admit a probe, so that time is kept. */
const own = (before?: Breaker): Breaker => ({
  kind: 'own',
  since: before?.kind === 'own' ? before.since : undefined,
  wantsProbe: false,
});
const waiting = (openUntil: number): Breaker => ({ kind: 'waiting', openUntil, wantsProbe: false });

/** The store's last view, when it was requested, and how long its grants may be held. */
interface Viewed {
  readonly view: View;
  readonly at: number;
  readonly leaseUntil: number;
}

export class Member implements SharedState, Resource {
  readonly key: string;
  readonly host: PolicyHost;
  private readonly node = randomNode();
  private readonly sync: StoreSync;
  private readonly options: MemberOptions;
  private readonly scope: Scope | undefined;
  private readonly onMismatch: () => void;
  private viewed: Viewed | undefined = undefined;
  private breaker = own();
  /** The shared breaker's generation; 0 while it is unknown: before the first view, and after a lost state. */
  private generation = 0;
  /** Exact probes are not requested before this time. */
  private queryAfter = Number.NEGATIVE_INFINITY;
  /** The number of the core instance that has the shared state. */
  private instance = -1;
  private acknowledged = { total: 0, failed: 0, slow: 0 };
  private sent = { number: 0, leaseMs: 0, ...this.acknowledged };
  /** Results of earlier generations of the breaker that were never sent. They do not describe the present one. */
  private outdated = { ...this.acknowledged };
  private isAwake = false;
  /** The need of calls that request more than is free. */
  private readonly pending = { calls: 0, tokens: 0 };
  /** The calls and tokens refused or queued since the last delta. */
  private refused = { calls: 0, tokens: 0 };
  /** The end of the latest wait that the provider requested of this process. */
  private hintedUntil = Number.NEGATIVE_INFINITY;
  private hasLeft = false;
  /** Present while the fleet isolates the policy. A policy without a breaker has nothing to lift. */
  private isolation: { readonly lift: (() => void) | undefined } | undefined = undefined;
  private watched: { readonly breaker: CircuitBreaker; readonly end: () => void } | undefined = undefined;

  constructor(
    host: PolicyHost,
    key: string,
    sync: StoreSync,
    options: MemberOptions,
    scope: Scope | undefined,
    onMismatch: () => void,
  ) {
    this.host = host;
    this.key = key;
    this.sync = sync;
    this.options = options;
    this.scope = scope;
    this.onMismatch = onMismatch;
    host.gates.add(this.gate);
  }

  /** The known number of processes; 0 if it is unknown. */
  get nodes(): number {
    return this.viewed?.view.nodes ?? 0;
  }

  private get leaseUntil(): number {
    return this.viewed?.leaseUntil ?? Number.NEGATIVE_INFINITY;
  }

  // ── called by calls

  admit(tokens = 1): Promise<void> | undefined {
    if (this.hasLeft) return undefined;
    const now = this.host.time.now();
    if (!this.isAwake || now >= this.leaseUntil) this.wake(now);
    if (this.sync.isLost) return undefined;
    // The process was suspended meanwhile, so another one may hold the lease now.
    if (this.breaker.kind === 'probing' && now >= this.breaker.until) this.dropProbe(this.breaker.openUntil);
    if (this.breaker.kind !== 'probing' && this.lacksProbe(this.breaker, now)) {
      if (this.breaker.kind === 'own') this.exchange({ probes: 0 });
      // Not the one before: the exchange may have found a core that began again.
      const { breaker } = this;
      if (!this.options.exact.has('probe')) {
        breaker.wantsProbe = true;
        this.sync.soon(this.paceMs);
        return undefined;
      }
      if (now >= Math.max(this.queryAfter, (this.viewed?.at ?? Number.NEGATIVE_INFINITY) + this.paceMs)) {
        breaker.wantsProbe = true;
        this.queryAfter = now + BETWEEN_QUERIES_MS;
        // A process that does not report its waiting call returns its exact part, and then the probe would be refused.
        return this.queryExact(tokens);
      }
    }
    return this.lacksExact(tokens) ? this.queryExact(tokens) : undefined;
  }

  /** Returns `true` if a call that begins now would be a probe, for which the store must be queried. */
  private lacksProbe(breaker: Exclude<Breaker, { kind: 'probing' }>, now: number): boolean {
    if (breaker.kind === 'waiting') return now >= breaker.openUntil;
    // Its own breaker would admit the call. The others may have opened the shared one since this process last read it.
    if (this.host.settings.breaker?.state !== 'half_open') breaker.since = undefined;
    else breaker.since ??= now;
    return breaker.since !== undefined && !(this.viewed !== undefined && this.viewed.at >= breaker.since);
  }

  wanting(tokens = 1): void {
    if (this.hasLeft) return;
    this.refused.calls++;
    this.refused.tokens += tokens;
    this.isAwake = true;
    // A fleet whose limit is used up refuses calls in every process, so all of them would sync at once.
    this.sync.soon(this.paceMs);
  }

  hinted(code: string, waitMs: number): void {
    this.hintedUntil = this.host.time.now() + waitMs;
    if (QUOTA_CODES.has(code)) this.scope?.hint(waitMs);
  }

  /** Returns an error that blocks every call: isolation without a breaker, an exhausted quota, a lost store. */
  private readonly gate = (): AgentError | undefined => {
    const { name } = this.host;
    if (this.isolation !== undefined && this.isolation.lift === undefined)
      return cheapError('CIRCUIT_OPEN', `'${name}' is isolated`, { metadata: { by: 'isolation' } });
    if (this.isDenied)
      return cheapError('CAPACITY_EXCEEDED', `The fleet's store is lost: policy '${name}'`, {
        metadata: LIMITED,
      });
    const retryAfterMs = this.scope?.waitMs ?? 0;
    if (retryAfterMs === 0) return undefined;
    const when = `try again in ${Math.ceil(retryAfterMs)} ms`;
    return cheapError('CAPACITY_EXCEEDED', `The quota of policy '${name}' is exhausted; ${when}`, {
      retryAfterMs: Math.ceil(retryAfterMs),
      metadata: LIMITED,
    });
  };

  private get isDenied(): boolean {
    return this.options.onStoreLost === 'deny' && this.sync.isLost;
  }

  /** Returns `true` if an exact limit has no part left. A call then requests its own. */
  private lacksExact(tokens: number): boolean {
    const { exact } = this.options;
    if (!exact.has('rateLimit') && !exact.has('bulkhead')) return false;
    const used = this.exchange({});
    if (used === undefined) return true;
    return used.limits.some(
      (limit, place) => this.isExact(limit) && this.part(place) - limit.used < (limit.ofTokens ? tokens : 1),
    );
  }

  private async queryExact(tokens: number): Promise<void> {
    this.pending.calls++;
    this.pending.tokens += tokens;
    await this.sync.query();
    this.pending.calls--;
    this.pending.tokens -= tokens;
  }

  /** The interval that the store allows for the size of the fleet, even if the options would sync sooner. */
  private get paceMs(): number {
    return this.viewed?.view.nextSyncMs ?? 0;
  }

  /** Four of these intervals, so that a lost response does no harm. */
  private get leaseMs(): number {
    return Math.max(this.options.leaseMs, LEASE_SYNCS * this.paceMs);
  }

  private isExact({ windowMs }: { windowMs: number }): boolean {
    return this.options.exact.has(windowMs === 0 ? 'bulkhead' : 'rateLimit');
  }

  /** The first call after a pause. The grants may have ended, and other processes may have changed the state. */
  private wake(now: number): void {
    if (now >= this.leaseUntil && this.viewed !== undefined)
      this.exchange({ part: (place) => this.safePart(place, now) });
    this.isAwake = true;
    // The known state is still fresh. Calls that an open breaker refuses have no results, and reach this point one by
    // one.
    if (now < this.leaseUntil) this.sync.wake();
    else this.sync.soon();
    this.scope?.wake();
  }

  // ── called by the sync

  delta(): Uint8Array | undefined {
    // A policy without calls takes no part.
    if (this.hasLeft || (this.sent.number === 0 && !this.isAwake)) return undefined;
    const used = this.exchange({});
    if (used === undefined) return undefined;
    this.watch();
    const { counts, limits } = used;
    const isBusy =
      this.isAwake ||
      this.breaker.kind === 'probing' ||
      this.breaker.wantsProbe ||
      counts.total !== this.sent.total ||
      limits.some((limit) => limit.used > 0);
    if (!isBusy) return undefined;
    this.isAwake = counts.total !== this.sent.total || this.pending.calls > 0;
    this.sent = { number: this.sent.number + 1, leaseMs: this.leaseMs, ...counts };
    const delta = this.encode(REPORT, used);
    this.refused = { calls: 0, tokens: 0 };
    return delta;
  }

  private encode(kind: number, used: Used): Uint8Array {
    const { counts, streak, limits } = used;
    const hintMs = Math.max(0, Math.ceil(this.hintedUntil - this.host.time.now()));
    const { acknowledged, breaker, sent } = this;
    const values: LimitValues[] = limits.map((limit, place) => {
      const { windowMs, ofTokens, used: inUse } = limit;
      const exact = this.isExact(limit);
      const of = ofTokens ? 'tokens' : 'calls';
      const wanted = inUse + this.refused[of];
      const wants = exact ? wanted + this.pending[of] : Math.ceil(wanted * 1.25);
      return {
        limit: limit.limit,
        windowMs,
        ofTokens: Number(ofTokens),
        exact: Number(exact),
        wants: Math.min(wants, limit.limit),
        used: inUse,
        has: this.part(place),
      };
    });
    const terms = termsOf(this.host.settings.options, this.host.settings.breaker?.options);
    return deltaOf(
      {
        ...terms,
        node: this.node,
        number: sent.number,
        kind,
        leaseMs: sent.leaseMs,
        options: optionsHash(terms, limits, this.options),
        quorum: Number(this.options.isQuorum),
        generation: this.generation,
        baseTotal: acknowledged.total,
        baseFailed: acknowledged.failed,
        baseSlow: acknowledged.slow,
        ...counts,
        streak,
        hintMs: streak > 0 ? hintMs : 0,
        wantsProbe: Number(breaker.kind !== 'probing' && breaker.wantsProbe),
        probe: breaker.kind === 'probing' ? breaker.probe.lease : 0,
        result: breaker.kind === 'probing' ? probeResult(breaker.probe, used) : 0,
      },
      values,
    );
  }

  take(state: Uint8Array, now: number, sentAt: number): number {
    // The sync was already running when the process left.
    if (this.hasLeft) return Number.POSITIVE_INFINITY;
    const view = viewOf(state, this.node, now);
    const before = this.viewed;
    if (view.acknowledged === this.sent.number) this.acknowledged = this.sent;
    if (view.mismatch === 1 && before?.view.mismatch !== 1) this.onMismatch();
    if (before !== undefined && (view.epoch !== before.view.epoch || view.version < before.view.version)) {
      // A store that has lost its state does not get it back from this process alone, so the grants of this view are not
      // applied. It has other generations, so its next one is not a change of the old one.
      this.viewed = { ...before, view };
      this.isAwake = true;
      this.generation = 0;
      const isOlder = view.epoch === before.view.epoch;
      throw new Error(isOlder ? 'the store answers with an older state' : 'the store has lost its state');
    }
    const { leaseMs } = this.sent;
    this.viewed = { view, at: sentAt, leaseUntil: sentAt + leaseMs };
    this.follow(this.viewed);
    // Before the first response the process does not know the fleet's size. In a large fleet, that first lease would
    // end before the next sync.
    const nextMs = Math.min(view.nextSyncMs, leaseMs / 2);
    // A process that runs a probe renews its lease in time.
    return this.breaker.kind === 'probing' ? Math.min(nextMs, view.probeForMs / 3) : nextMs;
  }

  lost(): void {
    if (this.hasLeft) return;
    const now = this.host.time.now();
    // Results from a long outage are not sent afterwards, because they do not describe the present.
    if (now >= this.leaseUntil) this.acknowledged = this.sent;
    this.isAwake = true;
    this.follow(undefined);
  }

  /**
   * Syncs even while no calls run, so that the next call finds the present state. The store's pace bounds how many
   * processes sync in a second.
   */
  notified(): number {
    this.isAwake = true;
    return (1000 * this.nodes) / SYNCS_PER_SECOND;
  }

  async leave(): Promise<void> {
    if (this.hasLeft) return;
    const used = this.sent.number > 0 ? this.exchange({}) : undefined;
    let said: Promise<void> | undefined;
    if (used !== undefined) {
      this.sent = { ...this.sent, number: this.sent.number + 1, leaseMs: this.leaseMs };
      said = this.sync.say(this.key, this.encode(LEAVE, used));
    }
    this.hasLeft = true;
    this.sync.remove(this);
    this.scope?.release();
    this.host.gates.delete(this.gate);
    this.watched?.end();
    this.isolate(false);
    if (this.sent.number > 0) this.exchange({ probes: ALL, sharers: 1, part: () => ALL });
    await said;
  }

  // ── grants, with and without a store

  /**
   * Applies a view. `undefined` means that no view can be trusted: the breaker then decides alone, and limits have
   * their safe share.
   */
  private follow(viewed: Viewed | undefined): void {
    const now = this.host.time.now();
    if (viewed === undefined) {
      this.breaker = own(this.breaker);
      this.exchange({ probes: ALL, part: (place) => this.safePart(place, now) });
      return;
    }
    const { view } = viewed;
    this.isolate(view.state === 'isolated');
    const given: Given = {
      sharers: Math.max(1, view.nodes),
      part: (place) => view.limits[place]?.granted ?? ALL,
    };
    const before = this.breaker;
    const until = viewed.at + view.probeForMs;
    // A response may arrive after the lease that it grants has ended.
    const lease = now < until ? view.probe : 0;
    const isAnew = this.generation !== 0 && view.generation !== this.generation;
    this.generation = view.generation;
    if (before.kind === 'probing' && before.probe.lease === lease) {
      // It is not granted again: the engine knows whether the probe has begun. The lease outlives an isolation.
      this.breaker = { ...before, until };
      this.apply(given, isAnew);
    } else if (view.state === 'open' || view.state === 'half_open') {
      // Processes of a large fleet request a probe at their own pace, so that not all of them do when the breaker's
      // time is over.
      const { halfOpenMaxCalls = 1 } = this.host.settings.breaker?.options ?? {};
      const isFree = view.state === 'half_open' && view.probes < halfOpenMaxCalls;
      const openUntil = viewed.at + Math.max(isFree ? 0 : view.openForMs, view.nextSyncMs);
      this.breaker = waiting(openUntil);
      if (lease === 0) {
        this.apply({ ...given, openUntil }, isAnew);
        return;
      }
      const used = this.apply({ ...given, probes: 1 }, isAnew);
      const { probesSucceeded = 0, probesFailed = 0 } = used ?? {};
      const probe = { lease, succeeded: probesSucceeded, failed: probesFailed };
      this.breaker = { kind: 'probing', openUntil, until, probe };
    } else {
      given.probes = ALL;
      this.breaker = own(before);
      // A store that has lost its state changes nothing: its breaker is closed, as a new one is.
      if (view.state === 'closed' && (before.kind !== 'own' || isAnew))
        given.closeRampMs = this.rampMs(view.nodes);
      this.apply(given, isAnew);
    }
  }

  /** Gives the engine the state of a view. With a new generation, the results since the last report are left out. */
  private apply(given: Given, isAnew: boolean): Used | undefined {
    const used = this.exchange(given);
    if (isAnew && used !== undefined)
      for (const name of COUNTS) this.outdated[name] += used.counts[name] - this.acknowledged[name];
    return used;
  }

  private dropProbe(openUntil: number): void {
    this.breaker = waiting(openUntil);
    this.exchange({ probes: 0 });
  }

  private rampMs(nodes: number): number {
    const { rampMs } = this.host.settings.breaker?.options ?? {};
    return rampMs ?? (nodes > 1 ? RAMP_MS : 0);
  }

  /** Returns its granted part of the limit at that index; 0 without a grant. */
  private part(place: number): number {
    if (this.host.time.now() >= this.leaseUntil) return 0;
    return this.viewed?.view.limits[place]?.granted ?? 0;
  }

  /** Returns its part of a limit while the store is lost. */
  private safePart(place: number, now: number): number {
    const limit = this.viewed?.view.limits[place];
    if (limit === undefined || this.options.onStoreLost === 'allow') return ALL;
    const share = Math.max(1, Math.floor(limit.limit / Math.max(1, this.nodes)));
    if (now >= this.leaseUntil) return share;
    // An exact limit is never held beyond its use.
    return this.isExact(limit) ? Math.max(limit.granted, share) : limit.granted;
  }

  /** Gives the engine the shared state, and returns the use; `undefined` if the core has trapped. */
  private exchange(given: Given): Used | undefined {
    const { host } = this;
    let used: Used | undefined;
    try {
      if (!host.isKnown) host.open();
      used = exchanged(host, given);
      drainRecords();
    } catch (error) {
      host.coreFailed(error);
    }
    // Waiting calls may start now.
    if (given.part !== undefined) host.queue.pump();
    // After a trap, the new core instance lacks the shared state.
    if (this.instance !== engine.core.instanceNumber) {
      const isFirst = this.instance === -1;
      this.instance = engine.core.instanceNumber;
      if (!isFirst) this.forget();
    }
    if (used !== undefined) for (const name of COUNTS) used.counts[name] -= this.outdated[name];
    return used;
  }

  private forget(): void {
    const none = { total: 0, failed: 0, slow: 0 };
    this.acknowledged = { ...none };
    this.sent = { ...this.sent, ...none };
    this.outdated = { ...none };
    this.breaker = own();
  }

  private isolate(isolated: boolean): void {
    if (isolated === (this.isolation !== undefined)) return;
    this.isolation?.lift?.();
    const handle = isolated ? this.host.settings.breaker?.isolate() : undefined;
    this.isolation = isolated ? { lift: handle && (() => handle.dispose()) } : undefined;
  }

  /** Sends changes of the breaker at once. */
  private watch(): void {
    const { breaker } = this.host.settings;
    if (breaker === this.watched?.breaker) return;
    this.watched?.end();
    const end = breaker?.onStateChange(({ to }) => {
      if (to === 'open' && this.breaker.kind === 'own') this.breaker.since = undefined;
      this.isAwake = true;
      this.sync.soon();
    });
    this.watched = breaker && end && { breaker, end };
  }
}
