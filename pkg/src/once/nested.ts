/** Acts within acts: one that calls itself with the same key would wait for itself. */

import { type AsyncStorage, asyncStorage } from '../async-context.js';

/** Made when it is first needed. `null` on a platform without it. */
let storage: AsyncStorage<ReadonlySet<string>> | null | undefined;

function acts(): AsyncStorage<ReadonlySet<string>> | null {
  if (storage === undefined) storage = asyncStorage<ReadonlySet<string>>() ?? null;
  return storage;
}

/** Returns whether this code runs within the act of that key, as far as the platform knows. */
export function insideOf(key: string): boolean {
  return acts()?.getStore()?.has(key) === true;
}

export function within<R>(key: string, act: () => R): R {
  const known = acts();
  return known === null ? act() : known.run(new Set([...(known.getStore() ?? []), key]), act, undefined);
}
