/** How an AgentError is known: of whichever realm, and of whichever copy or version of this package. */

/** On the prototype of every AgentError. */
export const BRAND: unique symbol = Symbol.for('halfopen.AgentError') as never;

/** Returns `true` if the value is an AgentError. Never throws: a proxy that throws does not count. */
export function isBranded(value: unknown): boolean {
  try {
    return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
  } catch {
    return false;
  }
}

/** How often a cause is followed, as in `classify`. */
const MOST_CAUSES = 8;

/**
 * The AgentError that a guarded `fetch` rejected with, where a client has made an error of its own around it: a TypeError
 * 'fetch failed' with the AgentError as its cause. Any other value comes back as it is.
 */
export function withoutFetch(thrown: unknown): unknown {
  try {
    let error = thrown;
    for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth++) {
      // As the constructor of Error makes it: no getter is run for this.
      const cause: unknown = Object.getOwnPropertyDescriptor(error, 'cause')?.value;
      if (isBranded(cause) && (error as { message?: unknown }).message === 'fetch failed') return cause;
      error = cause;
    }
  } catch {
    // A proxy that throws.
  }
  return thrown;
}
