/**
 * A fleet's store in a key-value store that cannot run our code. Processes rewrite the state of a resource as a
 * snapshot.
 */

import { type Clock, timeOf } from '../clock.js';
import { viewOf } from './protocol.js';
import { type FleetStore, mergeResource } from './store.js';

/** The value of a key, and the version that the key-value store gave it. */
export interface Snapshot {
  /** The state of one resource. The key-value store need not read these bytes. */
  bytes: Uint8Array;
  /**
   * The store's mark of this version, such as an ETag or a counter. `save` gets it back. Absent if the store has no
   * versions.
   */
  version?: unknown;
}

/**
 * A key-value store of your own: object storage, NATS, etcd, a table of a database.
 *
 * @example
 * ```ts
 * const entries = new Map<string, { bytes: Uint8Array; version: number }>();
 * const kv: Snapshots = {
 *   isAtomic: true,
 *   load: async (key) => entries.get(key),
 *   async save(key, bytes, version) {
 *     const current = entries.get(key)?.version;
 *     if (current !== version) return false;
 *     entries.set(key, { bytes, version: (current ?? 0) + 1 });
 *     return true;
 *   },
 * };
 * const store = kvStore(kv);
 * ```
 */
export interface Snapshots {
  /** `true` if `save` writes only while the loaded version is still the present one (compare-and-set). */
  readonly isAtomic: boolean;
  /** Returns the last saved value that this process can see; `undefined` for an unknown key. */
  load(key: string, signal: AbortSignal): Promise<Snapshot | undefined>;
  /**
   * Saves the successor of the loaded version, which is `undefined` if nothing was loaded. Resolves with `true` if it
   * was written. If the version has changed meanwhile, an atomic store writes nothing and resolves with `false`.
   */
  save(key: string, bytes: Uint8Array, version: unknown, signal: AbortSignal): Promise<boolean>;
}

/**
 * The version of the state's form. It is part of the key, so versions of this package with different forms never share
 * a state.
 */
const FORM = 1;
/** How long a resource is kept after its last write, in seconds. */
const KEPT_S = 86_400;
/** A store that refuses writes counts as lost after this time without a successful one, in milliseconds. */
const UNWRITTEN_MS = 10_000;
/** The longest wait before a retried write, after another process has written first, in milliseconds. */
const LONGEST_WAIT_MS = 64;

/** The members of a Workers KV namespace that this file uses: https://developers.cloudflare.com/kv/api/ */
interface WorkersKv {
  get(key: string, type: 'arrayBuffer'): Promise<ArrayBuffer | null>;
  put(key: string, value: Uint8Array, options: { expirationTtl: number }): Promise<void>;
}

/** The members of Deno KV that this file uses: https://docs.deno.com/api/deno/~/Deno.Kv */
interface DenoKv {
  get(key: readonly string[]): Promise<{ value: unknown; versionstamp: string | null }>;
  atomic(): {
    check(entry: { key: readonly string[]; versionstamp: string | null }): ReturnType<DenoKv['atomic']>;
    set(
      key: readonly string[],
      value: Uint8Array,
      options: { expireIn: number },
    ): ReturnType<DenoKv['atomic']>;
    commit(): Promise<{ ok: boolean }>;
  };
}

function ofWorkers(kv: WorkersKv): Snapshots {
  return {
    isAtomic: false,
    async load(key) {
      const found = await kv.get(key, 'arrayBuffer');
      return found === null ? undefined : { bytes: new Uint8Array(found) };
    },
    async save(key, bytes) {
      await kv.put(key, bytes, { expirationTtl: KEPT_S });
      return true;
    },
  };
}

function ofDeno(kv: DenoKv): Snapshots {
  return {
    isAtomic: true,
    async load(key) {
      const { value, versionstamp } = await kv.get([key]);
      return value instanceof Uint8Array ? { bytes: value, version: versionstamp } : undefined;
    },
    async save(key, bytes, version) {
      const versionstamp = (version as string | undefined) ?? null;
      const expireIn = KEPT_S * 1_000;
      const write = kv
        .atomic()
        .check({ key: [key], versionstamp })
        .set([key], bytes, { expireIn });
      return (await write.commit()).ok;
    },
  };
}

function snapshotsOf(kv: unknown): Snapshots {
  const given = (kv ?? {}) as Partial<Snapshots & WorkersKv & DenoKv>;
  if (typeof given.load === 'function' && typeof given.save === 'function') return given as Snapshots;
  if (typeof given.get === 'function' && typeof given.atomic === 'function') return ofDeno(given as DenoKv);
  if (typeof given.get === 'function' && typeof given.put === 'function')
    return ofWorkers(given as WorkersKv);
  throw new TypeError('halfopen: kvStore expects Deno KV, a namespace of Workers KV, or { load, save }');
}

/** A state, and the fleet's time when it was written. */
interface Written {
  readonly at: number;
  readonly state: Uint8Array;
}

/** The time precedes the state, in eight bytes. */
function pack({ at, state }: Written): Uint8Array {
  const bytes = new Uint8Array(8 + state.length);
  new DataView(bytes.buffer).setFloat64(0, at);
  bytes.set(state, 8);
  return bytes;
}

/** `latest`: the latest plausible time. No process's clock is further ahead. */
function unpack({ bytes }: Snapshot, latest: number): Written {
  const at = bytes.length < 8 ? Number.NaN : new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
  // The fleet's time never goes back. Such a time would keep every lease alive forever.
  if (!(at <= latest)) throw new TypeError('halfopen: something else has written the key of a fleet');
  return { at, state: bytes.slice(8) };
}

/** The clock of a process is never this far ahead of another one's, in milliseconds. */
const AHEAD_MS = 366 * 86_400_000;

/**
 * Returns the state with the newer breaker, or else with the higher counts. Of two states that are written at once, one
 * is lost.
 */
function newest(loaded: Written | undefined, known: Written | undefined): Written | undefined {
  if (loaded === undefined || known === undefined) return loaded ?? known;
  const [theirs, ours] = [loaded, known].map(({ state, at }) => viewOf(state, 0, at));
  if (theirs === undefined || ours === undefined) return loaded;
  const ahead = ours.generation - theirs.generation || ours.version - theirs.version;
  return ahead > 0 ? known : loaded;
}

/**
 * Returns a store in a key-value store. Each sync of a resource reads its snapshot, merges the process's counts into it, and
 * writes it. If another process has written meanwhile, the sync starts over.
 *
 * If the key-value store can compare and set (Deno KV, and yours with `isAtomic`), it is a store like any other, for fleets of
 * about ten processes. If it cannot (Workers KV), the store is *eventual*: if two processes sync at once, one of the two syncs
 * is lost. The next sync of that process sends its counts again, but until then more probes than `halfOpenMaxCalls` can run, a
 * limit can be exceeded, and an operator's isolation can be lost. `fleet` therefore refuses an `exact` limit.
 *
 * The fleet's time follows the process whose clock is furthest ahead.
 *
 * @param kv - `await Deno.openKv()`, a namespace of Workers KV (`env.KV`), or {@link Snapshots} of your own. It belongs
 * to the caller: `close` leaves it open.
 * @param options - `prefix` of the keys, default: none; `clock`, the time of this process, default: the system's.
 * @throws TypeError for any other `kv`.
 *
 * @example
 * ```ts
 * const store = kvStore(env.KV);
 * const workers = fleet({ store, name: 'workers', storeTimeoutMs: 2000, syncMs: { min: 5000 } });
 * ```
 */
export function kvStore(
  kv: unknown,
  options: { prefix?: string | undefined; clock?: Clock | undefined } = {},
): FleetStore {
  const snapshots = snapshotsOf(kv);
  const time = timeOf(options.clock);
  const prefix = options.prefix ?? '';
  /** The states that this process has written, because others can overwrite them. */
  const known = new Map<string, Written>();
  /** How far the furthest clock is ahead of this one, and the latest time returned. */
  let aheadMs = 0;
  let latest = 0;

  function timeAfter(written: Written | undefined): number {
    const wall = Math.floor(time.wall());
    aheadMs = Math.max(aheadMs, (written?.at ?? 0) - wall);
    latest = Math.max(latest, wall + aheadMs);
    return latest;
  }

  async function syncOne(key: string, delta: Uint8Array, signal: AbortSignal): Promise<Written> {
    const at = `${prefix}hf${FORM}:${key}`;
    for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      signal.throwIfAborted();
      const found = await snapshots.load(at, signal);
      const loaded = found === undefined ? undefined : unpack(found, time.wall() + AHEAD_MS);
      const before = snapshots.isAtomic ? loaded : newest(loaded, known.get(key));
      const now = timeAfter(before);
      const merged = { at: now, state: mergeResource(before?.state, delta, now) };
      if (!snapshots.isAtomic) known.set(key, merged);
      if (delta.length === 0) return merged;
      try {
        if (await snapshots.save(at, pack(merged), found?.version, signal)) return merged;
      } catch (refused) {
        // Workers KV accepts one write of a key a second. A refused write counts like one that another process has
        // overwritten.
        const isWritten = loaded !== undefined && now < loaded.at + UNWRITTEN_MS;
        if (snapshots.isAtomic || !isWritten) throw refused;
        return merged;
      }
      await new Promise<void>((resolve) => time.after(Math.random() * waitMs, resolve));
    }
  }

  return {
    isEventual: !snapshots.isAtomic,
    sync: (resources, signal) =>
      Promise.all(
        resources.map(async ({ key, delta }) => {
          const { at, state } = await syncOne(key, delta, signal);
          return { key, state, now: at };
        }),
      ),
    async close() {},
  };
}
