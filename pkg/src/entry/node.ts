// The source of the modules in Node: the package's .wasm files. As texts, which Node would read and scan at every import,
// they cost a fifth of it. Bundlers take the condition `module`, and with it the texts. Each address is an expression that
// tools which trace files understand.
import { compiledOnce } from './inlined.js';
import { read } from './read.js';

export const policy = /* @__PURE__ */ compiledOnce(() => read(new URL('../policy.wasm', import.meta.url)));
export const errors = /* @__PURE__ */ compiledOnce(() => read(new URL('../errors.wasm', import.meta.url)));
export const agent = /* @__PURE__ */ compiledOnce(() => read(new URL('../agent.wasm', import.meta.url)));
export const fetchWords = undefined;
