/** Copies of errors: an error may be thrown again elsewhere, so that what changes is a copy. */

import { hide, show } from './properties.js';
import { copyStack, withoutStack } from './stack.js';

/**
 * Returns a copy of the error, of the same class, with its stack; `undefined` where a getter or a proxy throws. Values are
 * copied, not descriptors: a frozen error's copy is not frozen.
 */
export function copied<E extends Error>(error: E, message?: string): E | undefined {
  try {
    const text = message ?? error.message;
    const copy = withoutStack(() => new Error(text)) as unknown as Record<PropertyKey, unknown>;
    Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
    for (const name of Reflect.ownKeys(error)) {
      if (name === 'stack' || name === 'message') continue;
      const value = (error as unknown as Record<PropertyKey, unknown>)[name];
      if (!Object.prototype.propertyIsEnumerable.call(error, name)) hide(copy, name, value);
      // Assigning is quicker, if no class has a setter of that name.
      else if (name in copy) show(copy, name, value);
      else copy[name] = value;
    }
    copyStack(copy, error);
    return copy as unknown as E;
  } catch {
    return undefined;
  }
}
