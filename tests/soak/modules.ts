// The wasm modules of the package under test: how much memory they have, and a trap on demand. Imported before `halfopen`.
import { changeExports, guarded, trap } from '../../pkg/test/instances.js';

/** The export of a module that traps at its next call. */
export const armed: Set<string> = new Set();
/** Exports that may be armed: those of the policy module, where a call's state is. */
export const trappable: Set<string> = new Set();

/** The memories of all instances that have not been collected. */
const memories: WeakRef<WebAssembly.Memory>[] = [];

changeExports((module, real) => {
  if (real.memory) memories.push(new WeakRef(real.memory as unknown as WebAssembly.Memory));
  if (!module.includes('policy')) return { ...real };
  return guarded(real, (name, value) => {
    trappable.add(name);
    return (...args) => (armed.delete(name) ? trap(real) : value(...args));
  });
});

/** Bytes of all memories that are still reachable. */
export function wasmBytes(): number {
  let bytes = 0;
  for (const memory of memories) bytes += memory.deref()?.buffer.byteLength ?? 0;
  return bytes;
}
