/**
 * The platform's async contexts: of Node from 20.16, Bun, Deno and workerd. Browsers do without. They are read without an
 * import, which browsers' bundlers would have to resolve.
 */

/** As Node's `AsyncLocalStorage`. */
export interface AsyncStorage<T> {
  getStore(): T | undefined;
  run<A, R>(store: T, body: (context: A) => R, context: A): R;
  disable?(): void;
}

interface AsyncHooks {
  AsyncLocalStorage?: {
    new (): AsyncStorage<never>;
    snapshot?(): InContext;
  };
}

/** Runs a step in an async context. */
export type InContext = (step: () => void) => void;

function asyncHooks(): AsyncHooks | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => AsyncHooks | undefined };
  };
  try {
    return process?.getBuiltinModule?.('node:async_hooks');
  } catch {
    return undefined;
  }
}

/** Makes a storage; `undefined` on a platform without it. Keep it: each leaves a property on Node's resources. */
export function asyncStorage<T>(): AsyncStorage<T> | undefined {
  const { AsyncLocalStorage } = asyncHooks() ?? {};
  return AsyncLocalStorage === undefined
    ? undefined
    : (new AsyncLocalStorage() as unknown as AsyncStorage<T>);
}

/** Returns what runs a step in the async context of now, for a step that code of another context brings. */
export function thisContext(): InContext {
  return asyncHooks()?.AsyncLocalStorage?.snapshot?.() ?? ((step) => step());
}
