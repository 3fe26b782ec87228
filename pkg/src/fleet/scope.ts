/** A quota scope: a wait that the provider requests of one process holds for all that share the quota. */

import type { Time } from '../clock.js';
import { deltaOf, REPORT, randomNode, viewOf } from './protocol.js';
import type { Resource, StoreSync } from './sync.js';

/**
 * All that share a quota look up another process's wait within this time, in milliseconds. The spread keeps them from
 * syncing at once.
 */
const SPREAD_MS = 100;

/** One process tries again after a day: a server's mistake ("in thirty years") must not end the work of a whole fleet. */
const LONGEST_WAIT_MS = 86_400_000;

const EMPTY = /* @__PURE__ */ new Uint8Array();

export class Scope implements Resource {
  readonly key: string;
  private readonly time: Time;
  private readonly sync: StoreSync;
  private readonly node = randomNode();
  private number = 0;
  private until = Number.NEGATIVE_INFINITY;
  /** The end of a wait that the store does not know yet. */
  private unsent = Number.NEGATIVE_INFINITY;
  private sent = Number.NEGATIVE_INFINITY;
  private users = 0;
  private isAwake = false;

  constructor(key: string, time: Time, sync: StoreSync) {
    this.key = key;
    this.time = time;
    this.sync = sync;
  }

  /** How long all that share the quota must wait, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.until - this.time.now());
  }

  hint(waitMs: number): void {
    const until = this.time.now() + Math.min(waitMs, LONGEST_WAIT_MS);
    if (until <= this.until) return;
    this.until = until;
    this.unsent = until;
    this.sync.soon();
  }

  wake(): void {
    this.isAwake = true;
  }

  hold(): this {
    this.users++;
    return this;
  }

  release(): void {
    this.users--;
    if (this.users === 0) this.sync.remove(this);
  }

  delta(): Uint8Array | undefined {
    const coolDownMs = Math.ceil(this.unsent - this.time.now());
    if (coolDownMs > 0) {
      this.sent = this.unsent;
      this.number++;
      return deltaOf({ kind: REPORT, node: this.node, number: this.number, coolDownMs });
    }
    if (!this.isAwake) return undefined;
    this.isAwake = false;
    return EMPTY;
  }

  take(state: Uint8Array, now: number, sentAt: number): number {
    const { coolForMs } = viewOf(state, 0, now);
    if (this.sent === this.unsent) this.unsent = Number.NEGATIVE_INFINITY;
    if (coolForMs > 0) this.until = Math.max(this.until, sentAt + coolForMs);
    return Number.POSITIVE_INFINITY;
  }

  notified(): number {
    this.isAwake = true;
    return SPREAD_MS;
  }

  lost(): void {
    this.sent = Number.NEGATIVE_INFINITY;
    this.isAwake = true;
  }
}
