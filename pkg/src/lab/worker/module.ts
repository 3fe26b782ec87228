/** The lab's module within the worker: the page hands its bytes over, and the script carries none. */

let module: WebAssembly.Module | undefined;

/** Compiles the module. */
export async function load(bytes: ArrayBuffer): Promise<void> {
  module = await WebAssembly.compile(bytes);
}

/** Like `entry/lab.ts`, which the build replaces by this file. */
export function lab(imports: WebAssembly.Imports): WebAssembly.Exports {
  if (module === undefined) throw new Error("expected the lab's module before the first run");
  return new WebAssembly.Instance(module, imports).exports;
}
