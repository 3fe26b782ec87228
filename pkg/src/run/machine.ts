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
export type Numbers = readonly number[];

/** A trap of the core takes the rows and the ladder, not what was spent: the run goes on as one that has just begun to look. */
export class Machine {
  private handle = 0;
  private instance = -1;
  private hasSteps = false;
  private counted: Counted = {
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
    const handle = onceMore(() => core.runRestore(state, options));
    if (handle === 0) {
      throw new TypeError("halfopen: 'snapshot.state' must be what snapshot() gave, got another text");
    }
    this.keep(handle);
    this.counting(() => []);
  }

  step(ms: number): Numbers {
    const advice = this.counting((handle) => core.runStep(handle, ms));
    this.hasSteps = true;
    return advice;
  }

  toolCall({ tool, key, counts }: CallHash, ms: number): Numbers {
    return this.counting((handle) => core.runToolCall(handle, tool, key, counts, ms));
  }

  /** `failure` is the number of a code, -1 for a result, -2 for one that found nothing. */
  toolResult({ tool, key, counts }: CallHash, failure: number, { high, low }: Hash): void {
    this.on((handle) => core.runToolResult(handle, tool, key, counts, failure, high, low));
  }

  /** How often the last outcome has come in a row. */
  get repeated(): number {
    return this.on(core.runRepeated);
  }

  text({ high, low }: Hash): void {
    this.on((handle) => core.runText(handle, high, low));
  }

  spend(more: Partial<Counted>): void {
    this.counting((handle) => {
      spend(handle, more);
      return [];
    });
  }

  get spent(): Readonly<Counted> {
    return this.counted;
  }

  hardLimit(ms: number): Numbers {
    return [...this.on((handle) => core.runHardLimit(handle, ms))];
  }

  warnings(ms: number): Numbers {
    return [...this.on((handle) => core.runWarnings(handle, ms))];
  }

  get concluded(): Numbers {
    return [...this.on(core.runConcluded)];
  }

  get state(): string {
    return this.on(core.runState);
  }

  /** Both in one, because after a trap in either, both are repeated from the counters before. */
  private counting(act: (handle: number) => Iterable<number>): number[] {
    return this.on((handle) => {
      const result = [...act(handle)];
      const numbers = core.runSpent(handle);
      this.counted = Object.fromEntries(COUNTED.map((name, at) => [name, numbers[at] ?? 0])) as Counted;
      return result;
    });
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
      spend(this.handle, { ...this.counted, steps: this.hasSteps ? steps - 1 : steps });
    }
    return this.handle;
  }

  private keep(handle: number): void {
    this.handle = handle;
    this.instance = core.core.instanceNumber;
    freeWith(this, core.core, handle, core.runFree);
  }
}

function spend(handle: number, more: Partial<Counted>): void {
  const [steps = 0, toolCalls = 0, input = 0, cached = 0, output = 0, cost = 0] = COUNTED.map(
    (name) => more[name],
  );
  core.runSpend(handle, steps, toolCalls, input, cached, output, cost);
}
