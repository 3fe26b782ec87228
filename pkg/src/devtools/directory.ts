/** Directories for this user alone, made with those above them. */

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UnsafeFile, userId } from './own-file.js';

/**
 * Makes a directory if it is missing. Node's `recursive` loops forever if `mkdir` says ENOENT although the parent
 * directory exists: below `/proc`, and below a link that leads nowhere.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    await makeDirectory(above);
    await makeOne(path);
  }
}

/** Makes a directory in one that is there. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    // The directory exists, or nothing may be created there. For any other cause, the first error is the best one.
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}

/**
 * Refuses a directory in which another user could replace our files. Root may use everybody's directories: a
 * container's root writes into those of the user who started it. Each file is still checked.
 *
 * @throws {UnsafeFile} that says whose it is, or who may write there.
 */
export async function checkDirectory(path: string): Promise<void> {
  const user = userId();
  if (user === undefined) return;
  const { uid, mode } = await stat(path);
  if (user !== 0 && uid !== user && uid !== 0)
    throw new UnsafeFile(`it belongs to another user (${uid}, this one is ${user})`);
  const OTHERS_WRITE = 0o002;
  const STICKY = 0o1000;
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
    throw new UnsafeFile(`every user may write there (mode ${(mode & 0o7777).toString(8)})`);
}
