/** A policy's options as the core takes them: what it decides by, without functions, with budgets by their numbers. */

import type { ExecuteOptions } from '../call/options.js';
import type { Time } from '../clock.js';
import { RetryBudget } from '../retry/budget.js';
import { mergedRetry, type RetryOptions, retryPresets } from '../retry/options.js';
import type { PolicyOptions } from './options.js';

type Core = Record<string, unknown>;

/** The options of a policy. */
export function coreOptions(options: PolicyOptions<unknown>): Core {
  const { retry, breakerScope, timeout, bulkhead, rateLimit } = options;
  const core: Core = { retry: coreRetry(retry) };
  if (breakerScope !== undefined) core.breakerScope = breakerScope;
  if (timeout?.totalMs !== undefined) core.timeout = { totalMs: timeout.totalMs };
  if (bulkhead !== undefined) core.bulkhead = bulkhead;
  if (rateLimit !== undefined) core.rateLimit = rateLimit;
  return core;
}

/** The options of one call, where they differ from its policy's in what the core decides by; else undefined. */
export function coreOverrides(
  common: PolicyOptions<unknown>,
  own: ExecuteOptions<unknown> | undefined,
): Core | undefined {
  if (own === undefined || (own.retry === undefined && own.timeout?.totalMs === undefined)) return undefined;
  const core: Core = {};
  if (own.retry !== undefined) {
    core.retry = coreRetry(mergedRetry(common.retry, own.retry, retryPresets[common.preset ?? 'agent']));
  }
  if (own.timeout?.totalMs !== undefined) core.timeout = { totalMs: own.timeout.totalMs };
  return core;
}

/** What the core decides of the retries; predicates and callbacks stay here. */
function coreRetry(options: RetryOptions | false | undefined): Core {
  if (options === undefined || options === false) return { enabled: false };
  const { retryOn: _on, onRetry: _callback, budget: _budget, ...core } = options;
  return core;
}

/** The budgets that a policy's retries are taken from: shared ones, and its own by their numbers. */
export class PolicyBudgets {
  private readonly time: Time;
  private readonly own = new Map<string, RetryBudget>();

  constructor(time: Time) {
    this.time = time;
  }

  /** The core's number of the budget, 0 for none. The same numbers name the same budget, for as long as the policy lives. */
  handle(retry: RetryOptions | false | undefined): number {
    if (retry === undefined || retry === false || retry.budget === undefined) return 0;
    const { budget } = retry;
    if (budget instanceof RetryBudget) {
      budget.adopt(this.time);
      return budget.handle;
    }
    const key = `${budget.ratio}/${budget.minPerSecond}`;
    let own = this.own.get(key);
    if (own === undefined) {
      own = new RetryBudget({ ...budget, clock: this.time.clock });
      this.own.set(key, own);
    }
    return own.handle;
  }
}
