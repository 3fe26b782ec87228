/** The behaviour of streams and fetches where calls may differ. All of it is optional. */

import type { AgentError } from '../error/agent-error.js';
import type { Failure } from '../error/failure.js';
import type { Attempt } from './attempt.js';
import type { StepCode } from './host.js';

export interface CallHooks<T> {
  /** A fallback's result is not a value of this call, so no fallback is used. */
  readonly refusesFallback?: true;
  /** Its attempts cannot run beside one another. */
  readonly refusesHedges?: true;
  /** An attempt begins: before its operation is called. */
  attemptBegins?(attempt: Attempt): void;
  /** Gives the success to the engine; `undefined` where the call shall do that as ever. */
  reportSuccess?(attempt: Attempt, value: T): StepCode | undefined;
  /** The attempt failed. Returns the failure, with what this kind of call adds to it. */
  attemptFails?(attempt: Attempt, failure: Failure): Failure;
  /** It is known what follows a failed attempt: another one, or the end of the call. */
  followsFailure?(retries: boolean): void;
  /** Returns `true` if the next attempt may begin, now that the wait before it is over. Else `call.resume()` is called later. */
  mayResume?(): boolean;
  /** The error that the call rejects with, with what this kind of call adds to it. */
  finalError?(error: AgentError): AgentError;
}

/** A call whose operation returns its value. */
export const NO_HOOKS: CallHooks<unknown> = {};
