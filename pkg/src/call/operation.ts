/** An operation, called as its call's: it may return a value or a promise of one, or throw. */

import type { Attempt } from './attempt.js';
import type { CallInfo } from './info.js';
import { type Holder, runAs } from './parents.js';

/**
 * Calls the operation, and one of the two functions with its result: at once unless it returned a promise. `holder`: the
 * attempt, if it holds slots.
 */
export function runOperation<T>(
  call: CallInfo,
  holder: Holder | undefined,
  operation: (attempt: Attempt) => T | PromiseLike<T>,
  attempt: Attempt,
  returned: (value: T) => void,
  threw: (thrown: unknown) => void,
): void {
  let result: T | PromiseLike<T>;
  try {
    result = runAs(call, holder, operation, attempt);
    if (result instanceof Promise) {
      result.then(returned, threw);
      return;
    }
    if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
      // Reads the constructor of a promise of another realm, which may throw.
      const promise: Promise<T> = Promise.resolve(result);
      promise.then(returned, threw);
      return;
    }
  } catch (thrown) {
    threw(thrown);
    return;
  }
  returned(result);
}
