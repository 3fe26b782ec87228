/** The error of a call, made of the errors of its attempts. */

import { classify } from '../classify/classify.js';
import { type Past, targetOf } from '../classify/target.js';
import type { ClassifyContext } from '../classify/types.js';
import type { Audience } from '../message/about.js';
import { AgentError, fromClassification, setReader } from './agent-error.js';
import { copied } from './copied.js';
import { hide, show } from './properties.js';

export type { Past };

/**
 * Set on the AgentError of a call, so that a call around it neither retries it again nor counts it a second time. Another copy
 * of the package reads it too.
 */
const PAST = Symbol.for('halfopen.past');

export const NO_PAST: Past = /* @__PURE__ */ Object.freeze({ gaveUp: false, failed: [] });

/** How often a cause chain is followed, as in `classify`. */
const MOST_CAUSES = 8;

interface Changes {
  message?: string;
  attempts?: number;
  errors?: readonly AgentError[];
  cause?: unknown;
  past?: Past;
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
  if (changes.past !== undefined) hide(copy, PAST, together(pastIn(error), changes.past));
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

/** Returns what calls have done about a thrown value, or its causes. */
export function pastOf(thrown: unknown): Past {
  let past = NO_PAST;
  let error = thrown;
  try {
    for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth++) {
      past = together(together(past, pastIn(error)), targetOf(error)?.past);
      error = (error as { cause?: unknown }).cause;
    }
  } catch {
    // A getter or a proxy throws, so no more is known.
  }
  return past;
}

function pastIn(error: object): Past | undefined {
  return (error as Record<symbol, Past | undefined>)[PAST];
}

function together(one: Past | undefined, other: Past | undefined): Past {
  if (one === undefined || one === NO_PAST) return other ?? NO_PAST;
  if (other === undefined || other === one) return one;
  return { gaveUp: one.gaveUp || other.gaveUp, failed: [...one.failed, ...other.failed] };
}
