// The default source of the lab's module, like those of the other modules in default.ts. A separate file, so that only
// applications with the lab carry it.
import labText from '../../wasm/lab/inline.js';
import { inlined, unpacked } from './inlined.js';

export const lab = /* @__PURE__ */ inlined(labText);

/** The module itself, for a page's worker. */
export function labBytes(): Uint8Array<ArrayBuffer> {
  return unpacked(labText());
}
