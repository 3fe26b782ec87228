/** A fleet's store in Redis or Valkey, by the clients `ioredis` and `redis`: single, with sentinels, or as a cluster. */

import { randomNode } from './protocol.js';
import { type FleetStore, hasNews, mergeAll, Subscribers } from './store.js';

/**
 * Appends a delta to the resource's log, and returns the log and the state that it continues, with the time of each.
 *
 * The state is not merged here: Redis numbers the deltas and stamps them with its time, and each client folds the log into the
 * state by the same Rust, so that all come to the same state. A resource is one hash, its only key: `i` which log it is, `s` the
 * state, `b` how many deltas are in it, `n` how many were appended, and each of those that are not in it by its number.
 * `ARGV`: the delta, empty to read; how long an idle resource is kept, in seconds.
 *
 * A log that cannot be one begins anew: `b` or `n` that are no numbers, or more deltas than any fleet leaves unfolded. Redis would
 * otherwise stand still at each sync until somebody deletes the key.
 *
 * Redis replicates what the script did, not the script (since 5), so that TIME may be called.
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
 * Puts a state in place of the part of the log that it was folded of, unless a later one is there. `ARGV`: which log, how many of
 * its deltas are in the state, the state.
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

/** Drops a log whose state cannot be read: the next delta begins another one. `ARGV`: which log. */
const DROP = `local k=KEYS[1]
local i=redis.call('HGET',k,'i')
if i and i~=ARGV[1] then return 0 end
return redis.call('UNLINK',k)`;

/** How many deltas a log has when it is folded: by who appended the one that completes so many. */
const FOLD_EVERY = 16;
/**
 * From so many on others fold, too: who should have has ended before, or is slow. One in so many of them, and not always the
 * same, for where processes are slow a state that each of them sends makes all of them slower.
 */
const FOLD_LATE = 4 * FOLD_EVERY;
const LATE_EVERY = 5;
/** How long a resource is kept after its last write, in seconds. */
const KEPT_S = 86_400;
/** The form of a state is part of its key, so that versions of this package that differ in it do not meet. */
const FORM = 1;

/** What both clients are made to do: one command, which concerns one key. */
type Send = (key: string, args: (string | Buffer)[]) => Promise<unknown>;

/** What both clients are made to do: call back of what is published on a channel. Returns how to end it. */
type Hear = (channel: string, heard: (message: string) => void) => () => void;

interface Script {
  readonly text: string;
  sha: string | undefined;
}

/** The parts of `ioredis` that are used. */
interface IoRedis {
  callBuffer(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

/**
 * The parts of `redis` (node-redis) that are used: of a client, of a cluster, which needs the key of each command, and of a
 * client with sentinels, which needs to know whether a command only reads.
 */
interface NodeRedis {
  withTypeMapping?: unknown;
  sendCommand(...args: unknown[]): Promise<unknown>;
}

/** The type of a bulk string in RESP, for the type mapping of node-redis. */
const BLOB_STRING = 36;

function sender(client: unknown): Send {
  const given = client as Partial<IoRedis & NodeRedis> & {
    masters?: unknown;
    slots?: unknown;
    getSentinelNode?: unknown;
  };
  let call: Send | undefined;
  if (typeof given?.callBuffer === 'function') {
    call = (_key, [command = '', ...args]) => (given as IoRedis).callBuffer(String(command), ...args);
  } else if (typeof given?.sendCommand === 'function' && typeof given.withTypeMapping === 'function') {
    const node = given as NodeRedis;
    // With the command, and not by `withTypeMapping`: `sendCommand` of version 5 does not look at the client's mapping.
    const binary = { typeMapping: { [BLOB_STRING]: Buffer } };
    const isCluster = given.masters !== undefined || given.slots !== undefined;
    const hasSentinels = given.getSentinelNode !== undefined;
    if (isCluster) call = (key, args) => node.sendCommand(key, false, args, binary);
    else if (hasSentinels) call = (_key, args) => node.sendCommand(false, args, binary);
    else call = (_key, args) => node.sendCommand(args, binary);
  }
  if (call === undefined)
    throw new TypeError("halfopen: redisStore expects a client of 'ioredis' 5 or 'redis' 5, or later");
  return call;
}

/** Runs a script by its hash and, where the server does not know it, by its text. */
async function evaluate(send: Send, script: Script, key: string, args: readonly Buffer[]): Promise<unknown> {
  script.sha ??= await sha1(script.text);
  try {
    return await send(key, ['EVALSHA', script.sha, '1', key, ...args]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await send(key, ['EVAL', script.text, '1', key, ...args]);
  }
}

/** The parts of a client that are used to subscribe; `on` is ioredis's way, a listener of `subscribe` that of node-redis. */
interface Subscribing {
  callBuffer?: unknown;
  subscribe(channel: string, listener?: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string, listener?: (message: string) => void): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  off(event: 'message', listener: (channel: string, message: string) => void): unknown;
}

/** Nobody waits for it: where the server refuses, or is away, processes sync as they do without. */
const ignored = (): void => {};

/** ioredis warns of more than ten listeners: there is one for all channels. */
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

/** What Redis knows a script by. */
async function sha1(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha1').update(text).digest('hex');
}

/** What {@link APPEND} returned. */
interface Log {
  now: number;
  /** Which log it is: another one where the store has lost this one. */
  id: Buffer;
  state: Uint8Array | undefined;
  /** How many deltas are in the state. */
  base: number;
  /** How many follow it, those that cannot be read included. */
  count: number;
  deltas: Uint8Array[];
  times: number[];
}

/** The entry of a log that is later than this after the present was not written by this package, in milliseconds. */
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
 * A store in Redis or Valkey, 5 or later. Each sync of a resource is one `EVALSHA` on one key; the keys are
 * `<prefix>hf1:{<resource>}`, so that it is right in a cluster too. The time is the server's.
 *
 * @param client - of `ioredis` or `redis`: a client, one with sentinels, or a cluster. It stays the caller's: `close` leaves it
 * open. Its timeouts need not be set, for a fleet has its own.
 * @param options - `prefix` of the keys, default: none; `subscriber`, a second client of the same servers: with it processes
 * publish it when a breaker opens or closes, and sync at once when they hear of it, instead of in time. Default: none.
 * @throws TypeError for another client.
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
  /** The keys whose last answer could not be read: until one can be, nothing is appended, for nobody could fold it. */
  const unread = new Set<string>();
  /** Who published something. */
  const own = String(randomNode());
  const keyOf = (key: string): string => `${prefix}hf${FORM}:{${key}}`;

  async function syncOne(key: string, delta: Uint8Array): Promise<{ state: Uint8Array; now: number }> {
    const at = keyOf(key);
    // Bytes that are no delta must not come into the log.
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
      // Nobody waits for it: where it fails, the next one does it.
      evaluate(send, replace, at, [id, Buffer.from(String(number)), Buffer.from(merged)]).catch(ignored);
    }
    return { state: merged, now };
  }

  /**
   * Passes over entries that are no deltas, and drops a log whose state is none: another version, another program or a damaged
   * byte has written them, and no process could fold the log.
   *
   * @throws TypeError where the log was dropped.
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

  /** The state with all deltas, the last of which is this process's: where it is news to others, they hear of it. */
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
