// The recorded errors as the core gets them, for core/vectors/examples/recorded.rs: the copy that the package makes of each
// thrown value, and how it is to be classified. A line of JSON for each: node --import tsx copies.mjs > <file>
import { readFileSync } from 'node:fs';
import { copyOf } from './copy.mjs';
import { load, names } from './libraries.mjs';
import { unpack } from './serialise.mjs';

const differing = JSON.parse(readFileSync(new URL('./differing.json', import.meta.url)));

for (const name of names) {
  const library = await load(name);
  if (library.heldOut) continue;
  const { cases } = JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url)));
  for (const { name: own, expect } of library.cases) {
    if (cases[own] === undefined) continue;
    const id = `${name}/${own}`;
    const { at: now, thrown } = cases[own];
    const copy = copyOf(unpack(thrown));
    const { retryable, clear, status, retryAfterMs, within, requestId } = expect;
    const code = differing[id] ?? expect.code;
    const right = { code, retryable: clear ? retryable : null, status, retryAfterMs, within, requestId };
    console.log(JSON.stringify({ id, now, copy, right }));
  }
}
