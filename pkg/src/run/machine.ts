/** The core's state of one run, behind a number. */

import { freeWith } from '../core/handles.js';
import { onceMore, restart } from '../core/instance.js';
import * as core from '../core/run.js';
import type { Hash } from './canonical.js';

/** The core's counters, in its order. */
const COUNTED = ['steps', 'toolCalls', 'inputTokens', 'cachedInputTokens', 'outputTokens', 'cost'] as const;

/** The core's counters. */
export type Counted = Record<(typeof COUNTED)[number], number>;

/** A call of a tool, as the core knows it. */
export interface CallHash {
  readonly tool: number;
  readonly key: number;
  readonly counts: boolean;
}

/** The core's numbers of advice or of a reason; an empty list means to go on, or no reason. */
export type Numbers = Float64Array;

/** Bits of a step's or a call's outcome, as `run_step` of core/wasm/src/run.rs has them. */
export const ADVISED = 1;
export const WARNED = 2;
export const COUNTED_STEP = 4;
const COUNTED_CALL = 8;

/** A trap of the core takes the rows and the ladder, not what was spent: the run goes on as one that has just begun to look. */
export class Machine {
  private handle = 0;
  private instance = -1;
  private hasSteps = false;
  /** Of the last step or call that led to any. */
  advice: Numbers = new Float64Array();
  private readonly counted: Counted = {
    steps: 0,
    toolCalls: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    cost: 0,
  };

  /** @throws TypeError for a bad state. */
  constructor(
    private readonly options: Float64Array,
    state: string | undefined,
  ) {
    if (state === undefined) return;
    const { handle, spent } = onceMore(() => {
      const handle = core.runRestore(state, options);
      return { handle, spent: handle === 0 ? [] : core.runSpent(handle) };
    });
    if (handle === 0) {
      throw new TypeError("halfopen: 'snapshot.state' must be what snapshot() gave, got another text");
    }
    this.keep(handle);
    for (const [at, name] of COUNTED.entries()) this.counted[name] = spent[at] ?? 0;
  }

  /** Returns what it led to, in bits. */
  step(ms: number): number {
    const led = this.input((handle) => core.runStep(handle, ms));
    this.hasSteps = true;
    return led;
  }

  /** Returns what it led to, in bits. */
  toolCall({ tool, key, counts }: CallHash, ms: number): number {
    return this.input((handle) => core.runToolCall(handle, tool, key, counts, ms));
  }

  /** Reads the advice with the input, because after a trap in either, both are repeated. Counts here what the core has counted. */
  private input(give: (handle: number) => number): number {
    const led = this.on((handle) => {
      const led = give(handle);
      if ((led & ADVISED) !== 0) this.advice = core.runAdvice(handle);
      return led;
    });
    if ((led & COUNTED_STEP) !== 0) this.counted.steps += 1;
    if ((led & COUNTED_CALL) !== 0) this.counted.toolCalls += 1;
    return led;
  }

  /**
   * `failure` is the number of a code, -1 for a result, -2 for one that found nothing. Returns how often the outcome has come in a
   * row.
   */
  toolResult({ tool, key, counts }: CallHash, failure: number, { high, low }: Hash): number {
    return this.on((handle) => core.runToolResult(handle, tool, key, counts, failure, high, low));
  }

  /** How often the last refusal has come in a row. */
  get repeated(): number {
    return this.on(core.runRepeated);
  }

  text({ high, low }: Hash): void {
    this.on((handle) => core.runText(handle, high, low));
  }

  /** Returns `WARNED` if a limit is near. */
  spend(more: Partial<Counted>, ms: number): number {
    const led = this.on((handle) => spend(handle, more, ms));
    for (const name of COUNTED) this.counted[name] += more[name] ?? 0;
    return led;
  }

  get spent(): Readonly<Counted> {
    return this.counted;
  }

  hardLimit(ms: number): Numbers {
    return this.on((handle) => core.runHardLimit(handle, ms));
  }

  /** The limits that have come near with the last input. */
  get warnings(): Numbers {
    return this.on(core.runWarnings);
  }

  get concluded(): Numbers {
    return this.on(core.runConcluded);
  }

  get state(): string {
    return this.on(core.runState);
  }

  private on<T>(act: (handle: number) => T): T {
    try {
      return act(this.present());
    } catch (error) {
      restart(error);
      return act(this.present());
    }
  }

  private present(): number {
    if (this.handle === 0 || this.instance !== core.core.instanceNumber) {
      this.keep(core.runNew(this.options));
      const { steps } = this.counted;
      // Until it has had a step, a run takes each call for one.
      if (this.hasSteps) core.runStep(this.handle, 0);
      spend(this.handle, { ...this.counted, steps: this.hasSteps ? steps - 1 : steps }, 0);
    }
    return this.handle;
  }

  private keep(handle: number): void {
    this.handle = handle;
    this.instance = core.core.instanceNumber;
    freeWith(this, core.core, handle, core.runFree);
  }
}

function spend(handle: number, more: Partial<Counted>, ms: number): number {
  const {
    steps = 0,
    toolCalls = 0,
    inputTokens = 0,
    cachedInputTokens = 0,
    outputTokens = 0,
    cost = 0,
  } = more;
  return core.runSpend(handle, steps, toolCalls, inputTokens, cachedInputTokens, outputTokens, cost, ms);
}
