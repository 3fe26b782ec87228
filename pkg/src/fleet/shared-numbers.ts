/** The shared state that a policy gets from its fleet, and the counts and the use that it reports. */

import * as engine from '../core/engine.js';
import type { PolicyHost } from '../policy/host.js';
import { rateLimits } from '../policy/options.js';

/** The shared state that a policy gets. Absent fields leave the policy's state unchanged. */
export interface Given {
  /** How long the others keep the breaker open, on the policy's clock. */
  openUntil?: number;
  /** The others have closed the breaker. The share of admitted calls grows for this time. */
  closeRampMs?: number;
  /** The number of probes that it may make. */
  probes?: number;
  /** The number of processes that share the part of a retry budget that needs no calls. */
  sharers?: number;
  /** Returns its part of the limit at that index. */
  part?: (place: number) => number;
}

/** One limit, and this process's use of it. */
interface Limit {
  limit: number;
  windowMs: number;
  ofTokens: boolean;
  used: number;
}

/** The counts and the use of a policy. */
export interface Used {
  /** The results since the breaker was made. */
  counts: { total: number; failed: number; slow: number };
  streak: number;
  probesSucceeded: number;
  probesFailed: number;
  limits: readonly Limit[];
}

/** The slots into which the core writes a breaker's counts. */
const SLOTS = [
  engine.SLOT_TOTAL,
  engine.SLOT_FAILED,
  engine.SLOT_SLOW,
  engine.SLOT_STREAK,
  engine.SLOT_PROBES_SUCCEEDED,
  engine.SLOT_PROBES_FAILED,
] as const;
type Six = [number, number, number, number, number, number];

/** Gives the engine the shared state of a policy, and returns the policy's counts and use. */
export function exchanged(host: PolicyHost, { openUntil, closeRampMs, probes, sharers, part }: Given): Used {
  const { breaker, options } = host.settings;
  const [now, none] = [host.time.now(), Number.NaN];
  if (sharers !== undefined) {
    const budget = host.budgets.handle(options.retry, options);
    if (budget !== 0) engine.budgetShared(budget, sharers);
  }
  const rates = rateLimits(options);
  const limits: Limit[] = rates.map(({ limit, windowMs, unit }, place) => ({
    limit,
    windowMs,
    ofTokens: unit === 'tokens',
    used: engine.policyShared(host.handle, place, part?.(place) ?? none, now),
  }));
  if (options.bulkhead !== undefined) {
    const used = engine.policyShared(host.handle, -1, part?.(rates.length) ?? none, now);
    limits.push({ limit: options.bulkhead.maxConcurrent, windowMs: 0, ofTokens: false, used });
  }
  engine.breakerShared(breaker?.handle ?? 0, openUntil ?? none, closeRampMs ?? none, probes ?? none, now);
  const [total, failed, slow, streak, probesSucceeded, probesFailed] = SLOTS.map(engine.slot) as Six;
  // Without a breaker window the engine counts no successes.
  const isCounted = breaker?.options.window !== undefined;
  const counts = { total: isCounted ? total : failed + host.counts.succeeded, failed, slow };
  return { counts, streak, probesSucceeded, probesFailed, limits };
}
