// Where the module comes from when nothing else is said: it is in the package's own code, as base64.
import base64 from '../../wasm/inline.js';

function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Not `module`: runners that wrap the code in a function (Vitest, when it inlines the package) have one of that name.
let compiled: WebAssembly.Module | undefined;

/** A new instance of the core, at once. The module is compiled on the first call only. */
export function instantiate(imports: WebAssembly.Imports): WebAssembly.Exports {
  compiled ??= new WebAssembly.Module(decode(base64));
  return new WebAssembly.Instance(compiled, imports).exports;
}
