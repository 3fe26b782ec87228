/** A ledger's store in a key-value store with transactions: Deno KV, and the storage of a Durable Object. */

import * as is from '../options.js';
import type { Listed, OnceStore } from './store.js';

/** A record as it is stored. `due`: when it expires, absent for never. */
interface Entry {
  readonly version: number;
  readonly record: Uint8Array;
  readonly due?: number;
}

/** The members of Deno KV that this file uses: https://docs.deno.com/api/deno/~/Deno.Kv */
interface DenoKv {
  get(key: readonly string[]): Promise<{ value: unknown; versionstamp: string | null }>;
  atomic(): Atomic;
  list(
    selector: { prefix: readonly string[] },
    options: { limit: number },
  ): AsyncIterable<{ key: readonly unknown[] }>;
}

interface Atomic {
  check(entry: { key: readonly string[]; versionstamp: string | null }): Atomic;
  set(key: readonly string[], value: unknown, options?: { expireIn: number }): Atomic;
  delete(key: readonly string[]): Atomic;
  commit(): Promise<{ ok: boolean }>;
}

/** The members of a Durable Object's storage that this file uses: https://developers.cloudflare.com/durable-objects/api/storage-api/ */
interface ObjectStorage extends Transaction {
  transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
}

interface Transaction {
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<unknown>;
  list(options: { prefix: string; end?: string; limit: number }): Promise<Map<string, unknown>>;
}

/** The next version: a time in half microseconds with a random part, so that none comes back after its record is gone. */
function versionAfter(before: number, now: number): number {
  return Math.max(before + 1, now * 2048 + Math.floor(Math.random() * 2048));
}

const present = (value: unknown, now: number): Entry | undefined => {
  const entry = (value ?? undefined) as Entry | undefined;
  return entry?.due !== undefined && entry.due <= now ? undefined : entry;
};

const answer = (written: boolean, entry: Entry | undefined, now: number) => ({
  written,
  version: entry?.version ?? 0,
  record: entry?.record,
  now,
});

/** The value that a swap writes; `undefined` if it does not write. */
function swapped(
  found: Entry | undefined,
  [version, next, ttlMs]: readonly [number, Uint8Array | undefined, number, AbortSignal],
  now: number,
): { entry: Entry | undefined } | undefined {
  if (version !== (found?.version ?? 0)) return undefined;
  if (next === undefined) return { entry: undefined };
  const isEndless = ttlMs === Number.POSITIVE_INFINITY;
  const entry = { version: versionAfter(found?.version ?? 0, now), record: next };
  return { entry: isEndless ? entry : { ...entry, due: now + ttlMs } };
}

/** The record is under `once`; a mark under `once-open` says that it never expires, for the list. Both change together. */
function ofDeno(kv: DenoKv): OnceStore {
  const at = (key: string): readonly string[] => ['halfopen-once', ...key.split('/')];
  const open = (key: string): readonly string[] => ['halfopen-once-open', ...key.split('/')];
  return {
    async swap(key, ...wanted) {
      for (;;) {
        const now = Date.now();
        const { value, versionstamp } = await kv.get(at(key));
        const found = present(value, now);
        const change = swapped(found, wanted, now);
        if (change === undefined) return answer(false, found, now);
        const { entry } = change;
        const atomic = kv.atomic().check({ key: at(key), versionstamp });
        if (entry === undefined) atomic.delete(at(key)).delete(open(key));
        else if (entry.due === undefined) atomic.set(at(key), entry).set(open(key), true);
        else atomic.set(at(key), entry, { expireIn: entry.due - now }).delete(open(key));
        // Another process came between: read again.
        if ((await atomic.commit()).ok) return answer(true, entry, now);
      }
    },
    async list(prefix, limit) {
      const all: Listed[] = [];
      const parts = prefix.split('/').filter((part) => part !== '');
      for await (const { key } of kv.list({ prefix: ['halfopen-once-open', ...parts] }, { limit })) {
        const own = key.slice(1).join('/');
        const entry = present((await kv.get(at(own))).value, Date.now());
        if (entry !== undefined) all.push({ key: own, version: entry.version, record: entry.record });
      }
      return all;
    },
    async close() {},
  };
}

/** How many expired records a write removes. */
const MOST_SWEPT = 10;

/** Beside the marks for the list there are marks by time, because the storage does not remove what has expired. */
function ofObject(storage: ObjectStorage): OnceStore {
  const at = (key: string): string => `once:${key}`;
  const open = (key: string): string => `once-open:${key}`;
  const due = ({ due = 0 }: Entry, key: string): string => `${dueFrom(due)}${key}`;
  const dueFrom = (time: number): string => `once-due:${String(Math.ceil(time)).padStart(16, '0')}:`;

  async function sweep(transaction: Transaction, now: number): Promise<void> {
    const marks = await transaction.list({ prefix: 'once-due:', end: dueFrom(now), limit: MOST_SWEPT });
    for (const [mark, key] of marks) {
      const value = await transaction.get(at(String(key)));
      if (value !== undefined && present(value, now) === undefined) await transaction.delete(at(String(key)));
      await transaction.delete(mark);
    }
  }
  return {
    swap: (key, ...wanted) =>
      storage.transaction(async (transaction) => {
        const now = Date.now();
        const value = await transaction.get(at(key));
        const found = present(value, now);
        const change = swapped(found, wanted, now);
        if (change === undefined) return answer(false, found, now);
        await sweep(transaction, now);
        const { entry } = change;
        if (entry === undefined) await transaction.delete(at(key));
        else await transaction.put(at(key), entry);
        if (entry === undefined || entry.due !== undefined) await transaction.delete(open(key));
        else await transaction.put(open(key), true);
        if (entry?.due !== undefined) await transaction.put(due(entry, key), key);
        return answer(true, entry, now);
      }),
    async list(prefix, limit) {
      const all: Listed[] = [];
      for (const mark of (await storage.list({ prefix: open(prefix), limit })).keys()) {
        const key = mark.slice(open('').length);
        const entry = present(await storage.get(at(key)), Date.now());
        if (entry !== undefined) all.push({ key, version: entry.version, record: entry.record });
      }
      return all;
    },
    async close() {},
  };
}

/**
 * Returns a store in Deno KV, or in the storage of a Durable Object for the acts of that object. The time is that of the
 * process, because neither has a clock of its own: keep the clocks of a deployment closer together than the lease. A store
 * that is only eventually consistent, such as Workers KV, cannot hold a ledger.
 *
 * @param kv - `await Deno.openKv()`, or the `ctx.storage` of a Durable Object. It belongs to the caller: `close` leaves it open.
 * @throws TypeError for anything else.
 *
 * @example
 * ```ts
 * import { createLedger } from 'halfopen/once';
 * import { kvStore } from 'halfopen/once/kv';
 * const ledger = createLedger({ store: kvStore(kv) }); // `await Deno.openKv()`, or the `ctx.storage` of an object
 * ```
 */
export function kvStore(kv: object): OnceStore {
  const { atomic, transaction } = (kv ?? {}) as Record<string, unknown>;
  if (typeof atomic === 'function') return ofDeno(kv as DenoKv);
  if (typeof transaction === 'function') return ofObject(kv as ObjectStorage);
  throw is.misuse('kv', "a Deno KV, or the storage of a Durable Object ('ctx.storage')", kv);
}
