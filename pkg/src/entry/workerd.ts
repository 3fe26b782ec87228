// Where the modules come from in runtimes that refuse to compile bytes: they hand over compiled ones on import.
// The build writes `policy.wasm?module` and so on for edge-light, which wants it so.
import agentModule from './agent.wasm';
import { compiled } from './compiled.js';
import errorsModule from './errors.wasm';
import policyModule from './policy.wasm';

export const policy = /* @__PURE__ */ compiled(policyModule);
export const errors = /* @__PURE__ */ compiled(errorsModule);
export const agent = /* @__PURE__ */ compiled(agentModule);
export const fetchWords = undefined;
