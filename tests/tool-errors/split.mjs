// Writes the libraries of the latest draw to split.json, and prints the candidates. Run it after a change in candidates.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { draw, fileOf } from './draw.mjs';

const file = new URL('./split.json', import.meta.url);
const { draws } = JSON.parse(readFileSync(file));
const drawn = draw();
for (const { name, kind, not } of drawn)
  console.log(`${name} (${kind})${not ? `: passed over, ${not}` : ''}`);
draws.at(-1).libraries = drawn.filter(({ not }) => !not).map(({ name }) => fileOf(name));
writeFileSync(file, `${JSON.stringify({ draws }, null, 2)}\n`);
