/** A call in progress, for the files that follow one idea of it: hedges, repairs, fallbacks, ends. `Call` implements it. */

import type { AgentError, AgentErrorCode } from '../error/agent-error.js';
import type { Failure } from '../error/failure.js';
import type { Attempt, AttemptOwner } from './attempt.js';
import type { Deadline } from './deadline.js';
import type { CallHooks } from './hooks.js';
import type { StepCode } from './host.js';
import type { CallInfo } from './info.js';
import type { Repaired } from './repairs.js';
import type { CallState } from './state.js';
import type { Outcome } from './stats.js';

export interface DrivenCall<T> extends CallInfo, AttemptOwner {
  /** The engine's number of the call, 0 when it knows none (any more). */
  handle: number;
  /** The instance of the core that knows the number. */
  instance: number;
  /** How many attempts have begun. */
  readonly attempts: number;
  /** The errors of the attempts that failed. */
  readonly errors: readonly AgentError[] | undefined;
  /** The code that the call had failed with, if its value is a fallback's. */
  degraded: AgentErrorCode | undefined;
  /** The failure of the last failed attempt. */
  lastFailure: Failure | undefined;
  /** How the call ends, unless a later attempt ends better. */
  outcome: Outcome;
  readonly hooks: CallHooks<T>;
  readonly deadline: Deadline | undefined;

  readonly state: CallState;
  /** `true` if the call may still succeed by an attempt. */
  readonly isOpen: boolean;
  readonly isSettled: boolean;
  isRunning(attempt: Attempt): boolean;
  /** Leaves a state with everything that belongs to it. */
  moveTo(state: CallState): void;
  /** Ends an attempt. Attempts that run beside it go on; without one, the call is deciding. */
  leave(attempt: Attempt): void;

  /** Makes an attempt, which counts from then on. */
  nextAttempt(): Attempt;
  /** Calls the operation for an attempt. */
  startAttempt(attempt: Attempt): void;
  /** The attempt, which runs, is a success, and so is the call. */
  succeed(attempt: Attempt, value: T): void;
  /** Cuts the attempt off, whether its operation listens to the signal or not. */
  timedOut(attempt: Attempt, ms: number, what: string): void;
  /** Gives the failure to the engine, and returns the step that follows. */
  reportFailure(attempt: Attempt, failure: Failure, flags: number): StepCode;
  /** Gives the failure to the engine and does what follows. `repaired`: the changes of the request. */
  followFailure(attempt: Attempt, failure: Failure, flags: number, repaired?: Repaired): void;
  /** Replaces the estimate of the attempt's tokens by the number that it has used, if that is known. */
  settleTokens(attempt: Attempt): void;

  /** Fails the call for good: notifies observers, then a fallback runs, or the promise rejects. */
  fail(error: AgentError): void;
  /** Takes the call off the policy's list, with its timers and its listener. */
  settle(): void;
  resolve(value: T | PromiseLike<T>): void;
  /** Settles with an error. */
  reject(error: AgentError): void;
  rejectLater(error: unknown): void;
  /** Runs a step that a timer, a signal or a promise brings. If it throws, the call is settled all the same. */
  runStep(step: () => void): void;
}
