// The source of the modules in CommonJS: the package's .wasm files, as in node.ts. Only Node and what runs on it load CommonJS,
// because bundlers take the condition `module`, which is ESM.
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';
import { read } from './read.js';

export const policy = /* @__PURE__ */ compiledOnce(() => read(join(__dirname, '../policy.wasm')));
export const errors = /* @__PURE__ */ compiledOnce(() => read(join(__dirname, '../errors.wasm')));
export const agent = /* @__PURE__ */ compiledOnce(() => read(join(__dirname, '../agent.wasm')));
export const fetchWords = undefined;
