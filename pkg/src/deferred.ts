/** A promise that is settled from outside. */

/** Where a promise's end is told. Only the first one counts. */
export interface Ends<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

export interface Deferred<T> extends Ends<T> {
  readonly promise: Promise<T>;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((a, b) => {
    resolve = a;
    reject = b;
  });
  return { promise, resolve, reject };
}
