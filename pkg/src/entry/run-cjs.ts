// The source of the run's module in CommonJS, like those of the other modules in cjs.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';

export const run = /* @__PURE__ */ compiledOnce(() => readFileSync(join(__dirname, '../run.wasm')));
