/** A token bucket: how much of something may happen in a second, and how much at once. */

/** Refills `perSecond` tokens a second, up to `burst`. */
export class TokenBucket {
  private readonly perSecond: number;
  private readonly burst: number;
  private tokens: number;
  private at: number;

  constructor(perSecond: number, burst: number, now = performance.now()) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.tokens = burst;
    this.at = now;
  }

  /**
   * Takes `count` tokens if any is left (one large batch may overdraw), otherwise returns how long to wait, in seconds.
   */
  take(count: number, now = performance.now()): number {
    this.refill(now);
    if (this.tokens <= 0) return Math.max(1, Math.ceil(-this.tokens / this.perSecond));
    this.tokens -= count;
    return 0;
  }

  /** Takes `count` tokens, even if they are missing. The debt is at most one full bucket. */
  charge(count: number, now = performance.now()): void {
    this.refill(now);
    this.tokens = Math.max(-this.burst, this.tokens - count);
  }

  private refill(now: number): void {
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1_000) * this.perSecond);
    this.at = now;
  }
}

/**
 * The use of one of many clients of a common budget: each has a share that no other can take, and all divide the rest.
 */
export class SharedBudget {
  private readonly common: TokenBucket;
  private readonly share: () => TokenBucket;
  /** By name; in the order of use. */
  private readonly shares = new Map<string, TokenBucket>();

  /** `perSecond` for all together, of which each has a sixteenth for itself, with a burst of five seconds' worth. */
  constructor(perSecond: number) {
    const own = perSecond / SHARES;
    this.common = new TokenBucket(perSecond, perSecond * BURST_SECONDS);
    this.share = () => new TokenBucket(own, own * BURST_SECONDS);
  }

  /** Returns how long the client must wait, in seconds; 0 if not at all. */
  wait(name: string): number {
    return Math.min(this.of(name).take(0), this.common.take(0));
  }

  /** Charges somebody, who may overdraw. */
  charge(name: string, count: number): void {
    this.of(name).charge(count);
    this.common.charge(count);
  }

  private of(name: string): TokenBucket {
    const share = this.shares.get(name) ?? this.share();
    this.shares.delete(name);
    this.shares.set(name, share);
    for (const oldest of this.shares.keys()) {
      if (this.shares.size <= MOST_SHARES) break;
      this.shares.delete(oldest);
    }
    return share;
  }
}

/** Each client has this part of the whole for itself. */
const SHARES = 16;
/** A client that was idle may use this number of seconds' worth at once. */
const BURST_SECONDS = 5;
/** The most clients that are remembered; beyond that the least recent ones are dropped. */
const MOST_SHARES = 1_024;
