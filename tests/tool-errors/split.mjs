// Writes split.json: the seed, and which libraries it holds out. Run it after adding a library.
import { readFileSync, writeFileSync } from 'node:fs';
import { heldOut, names } from './libraries.mjs';

const file = new URL('./split.json', import.meta.url);
const { seed } = JSON.parse(readFileSync(file));
const rule = 'heldOut: the first 32 bits of SHA-256("<seed>:<library>"), big-endian, are less than 2^32 / 5';
const libraries = names.map((name) => ({ name, heldOut: heldOut(name) }));
writeFileSync(file, `${JSON.stringify({ seed, rule, libraries }, null, 2)}\n`);
