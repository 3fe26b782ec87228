// Where the lab's module comes from when nothing else is said, as the others in default.ts. A file of its own: nobody who does
// not import the lab carries it.
import labText from '../../wasm/lab/inline.js';
import { inlined, unpacked } from './inlined.js';

export const lab = /* @__PURE__ */ inlined(labText);

/** The module itself, for a page's worker. */
export function labBytes(): Uint8Array<ArrayBuffer> {
  return unpacked(labText());
}
