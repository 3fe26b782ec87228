/** A promise that is settled from outside. */

/** Where a promise's end is told. Only the first one counts. */
export interface Ends<T> {
  resolve(value: T | PromiseLike<T>): void;
  reject(error: unknown): void;
}

/**
 * Whether a value is a promise, where a function had to return none. It is nobody's any more: its rejection shall not end
 * the process.
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

export interface Deferred<T> extends Ends<T> {
  readonly promise: Promise<T>;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((a, b) => {
    resolve = a;
    reject = b;
  });
  return { promise, resolve, reject };
}
