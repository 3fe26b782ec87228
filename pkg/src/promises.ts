/** Promises that are settled from outside, and promises that no code awaits. */

/** Settles a promise. Only the first of its calls counts. */
export interface Resolvers<T> {
  resolve(value: T | PromiseLike<T>): void;
  reject(error: unknown): void;
}

/**
 * Returns `true` if the value is a promise from a function that must not return one. No code awaits it, so its
 * rejection is handled here: an unhandled one would end the process.
 */
export function disown(value: unknown): boolean {
  try {
    if (typeof value !== 'object' || value === null) return false;
    if (typeof (value as { then?: unknown }).then !== 'function') return false;
    Promise.resolve(value).catch(() => {});
  } catch {
    // A getter that throws.
  }
  return true;
}

/**
 * Rejects the promise that is resolved with it, one job later. A rejected promise instead would be tracked by Node as
 * unhandled until that job: a third of what a refused call costs.
 */
export class Rejection implements PromiseLike<never> {
  private readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }

  // biome-ignore lint/suspicious/noThenProperty: the promise calls it.
  then(_: unknown, reject?: ((reason: unknown) => unknown) | null): never {
    return reject?.(this.error) as never;
  }
}

export interface Deferred<T> extends Resolvers<T> {
  readonly promise: Promise<T>;
}

/** Makes a promise and what settles it, as `Promise.withResolvers` (Node 22). */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((a, b) => {
    resolve = a;
    reject = b;
  });
  return { promise, resolve, reject };
}
