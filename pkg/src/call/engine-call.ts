/** A call as the engine knows it: inputs go in, steps come out, and a trap of the core is survived. */

import * as engine from '../core/engine.js';
import type { CallHost, StepCode } from './host.js';
import type { CallOptions } from './options.js';

/** The step of a call that the engine does not know, or knows no more: nothing follows from it. */
export const UNKNOWN_TO_ENGINE: StepCode = engine.DONE;

/** An input about one call; the last number is what only some of them want. */
export type EngineInput = (policy: number, call: number, now: number, durationMs: number) => StepCode;

export class EngineCall {
  /** The engine's number of the call, 0 when it knows none (any more). */
  handle: number;
  private readonly host: CallHost;
  /** The instance of the core that knows the number. */
  private instance: number;

  constructor(host: CallHost) {
    this.handle = 0;
    this.host = host;
    this.instance = -1;
  }

  begin(options: CallOptions | undefined): StepCode {
    try {
      const code = this.host.begin(options);
      this.instance = engine.core.instanceNumber;
      return code;
    } catch (error) {
      this.host.coreFailed(error);
      return UNKNOWN_TO_ENGINE;
    }
  }

  /** `true` if the core has trapped since the call began: its successor does not know the call. */
  get isLost(): boolean {
    return this.handle !== 0 && this.instance !== engine.core.instanceNumber;
  }

  /** Gives the engine an input about this call, and returns the step that follows. */
  input(run: EngineInput, now: number = this.host.time.now(), durationMs = Number.NaN): StepCode {
    const { host, handle } = this;
    if (handle === 0) return UNKNOWN_TO_ENGINE;
    if (this.instance !== engine.core.instanceNumber) {
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

  /** A success. The engine says itself where it needs the time of one that nobody else does. */
  succeed(startedAt: number): StepCode {
    const { host } = this;
    const now = host.isTimed ? host.time.now() : Number.NaN;
    const code = this.input(engine.attemptOk, now, now - startedAt);
    return (code & engine.STEP) === engine.NEED_TIME ? this.input(engine.attemptOk) : code;
  }

  /** How many tokens an attempt took, for a limit on them. The engine needs no time for it. */
  used(attempt: number, tokens: number): void {
    this.input((policy, call) => {
      engine.attemptUsed(policy, call, attempt, tokens);
      return UNKNOWN_TO_ENGINE;
    }, Number.NaN);
  }

  /** The last input about this call. */
  leave(run: EngineInput): StepCode {
    if (this.handle === 0) return UNKNOWN_TO_ENGINE;
    const code = this.input(run);
    this.handle = 0;
    return code;
  }
}
