// The functions of the wasm module `policy` (core/src/js/{policy,breaker,event}.rs): calls, breakers, budgets, records.
// They have the names of the generated ones, and stand in for them: no other file imports the glue.

import * as glue from '../../wasm/policy/policy_bg.js';
import { policy as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('policy', glue, instantiate);

export const backoffDelay = /* @__PURE__ */ core.retried('backoffDelay', glue.backoffDelay);
export const reasonText = /* @__PURE__ */ core.retried('reasonText', glue.reasonText);

export const abandon = /* @__PURE__ */ core.guarded('abandon', glue.abandon);
export const attemptAnswered = /* @__PURE__ */ core.guarded('attemptAnswered', glue.attemptAnswered);
export const attemptFailed = /* @__PURE__ */ core.guarded('attemptFailed', glue.attemptFailed);
export const beginWith = /* @__PURE__ */ core.guarded('beginWith', glue.beginWith);
export const breakerAcquire = /* @__PURE__ */ core.guarded('breakerAcquire', glue.breakerAcquire);
export const breakerCanExecute = /* @__PURE__ */ core.guarded('breakerCanExecute', glue.breakerCanExecute);
export const breakerControl = /* @__PURE__ */ core.guarded('breakerControl', glue.breakerControl);
export const breakerEnd = /* @__PURE__ */ core.guarded('breakerEnd', glue.breakerEnd);
export const breakerFree = /* @__PURE__ */ core.guarded('breakerFree', glue.breakerFree);
export const breakerNew = /* @__PURE__ */ core.guarded('breakerNew', glue.breakerNew);
export const breakerRecord = /* @__PURE__ */ core.guarded('breakerRecord', glue.breakerRecord);
export const breakerRestore = /* @__PURE__ */ core.guarded('breakerRestore', glue.breakerRestore);
export const breakerRetryAfter = /* @__PURE__ */ core.guarded('breakerRetryAfter', glue.breakerRetryAfter);
export const breakerSettle = /* @__PURE__ */ core.guarded('breakerSettle', glue.breakerSettle);
export const breakerSnapshot = /* @__PURE__ */ core.guarded('breakerSnapshot', glue.breakerSnapshot);
export const breakerState = /* @__PURE__ */ core.guarded('breakerState', glue.breakerState);
export const breakerUpdate = /* @__PURE__ */ core.guarded('breakerUpdate', glue.breakerUpdate);
export const budgetAvailable = /* @__PURE__ */ core.guarded('budgetAvailable', glue.budgetAvailable);
export const budgetDeposit = /* @__PURE__ */ core.guarded('budgetDeposit', glue.budgetDeposit);
export const budgetFree = /* @__PURE__ */ core.guarded('budgetFree', glue.budgetFree);
export const budgetNew = /* @__PURE__ */ core.guarded('budgetNew', glue.budgetNew);
export const budgetWithdraw = /* @__PURE__ */ core.guarded('budgetWithdraw', glue.budgetWithdraw);
export const cancel = /* @__PURE__ */ core.guarded('cancel', glue.cancel);
export const closeEarly = /* @__PURE__ */ core.guarded('closeEarly', glue.closeEarly);
export const dequeue = /* @__PURE__ */ core.guarded('dequeue', glue.dequeue);
export const drainEvents = /* @__PURE__ */ core.guarded('drainEvents', glue.drainEvents);
export const hasEvents = /* @__PURE__ */ core.guarded('hasEvents', glue.hasEvents);
export const lanePointer = /* @__PURE__ */ core.guarded('lanePointer', glue.lanePointer);
export const nextReady = /* @__PURE__ */ core.guarded('nextReady', glue.nextReady);
export const policyFree = /* @__PURE__ */ core.guarded('policyFree', glue.policyFree);
export const policyNeeds = /* @__PURE__ */ core.guarded('policyNeeds', glue.policyNeeds);
export const policyNew = /* @__PURE__ */ core.guarded('policyNew', glue.policyNew);
export const policyObserve = /* @__PURE__ */ core.guarded('policyObserve', glue.policyObserve);
export const policyObserveLimit = /* @__PURE__ */ core.guarded('policyObserveLimit', glue.policyObserveLimit);
export const policyUpdate = /* @__PURE__ */ core.guarded('policyUpdate', glue.policyUpdate);
export const pollTimeout = /* @__PURE__ */ core.guarded('pollTimeout', glue.pollTimeout);
export const resume = /* @__PURE__ */ core.guarded('resume', glue.resume);
export const rowsPointer = /* @__PURE__ */ core.guarded('rowsPointer', glue.rowsPointer);

// As `guarded`, written out: every call goes through two of them, and engines inline a function that is not shared. The
// handle that they are given says that there is an instance.

export function attemptOk(policy: number, call: number, now: number, durationMs: number): number {
  try {
    return glue.attemptOk(policy, call, now, durationMs);
  } catch (error) {
    throw core.trapped('attemptOk', error);
  }
}

export function begin(policy: number, now: number): number {
  try {
    return glue.begin(policy, now);
  } catch (error) {
    throw core.trapped('begin', error);
  }
}
