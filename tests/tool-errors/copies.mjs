// The recorded errors as the core gets them, for core/vectors/examples/recorded.rs: the copy that the package makes of each
// thrown value, and how it is to be classified. A line of JSON for each: node --import tsx copies.mjs > <file>
import { readFileSync } from 'node:fs';
import { withThrown } from '../../pkg/src/classify/thrown.ts';
import { core, thrownBuffer } from '../../pkg/src/core/errors.ts';
import { load, names } from './libraries.mjs';
import { unpack } from './serialise.mjs';

/** The bytes before the copy in the core's memory. */
const HEAD = 10 * 8;
const differing = JSON.parse(readFileSync(new URL('./differing.json', import.meta.url)));

for (const name of names) {
  const library = await load(name);
  if (library.heldOut) continue;
  const { cases } = JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url)));
  for (const { name: own, expect } of library.cases) {
    if (cases[own] === undefined) continue;
    const id = `${name}/${own}`;
    const { at: now, thrown } = cases[own];
    const copy = withThrown(unpack(thrown), (length) =>
      Buffer.from(core.memory.buffer, thrownBuffer() + HEAD, length).toString('hex'),
    );
    const { retryable, clear, status, retryAfterMs, within, requestId } = expect;
    const code = differing[id] ?? expect.code;
    const right = { code, retryable: clear ? retryable : null, status, retryAfterMs, within, requestId };
    console.log(JSON.stringify({ id, now, copy, right }));
  }
}
