/** Checks files that another user may have put in place of ours. */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

/** A file that must not be used; the message says why. */
export class UnsafeFile extends Error {}

/** Longest file that is read whole, in bytes. */
const LONGEST = 64 * 1024;

/** Windows does not have these flags, so they are 0 there. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as { O_NOFOLLOW?: number; O_NONBLOCK?: number };

/**
 * Opens a regular file of this user. Follows no link, waits for no writer of a pipe, keeps no device open.
 *
 * @throws {UnsafeFile} for anything else at that path; otherwise what the file system says.
 */
export async function openOwn(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
  const there = await lstat(path).catch(() => undefined);
  if (there !== undefined) refuse(path, there);
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, mode);
  try {
    // Another one may have come to that path since.
    refuse(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads a short text file of this user. Throws what {@link openOwn} throws, and for a file above 64 KiB. */
export async function readOwn(path: string): Promise<string> {
  const file = await openOwn(path, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size > LONGEST)
      throw new UnsafeFile(`${path} has ${size} bytes, where at most ${LONGEST} are expected`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function refuse(path: string, found: Stats): void {
  if (!found.isFile()) throw new UnsafeFile(`${path} is no regular file`);
  const user = userId();
  if (user !== undefined && found.uid !== user)
    throw new UnsafeFile(`${path} belongs to another user (${found.uid}, this one is ${user})`);
  // It has a second name, so writes would appear elsewhere too.
  if (found.nlink > 1) throw new UnsafeFile(`${path} is a link to a file that has another name`);
}

/** This process's user; `undefined` on Windows, and in Deno, which would prompt for the permission. */
export function userId(): number | undefined {
  return 'Deno' in globalThis ? undefined : process.getuid?.();
}
