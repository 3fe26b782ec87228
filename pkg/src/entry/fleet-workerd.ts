// The fleet's module in runtimes that refuse to compile bytes, as the others in workerd.ts.
import { compiled } from './compiled.js';
import fleetModule from './fleet.wasm';

export const fleet = /* @__PURE__ */ compiled(fleetModule);
