/** A ledger's store in Redis or Valkey. */

import { evaluate, type Script, sender } from '../fleet/redis-client.js';
import * as is from '../options.js';
import type { Listed, OnceStore } from './store.js';

/**
 * `KEYS`: the record, a hash of its version `v` and its bytes `r`; the ledger's index of records that never expire, all with
 * the score 0. `ARGV`: the version, the bytes ('' removes the record), and the milliseconds until it expires ('' for never).
 *
 * A version is the server's time in microseconds, or the one after the version before, so none comes back.
 */
const SWAP = `local k,x=KEYS[1],KEYS[2]
local t=redis.call('TIME')
local h=redis.call('HMGET',k,'v','r')
local v=h[1] or '0'
local w='0'
if ARGV[1]==v then
w='1'
if ARGV[2]=='' then
redis.call('UNLINK',k)
redis.call('ZREM',x,k)
v='0'
h[2]=''
else
v=string.format('%.0f',math.max(tonumber(v)+1,t[1]*1000000+t[2]))
h[2]=ARGV[2]
redis.call('HSET',k,'v',v,'r',h[2])
if ARGV[3]=='' then
redis.call('PERSIST',k)
redis.call('ZADD',x,0,k)
else
redis.call('PEXPIRE',k,ARGV[3])
redis.call('ZREM',x,k)
end
end
end
return {w,v,h[2] or '',string.format('%.0f',t[1]*1000+math.floor(t[2]/1000))}`;

/** The keys of an index that begin with a prefix. `ARGV`: the prefix and how many at most. */
const LIST = `return redis.call('ZRANGEBYLEX',KEYS[1],'['..ARGV[1],'['..ARGV[1]..string.char(255),'LIMIT',0,ARGV[2])`;

/** The version of the form of keys and values. */
const FORM = 1;

/** The member of clients over HTTP, such as `@upstash/redis`, that this file uses. */
interface RestClient {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

type Run = (script: Script, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

function runnerOf(client: unknown): Run {
  const { callBuffer, withTypeMapping, eval: evaluates } = (client ?? {}) as Record<string, unknown>;
  const isRest = callBuffer === undefined && withTypeMapping === undefined && typeof evaluates === 'function';
  if (isRest) return (script, keys, args) => (client as RestClient).eval(script.text, [...keys], [...args]);
  const send = sender(client);
  return (script, keys, args) => evaluate(send, script, keys, args);
}

/** Bytes cross as text, because clients over HTTP take nothing else. The mark keeps them from being taken for numbers. */
const MARK = 'b';
const toText = (bytes: Uint8Array): string =>
  MARK + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
const toBytes = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.slice(MARK.length)), (character) => character.charCodeAt(0));

/**
 * Returns a store in Redis or Valkey, version 5 or later. A swap is one `EVALSHA` on two keys of one slot: the record
 * `<prefix>once1:{<ledger>}/…`, and the ledger's index `<prefix>once1:{<ledger>}`. The time is the server's.
 *
 * A server that loses writes loses claims: after a crash without `appendfsync always`, or a failover to a replica that was
 * behind, an act may happen again. Set `maxmemory-policy noeviction`.
 *
 * @param client - a client of `ioredis` 5 or `redis` 5, or later, also of sentinels or a cluster, or one over HTTP with
 * `eval(script, keys, args)`, such as `@upstash/redis`. It belongs to the caller: `close` leaves it open.
 * @param options - `prefix` of the keys. Default: none.
 * @throws TypeError for any other client.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 * import { createLedger } from 'halfopen/once';
 * import { redisStore } from 'halfopen/once/redis';
 * const ledger = createLedger({ store: redisStore(new Redis('redis://127.0.0.1:6379')) });
 * ```
 */
export function redisStore(client: object, options: { prefix?: string } = {}): OnceStore {
  const { prefix = '' } = is.readOptions<{ prefix?: string }>({ prefix: is.text }, options, 'redisStore');
  const run = runnerOf(client);
  const swapScript: Script = { text: SWAP, sha: undefined };
  const listScript: Script = { text: LIST, sha: undefined };
  const indexOf = (key: string): string => `${prefix}once${FORM}:{${key.split('/', 1)[0]}}`;
  const keyOf = (key: string): string => indexOf(key) + key.slice(key.split('/', 1)[0]?.length);

  const swap = async (key: string, version: number, next: Uint8Array | undefined, ttlMs: number) => {
    const ttl = ttlMs === Number.POSITIVE_INFINITY ? '' : String(Math.ceil(ttlMs));
    const args = [String(version), next === undefined ? '' : toText(next), ttl];
    const [written, standing, record = '', now] = texts(
      await run(swapScript, [keyOf(key), indexOf(key)], args),
    );
    return {
      written: written === '1',
      version: Number(standing),
      record: record === '' ? undefined : toBytes(record),
      now: Number(now),
    };
  };
  return {
    swap,
    async list(start, limit) {
      if (limit === 0) return [];
      const found = texts(await run(listScript, [indexOf(start)], [keyOf(start), String(limit)]));
      const all: Listed[] = [];
      for (const key of found) {
        const own = start.split('/', 1)[0] + key.slice(indexOf(start).length);
        const { version, record } = await swap(own, -1, undefined, 0);
        if (record !== undefined) all.push({ key: own, version, record });
      }
      return all;
    },
    async close() {},
  };
}

/** The strings of an answer, which come as bytes, as texts, or as numbers where a client over HTTP has read them as such. */
function texts(answer: unknown): string[] {
  if (!Array.isArray(answer)) throw new TypeError('halfopen: Redis returned something that is not a list');
  return answer.map((part) => String(part));
}
