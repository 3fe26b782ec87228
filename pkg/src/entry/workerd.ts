// Where the module comes from in runtimes that refuse to compile bytes: they hand over a compiled one on import.
// The build writes `core.wasm?module` for edge-light, which wants it so.
import module from './core.wasm';

/** A new instance of the core, at once. */
export function instantiate(imports: WebAssembly.Imports): WebAssembly.Exports {
  return new WebAssembly.Instance(module, imports).exports;
}
