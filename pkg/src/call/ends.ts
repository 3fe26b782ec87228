/** The ends of a call other than its own success: the caller, the deadline or the application ends it. */

import { isControlFlow } from '../control-flow.js';
import * as engine from '../core/engine.js';
import { type AgentError, codeIndex, hasAudience } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import { together } from '../event/usage.js';
import { retries } from '../retry/options.js';
import type { Attempt } from './attempt.js';
import type { DrivenCall } from './driven-call.js';
import * as engineCall from './engine-call.js';
import { readThrown } from './failures.js';
import type { StepCode } from './host.js';
import { loserFailure, timeoutOf } from './refusal.js';
import { DECIDING } from './state.js';

/** Ends the call with CANCELLED at once, wherever it is. */
export function cancel(call: DrivenCall<unknown>, error: AgentError, reason: unknown): void {
  call.runStep(() => {
    const { state } = call;
    if (state.kind === 'settled') return;
    if (call.isOpen) {
      settleRunning(call);
      const code = leaveEngine(call, engine.cancel);
      failAfter(call, code, error);
    } else {
      call.outcome = 'cancelled';
      call.reject(finalError(call, error));
    }
    if (state.kind === 'running') for (const attempt of state.attempts) attempt.abort(reason ?? error);
    else if (state.kind === 'falling-back') state.context.abort(reason ?? error);
  });
}

/** Ends the call with TIMEOUT, wherever it is. */
export function passDeadline(call: DrivenCall<unknown>): void {
  call.deadline?.clear();
  if (!call.isOpen) return;
  const { totalMs: ms } = call.times;
  const { state } = call;
  if (state.kind === 'running') {
    for (const attempt of [...state.attempts]) call.timedOut(attempt, ms, 'Call');
    return;
  }
  call.runStep(() => {
    // In the queue, or before a retry: nothing runs that could be cut off.
    const failure = timeoutOf('Call', ms);
    call.lastFailure = failure;
    abandon(call, failure.error, engine.WHY_DEADLINE);
  });
}

/** Ends the call well, though not at its end: its consumer wants no more of it. */
export function close<T>(call: DrivenCall<T>, reason: unknown, value: T): void {
  const { state } = call;
  if (!call.isOpen) return;
  closeEarly(call, () => call.resolve(value));
  if (state.kind === 'running') for (const attempt of state.attempts) attempt.abort(reason);
}

/** Ends the call with control flow of its host, as it was thrown: that is no result, neither good nor bad. */
export function passOn(call: DrivenCall<unknown>, thrown: unknown, from?: Attempt): void {
  const { state } = call;
  if (!call.isOpen) return;
  closeEarly(call, () => call.rejectLater(thrown));
  if (state.kind !== 'running') return;
  for (const other of state.attempts) if (other !== from) other.abort(loserFailure().error);
}

function closeEarly(call: DrivenCall<unknown>, settle: () => void): void {
  settleRunning(call);
  const code = leaveEngine(call, engine.closeEarly);
  call.outcome = 'succeeded';
  call.settle();
  settle();
  call.host.follow(code, call);
}

export function endWith(call: DrivenCall<unknown>, thrown: unknown): void {
  if (!call.isOpen) return;
  if (isControlFlow(thrown)) {
    passOn(call, thrown);
    return;
  }
  const failure = readThrown(call, thrown);
  if (!call.isOpen) return;
  call.lastFailure = failure;
  abandon(call, failure.error, engine.WHY_NOT_RETRYABLE);
}

/** Ends a call that waits with an error, whatever the engine would have done next. */
export function abandon(call: DrivenCall<unknown>, error: AgentError, why: number): void {
  const code = leaveEngine(call, (policy, handle, now) =>
    engine.abandon(policy, handle, now, why, codeIndex(error.code)),
  );
  failAfter(call, code, error);
}

/** Ends the call with an error, after the engine's last step about it. */
function failAfter(call: DrivenCall<unknown>, code: StepCode, error: AgentError): void {
  const { host } = call;
  // Taken first: `onError` and a fallback may make calls.
  const records = host.recordsOf(code);
  call.fail(error);
  host.report(records, call);
  host.follow(code & ~engine.EVENTS, call);
}

/** The engine's last input about the call, which is in no queue by then: should the core trap, those that wait run. */
function leaveEngine(call: DrivenCall<unknown>, input: engineCall.EngineInput): StepCode {
  call.moveTo(DECIDING);
  return engineCall.leave(call, input);
}

/** Settles the tokens of the attempts that run, as the call is over: its last event says how many they used. */
function settleRunning(call: DrivenCall<unknown>): void {
  const { state } = call;
  if (state.kind !== 'running') return;
  for (const attempt of state.attempts) {
    call.settleTokens(attempt);
    call.openUsage = together(call.openUsage, attempt.facts?.usage);
  }
}

/** The error that the call rejects with: of its last attempt's class, with all that came before. */
export function finalError(call: DrivenCall<unknown>, error: AgentError): AgentError {
  let final = call.repairs?.explained(error) ?? error;
  // Without an attempt the error was made for this call: nothing to add.
  if (call.attempts > 0) {
    // A stream that broke off was not tried again: a call around it may begin again.
    const isBroken = call.lastFailure?.isBrokenStream === true;
    const gaveUp = error.retryable && retries(call.retryOptions) && !isBroken;
    const { host, settings } = call;
    const failed = settings.breaker === undefined ? [host] : [host, settings.breaker];
    final = finished(final, { attempts: call.attempts, errors: call.errors ?? [], past: { gaveUp, failed } });
  }
  const { audience } = call;
  if (audience !== undefined && !hasAudience(final)) final = finished(final, { audience });
  return call.hooks.finalError?.(final) ?? final;
}
