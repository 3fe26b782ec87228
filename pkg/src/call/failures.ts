/** The failures of a call: what was thrown is read, and said to the engine in flags. */

import * as engine from '../core/engine.js';
import type { AgentError } from '../error/agent-error.js';
import { type Failure, type ReportMisuse, readFailure } from '../error/failure.js';
import type { Past } from '../error/final-error.js';
import { observe } from '../event/events.js';
import { stackOf, wordsOf } from '../message/for-log.js';
import { disown } from '../promises.js';
import { ownDelay, type RetryOptions } from '../retry/options.js';
import type { CallSettings } from './host.js';
import type { CallInfo } from './info.js';

/** Reads what a function of the call threw. */
export function readThrown({ host, settings, task, provider, model }: CallInfo, thrown: unknown): Failure {
  const { name, messages, audience, classify } = settings.options;
  const context = {
    provider,
    model,
    layer: 'agent' as const,
    // A policy that was given a name stands for a capability.
    capability: name,
    task,
    messages,
    audience,
    now: host.time.wall(),
  };
  return readFailure(thrown, context, classify, misuseReport(settings));
}

/** Returns what the engine decides by, beside the error's code. Calls the predicates of the application: `countsAsFailure`, `retryOn`. */
export function failureFlags(call: CallInfo, failure: Failure, nested: boolean, past: Past): number {
  const { settings, options, retryOptions } = call;
  const { error } = failure;
  const report = misuseReport(settings);
  let flags = 0;
  if (error.retryable) flags |= engine.RETRYABLE;
  // A breaker counts a failure once: of the call within.
  const isCounted = settings.breaker !== undefined && past.failed.includes(settings.breaker);
  if (!isCounted && settings.countsAsFailure(error, report)) flags |= engine.COUNTS;
  if (nested) flags |= engine.NESTED;
  if (failure.isBrokenStream === true) flags |= engine.BROKEN_STREAM;
  const verdict = verdictOf(retryOptions?.retryOn, error, report);
  if (verdict === true) flags |= engine.FORCE_RETRY;
  if (verdict === false) flags |= engine.FORBID_RETRY;
  if (retryOptions?.backoff !== undefined) flags |= engine.OWN_DELAY;
  if (options?.idempotent === false && failure.isRefusal !== true) flags |= engine.NOT_IDEMPOTENT_SENT;
  return flags;
}

/** The answer of a predicate. A list is applied by the core, which has it with the options. */
function verdictOf(
  retryOn: RetryOptions['retryOn'],
  error: AgentError,
  report: ReportMisuse,
): boolean | undefined {
  if (typeof retryOn !== 'function') return undefined;
  try {
    const verdict = retryOn(error);
    if (!disown(verdict)) return verdict;
    report('retryOn must not return a promise; the classification decides', verdict);
  } catch (thrown) {
    report('retryOn threw; the classification decides', thrown);
  }
  return undefined;
}

/** The delay from the application's `backoff`, for the step NEED_DELAY; NaN without one. */
export function delayOf({ settings, retryOptions }: CallInfo): number {
  const [attempt, previousMs] = [engine.retryNumber(), engine.delayMs()];
  const backoff = retryOptions?.backoff;
  if (backoff === undefined) return Number.NaN;
  const report = misuseReport(settings);
  try {
    const delayMs = ownDelay(backoff, attempt, Number.isNaN(previousMs) ? undefined : previousMs);
    if (Number.isNaN(delayMs)) {
      report('backoff must return milliseconds, 0 or more; the exponential backoff decides', delayMs);
    }
    return delayMs;
  } catch (thrown) {
    report('backoff threw; the exponential backoff decides', thrown);
    return Number.NaN;
  }
}

/** Says on `onDebug` what a function of the application's did that it may not. */
export function misuseReport({ options: { onDebug } }: CallSettings): ReportMisuse {
  return (message, value) => {
    if (onDebug === undefined) return;
    const stack = stackOf(value);
    const error = wordsOf(value) || (value === null ? 'null' : typeof value);
    observe(onDebug, message, { error, ...(stack !== undefined && { stack }) });
  };
}
