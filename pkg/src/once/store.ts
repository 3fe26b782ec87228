/** The interface of a ledger's store, and a store in memory. */

import { type Clock, timeOf } from '../clock.js';
import * as is from '../options.js';

/** The state of a key after a swap. */
export interface Swapped {
  /** `true` if the swap wrote. */
  written: boolean;
  /** The version that the store has now; 0 without a record. */
  version: number;
  /** The record that the store has now. */
  record: Uint8Array | undefined;
  /** The store's time, in milliseconds. */
  now: number;
}

/** A record in a store's list. */
export interface Listed {
  key: string;
  version: number;
  record: Uint8Array;
}

/** Expired records are removed after this many writes. */
const SWEEP_EVERY = 1024;

/** A store that processes share: one record for a key, which is replaced only by those who know its version. */
export interface OnceStore {
  /**
   * A key is a ledger's name, an act's name and a hash, with '/' between them. Writes `next` if the record's version is `version`; 0: if there is none. Version -1 only reads. Returns what stands there
   * afterwards, and whether it was written. Atomic among processes. A version never comes back, not even after the record
   * is gone. `next` undefined removes the record. After `ttlMs` without a write the record is gone; `Infinity`: never.
   *
   * `signal` is aborted when the ledger no longer waits for the answer. Requests that come one after the other may have the
   * same signal: remove your listener when a request has ended.
   */
  swap(
    key: string,
    version: number,
    next: Uint8Array | undefined,
    ttlMs: number,
    signal: AbortSignal,
  ): Promise<{ written: boolean; version: number; record: Uint8Array | undefined; now: number }>;
  /**
   * The records whose keys begin with a prefix, which is at least a ledger's name and '/', at most `limit`. Those that never expire must be in it, for they are the acts
   * that are not settled; a store need not list the others.
   */
  list(
    prefix: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly { key: string; version: number; record: Uint8Array }[]>;
  /** Closes everything that the store itself opened. A client that was passed to it belongs to the caller. */
  close(): Promise<void>;
}

/**
 * Returns a store in the memory of this process, for tests and for tools of one process. It forgets everything when the
 * process ends: what acted then acts again.
 *
 * @param options - `clock`, the store's time. Default: the system's.
 *
 * @example
 * ```ts
 * const ledger = createLedger({ store: memoryStore(), secret: 'of this ledger' });
 * ```
 */
export function memoryStore(options: { clock?: Clock | undefined } = {}): OnceStore {
  const { clock } = is.readOptions<{ clock?: Clock }>({ clock: is.clock }, options, 'memoryStore');
  const time = timeOf(clock);
  const records = new Map<string, { version: number; record: Uint8Array; due: number }>();
  let versions = 0;
  const found = (key: string, now: number) => {
    const entry = records.get(key);
    if (entry === undefined || entry.due > now) return entry;
    records.delete(key);
    return undefined;
  };
  return {
    async swap(key, version, next, ttlMs) {
      const now = Math.floor(time.wall());
      const entry = found(key, now);
      const written = version === (entry?.version ?? 0);
      if (!written) return { written, version: entry?.version ?? 0, record: entry?.record.slice(), now };
      if (next === undefined) {
        records.delete(key);
        return { written, version: 0, record: undefined, now };
      }
      versions += 1;
      if (versions % SWEEP_EVERY === 0) for (const old of records.keys()) found(old, now);
      records.set(key, { version: versions, record: next.slice(), due: now + ttlMs });
      return { written, version: versions, record: next, now };
    },
    async list(prefix, limit) {
      const now = Math.floor(time.wall());
      const all: Listed[] = [];
      for (const [key, { version, record, due }] of records) {
        if (all.length >= limit) break;
        if (due === Number.POSITIVE_INFINITY && key.startsWith(prefix) && found(key, now))
          all.push({ key, version, record: record.slice() });
      }
      return all;
    },
    async close() {
      records.clear();
    },
  };
}
