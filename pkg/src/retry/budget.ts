/** A retry budget: limits retries to a share of the calls, so that retries do not amplify an outage. */

import { type Clock, systemClock, type Time, timeOf } from '../clock.js';
import * as engine from '../core/engine.js';
import * as is from '../options.js';

const shape: is.Shape = {
  ratio: is.share,
  minPerSecond: is.factor,
  windowMs: is.finiteSpan,
  clock: is.clock,
};

interface BudgetOptions {
  /** Retries for each first attempt, from 0 to 1. Default: 0.1. */
  ratio?: number | undefined;
  /** Retries per second that are allowed even without calls. Default: 1. */
  minPerSecond?: number | undefined;
  /** The time range in which calls and retries count, in milliseconds. Default: 10000. */
  windowMs?: number | undefined;
  /** The source of time. Default: the clock of the first policy that it belongs to, otherwise the system's. */
  clock?: Clock | undefined;
}

/**
 * Limits retries to a share (`ratio`) of the calls of the last `windowMs`. Any number of policies may share one.
 *
 * After Finagle's RetryBudget (https://twitter.github.io/finagle/guide/Clients.html#retries).
 *
 * @example
 * ```ts
 * const budget = new RetryBudget({ ratio: 0.1 });
 * const a = createPolicy({ retry: { budget } });
 * const b = createPolicy({ retry: { budget } });
 * ```
 */
export class RetryBudget {
  /** @internal */ private readonly options: BudgetOptions;
  /** @internal */ private time: Time;
  /** @internal */ private number = 0;
  /** @internal */ private instance = -1;
  /** @internal What an event says of it. */ described: 'shared' | 'default' = 'shared';

  /**
   * Creates a quota, like the one that each policy has by itself, for several policies to share. It spends retries
   * according to how much they have helped recently, and needs no numbers. See docs/defaults.md.
   *
   * @example
   * ```ts
   * const budget = RetryBudget.quota();
   * const [a, b] = [createPolicy({ retry: { budget } }), createPolicy({ retry: { budget } })];
   * ```
   */
  static quota(): RetryBudget {
    return quota();
  }

  /**
   * Makes a budget that starts with a reserve of `minPerSecond` × `windowMs` / 1000 retries: 10 by default.
   *
   * @param options - `ratio`, retries for each first attempt (default 0.1); `minPerSecond`, retries per second that are
   * always allowed (default 1); `windowMs`, how far back calls count, in milliseconds (default 10000); `clock`.
   * @throws TypeError for a wrong option.
   */
  constructor(options?: BudgetOptions) {
    this.options = is.readOptions<BudgetOptions>(shape, options, 'RetryBudget');
    this.time = timeOf(this.options.clock);
  }

  /** How many retries it would allow now. */
  get available(): number {
    return engine.onceMore(() => engine.budgetAvailable(this.handle, this.time.now()));
  }

  /** Counts a first attempt. Policies do this by themselves; call it from your own retry loop. */
  deposit(): void {
    engine.onceMore(() => engine.budgetDeposit(this.handle, this.time.now()));
  }

  /** Takes one retry; returns `false` if the budget is empty. For your own retry loop. */
  withdraw(): boolean {
    return engine.onceMore(() => engine.budgetWithdraw(this.handle, this.time.now()));
  }

  /** @internal A budget without a clock of its own uses the clock of the first policy that it belongs to. */
  adopt(time: Time): void {
    if (this.options.clock === undefined && this.instance === -1 && this.time.clock === systemClock)
      this.time = time;
  }

  /** @internal The core's handle of this budget, made on first use. */
  get handle(): number {
    if (this.instance !== engine.core.instanceNumber) {
      const { ratio = Number.NaN, minPerSecond = Number.NaN, windowMs = Number.NaN } = this.options;
      this.number =
        this.described === 'default'
          ? engine.budgetDefault(this.time.now())
          : engine.budgetNew(ratio, minPerSecond, windowMs);
      this.instance = engine.core.instanceNumber;
      engine.freeWith(this, 'budget', this.number);
    }
    return this.number;
  }
}

/** Outside of the class, because bundlers rename a class that refers to itself. */
function quota(): RetryBudget {
  const budget = new RetryBudget();
  budget.described = 'default';
  return budget;
}
