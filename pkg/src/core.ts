// The core, instantiated: the one module that touches the generated glue. All others import its functions from here.
import * as glue from '../wasm/core_bg.js';
import { instantiate } from './entry/default.js';

export * from '../wasm/core_bg.js';

/** Counts instances: a handle made under another number belongs to an instance that is gone. */
export let instanceNumber = 0;

/** The memory of the present instance, for lanes of numbers. */
export let memory: WebAssembly.Memory;

/** Told after each replacement: who kept handles, or waits for the instance's word. */
export const replaced = new Set<() => void>();

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
  for (const told of replaced) told();
}

instantiateAfresh();

/** What the core trapped with last, where `onceMore` went on after it. */
export let lastTrap: WebAssembly.RuntimeError | undefined;

/**
 * Runs what needs no state of the instance; should the core trap in it, once more on a new one. For the cold functions:
 * texts and classification. Policies have a way of their own, which keeps their calls going.
 */
export function onceMore<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    lastTrap = error;
    instantiateAfresh();
    return run();
  }
}

const tried =
  <A extends unknown[], R>(run: (...args: A) => R) =>
  (...args: A): R =>
    onceMore(() => run(...args));

// These stand in the place of the generated ones of the same names.
export const redact = tried(glue.redact);
export const namesSecret = tried(glue.namesSecret);
export const userMessage = tried(glue.userMessage);
export const technicalDetails = tried(glue.technicalDetails);
export const backoffDelay = tried(glue.backoffDelay);
