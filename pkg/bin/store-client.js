// The client of a store for a command: of the package that the application has, since this one brings none.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The store may take so long to answer, in milliseconds. */
export const TIMEOUT_MS = 5000;

/** Imports a package that is installed in the folder of the application; `undefined` if it is not. */
export async function importInstalled(name) {
  let path;
  try {
    path = createRequire(join(process.cwd(), 'application.js')).resolve(name);
  } catch {
    return undefined;
  }
  return import(pathToFileURL(path).href);
}

/** Connects to Redis with 'ioredis', else with 'redis'. */
export async function connect(url) {
  const io = await importInstalled('ioredis');
  if (io !== undefined) {
    // The error of the command says it.
    const client = new io.Redis(url, { lazyConnect: true, retryStrategy: () => null }).on('error', () => {});
    await within(client.connect(), url);
    return { client, end: () => client.disconnect() };
  }
  const node = await importInstalled('redis');
  if (node !== undefined) {
    const client = node.createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {});
    await within(client.connect(), url);
    return { client, end: () => client.destroy() };
  }
  throw new Error(
    "neither 'ioredis' nor 'redis' is installed here: run the command in the folder of your application, or npm install ioredis",
  );
}

export async function within(promise, url, server = 'Redis') {
  const { host } = new URL(url);
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    throw new Error(`${server} at ${host}: ${error.message || error.code}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A name is another process's word: escape sequences and newlines would reach the terminal. */
export function printable(name) {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

/** Rows as lines of a table whose columns begin below each other. */
export function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
