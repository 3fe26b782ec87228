/** The value in place of that of a call that failed: the answer of an earlier call, or its fallback's. */

import { isControlFlow } from '../control-flow.js';
import type { AgentError } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import { Attempt } from './attempt.js';
import { whenDone } from './callback.js';
import type { DrivenCall } from './driven-call.js';
import { readThrown } from './failures.js';

/** Settles a call that failed for good: with an earlier answer or a fallback's value, else with the error. */
export function standIn<T>(call: DrivenCall<T>, final: AgentError): void {
  const { options, settings } = call;
  const fallback = options?.fallback ?? settings.options.fallback;
  const fallsBack = call.hooks.refusesFallback !== true && final.code !== 'CANCELLED';
  const earlier = fallsBack ? earlierAnswer(call) : undefined;
  if (earlier !== undefined) {
    fellBack(call, final, earlier.value as T, earlier.ageMs);
    return;
  }
  if (!fallsBack || fallback === undefined) {
    call.reject(final);
    return;
  }
  const context = new Attempt(call, 0, Number.NaN);
  call.moveTo({ kind: 'falling-back', context });
  whenDone(
    () => fallback(final, context),
    (value) => call.runStep(() => fellBack(call, final, value as T)),
    (thrown) => call.runStep(() => fallbackFailed(call, final, thrown)),
  );
}

function fellBack<T>(call: DrivenCall<T>, { code }: AgentError, value: T, ageMs?: number): void {
  if (call.isSettled) return;
  call.degraded = code;
  call.host.emit(call, { type: 'fallback.used', code, ageMs });
  call.host.counts.fallbacks++;
  call.settle();
  call.resolve(value);
}

function fallbackFailed<T>(call: DrivenCall<T>, error: AgentError, thrown: unknown): void {
  if (call.isSettled) return;
  if (isControlFlow(thrown)) {
    // It goes elsewhere: that value replaces the call's.
    fellBack(call, error, Promise.reject(thrown) as T);
    return;
  }
  const { error: own } = readThrown(call, thrown);
  if (call.isSettled) return;
  call.host.emit(call, { type: 'fallback.used', code: error.code, failed: true });
  call.reject(finished(own, { attempts: error.attempts, errors: error.errors, cause: error }));
}

/** Keeps the answer for later calls of the same key that fail. */
export function keepAnswer(call: DrivenCall<unknown>, key: string, value: unknown): void {
  const { host, settings } = call;
  if (call.hooks.refusesFallback === true) return;
  const stale = settings.options.staleIfError;
  if (stale !== undefined) host.earlierAnswers.keep(key, value, host.time.now(), stale);
}

/** The answer of an earlier call of the same key. */
function earlierAnswer(call: DrivenCall<unknown>): { value: unknown; ageMs: number } | undefined {
  const { host, options, settings } = call;
  const key = options?.cacheKey;
  const stale = settings.options.staleIfError;
  if (key === undefined || stale === undefined) return undefined;
  return host.earlierAnswers.find(key, host.time.now(), stale);
}
