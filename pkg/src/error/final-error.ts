/** The error of a call, made of the errors of its attempts. */

import { classify } from '../classify/classify.js';
import { targetOf } from '../classify/target.js';
import type { ClassifyContext } from '../classify/types.js';
import type { Audience } from '../message/about.js';
import { AgentError, fromClassification, setReader } from './agent-error.js';
import { copied } from './copied.js';
import { hide, show } from './properties.js';

/**
 * Set on an AgentError that a policy gave up on after retrying it, so that an outer policy does not retry it again.
 */
const GAVE_UP = Symbol.for('halfopen.gaveUp');

/** How often a cause chain is followed, as in `classify`. */
const MOST_CAUSES = 8;

interface Changes {
  message?: string;
  attempts?: number;
  errors?: readonly AgentError[];
  cause?: unknown;
  gaveUp?: boolean;
  received?: number;
  audience?: Audience;
}

/**
 * Returns a copy of the error, of the same class, with some properties changed. The original stays unchanged, because
 * it may be thrown again elsewhere.
 */
export function finished(error: AgentError, changes: Changes): AgentError {
  const copy = readable(error, changes.message);
  if (changes.attempts !== undefined) show(copy, 'attempts', changes.attempts);
  if (changes.errors !== undefined) show(copy, 'errors', Object.freeze([...changes.errors]));
  if ('cause' in changes) hide(copy, 'cause', changes.cause);
  if (changes.gaveUp === true) hide(copy, GAVE_UP, true);
  if (changes.received !== undefined)
    show(copy, 'metadata', { ...copy.metadata, received: changes.received });
  setReader(copy, { audience: changes.audience });
  return copy;
}

/**
 * Returns any thrown value as an error whose fields can be read repeatedly. A thrown AgentError is copied, because a
 * getter may throw the next time.
 */
export function steadyError(thrown: unknown, context?: ClassifyContext): AgentError {
  const error = AgentError.from(thrown, context);
  return error === thrown ? readable(error) : error;
}

/** Returns a copy, or the error classified again if a getter or a proxy throws now, although it did not before. */
function readable(error: AgentError, message?: string): AgentError {
  return copied(error, message) ?? fromClassification(classify(error), error);
}

/** Returns `true` if a policy has retried this, or its cause, and given up. */
export function wasGivenUpOn(thrown: unknown): boolean {
  let error = thrown;
  try {
    for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth++) {
      if ((error as Record<symbol, unknown>)[GAVE_UP] === true || targetOf(error)?.gaveUp === true)
        return true;
      error = (error as { cause?: unknown }).cause;
    }
  } catch {
    // A getter or a proxy throws, so it has no mark.
  }
  return false;
}
