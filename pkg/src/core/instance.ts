// The core, instantiated: the one module that touches the generated glue. All others import its functions from here.
import * as glue from '../../wasm/core_bg.js';
import { instantiate } from '../entry/default.js';
import { type EventDetails, tell } from '../event/events.js';

/** Counts instances: a handle made under another number belongs to an instance that is gone. */
export let instanceNumber = 0;

/** The memory of the present instance, for lanes of numbers. */
export let memory: WebAssembly.Memory;

/** Told after each replacement: who kept handles, or waits for the instance's word. */
export const replaced = new Set<() => void>();

/**
 * Replaces the instance after a trap (`WebAssembly.RuntimeError`), whose memory nobody may trust any more.
 * Every handle of the old one is void.
 */
function instantiateAfresh(): void {
  const exports = instantiate({ './core_bg.js': glue as unknown as WebAssembly.ModuleImports });
  glue.__wbg_set_wasm(exports);
  memory = (exports as { memory: WebAssembly.Memory }).memory;
  // Absent from the translation to JavaScript, which has no table of references to prepare.
  (exports as { __wbindgen_start?: () => void }).__wbindgen_start?.();
  instanceNumber++;
  for (const told of replaced) told();
}

instantiateAfresh();

/** What the core trapped with last, and in which of its functions. */
export let lastTrap: WebAssembly.RuntimeError | undefined;
let trappedIn = 'unknown';

/**
 * Goes on after a trap: a new instance takes the place of the broken one, and `core.restarted` is emitted, by default to
 * the listeners of the process.
 *
 * @returns the trap.
 * @throws the error itself, where it is no trap.
 */
export function restart(
  error: unknown,
  emit: (details: Restarted) => void = emitted,
): WebAssembly.RuntimeError {
  if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  const during = trappedIn;
  trappedIn = 'unknown';
  lastTrap = error;
  instantiateAfresh();
  emit({ type: 'core.restarted', module: 'core', during });
  return error;
}

type Restarted = Extract<EventDetails, { type: 'core.restarted' }>;

function emitted(details: Restarted): void {
  tell({}, details, Date.now(), []);
}

/** Runs what does not depend on the instance's state: where the core traps, once more on a new instance. */
export function onceMore<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    restart(error);
  }
  try {
    return run();
  } catch (error) {
    // The same input traps again. The next one finds a sound instance.
    restart(error);
    throw error;
  }
}

/** Runs what nobody waits for, such as giving memory back. */
export function unlessTrapped(run: () => void): void {
  try {
    run();
  } catch (error) {
    restart(error);
  }
}

function inFunction(name: string, error: unknown): unknown {
  if (error instanceof WebAssembly.RuntimeError) trappedIn = name;
  return error;
}

/** A function whose caller goes on after a trap: a policy, a breaker, or `onceMore`. */
const guarded =
  <A extends unknown[], R>(name: string, run: (...args: A) => R) =>
  (...args: A): R => {
    try {
      return run(...args);
    } catch (error) {
      throw inFunction(name, error);
    }
  };

/** A function that keeps no state: where it traps, it runs once more on a new instance. */
const tried = <A extends unknown[], R>(name: string, run: (...args: A) => R) => {
  const named = guarded(name, run);
  return (...args: A): R => onceMore(() => named(...args));
};

// These stand in the place of the generated ones of the same names: every function of the core is here.

export const backoffDelay = tried('backoffDelay', glue.backoffDelay);
export const codeTable = tried('codeTable', glue.codeTable);
export const emptyResponseMessage = tried('emptyResponseMessage', glue.emptyResponseMessage);
export const firstHeaderKey = tried('firstHeaderKey', glue.firstHeaderKey);
export const invalidResponseMessage = tried('invalidResponseMessage', glue.invalidResponseMessage);
export const locales = tried('locales', glue.locales);
export const namesSecret = tried('namesSecret', glue.namesSecret);
export const reasonText = tried('reasonText', glue.reasonText);
export const recoveryContext = tried('recoveryContext', glue.recoveryContext);
export const recoveryDefaults = tried('recoveryDefaults', glue.recoveryDefaults);
export const recoveryExplanationTokens = tried('recoveryExplanationTokens', glue.recoveryExplanationTokens);
export const recoveryLabels = tried('recoveryLabels', glue.recoveryLabels);
export const recoveryPrompt = tried('recoveryPrompt', glue.recoveryPrompt);
export const recoveryReport = tried('recoveryReport', glue.recoveryReport);
export const recoveryRoute = tried('recoveryRoute', glue.recoveryRoute);
export const redactText = tried('redactText', glue.redactText);
export const responseFault = tried('responseFault', glue.responseFault);
export const responseFormats = tried('responseFormats', glue.responseFormats);
export const ruleIds = tried('ruleIds', glue.ruleIds);
export const statusEnded = tried('statusEnded', glue.statusEnded);
export const statusSending = tried('statusSending', glue.statusSending);
export const statusTool = tried('statusTool', glue.statusTool);
export const technicalDetails = tried('technicalDetails', glue.technicalDetails);
export const thrownKeys = tried('thrownKeys', glue.thrownKeys);
export const userMessage = tried('userMessage', glue.userMessage);

export const abandon = guarded('abandon', glue.abandon);
export const attemptAnswered = guarded('attemptAnswered', glue.attemptAnswered);
export const attemptFailed = guarded('attemptFailed', glue.attemptFailed);
export const beginWith = guarded('beginWith', glue.beginWith);
export const breakerAcquire = guarded('breakerAcquire', glue.breakerAcquire);
export const breakerCanExecute = guarded('breakerCanExecute', glue.breakerCanExecute);
export const breakerControl = guarded('breakerControl', glue.breakerControl);
export const breakerEnd = guarded('breakerEnd', glue.breakerEnd);
export const breakerFree = guarded('breakerFree', glue.breakerFree);
export const breakerNew = guarded('breakerNew', glue.breakerNew);
export const breakerRecord = guarded('breakerRecord', glue.breakerRecord);
export const breakerRestore = guarded('breakerRestore', glue.breakerRestore);
export const breakerRetryAfter = guarded('breakerRetryAfter', glue.breakerRetryAfter);
export const breakerSettle = guarded('breakerSettle', glue.breakerSettle);
export const breakerSnapshot = guarded('breakerSnapshot', glue.breakerSnapshot);
export const breakerState = guarded('breakerState', glue.breakerState);
export const breakerUpdate = guarded('breakerUpdate', glue.breakerUpdate);
export const budgetAvailable = guarded('budgetAvailable', glue.budgetAvailable);
export const budgetDeposit = guarded('budgetDeposit', glue.budgetDeposit);
export const budgetFree = guarded('budgetFree', glue.budgetFree);
export const budgetNew = guarded('budgetNew', glue.budgetNew);
export const budgetWithdraw = guarded('budgetWithdraw', glue.budgetWithdraw);
export const cancel = guarded('cancel', glue.cancel);
export const classifyLane = guarded('classifyLane', glue.classifyLane);
export const closeEarly = guarded('closeEarly', glue.closeEarly);
export const coreMemory = guarded('coreMemory', glue.coreMemory);
export const dequeue = guarded('dequeue', glue.dequeue);
export const drainEvents = guarded('drainEvents', glue.drainEvents);
export const explainLane = guarded('explainLane', glue.explainLane);
export const hasEvents = guarded('hasEvents', glue.hasEvents);
export const hintInLane = guarded('hintInLane', glue.hintInLane);
export const lanePointer = guarded('lanePointer', glue.lanePointer);
export const nextReady = guarded('nextReady', glue.nextReady);
export const observeLimits = guarded('observeLimits', glue.observeLimits);
export const policyFree = guarded('policyFree', glue.policyFree);
export const policyNeeds = guarded('policyNeeds', glue.policyNeeds);
export const policyNew = guarded('policyNew', glue.policyNew);
export const policyObserve = guarded('policyObserve', glue.policyObserve);
export const policyUpdate = guarded('policyUpdate', glue.policyUpdate);
export const pollTimeout = guarded('pollTimeout', glue.pollTimeout);
export const responseCalls = guarded('responseCalls', glue.responseCalls);
export const responseChunk = guarded('responseChunk', glue.responseChunk);
export const responseConclusion = guarded('responseConclusion', glue.responseConclusion);
export const responseEnd = guarded('responseEnd', glue.responseEnd);
export const responseFormat = guarded('responseFormat', glue.responseFormat);
export const responseFree = guarded('responseFree', glue.responseFree);
export const responseNew = guarded('responseNew', glue.responseNew);
export const responsePreview = guarded('responsePreview', glue.responsePreview);
export const responsePreviewIsFull = guarded('responsePreviewIsFull', glue.responsePreviewIsFull);
export const responseReset = guarded('responseReset', glue.responseReset);
export const responseUnknownFields = guarded('responseUnknownFields', glue.responseUnknownFields);
export const responseValidate = guarded('responseValidate', glue.responseValidate);
export const responseWhole = guarded('responseWhole', glue.responseWhole);
export const resume = guarded('resume', glue.resume);
export const rowsPointer = guarded('rowsPointer', glue.rowsPointer);
export const saidInLane = guarded('saidInLane', glue.saidInLane);
export const thrownLane = guarded('thrownLane', glue.thrownLane);

// As `guarded`, written out: every call goes through two of them, and engines inline a function that is not shared.

export function attemptOk(policy: number, call: number, now: number, durationMs: number): number {
  try {
    return glue.attemptOk(policy, call, now, durationMs);
  } catch (error) {
    throw inFunction('attemptOk', error);
  }
}

export function attemptOkPlain(policy: number, call: number): number {
  try {
    return glue.attemptOkPlain(policy, call);
  } catch (error) {
    throw inFunction('attemptOkPlain', error);
  }
}

export function begin(policy: number, now: number): number {
  try {
    return glue.begin(policy, now);
  } catch (error) {
    throw inFunction('begin', error);
  }
}

export function beginPlain(policy: number): number {
  try {
    return glue.beginPlain(policy);
  } catch (error) {
    throw inFunction('beginPlain', error);
  }
}
