/** The bound of an agent's loop. */

import { AgentError } from '../error/agent-error.js';
import { emit } from '../event/events.js';
import { misuse } from '../misuse.js';

/**
 * Bounds an agent's loop: `next()` throws MAX_ITERATIONS_EXCEEDED on the call after `max`, and from then on. The first
 * time it emits `iterations.exceeded` to the listeners of `onEvent`.
 *
 * @example
 * ```ts
 * const limit = iterationLimit(10);
 * while (!done) {
 *   limit.next();
 *   done = await step();
 * }
 * ```
 * @throws TypeError at once for a bound that is no whole number, 0 or more.
 */
export function iterationLimit(max: number): { next(): void; readonly count: number } {
  const bounds = max === Number.POSITIVE_INFINITY || (Number.isSafeInteger(max) && max >= 0);
  if (!bounds) throw misuse('max', 'a whole number, 0 or more, or Infinity', max);
  let begun = 0;
  let exceeded = false;
  return {
    next() {
      if (begun >= max) {
        if (!exceeded) emit({}, { type: 'iterations.exceeded', max }, Date.now(), []);
        exceeded = true;
        throw new AgentError(
          'MAX_ITERATIONS_EXCEEDED',
          `The agent's loop reached its limit of ${max} iterations`,
        );
      }
      begun++;
    },
    get count() {
      return begun;
    },
  };
}
