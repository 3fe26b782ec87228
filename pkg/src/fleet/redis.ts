/** A fleet's store in Redis or Valkey, for the clients `ioredis` and `redis`: one server, sentinels, or a cluster. */

import { randomNode } from './protocol.js';
import { evaluate, type Script, sender } from './redis-client.js';
import { type FleetStore, hasNews, mergeAll, Subscribers } from './store.js';

/**
 * Appends a delta to the resource's log. Returns the log and the state that it continues, with the time of each.
 *
 * The script does not merge the state. Redis numbers the deltas and stamps them with its time, and every client folds
 * the log into the state with the same Rust code, so all get the same state. A resource is one hash and its only key:
 * `i` identifies the log, `s` is the state, `b` the number of deltas in it, `n` the number of appended deltas, and each
 * delta that is not in the state is under its number. `ARGV`: the delta (empty to read), and how long an idle resource
 * is kept, in seconds.
 *
 * An impossible log starts over: one whose `b` or `n` is not a number, or that has more deltas than any fleet leaves
 * unfolded. Otherwise the loop over it would block Redis at each sync until somebody deletes the key.
 *
 * Since version 5 Redis replicates the effects of a script and not its text, so the script may call TIME.
 */
const APPEND = `local k=KEYS[1]
local t=redis.call('TIME')
local now=string.format('%.0f',t[1]*1000+math.floor(t[2]/1000))
local h=redis.call('HMGET',k,'i','s','b','n')
local b=tonumber(h[3] or 0)
local n=tonumber(h[4] or 0)
if not (b and n and n>=b and n-b<=10000) then
redis.call('UNLINK',k)
h={}
b=0
n=0
end
local i=h[1] or (now..t[2])
if ARGV[1]~='' then
n=n+1
redis.call('HSET',k,'i',i,'n',n,n,now..':'..ARGV[1])
redis.call('EXPIRE',k,ARGV[2])
end
local r={now,i,h[2] or '',tostring(b)}
for from=b+1,n,500 do
local f={}
for j=from,math.min(from+499,n) do f[#f+1]=j end
for _,v in ipairs(redis.call('HMGET',k,unpack(f))) do r[#r+1]=v or '' end
end
return r`;

/**
 * Replaces the folded part of the log with its state, unless a later state is there. `ARGV`: the log's id, the number
 * of its deltas in the state, the state.
 */
const FOLD = `local k=KEYS[1]
local h=redis.call('HMGET',k,'i','b','n')
local b=tonumber(h[2] or 0)
local e=tonumber(ARGV[2])
if h[1]~=ARGV[1] or e<=b or e>tonumber(h[3] or 0) then return 0 end
redis.call('HSET',k,'s',ARGV[3],'b',e)
for from=b+1,e,500 do
local f={}
for j=from,math.min(from+499,e) do f[#f+1]=j end
redis.call('HDEL',k,unpack(f))
end
return 1`;

/** Drops a log whose state cannot be read, so the next delta begins another one. `ARGV`: the log's id. */
const DROP = `local k=KEYS[1]
local i=redis.call('HGET',k,'i')
if i and i~=ARGV[1] then return 0 end
return redis.call('UNLINK',k)`;

/** The process whose delta completes this number folds the log. */
const FOLD_EVERY = 16;
/** With this number of unfolded deltas other processes fold too, because the one that should have has ended or is slow. */
const FOLD_LATE = 4 * FOLD_EVERY;
/**
 * Then one delta in this number folds, and not every one: folding sends the whole state, and slow processes would become
 * slower if each of them did.
 */
const LATE_EVERY = 5;
/** How long a resource is kept after its last write, in seconds. */
const KEPT_S = 86_400;
/**
 * The version of the state's form. It is part of the key, so versions of this package with different forms never share
 * a state.
 */
const FORM = 1;

/** Subscribes to a channel through either client. Returns a function that ends the subscription. */
type Hear = (channel: string, heard: (message: string) => void) => () => void;

/**
 * The members that this file uses to subscribe: ioredis emits to `on`, node-redis calls a listener of `subscribe`.
 */
interface Subscribing {
  callBuffer?: unknown;
  subscribe(channel: string, listener?: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string, listener?: (message: string) => void): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  off(event: 'message', listener: (channel: string, message: string) => void): unknown;
}

/** No code waits for this. If the server refuses or is away, processes sync as they do without it. */
const ignored = (): void => {};

/** ioredis warns of more than ten listeners, so one listener serves all channels. */
function hearer(client: unknown): Hear {
  const subscriber = client as Subscribing;
  if (typeof subscriber?.subscribe !== 'function' || typeof subscriber.unsubscribe !== 'function')
    throw new TypeError(
      "halfopen: redisStore expects as 'subscriber' another client of 'ioredis' or 'redis'",
    );
  if (typeof subscriber.callBuffer !== 'function') {
    return (channel, heard) => {
      subscriber.subscribe(channel, heard).catch(ignored);
      return () => void subscriber.unsubscribe(channel, heard).catch(ignored);
    };
  }
  const byChannel = new Map<string, (message: string) => void>();
  const listener = (channel: string, message: string): void => byChannel.get(channel)?.(message);
  return (channel, heard) => {
    if (byChannel.size === 0) subscriber.on('message', listener);
    byChannel.set(channel, heard);
    subscriber.subscribe(channel).catch(ignored);
    return () => {
      byChannel.delete(channel);
      if (byChannel.size === 0) subscriber.off('message', listener);
      subscriber.unsubscribe(channel).catch(ignored);
    };
  };
}

/** The result of {@link APPEND}. */
interface Log {
  now: number;
  /** Identifies the log. Another id means that the store has lost the earlier log. */
  id: Buffer;
  state: Uint8Array | undefined;
  /** The number of deltas in the state. */
  base: number;
  /** The number of deltas after the state, including those that cannot be read. */
  count: number;
  deltas: Uint8Array[];
  times: number[];
}

/** An entry this far in the future was not written by this package, in milliseconds. */
const LATEST_MS = 366 * 86_400_000;

function readLog(answer: unknown): Log {
  const parts: unknown[] = Array.isArray(answer) ? answer : [];
  if (parts.some((part) => typeof part === 'string'))
    throw new TypeError(
      "halfopen: the client returned Redis's bytes as text, which damages them; redisStore needs a client of 'ioredis' or 'redis' that can return Buffers",
    );
  const [now, id, state, base, ...entries] = parts.map((part) => Buffer.from(part as Buffer));
  if (now === undefined || id === undefined || state === undefined || base === undefined)
    throw new TypeError('halfopen: Redis returned something that is not the state of a fleet');
  const log: Log = {
    now: Number(now.toString()),
    id,
    state: state.length === 0 ? undefined : new Uint8Array(state),
    base: Number(base.toString()),
    count: entries.length,
    deltas: [],
    times: [],
  };
  for (const entry of entries) {
    const colon = entry.indexOf(':');
    const time = Number(entry.subarray(0, Math.max(0, colon)).toString());
    const delta = entry.subarray(colon + 1);
    if (!(time <= log.now + LATEST_MS)) continue;
    log.times.push(time);
    log.deltas.push(delta);
  }
  return log;
}

/**
 * Returns a store in Redis or Valkey, version 5 or later. Each sync of a resource is one `EVALSHA` on one key. The keys
 * are `<prefix>hf1:{<resource>}`, so a cluster keeps each resource on one node. The time is the server's.
 *
 * @param client - a client of `ioredis` or `redis`: single, with sentinels, or of a cluster. It belongs to the caller:
 * `close` leaves it open. Its timeouts need not be set, because the fleet has its own.
 * @param options - `prefix` of the keys, default: none; `subscriber`, a second client of the same servers. With it,
 * processes announce that a breaker opens or closes, and the others sync at once instead of at their interval. Default:
 * none.
 * @throws TypeError for any other client.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 * import { fleet } from 'halfopen/fleet';
 * import { redisStore } from 'halfopen/fleet/redis';
 * const store = redisStore(new Redis('redis://127.0.0.1:6379'));
 * const policy = createPolicy({ name: 'openai', fleet: fleet({ store, name: 'workers' }) });
 * ```
 */
export function redisStore(
  client: unknown,
  options: { prefix?: string | undefined; subscriber?: unknown } = {},
): FleetStore {
  const send = sender(client);
  const hear = options.subscriber === undefined ? undefined : hearer(options.subscriber);
  const append: Script = { text: APPEND, sha: undefined };
  const replace: Script = { text: FOLD, sha: undefined };
  const drop: Script = { text: DROP, sha: undefined };
  const prefix = options.prefix ?? '';
  /**
   * The keys whose last log could not be read. Nothing is appended to them until one can, because no process could fold
   * it.
   */
  const unread = new Set<string>();
  /** The sender of a message. */
  const own = String(randomNode());
  const keyOf = (key: string): string => `${prefix}hf${FORM}:{${key}}`;

  async function syncOne(key: string, delta: Uint8Array): Promise<{ state: Uint8Array; now: number }> {
    const at = keyOf(key);
    // Only a valid delta may enter the log.
    if (delta.length > 0) mergeAll(undefined, [delta], [0]);
    const isUnread = unread.has(at);
    const args = [Buffer.from(isUnread ? '' : delta), Buffer.from(String(KEPT_S))];
    const answer = await evaluate(send, append, at, args);
    unread.add(at);
    const log = readLog(answer);
    const { now, id, base, count } = log;
    const merged = await foldReadable(at, log, delta);
    unread.delete(at);
    if (isUnread) return await syncOne(key, delta);
    const number = base + count;
    const completes = number % FOLD_EVERY === 0 || (count >= FOLD_LATE && number % LATE_EVERY === 0);
    if (completes && delta.length > 0) {
      // No code waits for this. If it fails, the next process folds the log.
      evaluate(send, replace, at, [id, Buffer.from(String(number)), Buffer.from(merged)]).catch(ignored);
    }
    return { state: merged, now };
  }

  /**
   * Skips entries that are not deltas, and drops a log whose state is invalid. Another version, another program or a
   * damaged byte has written them, and no process could fold the log.
   *
   * @throws TypeError if the log was dropped.
   */
  async function foldReadable(at: string, log: Log, delta: Uint8Array): Promise<Uint8Array> {
    try {
      return fold(at, log, delta);
    } catch (unreadable) {
      if (log.state !== undefined && !isState(log.state)) {
        await evaluate(send, drop, at, [log.id]);
        unread.delete(at);
        throw new TypeError('halfopen: the state of the fleet in Redis could not be read, and begins anew');
      }
      const places = log.deltas.flatMap((entry, place) => (isDelta(entry) ? [place] : []));
      if (places.length === log.deltas.length) throw unreadable;
      const [deltas, times] = [log.deltas, log.times].map((all) => places.map((place) => all[place]));
      return fold(at, { ...log, deltas, times } as Log, delta);
    }
  }

  /**
   * Returns the state with all deltas, of which this process's is the last. If it has news, the other processes are
   * notified.
   */
  function fold(at: string, { now, state, deltas, times }: Log, delta: Uint8Array): Uint8Array {
    if (deltas.length === 0) return mergeAll(state, [delta], [now]);
    if (hear === undefined || delta.length === 0) return mergeAll(state, deltas, times);
    const before = deltas.length === 1 ? state : mergeAll(state, deltas.slice(0, -1), times.slice(0, -1));
    const merged = mergeAll(before, deltas.slice(-1), times.slice(-1));
    if (hasNews(before, merged, now)) send(at, ['PUBLISH', at, own]).catch(ignored);
    return merged;
  }

  const subscribers = new Subscribers();
  const ends = new Map<string, () => void>();

  function subscribeBy(hears: Hear): NonNullable<FleetStore['subscribe']> {
    return (keys, onChange) => {
      const removes = keys.map((key) => {
        const heard = (by: string): void => {
          if (by !== own) subscribers.notify(key);
        };
        if (!subscribers.has(key)) ends.set(key, hears(keyOf(key), heard));
        return subscribers.add(key, onChange);
      });
      return () => {
        for (const remove of removes) remove();
        for (const key of keys) {
          if (subscribers.has(key)) continue;
          ends.get(key)?.();
          ends.delete(key);
        }
      };
    };
  }

  return {
    ...(hear === undefined ? {} : { subscribe: subscribeBy(hear) }),
    sync: (resources) =>
      Promise.all(resources.map(async ({ key, delta }) => ({ key, ...(await syncOne(key, delta)) }))),
    async close() {},
  };
}

const isDelta = (delta: Uint8Array): boolean => delta.length > 0 && canMerge(undefined, delta);
const isState = (state: Uint8Array): boolean => canMerge(state, new Uint8Array());

function canMerge(state: Uint8Array | undefined, delta: Uint8Array): boolean {
  try {
    mergeAll(state, [delta], [0]);
    return true;
  } catch {
    return false;
  }
}
