// The lab's module on pages that may not compile WebAssembly, as the others in js.ts.
export { instantiate as lab } from '../../wasm/lab/translated/lab.js';
