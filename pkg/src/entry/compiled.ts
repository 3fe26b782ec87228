// How a module that a runtime has compiled is instantiated.

export function compiled(module: WebAssembly.Module): (imports: WebAssembly.Imports) => WebAssembly.Exports {
  return (imports) => new WebAssembly.Instance(module, imports).exports;
}
