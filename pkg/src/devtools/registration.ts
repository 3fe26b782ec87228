/**
 * Files by which servers, agents and people find each other on one machine.
 *
 * - `<directory>/server.json`: the server that has this log open, and the token, which is kept for
 *   the next start so that an open dashboard and connected agents go on working.
 * - `~/.halfopen/servers/<port>.json`: the same, found by port; agents read the token here. Removed
 *   when the server closes. `HALFOPEN_HOME` replaces `~/.halfopen`.
 *
 * Both can be read by the user alone (0600).
 */

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectory } from './directory.js';

/** What a running server says of itself. */
export interface Registration {
  readonly instance: string;
  readonly pid: number;
  readonly url: string;
  readonly token?: string | undefined;
  readonly directory: string;
}

/** Where Halfopen keeps what belongs to this user. */
export function halfopenHome(): string {
  return process.env.HALFOPEN_HOME || join(homedir(), '.halfopen');
}

/** The file that tells agents of the server on a port. */
export function registrationByPort(port: number): string {
  return join(halfopenHome(), 'servers', `${port}.json`);
}

/** The file in a log's directory. */
export function registrationIn(directory: string): string {
  return join(directory, 'server.json');
}

/** Reads a registration; `undefined` where there is none that can be read. */
export async function readRegistration(path: string): Promise<Registration | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { instance, url, pid } = (value ?? {}) as Partial<Registration>;
    return typeof instance === 'string' && typeof url === 'string' && typeof pid === 'number'
      ? (value as Registration)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a registration at once (a reader sees the old one or the new one), for the user alone. */
export async function writeRegistration(path: string, registration: Registration): Promise<void> {
  await makeDirectory(dirname(path));
  const draft = `${path}.${registration.instance}`;
  await writeFile(draft, `${JSON.stringify(registration, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/** Removes a registration if it is still this server's. */
export async function removeRegistration(path: string, instance: string): Promise<void> {
  if ((await readRegistration(path))?.instance === instance) await rm(path, { force: true });
}

/**
 * Whether the server of a registration runs: it answers as itself. One that is there but does not
 * answer (stopped in a debugger) runs, too; one that was killed leaves its file and a refused port.
 */
export async function isRunning(registration: Registration): Promise<boolean> {
  const answer = await health(registration.url);
  if (answer === 'silent') return processExists(registration.pid);
  return answer === registration.instance;
}

const ANSWERS_WITHIN_MS = 2_000;

/** The instance that answers at a URL; `undefined` where none of ours does. `node:http` loads faster than `fetch`. */
function health(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asking = get(`${url}/health`, { agent: false, timeout: ANSWERS_WITHIN_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, 1_000);
      });
      response.on('end', () => resolve(/"instance":"([0-9a-f]+)"/.exec(text)?.[1]));
      response.on('error', () => resolve(undefined));
    });
    asking.on('timeout', () => {
      resolve('silent');
      asking.destroy();
    });
    asking.on('error', () => resolve(undefined));
  });
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
