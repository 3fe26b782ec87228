// Where the module comes from on pages that may not compile WebAssembly: it has been translated to JavaScript.
import { instantiate as run } from '../../wasm/translated/core.js';

/** A new instance of the core, at once. */
export function instantiate(imports: WebAssembly.Imports): WebAssembly.Exports {
  return run(imports);
}
