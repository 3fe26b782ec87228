/** Acts within acts: one that calls itself with the same key would wait for itself. */

interface Storage {
  getStore(): ReadonlySet<string> | undefined;
  run<R>(store: ReadonlySet<string>, body: () => R): R;
}

let storage: Storage | null | undefined;

/** Made when it is first needed. `null` on a platform without it. */
function acts(): Storage | null {
  if (storage !== undefined) return storage;
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { AsyncLocalStorage?: new () => Storage } | undefined };
  };
  try {
    const hooks = process?.getBuiltinModule?.('node:async_hooks');
    storage = hooks?.AsyncLocalStorage === undefined ? null : new hooks.AsyncLocalStorage();
  } catch {
    storage = null;
  }
  return storage;
}

/** Returns whether this code runs within the act of that key, as far as the platform knows. */
export function insideOf(key: string): boolean {
  return acts()?.getStore()?.has(key) === true;
}

export function within<R>(key: string, act: () => R): R {
  const known = acts();
  return known === null ? act() : known.run(new Set([...(known.getStore() ?? []), key]), act);
}
