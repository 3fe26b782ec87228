// The run's module in runtimes that refuse to compile bytes, as the others in workerd.ts.
import { compiled } from './compiled.js';
import runModule from './run.wasm';

export const run = /* @__PURE__ */ compiled(runModule);
