/** Where the built dashboard lies: in the package's `dist`, beside this code or, run from source, beside `src`. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first `dashboard` directory on the way up that holds a page, else where it should be. */
export function dashboardDirectory(): string {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const places = [
    'dashboard',
    '../dashboard',
    '../../dashboard',
    '../../../dashboard',
    '../../../dist/dashboard',
  ].map((place) => join(here, place));
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? places.at(-1) ?? here;
}
