/**
 * Directories of servers on a free port. A server removes its own when it closes, and those of killed servers are
 * removed by the next such server.
 */

import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userId } from '../own-file.js';
import { hasHolder } from './lock.js';

/** The prefix of these directories' names. */
export const TEMPORARY = 'halfopen-devtools-';

/** Removes the directories of this user whose server is dead. Ignores those that it may not remove. */
export async function removeLeftovers(): Promise<void> {
  const user = userId();
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(TEMPORARY)) continue;
    const directory = join(tmpdir(), name);
    try {
      const found = await lstat(directory);
      if (!found.isDirectory() || (user !== undefined && found.uid !== user)) continue;
      if ((await hasHolder(directory)) === 'dead') await rm(directory, { recursive: true, force: true });
    } catch {
      // Another server was quicker, or it is no business of ours.
    }
  }
}
