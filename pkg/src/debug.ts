/** What `onDebug` is told of a failed attempt: everything technical, with the secrets out. */

import { clip } from './events.js';
import type { Failure } from './failure.js';
import { redact } from './message.js';

/** The arguments for `onDebug`. */
export function debugDetails(failure: Failure, attempt: number): [string, Record<string, unknown>] {
  const { error, rule } = failure;
  const cause = error.cause;
  const stack = cause instanceof Error ? cause.stack : error.stack;
  const details: Record<string, unknown> = {
    error: clean(cause instanceof Error ? cause.message : error.message),
    code: error.code,
    rule,
    attempt,
    provider: { ...error.provider, originalError: undefined },
  };
  if (stack !== undefined) details.stack = clean(stack);
  if (error.metadata.technicalDetails !== undefined)
    details.technicalDetails = error.metadata.technicalDetails;
  return [`Attempt ${attempt} failed: ${error.code}`, details];
}

function clean(text: string): string {
  return redact(clip(String(text), 4096));
}
