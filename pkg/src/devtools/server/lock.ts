/**
 * One server a directory: an exclusive lock that a dead process cannot keep.
 *
 * Node has no `flock`, so the lock is a row of numbered files, `server-<n>.lock`. The highest number holds the lock.
 * Each file has the registration of its server. A server that finds the highest one's server dead creates the next
 * number, which the file system allows to one process only, and removes the lower ones. The highest file is never
 * removed, so no number is given out twice: a server that had read an older state finds a higher number than its own,
 * and steps back.
 */

import { constants } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openOwn, readOwn } from '../own-file.js';
import {
  formatRegistration,
  isRunning,
  parseRegistration,
  processExists,
  type Registration,
} from '../registration.js';

const NAME = /^server-(\d{1,12})\.lock$/;
/** An empty lock is still being written. After this time, which exceeds any busy disk's, its process has died meanwhile. */
const WRITTEN_WITHIN_MS = 10_000;
/** How long a server may still write after it has closed its port. */
const CLOSES_WITHIN_MS = 1_000;
/** The interval between two looks at a lock that is being written, or whose server closes. */
const LOOK_AGAIN_MS = 20;

/** Another server has the directory. */
export class DirectoryInUse extends Error {
  constructor(readonly holder: Registration) {
    super(`in use by the devtools server at ${holder.url}`);
  }
}

/** A directory held for one server. */
export interface Lock {
  /** Returns `true` if the lock is still there. Somebody may have removed the directory. */
  held(): Promise<boolean>;
  /** Gives the directory back, for good. */
  release(): Promise<void>;
}

/**
 * Locks a directory for a server that listens already (others challenge it to see whether it runs).
 *
 * @throws {DirectoryInUse} when another one has it; otherwise what the file system says.
 */
export async function lock(directory: string, registration: Registration): Promise<Lock> {
  for (;;) {
    const top = await highest(directory);
    const holder = top === 0 ? undefined : await readHolder(path(directory, top));
    if (holder === 'gone') continue;
    // Two cannot listen at one address, and this one does: then the process id is that of a stranger.
    if (holder !== undefined && holder.url !== registration.url && (await holds(holder)))
      throw new DirectoryInUse(holder);
    const mine = top + 1;
    if (!(await create(path(directory, mine), formatRegistration(registration)))) continue;
    if ((await highest(directory)) > mine) {
      await rm(path(directory, mine), { force: true });
      continue;
    }
    heldHere.add(registration.instance);
    for (const number of await numbers(directory)) {
      if (number < mine) await rm(path(directory, number), { force: true });
    }
    return handle(directory, mine, registration);
  }
}

/** The instances of this process that hold a lock. In a container every start may have the same process id. */
const heldHere = new Set<string>();

/** The server that has a directory; `undefined` when none that runs does. */
export async function holderOf(directory: string): Promise<Registration | undefined> {
  const top = await highest(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return 0;
    throw error;
  });
  const holder = top === 0 ? undefined : await readHolder(path(directory, top));
  if (holder === undefined || holder === 'gone') return undefined;
  return (await holds(holder)) ? holder : undefined;
}

/** Returns the state of the server that last held a directory; `unknown` if there was never a lock. */
export async function hasHolder(directory: string): Promise<'alive' | 'dead' | 'unknown'> {
  if ((await highest(directory)) === 0) return 'unknown';
  return (await holderOf(directory)) === undefined ? 'dead' : 'alive';
}

function handle(directory: string, number: number, { instance }: Registration): Lock {
  const file = path(directory, number);
  return {
    async held() {
      const text = await readOwn(file).catch(() => '');
      return parseRegistration(text)?.instance === instance && (await highest(directory)) === number;
    },
    async release() {
      heldHere.delete(instance);
      // Marked, not removed: see above.
      if (await this.held()) await write(file, constants.O_WRONLY | constants.O_TRUNC, RELEASED);
    },
  };
}

const RELEASED = 'released\n';

/** The server of a lock file; `undefined` for one that was given back or is torn, `'gone'` when it has just been removed. */
async function readHolder(file: string): Promise<Registration | 'gone' | undefined> {
  for (let waited = 0; ; waited += LOOK_AGAIN_MS) {
    let text: string;
    try {
      text = await readOwn(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
      throw error;
    }
    const holder = parseRegistration(text);
    if (holder !== undefined || text === RELEASED || waited >= WRITTEN_WITHIN_MS) return holder;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/**
 * Returns `true` if the server of a lock still has it. If the process exists but the port is closed, the server may be
 * about to end, with lines to write, or its process id may belong to another program by now. So it gets the time that
 * closing takes.
 */
async function holds(holder: Registration): Promise<boolean> {
  // Its lock may be in the hands of another copy of this module.
  if (holder.pid === process.pid) return heldHere.has(holder.instance) || (await isRunning(holder));
  for (let waited = 0; processExists(holder.pid) && waited < CLOSES_WITHIN_MS; waited += LOOK_AGAIN_MS) {
    if (await isRunning(holder)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return false;
}

/** Creates a file with a text. Returns `false` if it exists already. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await write(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // A full disk may leave it empty; it stays, for its number may have been seen.
    throw error;
  }
}

async function write(path: string, flags: number, text: string): Promise<void> {
  const file = await openOwn(path, flags);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function numbers(directory: string): Promise<number[]> {
  return (await readdir(directory)).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

async function highest(directory: string): Promise<number> {
  return Math.max(0, ...(await numbers(directory)));
}

function path(directory: string, number: number): string {
  return join(directory, `server-${number}.lock`);
}
