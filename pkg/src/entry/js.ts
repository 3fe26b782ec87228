// Where the modules come from on pages that may not compile WebAssembly: they have been translated to JavaScript.
export { instantiate as agent } from '../../wasm/agent/translated/agent.js';
export { instantiate as errors } from '../../wasm/errors/translated/errors.js';
export { instantiate as policy } from '../../wasm/policy/translated/policy.js';
export const fetchWords = undefined;
