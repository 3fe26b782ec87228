// An imported .wasm file, as workerd and edge-light provide it.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
