// The source of the fleet's module in CommonJS, like those of the other modules in cjs.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';

export const fleet = /* @__PURE__ */ compiledOnce(() => readFileSync(join(__dirname, '../fleet.wasm')));
