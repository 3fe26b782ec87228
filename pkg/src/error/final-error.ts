/** The error of a call, made of the errors of its attempts. */

import { classify } from '../classify/classify.js';
import { type Past, targetOf } from '../classify/target.js';
import type { ClassifyContext } from '../classify/types.js';
import type { Audience } from '../message/about.js';
import { AgentError, fromClassification, setAudience, withoutStack } from './agent-error.js';
import { hide, show } from './properties.js';
import { copyStack } from './stack.js';

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
 * it may be thrown again elsewhere. Values are copied, not descriptors: a frozen error's copy is not frozen.
 */
export function finished(error: AgentError, changes: Changes): AgentError {
  const copy = copied(error, changes.message);
  if (changes.attempts !== undefined) show(copy, 'attempts', changes.attempts);
  if (changes.errors !== undefined) show(copy, 'errors', Object.freeze([...changes.errors]));
  if ('cause' in changes) hide(copy, 'cause', changes.cause);
  if (changes.past !== undefined) hide(copy, PAST, together(pastIn(error), changes.past));
  if (changes.received !== undefined)
    show(copy, 'metadata', { ...copy.metadata, received: changes.received });
  if (changes.audience !== undefined) setAudience(copy, changes.audience);
  return copy;
}

/**
 * Returns any thrown value as an error whose fields can be read repeatedly. A thrown AgentError is copied, because a
 * getter may throw the next time.
 */
export function steadyError(thrown: unknown, context?: ClassifyContext): AgentError {
  const error = AgentError.from(thrown, context);
  return error === thrown ? copied(error) : error;
}

function copied(error: AgentError, message?: string): AgentError {
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
    return copy as unknown as AgentError;
  } catch {
    // A getter or a proxy throws now, although it did not before.
    return fromClassification(classify(error), error);
  }
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
