// The core, instantiated: the one module that touches the generated glue. All others import its functions from here.
import * as glue from '../wasm/core_bg.js';
import { instantiate } from './entry/default.js';

export * from '../wasm/core_bg.js';

/** Counts instances: a handle made under another number belongs to an instance that is gone. */
export let instanceNumber = 0;

/** The memory of the present instance, for lanes of numbers. */
export let memory: WebAssembly.Memory;

/**
 * Replaces the instance after a trap (`WebAssembly.RuntimeError`), whose memory nobody may trust any more.
 * Every handle of the old one is void.
 */
export function instantiateAfresh(): void {
  const exports = instantiate({ './core_bg.js': glue as unknown as WebAssembly.ModuleImports });
  glue.__wbg_set_wasm(exports);
  memory = (exports as { memory: WebAssembly.Memory }).memory;
  // Absent from the translation to JavaScript, which has no table of references to prepare.
  (exports as { __wbindgen_start?: () => void }).__wbindgen_start?.();
  instanceNumber++;
}

instantiateAfresh();
