// `npx halfopen fleet`: what an operator sees of a fleet in Redis or Valkey, and does.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect, isolate, lift } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';

/** The store may take so long to answer, in milliseconds. */
const TIMEOUT_MS = 5000;

/**
 * @param {'status' | 'isolate' | 'lift'} verb
 * @param {string} name of the fleet
 * @param {string | undefined} policy
 * @param {{ url: string, prefix?: string | undefined, json?: boolean | undefined }} options
 * @returns what to print.
 */
export async function fleetCommand(verb, name, policy, { url, prefix, json }) {
  const { client, end } = await connect(url);
  try {
    const store = redisStore(client, { prefix });
    if (verb !== 'status') {
      await within(verb === 'isolate' ? isolate(store, name, policy) : lift(store, name, policy), url);
      return verb === 'isolate'
        ? `'${policy}' of '${name}' is isolated: every process refuses its calls from its next sync on`
        : `'${policy}' of '${name}' is not isolated any more`;
    }
    const policies = await within(inspect(store, name), url);
    if (json) return JSON.stringify(policies, undefined, 2);
    return policies.length === 0 ? `nobody has joined a fleet '${name}' within a day` : table(policies);
  } finally {
    end();
  }
}

/** The client that the application has: this package brings none. */
async function connect(url) {
  const require = createRequire(join(process.cwd(), 'application.js'));
  const installed = (name) => {
    try {
      return pathToFileURL(require.resolve(name)).href;
    } catch {
      return undefined;
    }
  };
  const io = installed('ioredis');
  if (io !== undefined) {
    const { Redis } = await import(io);
    // The error of the command says it.
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null }).on('error', () => {});
    await within(client.connect(), url);
    return { client, end: () => client.disconnect() };
  }
  const node = installed('redis');
  if (node !== undefined) {
    const { createClient } = await import(node);
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {});
    await within(client.connect(), url);
    return { client, end: () => client.destroy() };
  }
  throw new Error(
    "neither 'ioredis' nor 'redis' is installed here: run the command in the folder of your application, or npm install ioredis",
  );
}

async function within(promise, url) {
  const { host } = new URL(url);
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    throw new Error(`Redis at ${host}: ${error.message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A name is another process's word: escape sequences and newlines would reach the terminal. */
function printable(name) {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

function table(policies) {
  const rows = policies.map(({ policy, state, since, nodes, limits }) => [
    printable(policy),
    state,
    new Date(since).toISOString(),
    String(nodes),
    limits.map(({ unit, limit, used }) => `${used}/${limit} ${unit}`).join(', ') || '-',
  ]);
  const all = [['policy', 'state', 'since', 'processes', 'limits'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ');
  return all.map((row) => line(row).trimEnd()).join('\n');
}
