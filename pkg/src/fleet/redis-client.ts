/** Commands and scripts for Redis and Valkey, through the clients `ioredis` and `redis`: one server, sentinels, or a cluster. */

/** Sends one command, which concerns one key, through either client. */
export type Send = (key: string, args: (string | Buffer)[]) => Promise<unknown>;

export interface Script {
  readonly text: string;
  sha: string | undefined;
}

/** The members of `ioredis` that this file uses. */
interface IoRedis {
  callBuffer(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

/**
 * The members of `redis` (node-redis) that this file uses. A cluster needs the key of each command, and a client with
 * sentinels needs to know whether a command only reads.
 */
interface NodeRedis {
  withTypeMapping?: unknown;
  sendCommand(...args: unknown[]): Promise<unknown>;
}

/** The type of a bulk string in RESP, for the type mapping of node-redis. */
const BLOB_STRING = 36;

export function sender(client: unknown): Send {
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
    // The mapping goes with each command, because `sendCommand` of version 5 ignores the client's mapping
    // (`withTypeMapping`).
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

/** Runs a script on keys of one slot, by its hash, or by its text if the server does not know the hash. */
export async function evaluate(
  send: Send,
  script: Script,
  keys: string | readonly string[],
  args: readonly (Buffer | string)[],
): Promise<unknown> {
  const all = typeof keys === 'string' ? [keys] : keys;
  const given = [String(all.length), ...all, ...args];
  script.sha ??= await sha1(script.text);
  try {
    return await send(all[0] ?? '', ['EVALSHA', script.sha, ...given]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await send(all[0] ?? '', ['EVAL', script.text, ...given]);
  }
}

/** Returns the hash by which Redis identifies a script. */
async function sha1(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha1').update(text).digest('hex');
}
