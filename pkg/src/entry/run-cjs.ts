// The source of the run's module in CommonJS, like those of the other modules in cjs.ts.
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';
import { read } from './read.js';

export const run = /* @__PURE__ */ compiledOnce(() => read(join(__dirname, '../run.wasm')));
