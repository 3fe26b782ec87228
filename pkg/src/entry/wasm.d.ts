// What workerd and edge-light make of an imported .wasm file.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
