// The Firefox of the tests that check another engine too; undefined if it is not installed.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where set-up finds one and installs none. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
const named = ['firefox-esr', 'firefox'].flatMap((name) => folders.map((folder) => join(folder, name)));

/** The browser that FIREFOX names, or Debian's, or the system's. */
export const FIREFOX = [process.env.FIREFOX, ...named].find((path) => path !== undefined && existsSync(path));
