/** The exchange with a ledger's store: within a time, and with the store's clock. */

import type { Time } from '../clock.js';
import { type KeptRecord, read, written } from './kept.js';
import type { ActRecord } from './protocol.js';
import type { OnceStore, Swapped } from './store.js';

/** The store did not answer. */
export class StoreLost extends Error {}

/** A record as it stood in the store. */
export interface Standing extends Omit<KeptRecord, 'record'> {
  readonly version: number;
  readonly record: ActRecord | undefined;
  readonly written: boolean;
  /** The store's time then. */
  readonly now: number;
  /** This process's time before it sent its request. */
  readonly sent: number;
}

/** Reads, without writing. */
const READ = -1;

export class Exchange {
  private readonly store: OnceStore;
  private readonly time: Time;
  private readonly timeoutMs: number;
  private readonly keepMs: number;
  /** Controllers of requests that were answered, for the next ones: one costs as much as the rest of a request in memory. */
  private readonly idle: AbortController[] = [];
  /** A time of the store's, and this process's when it came. */
  private latest: { readonly now: number; readonly came: number } | undefined = undefined;

  constructor(store: OnceStore, time: Time, timeoutMs: number, keepMs: number) {
    this.store = store;
    this.time = time;
    this.timeoutMs = timeoutMs;
    this.keepMs = keepMs;
  }

  /**
   * What to assume of a key that was not read: that there is nothing. `undefined` before the store's time is known. It saves
   * the round trip before a claim, which fails and brings the record if there is one.
   */
  unseen(): Standing | undefined {
    const { latest } = this;
    const sent = this.time.now();
    if (latest === undefined) return undefined;
    // Never later than the store's: a lease that began too early is only shorter.
    return {
      version: 0,
      record: undefined,
      written: false,
      now: Math.floor(latest.now + sent - latest.came),
      sent,
    };
  }

  /** The store's time by now, and rather too late: counted from before the request was sent. */
  nowOf({ now, sent }: Standing): number {
    return Math.floor(now + this.time.now() - sent);
  }

  read(key: string): Promise<Standing> {
    return this.request(key, READ, undefined);
  }

  /**
   * Writes the record in place of that version. Without an answer it reads once, because the message or the answer may have
   * been lost.
   *
   * @throws StoreLost
   */
  async swap(key: string, version: number, kept: KeptRecord): Promise<Standing> {
    try {
      return await this.request(key, version, kept);
    } catch {
      const standing = await this.read(key);
      return isSame(standing.record, kept.record) ? { ...standing, written: true } : standing;
    }
  }

  async list(prefix: string, limit: number): Promise<readonly { key: string; standing: Standing }[]> {
    const sent = this.time.now();
    const listed = await this.bounded((signal) => this.store.list(prefix, limit, signal));
    const [first] = listed;
    if (first === undefined) return [];
    const { now } = await this.read(first.key);
    return listed.map(({ key, version, record }) => ({
      key,
      standing: { version, written: false, now, sent, record: undefined, ...read(record) },
    }));
  }

  private async request(key: string, version: number, kept: KeptRecord | undefined): Promise<Standing> {
    const sent = this.time.now();
    const state = kept?.record.state;
    // Until it is settled an act is kept, whatever the ledger's `keepMs`.
    const ttlMs = state === 'done' || state === 'failed' ? this.keepMs : Number.POSITIVE_INFINITY;
    const bytes = kept === undefined ? undefined : written(kept);
    const answer = await this.bounded((signal) => this.store.swap(key, version, bytes, ttlMs, signal));
    expectAnswer(answer);
    const { now } = answer;
    this.latest = { now, came: this.time.now() };
    return {
      version: answer.version,
      written: answer.written && version !== READ,
      now,
      sent,
      record: undefined,
      // A swap that wrote comes back with its own record.
      ...(answer.written && kept !== undefined ? kept : read(answer.record)),
    };
  }

  private async bounded<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = this.idle.pop() ?? new AbortController();
    let stop = (): void => {};
    const late = new Promise<never>((_, reject) => {
      const timer = this.time.after(this.timeoutMs, () =>
        reject(new Error(`the store did not answer within ${this.timeoutMs} ms`)),
      );
      stop = () => timer.cancel();
    });
    try {
      const result = await Promise.race([call(controller.signal), late]);
      this.idle.push(controller);
      return result;
    } catch (cause) {
      controller.abort(cause);
      throw new StoreLost('halfopen: the store of the ledger did not answer', { cause });
    } finally {
      stop();
    }
  }
}

/** A swap whose answer was lost was written if what stands there is its record: owners are random. */
function isSame(one: ActRecord | undefined, other: ActRecord): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other) && 'owner' in other;
}

function expectAnswer({ written, version, now, record }: Swapped): void {
  const isSound =
    typeof written === 'boolean' &&
    Number.isSafeInteger(version) &&
    Number.isFinite(now) &&
    (record === undefined || record instanceof Uint8Array);
  if (!isSound)
    throw new TypeError('halfopen: the store of a ledger must return { written, version, record, now }');
}
