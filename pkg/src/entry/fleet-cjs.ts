// The source of the fleet's module in CommonJS, like those of the other modules in cjs.ts.
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';
import { read } from './read.js';

export const fleet = /* @__PURE__ */ compiledOnce(() => read(join(__dirname, '../fleet.wasm')));
