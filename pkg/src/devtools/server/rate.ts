/** A token bucket: how much of something may happen in a second, and how much at once. */

/** Refills `perSecond` tokens a second, up to `burst`. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, burst: number, now = performance.now()) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = now;
  }

  /** Takes `count` tokens if any is there (one large batch may overdraw), else says how long to wait, in seconds. */
  take(count: number, now = performance.now()): number {
    this.#refill(now);
    if (this.#tokens <= 0) return Math.max(1, Math.ceil(-this.#tokens / this.#perSecond));
    this.#tokens -= count;
    return 0;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
  }
}
