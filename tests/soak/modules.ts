// The wasm modules of the package under test: how much memory they have, and a trap on demand. Imported before `halfopen`.

/** The export of a module that traps at its next call. */
export const armed: Set<string> = new Set();
/** Exports that may be armed: those of the policy module, where a call's state is. */
export const trappable: Set<string> = new Set();

/** The memories of all instances that have not been collected. */
const memories: WeakRef<WebAssembly.Memory>[] = [];

const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, [module, imports]) {
    if (imports === undefined) return new target(module); // makes bytes of the modules' texts: no module of the core
    const isPolicy = Object.keys(imports).some((name) => name.includes('policy'));
    const real = new target(module, imports).exports as Record<string, (...args: unknown[]) => unknown>;
    if (real.memory) memories.push(new WeakRef(real.memory as unknown as WebAssembly.Memory));
    const exports = Object.entries(real).map(([name, value]) => {
      if (!isPolicy || typeof value !== 'function' || name.startsWith('__')) return [name, value];
      trappable.add(name);
      const guarded = (...args: unknown[]) =>
        armed.delete(name) ? real.__wbindgen_free?.(0xffff_fff0, 64, 8) : value(...args);
      return [name, guarded];
    });
    return { exports: Object.fromEntries(exports) };
  },
});

/** Bytes of all memories that are still reachable. */
export function wasmBytes(): number {
  let bytes = 0;
  for (const memory of memories) bytes += memory.deref()?.buffer.byteLength ?? 0;
  return bytes;
}
