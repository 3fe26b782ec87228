/** The engine for the rest of the package, as `core/wasm/src/policy.rs` has it: numbers in, a packed step out. */

import type { Trap } from './instance.js';
import { core } from './policy.js';

/** Goes on after a trap, with a new instance; or runs a function once more on one. Read handles within it: they are others then. */
export { onceMore, restart } from './instance.js';
export * from './policy.js';
export * from './policy-handles.js';
export * from './shared-buffer.js';
export * from './wire.js';

/** The trap that the present instance was made after, if it is not the first. */
export function lastTrap(): Trap | undefined {
  return core.lastTrap;
}
