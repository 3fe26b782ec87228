/** What `onDebug` is told of a failed attempt: everything technical, with the secrets out. */

import type { Failure } from './failure.js';
import { providerForLog, stackOf, wordsOf } from './safe-json.js';

/** The arguments for `onDebug`. Reading what was thrown may run anything: it cannot throw here. */
export function debugDetails(failure: Failure, attempt: number): [string, Record<string, unknown>] {
  const { error, rule } = failure;
  const details: Record<string, unknown> = {
    error: wordsOf(error.cause) || error.message,
    code: error.code,
    rule,
    attempt,
    provider: providerForLog(error.provider),
  };
  const stack = stackOf(error.cause) ?? stackOf(error);
  if (stack !== undefined) details.stack = stack;
  if (error.metadata.technicalDetails !== undefined)
    details.technicalDetails = error.metadata.technicalDetails;
  return [`Attempt ${attempt} failed: ${error.code}`, details];
}
