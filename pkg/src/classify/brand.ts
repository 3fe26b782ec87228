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
 * The AgentError in an error that says no more than it: the TypeError 'fetch failed' that a client makes of what a guarded `fetch`
 * rejected with, and one with the same name and words, such as LangChain's MiddlewareError. Any other value comes back as it is.
 */
export function unwrapped(thrown: unknown): unknown {
  try {
    let error = thrown;
    for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth++) {
      // As the constructor of Error makes it: no getter is run for this.
      const cause: unknown = Object.getOwnPropertyDescriptor(error, 'cause')?.value;
      if (isBranded(cause) && saysNoMore(error as Words, cause as Words)) return cause;
      error = cause;
    }
  } catch {
    // A proxy that throws.
  }
  return thrown;
}

interface Words {
  readonly name?: unknown;
  readonly message?: unknown;
}

function saysNoMore(wrapper: Words, cause: Words): boolean {
  const { message } = wrapper;
  return message === 'fetch failed' || (message === cause.message && wrapper.name === cause.name);
}
