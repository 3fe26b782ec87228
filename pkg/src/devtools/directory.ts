/** Directories for this user alone, made with those above them. */

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory where there is none. Not by Node's `recursive`, which goes round for ever where `mkdir` says ENOENT
 * although the directory above is there: below `/proc`, and below a link that leads nowhere.
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
    // It is there, or a root where nothing may be made: what else it could be, the first error says best.
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}
