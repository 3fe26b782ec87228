/** The details of a failed attempt for `onDebug`: everything technical, without the secrets. */

import { providerForLog, stackOf, textForLog, valueForLog, wordsOf } from '../message/for-log.js';
import type { Failure } from './failure.js';

/** The arguments for `onDebug`. */
export function debugDetails(failure: Failure, attempt: number): [string, Record<string, unknown>] {
  const { error, rule, thrown } = failure;
  const details: Record<string, unknown> = {
    error: wordsOf(thrown) || wordsOf(error),
    code: error.code,
    rule: textForLog(rule),
    attempt,
    provider: providerForLog(error.provider),
  };
  const stack = stackOf(thrown) ?? stackOf(error);
  if (stack !== undefined) details.stack = stack;
  if (error.metadata.technicalDetails !== undefined)
    details.technicalDetails = valueForLog(error.metadata.technicalDetails);
  return [`Attempt ${attempt} failed: ${error.code}`, details];
}
