// Starts real servers as child processes, each with a folder of its own, and ends them.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { WAIT } from '../../../scripts/patience.mjs';
import { sleep } from './net.mjs';

const running = new Set();
const folders = new Set();
/** Databases refuse to run as root, so they run as the user `nobody` then. */
export const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const PATHS = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/sbin', '/usr/lib/postgresql/15/bin'];
/** Where a program is, or undefined. */
export const find = (name) =>
  name.startsWith('/')
    ? existsSync(name) && name
    : [...(process.env.PATH ?? '').split(':'), ...PATHS]
        .map((at) => path.join(at, name))
        .find((at) => existsSync(at));

/** Thrown by a case whose server this machine lacks. */
export class NotHere extends Error {}

/** A new folder that the server's user may write; removed at the end. */
export function folder(name) {
  const at = mkdtempSync(path.join(os.tmpdir(), `${name}-`));
  if (user.uid !== undefined) chownSync(at, user.uid, user.gid);
  chmodSync(at, 0o755);
  folders.add(at);
  return at;
}

export const run = (program, args, options = {}) =>
  execFileSync(find(program), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });

/** Starts a program. `stop(signal)` waits until it has ended. */
export function start(program, args, options = {}) {
  const child = spawn(find(program), args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes) => {
      output = (output + bytes).slice(-20_000);
    });
  }
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  const stop = async (signal = 'SIGTERM') => {
    running.delete(stop);
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await Promise.race([ended, sleep(8000).then(() => child.kill('SIGKILL'))]);
  };
  running.add(stop);
  return { child, stop, ended, output: () => output };
}

/** Waits until something listens on `port`. */
export async function listening(port, { server } = {}) {
  for (const end = Date.now() + WAIT; Date.now() < end; ) {
    const there = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(socket.destroy() && true));
      socket.once('error', () => resolve(false));
    });
    if (there) return;
    await sleep(50);
  }
  throw new Error(`nothing listens on ${port}: ${server?.output().slice(-2000)}`);
}

/** Ends all servers and removes their folders. */
export async function stopAll() {
  await Promise.all([...running].map((stop) => stop()));
  for (const at of folders) rmSync(at, { recursive: true, force: true, maxRetries: 5 });
  folders.clear();
}
