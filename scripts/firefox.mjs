// The Firefox of the tests that look whether things hold in another engine too; undefined where there is none.
import { existsSync } from 'node:fs';

/** The browser that FIREFOX names, or Debian's, or the system's. */
export const FIREFOX = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'].find(
  (path) => path !== undefined && existsSync(path),
);
