// The source of the modules in CommonJS: the package's .wasm files. Only Node and what runs on it load CommonJS, because
// bundlers take the condition `module`, which is ESM. Each path is an expression that tools which trace files understand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledOnce } from './inlined.js';

export const policy = /* @__PURE__ */ compiledOnce(() => readFileSync(join(__dirname, '../policy.wasm')));
export const errors = /* @__PURE__ */ compiledOnce(() => readFileSync(join(__dirname, '../errors.wasm')));
export const agent = /* @__PURE__ */ compiledOnce(() => readFileSync(join(__dirname, '../agent.wasm')));
