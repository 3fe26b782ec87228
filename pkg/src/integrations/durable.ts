/** When work that a queue or a workflow keeps is worth another attempt: its waits outlive the process. */

import { classify } from '../classify/classify.js';
import type { ClassifyContext } from '../classify/types.js';

/**
 * Returns how long to wait at least, in milliseconds; `undefined` where another attempt is pointless. An open circuit refuses
 * a call for now, so what can wait comes back when it may be closed.
 */
export function waitFor(thrown: unknown, context: ClassifyContext = {}): number | undefined {
  const { code, retryable, retryAfterMs = 0 } = classify(thrown, context);
  return retryable || code === 'CIRCUIT_OPEN' ? retryAfterMs : undefined;
}
