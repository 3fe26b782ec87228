// The lab's module in runtimes that refuse to compile bytes, as the others in workerd.ts.
import { compiled } from './compiled.js';
import labModule from './lab.wasm';

export const lab = /* @__PURE__ */ compiled(labModule);
