/** A policy's options in the core's form: as numbers, without functions, with budgets by their handles. */

import type { ExecuteOptions } from '../call/options.js';
import type { Time } from '../clock.js';
import * as engine from '../core/engine.js';
import { numbersOf } from '../core/option-numbers.js';
import { BREAKER_SCOPES, POLICY_OPTIONS, RATE_LIMIT_OPTIONS, RETRY_OPTIONS } from '../core/wire.js';
import { RetryBudget } from '../retry/budget.js';
import { mergedRetry, type RetryOptions, retryValues } from '../retry/options.js';
import { type PolicyOptions, rateLimits } from './options.js';

const NAMES = [...RETRY_OPTIONS, ...POLICY_OPTIONS] as const;

/** Returns the options of a policy. */
export function coreOptions(options: PolicyOptions<unknown>): Float64Array {
  const { retry, breakerScope, timeout, bulkhead, adaptive } = options;
  const numbers = numbersOf(NAMES, {
    ...retryValues(retry),
    totalMs: timeout?.totalMs,
    breakerScope: breakerScope === undefined ? undefined : BREAKER_SCOPES.indexOf(breakerScope),
    ...bulkhead,
    ...(typeof adaptive === 'object' && adaptive),
    adaptive: adaptive !== undefined && adaptive !== false,
  });
  const limits = rateLimits(options).map(({ unit, ...limit }) =>
    numbersOf(RATE_LIMIT_OPTIONS, { ...limit, ofTokens: unit === 'tokens' }),
  );
  return Float64Array.of(...numbers, ...limits.flatMap((limit) => [...limit]));
}

/** The options of one call that replace its policy's: numbers for the core, and the retries that name its budget. */
interface Overrides {
  readonly numbers: Float64Array;
  readonly retry: RetryOptions | false | undefined;
}

/** Returns the options of one call that the core uses in place of its policy's; `undefined` without any. */
export function coreOverrides(
  common: PolicyOptions<unknown>,
  own: ExecuteOptions<unknown>,
): Overrides | undefined {
  const { timeout, estimatedTokens } = own;
  if (own.retry === undefined && timeout?.totalMs === undefined && estimatedTokens === undefined)
    return undefined;
  const retry = mergedRetry(common.retry, own.retry, common.preset);
  const numbers = numbersOf(NAMES, {
    ...(own.retry === undefined ? undefined : retryValues(retry)),
    totalMs: timeout?.totalMs,
    estimatedTokens,
  });
  // A call that does not retry still counts for the policy's budget.
  return { numbers, retry: own.retry ? retry : common.retry };
}

/** How many budgets with calls' own numbers a policy keeps: the most recently used ones. */
const MOST_BUDGETS = 100;

/** The budgets that a policy's retries are taken from: shared ones, and its own by their numbers. */
export class PolicyBudgets {
  private readonly time: Time;
  private readonly own = new Map<string, RetryBudget>();
  /** The same by the options that name them: a call and a policy keep theirs as long as they live. */
  private readonly used = new WeakMap<object, RetryBudget>();
  /** The core's number of the quota, and the instance of the core that knows it. */
  private quota = 0;
  private instance = -1;

  constructor(time: Time) {
    this.time = time;
  }

  /**
   * Returns the core's number of the budget, 0 for none. The same numbers name the same budget as long as `holder`, the
   * options that name it, is in use.
   */
  handle(retry: RetryOptions | false | undefined, holder: object): number {
    if (!retry || retry.budget === false) return 0;
    const { budget } = retry;
    if (budget === undefined) return this.quotaHandle;
    if (budget instanceof RetryBudget) {
      budget.adopt(this.time);
      return budget.handle;
    }
    const key = `${budget.ratio}/${budget.minPerSecond}`;
    let own = this.own.get(key);
    if (own === undefined) {
      own = new RetryBudget({ ...budget, clock: this.time.clock });
    } else this.own.delete(key);
    // The last is the one that was used last.
    this.own.set(key, own);
    this.used.set(holder, own);
    if (this.own.size > MOST_BUDGETS) this.own.delete(this.own.keys().next().value as string);
    return own.handle;
  }

  /** It counts the answers from now on. */
  private get quotaHandle(): number {
    if (this.instance !== engine.core.instanceNumber) {
      this.quota = engine.budgetDefault(this.time.now());
      this.instance = engine.core.instanceNumber;
      engine.freeWith(this, 'budget', this.quota);
    }
    return this.quota;
  }
}
