/** A call and the engine: inputs go in, steps come out, and a trap of the core is survived. */

import * as engine from '../core/engine.js';
import type { CallHost, StepCode } from './host.js';
import type { CallOptions } from './options.js';

/** The step of a call that the engine does not know, or knows no more: nothing follows from it. */
export const UNKNOWN_TO_ENGINE: StepCode = engine.DONE;

/** An input about one call; the last number is what only some of them want. */
export type EngineInput = (policy: number, call: number, now: number, durationMs: number) => StepCode;

/** The side of a call that the engine knows. */
interface KnownCall {
  readonly host: CallHost;
  /** The engine's number of the call, 0 when it knows none (any more). */
  handle: number;
  /** The instance of the core that knows the number. */
  instance: number;
}

export function begin(call: KnownCall, options: CallOptions | undefined, within: boolean): StepCode {
  try {
    const code = call.host.begin(options, within);
    call.instance = engine.core.instanceNumber;
    return code;
  } catch (error) {
    call.host.coreFailed(error);
    return UNKNOWN_TO_ENGINE;
  }
}

/** Returns `true` if the core has trapped since the call began: its successor does not know the call. */
export function isLost({ handle, instance }: KnownCall): boolean {
  return handle !== 0 && instance !== engine.core.instanceNumber;
}

/** Gives the engine an input about this call, and returns the step that follows. */
export function input(
  call: KnownCall,
  run: EngineInput,
  now: number = call.host.time.now(),
  durationMs = Number.NaN,
): StepCode {
  const { host, handle } = call;
  if (handle === 0) return UNKNOWN_TO_ENGINE;
  if (call.instance !== engine.core.instanceNumber) {
    host.coreReplaced();
    return UNKNOWN_TO_ENGINE;
  }
  try {
    return run(host.handle, handle, now, durationMs);
  } catch (error) {
    host.coreFailed(error);
    return UNKNOWN_TO_ENGINE;
  }
}

/** Reports a success. The engine says itself if it needs the time of one that nothing else needs. */
export function succeed(call: KnownCall, startedAt: number): StepCode {
  const { host } = call;
  const now = host.isTimed ? host.time.now() : Number.NaN;
  const code = input(call, engine.attemptOk, now, now - startedAt);
  return (code & engine.STEP) === engine.NEED_TIME ? input(call, engine.attemptOk) : code;
}

/** Reports how many tokens an attempt took, for a limit on them. The engine needs no time for it. */
export function used(call: KnownCall, attempt: number, tokens: number): void {
  const report: EngineInput = (policy, handle) => {
    engine.attemptUsed(policy, handle, attempt, tokens);
    return UNKNOWN_TO_ENGINE;
  };
  input(call, report, Number.NaN);
}

/** Gives the engine the last input about this call. */
export function leave(call: KnownCall, run: EngineInput): StepCode {
  if (call.handle === 0) return UNKNOWN_TO_ENGINE;
  const code = input(call, run);
  call.handle = 0;
  return code;
}
