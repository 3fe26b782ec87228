/** A retry budget: retries are at most a share of the calls, so that an outage is not amplified. */

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
  ratio?: number | undefined;
  minPerSecond?: number | undefined;
  windowMs?: number | undefined;
  clock?: Clock | undefined;
}

/**
 * Shared by any number of policies: caps retries to `ratio` of the calls in the last `windowMs`.
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

  /**
   * @param options - `ratio` of the calls (0.1), `minPerSecond` (1) × `windowMs` (10000) is the reserve it starts
   * with.
   * @throws TypeError for a wrong option.
   */
  constructor(options?: BudgetOptions) {
    this.options = is.readOptions<BudgetOptions>(shape, options, 'RetryBudget');
    this.time = timeOf(this.options.clock);
  }

  /** Retries that it would allow now. */
  get available(): number {
    return engine.onceMore(() => engine.budgetAvailable(this.handle, this.time.now()));
  }

  /** For loops outside a policy: one first attempt. */
  deposit(): void {
    engine.onceMore(() => engine.budgetDeposit(this.handle, this.time.now()));
  }

  /** One retry, if it may. */
  withdraw(): boolean {
    return engine.onceMore(() => engine.budgetWithdraw(this.handle, this.time.now()));
  }

  /** @internal A budget without a clock of its own takes the one of the first policy that it is given to. */
  adopt(time: Time): void {
    if (this.options.clock === undefined && this.instance === -1 && this.time.clock === systemClock)
      this.time = time;
  }

  /** @internal The core's number of it, made on first use. */
  get handle(): number {
    if (this.instance !== engine.instanceNumber()) {
      const { clock: _clock, ...core } = this.options;
      this.number = engine.budgetNew(core);
      this.instance = engine.instanceNumber();
      engine.freeWith(this, 'budget', this.number);
    }
    return this.number;
  }
}
