/**
 * Files by which servers, agents and people find each other on one machine.
 *
 * - `<directory>/server.json`: the server that had this log open last, and its token, which is kept for the next start
 *   when that server was closed: an open dashboard and connected agents go on working. A server that was killed may
 *   have left its port to another program, so the next one takes a new token.
 * - `~/.halfopen/servers/<port>.json`: the same, found by port; agents read the token here. Removed
 *   when the server closes. `HALFOPEN_HOME` replaces `~/.halfopen`.
 *
 * Both can be read by the user alone (0600).
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from './directory.js';
import { openOwn, readOwn } from './own-file.js';
import { portOf, readClaim } from './proof.js';
import { holds, newNonce } from './proof-node.js';

/** The description that a running server writes. */
export interface Registration {
  readonly instance: string;
  readonly pid: number;
  /** Where it listens: `http://`, an address, and a port. */
  readonly url: string;
  /** `undefined`: requests need none. */
  readonly token?: string | undefined;
  /** The secret by which the server proves itself: its token, if it has one. */
  readonly secret: string;
  readonly directory: string;
  /** The server closed its log by itself, and as far as it knows no other program has the token. */
  readonly closed?: boolean | undefined;
}

/** The characters of a token, so that it fits into a header. */
const TOKEN = /^[!-~]{1,512}$/;

/** The type of each field of a registration. Anyone who can write the file could write anything. */
const FIELDS: Readonly<Record<keyof Registration, (value: unknown) => boolean>> = {
  instance: (value) => typeof value === 'string' && /^[0-9a-f]{1,64}$/.test(value),
  pid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  url: isServerUrl,
  token: (value) => value === undefined || (typeof value === 'string' && TOKEN.test(value)),
  secret: (value) => typeof value === 'string' && TOKEN.test(value),
  directory: (value) => typeof value === 'string',
  closed: (value) => value === undefined || typeof value === 'boolean',
};

/** True for `http://<host>:<port>`, as URLs are normally written, and nothing behind it. */
function isServerUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { origin, protocol } = new URL(value);
  return protocol === 'http:' && origin === value;
}

/** Where Halfopen keeps what belongs to this user. */
export function halfopenHome(): string {
  return process.env.HALFOPEN_HOME || join(homedir(), '.halfopen');
}

/** The file that leads agents to the server on a port. */
export function registrationByPort(port: number): string {
  return join(halfopenHome(), 'servers', `${port}.json`);
}

/** The file in a log's directory. */
export function registrationIn(directory: string): string {
  return join(directory, 'server.json');
}

/** Every registration by port of this user, whether its server runs or not. */
export async function registrations(): Promise<Registration[]> {
  const directory = join(halfopenHome(), 'servers');
  const names = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+\.json$/.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .map((name) => readRegistration(join(directory, name))),
  );
  return found.filter((one) => one !== undefined);
}

/** Reads a registration; `undefined` if it is missing, unreadable or incomplete. */
export async function readRegistration(path: string): Promise<Registration | undefined> {
  try {
    return parseRegistration(await readOwn(path));
  } catch {
    return undefined;
  }
}

/** Parses the text of a registration; `undefined` if it is invalid. */
export function parseRegistration(text: string): Registration | undefined {
  try {
    const value = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    for (const [field, test] of Object.entries(FIELDS)) if (!test(value[field])) return undefined;
    return value as unknown as Registration;
  } catch {
    return undefined;
  }
}

/** A registration as text. */
export function formatRegistration(registration: Registration): string {
  return `${JSON.stringify(registration, null, 2)}\n`;
}

/** Writes a registration at once (a reader sees the old one or the new one), for the user alone. */
export async function writeRegistration(path: string, registration: Registration): Promise<void> {
  await makeDirectory(dirname(path));
  await removeDrafts(path);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await openOwn(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    try {
      await file.writeFile(formatRegistration(registration));
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes what a server left that ended while it wrote. Only the one server of the directory or the port writes there. */
async function removeDrafts(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(prefix) && /^[0-9a-f]{16}$/.test(name.slice(prefix.length)))
      await rm(join(dirname(path), name), { force: true });
  }
}

/** Removes a registration if it is still this server's. */
export async function removeRegistration(path: string, instance: string): Promise<void> {
  if ((await readRegistration(path))?.instance === instance) await rm(path, { force: true });
}

/**
 * Returns `true` if the server of a registration runs and proves itself. A server that does not respond (stopped in a
 * debugger) counts as running too. A killed server leaves its file and a refused port.
 */
export async function isRunning(registration: Registration): Promise<boolean> {
  const nonce = newNonce();
  const { body, silent } = await health(registration.url, nonce);
  if (silent) return processExists(registration.pid);
  const claim = readClaim(body);
  if (claim === undefined || claim.port !== portOf(new URL(registration.url))) return false;
  return holds(claim, registration.secret, nonce);
}

/** A server that takes longer counts as silent. */
const ANSWERS_WITHIN_MS = 2_000;

/**
 * Returns the server's response: `undefined` without a server, `silent` if one takes the connection and no more.
 * `node:http` loads faster than `fetch`.
 */
function health(url: string, nonce: string): Promise<{ body: string; silent: boolean }> {
  return new Promise((settle) => {
    const resolve = (body = '', silent = false) => settle({ body, silent });
    const asking = get(`${url}/health?nonce=${nonce}`, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, 1_000);
      });
      response.on('end', () => resolve(text));
      response.on('error', () => resolve());
    });
    // Over all, not since the last byte: a stranger may send one now and then.
    const late = setTimeout(() => {
      resolve('', true);
      asking.destroy();
    }, ANSWERS_WITHIN_MS);
    asking.on('error', () => resolve());
    asking.on('close', () => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** Returns `true` if a process runs; another user's counts. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
