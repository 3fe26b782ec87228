// The source of the lab's module in CommonJS, like those of the other modules in cjs.ts.
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';
import { read } from './read.js';

export const lab = /* @__PURE__ */ compiledOnce(labBytes);

/** Returns the module itself, for a page's worker. */
export function labBytes(): Uint8Array<ArrayBuffer> {
  return read(join(__dirname, '../lab.wasm'));
}
