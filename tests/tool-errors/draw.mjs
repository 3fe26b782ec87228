// The draw of held-out libraries: candidates.json in the order of a hash. `node split.mjs` prints it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { seed, ofAKind, libraries, kinds, passedOver } = JSON.parse(
  readFileSync(new URL('./candidates.json', import.meta.url)),
);
const hash = (name) => createHash('sha256').update(`${seed}:${name}`).digest('hex');

/** How a package is called in `libraries/`. */
export const fileOf = (name) => name.replace(/^@/, '').replace('/', '-');

/** The candidates in their order, each with why it is not taken; ends with the last that is taken. */
export function draw() {
  const order = Object.entries(kinds)
    .flatMap(([kind, names]) => names.map((name) => ({ name, kind })))
    .sort((a, b) => (hash(a.name) < hash(b.name) ? -1 : 1));
  const taken = {};
  let left = libraries;
  const drawn = [];
  for (const { name, kind } of order) {
    if (left === 0) break;
    const full = (taken[kind] ?? 0) >= ofAKind;
    const not = full ? `${ofAKind} are taken of this kind` : passedOver[name];
    if (!not) {
      taken[kind] = (taken[kind] ?? 0) + 1;
      left--;
    }
    drawn.push({ name, kind, not });
  }
  return drawn;
}
