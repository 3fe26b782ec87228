/** A budget that the processes of a fleet spend together: the tokens and the cost of the runs of one key. */

import type { Time } from '../clock.js';
import { deltaOf, LEAVE, type LimitValues, REPORT, randomNode, type View, viewOf } from './protocol.js';
import type { Resource, StoreSync } from './sync.js';

/** The numbers that a budget bounds. */
export interface BudgetLimits {
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
}

/** The store counts what was spent for this time, in milliseconds: a user's day. */
const WINDOW_MS = 86_400_000;
/** A process leases this share of the limit ahead of its use, so that no step waits for the store. */
const AHEAD = 1 / 20;
/** The store has whole numbers of 32 bits. */
const MOST_UNITS = 2e9;
const MOST_SCALE = 1e6;

/** One limit, in whole units. */
interface Pot {
  readonly name: 'tokens' | 'cost';
  readonly max: number;
  /** Units in one token, or in one of the unit of `costOf`. */
  readonly scale: number;
  readonly limit: number;
  /** Spent under this lease. The store keeps what was spent under earlier ones. */
  used: number;
  sentUsed: number;
  sentWants: number;
  /** As sent in the report that the view answers. */
  acknowledged: number;
  answeredWants: number;
}

export class Budget implements Resource {
  readonly key: string;
  private readonly time: Time;
  private readonly sync: StoreSync;
  private readonly leaseMs: number;
  private readonly node = randomNode();
  private readonly pots: readonly Pot[];
  private number = 0;
  private view: View | undefined = undefined;
  private leaseUntil = Number.NEGATIVE_INFINITY;
  /** Runs that spend from it. */
  private users = 0;
  private hasNews = false;

  constructor(key: string, limits: BudgetLimits, time: Time, sync: StoreSync, leaseMs: number) {
    this.key = key;
    this.time = time;
    this.sync = sync;
    this.leaseMs = leaseMs;
    const names = (['tokens', 'cost'] as const).filter((name) => limits[name] !== undefined);
    this.pots = names.map((name) => {
      const max = limits[name] ?? 0;
      const finest = name === 'tokens' ? 1 : MOST_SCALE;
      const scale = Math.min(finest, 10 ** Math.floor(Math.log10(MOST_UNITS / max)));
      const limit = Math.max(1, Math.floor(max * scale));
      return {
        name,
        max,
        scale,
        limit,
        used: 0,
        sentUsed: 0,
        sentWants: 0,
        acknowledged: 0,
        answeredWants: 0,
      };
    });
  }

  /** A run begins to spend from it. */
  hold(): void {
    this.users++;
    this.hasNews = true;
    this.sync.soon();
  }

  release(): void {
    this.users--;
    this.hasNews = true;
    this.sync.soon();
  }

  /** `true` if it can be dropped without loss: no run spends from it, the store knows all spending, and its lease has ended. */
  get isIdle(): boolean {
    const isReported = !this.hasNews && this.pots.every(({ used, acknowledged }) => used <= acknowledged);
    return this.users === 0 && isReported && this.time.now() >= this.leaseUntil;
  }

  spend(tokens: number, cost: number): void {
    const now = this.time.now();
    this.renew(now);
    for (const pot of this.pots) pot.used += (pot.name === 'tokens' ? tokens : cost) * pot.scale;
    this.hasNews = true;
    if (this.pots.some((pot, place) => pot.used + this.ahead(pot) / 2 > this.part(place, now)))
      this.sync.soon();
    else this.sync.wake();
  }

  /** The exhausted limit, if any: this process has spent its part, and the store has no more for it. */
  get over(): { limit: 'tokens' | 'cost'; max: number; spent: number } | undefined {
    const now = this.time.now();
    for (const [place, pot] of this.pots.entries()) {
      const granted = this.part(place, now);
      if (pot.used < granted || !this.isDenied(place, now)) continue;
      const all = this.view?.limits[place]?.used ?? 0;
      const spent = Math.max(pot.used, all) / pot.scale;
      return { limit: pot.name, max: pot.max, spent };
    }
    return undefined;
  }

  /** `true` if the store has granted no more, or cannot. Before the store's first response, nothing is denied. */
  private isDenied(place: number, now: number): boolean {
    const pot = this.pots[place] as Pot;
    if (pot.used >= pot.limit) return true;
    const granted = this.view?.limits[place]?.granted;
    if (granted === undefined) return false;
    if (this.sync.isLost || now >= this.leaseUntil) return this.sync.isLost;
    return pot.acknowledged >= granted || pot.answeredWants > granted;
  }

  /** Its part of the limit. If the store is lost: the granted part until the lease ends, and then the safe share. */
  private part(place: number, now: number): number {
    const limit = this.view?.limits[place];
    if (limit === undefined) return 0;
    if (!this.sync.isLost) return now < this.leaseUntil ? limit.granted : 0;
    const share = Math.max(1, Math.floor(limit.limit / Math.max(1, this.view?.nodes ?? 1)));
    return now < this.leaseUntil ? Math.max(limit.granted, share) : share;
  }

  private ahead({ limit }: Pot): number {
    return this.users > 0 ? Math.max(1, Math.ceil(limit * AHEAD)) : 0;
  }

  /** Begins a new lease. The store counts the reported spending for a window from the end of the old one. */
  private renew(now: number): void {
    if (now < this.leaseUntil || this.leaseUntil === Number.NEGATIVE_INFINITY || this.sync.isLost) return;
    this.leaseUntil = Number.NEGATIVE_INFINITY;
    for (const pot of this.pots) {
      pot.used = Math.max(0, pot.used - pot.acknowledged);
      pot.acknowledged = 0;
    }
  }

  delta(): Uint8Array | undefined {
    if (this.users === 0 && !this.hasNews) return undefined;
    this.hasNews = false;
    this.renew(this.time.now());
    this.number++;
    return this.encode(REPORT);
  }

  private encode(kind: number): Uint8Array {
    const now = this.time.now();
    const values = this.pots.map((pot, place): LimitValues => {
      const used = Math.min(Math.ceil(pot.used), 2 * MOST_UNITS);
      const wants = Math.min(used + this.ahead(pot), pot.limit);
      Object.assign(pot, { sentUsed: used, sentWants: wants });
      const has = now < this.leaseUntil ? (this.view?.limits[place]?.granted ?? 0) : 0;
      const ofTokens = Number(pot.name === 'tokens');
      return { limit: pot.limit, windowMs: WINDOW_MS, ofTokens, exact: 1, wants, used, has };
    });
    return deltaOf({ kind, node: this.node, number: this.number, leaseMs: this.leaseMs }, values);
  }

  take(state: Uint8Array, now: number, sentAt: number): number {
    this.view = viewOf(state, this.node, now);
    this.leaseUntil = sentAt + this.leaseMs;
    for (const pot of this.pots) {
      pot.acknowledged = pot.sentUsed;
      pot.answeredWants = pot.sentWants;
    }
    return this.view.nextSyncMs;
  }

  lost(): void {
    this.hasNews = true;
  }

  notified(): number {
    return 0;
  }

  async leave(): Promise<void> {
    this.sync.remove(this);
    if (this.number === 0) return;
    this.number++;
    await this.sync.say(this.key, this.encode(LEAVE));
  }
}
