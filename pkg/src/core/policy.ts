// The functions of the wasm module `policy` (core/wasm/src/{policy,breaker,event}.rs): calls, breakers, budgets,
// records. They wrap the generated functions under the same names, and no other file calls the glue.

import glue from '../../wasm/policy/glue.js';
import { policy as instantiate } from '../entry/default.js';
import { CoreModule } from './instance.js';

/** The module: its instance and what becomes of it. */
export const core = /* @__PURE__ */ new CoreModule('policy', glue, instantiate);

export const backoffDelay = /* @__PURE__ */ core.retried('backoffDelay');
export const reasonText = /* @__PURE__ */ core.retried('reasonText');

export const abandon = /* @__PURE__ */ core.guarded('abandon');
export const attemptAnswered = /* @__PURE__ */ core.guarded('attemptAnswered');
export const attemptFailed = /* @__PURE__ */ core.guarded('attemptFailed');
export const attemptUsed = /* @__PURE__ */ core.guarded('attemptUsed');
export const beginWith = /* @__PURE__ */ core.guarded('beginWith');
export const breakerAcquire = /* @__PURE__ */ core.guarded('breakerAcquire');
export const breakerCanExecute = /* @__PURE__ */ core.guarded('breakerCanExecute');
export const breakerControl = /* @__PURE__ */ core.guarded('breakerControl');
export const breakerEnd = /* @__PURE__ */ core.guarded('breakerEnd');
export const breakerFree = /* @__PURE__ */ core.guarded('breakerFree');
export const breakerNew = /* @__PURE__ */ core.guarded('breakerNew');
export const breakerRecord = /* @__PURE__ */ core.guarded('breakerRecord');
export const breakerRefusalRate = /* @__PURE__ */ core.guarded('breakerRefusalRate');
export const breakerRestore = /* @__PURE__ */ core.guarded('breakerRestore');
export const breakerRetryAfter = /* @__PURE__ */ core.guarded('breakerRetryAfter');
export const breakerSettle = /* @__PURE__ */ core.guarded('breakerSettle');
export const breakerShared = /* @__PURE__ */ core.guarded('breakerShared');
export const breakerSnapshot = /* @__PURE__ */ core.guarded('breakerSnapshot');
export const breakerState = /* @__PURE__ */ core.guarded('breakerState');
export const breakerUpdate = /* @__PURE__ */ core.guarded('breakerUpdate');
export const budgetAvailable = /* @__PURE__ */ core.guarded('budgetAvailable');
export const budgetDeposit = /* @__PURE__ */ core.guarded('budgetDeposit');
export const budgetFree = /* @__PURE__ */ core.guarded('budgetFree');
export const budgetNew = /* @__PURE__ */ core.guarded('budgetNew');
export const budgetDefault = /* @__PURE__ */ core.guarded('budgetDefault');
export const budgetShared = /* @__PURE__ */ core.guarded('budgetShared');
export const budgetWithdraw = /* @__PURE__ */ core.guarded('budgetWithdraw');
export const cancel = /* @__PURE__ */ core.guarded('cancel');
export const closeEarly = /* @__PURE__ */ core.guarded('closeEarly');
export const dequeue = /* @__PURE__ */ core.guarded('dequeue');
export const drainEvents = /* @__PURE__ */ core.guarded('drainEvents');
export const hedge = /* @__PURE__ */ core.guarded('hedge');
export const hasEvents = /* @__PURE__ */ core.guarded('hasEvents');
export const slotsPointer = /* @__PURE__ */ core.guarded('slotsPointer');
export const nextReady = /* @__PURE__ */ core.guarded('nextReady');
export const policyFree = /* @__PURE__ */ core.guarded('policyFree');
export const policyLimit = /* @__PURE__ */ core.guarded('policyLimit');
export const policyNeeds = /* @__PURE__ */ core.guarded('policyNeeds');
export const policyNew = /* @__PURE__ */ core.guarded('policyNew');
export const policyObserve = /* @__PURE__ */ core.guarded('policyObserve');
export const policyObserveLimit = /* @__PURE__ */ core.guarded('policyObserveLimit');
export const policyShared = /* @__PURE__ */ core.guarded('policyShared');
export const policyUpdate = /* @__PURE__ */ core.guarded('policyUpdate');
export const pollTimeout = /* @__PURE__ */ core.guarded('pollTimeout');
export const resume = /* @__PURE__ */ core.guarded('resume');
export const rowsPointer = /* @__PURE__ */ core.guarded('rowsPointer');

// As `guarded`, written out: every call goes through two of them, and engines inline a function that is not shared. The
// handle that they are given says that there is an instance.

export function attemptOk(policy: number, call: number, now: number, durationMs: number): number {
  try {
    return core.glue.attemptOk(policy, call, now, durationMs);
  } catch (error) {
    throw core.trapped('attemptOk', error);
  }
}

export function begin(policy: number, now: number): number {
  try {
    return core.glue.begin(policy, now);
  } catch (error) {
    throw core.trapped('begin', error);
  }
}
