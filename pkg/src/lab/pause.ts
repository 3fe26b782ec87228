/** Measures a policy with one number: the longest pause of the provider that it survives. */

import { misuse } from '../options.js';
import { type RunOptions, runJobs } from './pace.js';
import type { PolicyResult } from './result.js';
import type { Scenario } from './scenario.js';
import { seedsOf } from './simulate-many.js';

const STEP_MS = 100;
const BEGINS_MS = 30_000;
const INTERVAL_MS = 1000;

/**
 * Finds the longest pause of the provider that a policy survives, in steps of 100 ms up to `maxMs`. The pause begins
 * after 30 s and replaces the scenario's faults. The policy survives if goodput from 60 to 90 s after the pause is at
 * least 95 % of that before, with all seeds. The pauses are tried from the shortest on, so the policy survives every
 * shorter one that was tried, too.
 *
 * @returns milliseconds; 0 where the first step is too long, `null` where it survives all.
 * @throws TypeError where the scenario does not fit, or has no such policy.
 *
 * @example
 * ```ts
 * import { longestSurvivedPause } from 'halfopen/lab';
 * await longestSurvivedPause(scenario, 'retries'); // 500
 * ```
 */
export async function longestSurvivedPause(
  scenario: Scenario,
  policy: string,
  options: RunOptions & { maxMs?: number | undefined } = {},
): Promise<number | null> {
  const { maxMs = 20_000, seeds } = options;
  if (!(maxMs >= STEP_MS && maxMs <= 3_600_000))
    throw misuse('maxMs', 'a number of milliseconds from 100 to 3600000', maxMs);
  const steps = Math.floor(maxMs / STEP_MS);
  const all = seedsOf(scenario, seeds);
  for (let step = 1; step <= steps; step++) {
    const pauseMs = step * STEP_MS;
    const paused = pausedScenario(scenario, policy, pauseMs);
    const jobs = all.map((seed) => ({ scenario: paused, policy, seed }));
    const progress = (share: number) => options.onProgress?.((step - 1 + share) / steps);
    let survives = true;
    await runJobs(jobs, { ...options, onProgress: progress }, ({ series }) => {
      const end = BEGINS_MS + pauseMs;
      survives &&= goodput(series, end + 60_000, end + 90_000) >= 0.95 * goodput(series, 0, BEGINS_MS);
    });
    if (!survives) return pauseMs - STEP_MS;
  }
  return null;
}

function pausedScenario(scenario: Scenario, policy: string, pauseMs: number): Scenario {
  const compared = scenario.policies?.[policy];
  if (compared === undefined)
    throw misuse(
      'policy',
      `one of ${Object.keys(scenario.policies ?? {}).join(', ') || 'the scenario'}`,
      policy,
    );
  return {
    ...scenario,
    durationMs: BEGINS_MS + pauseMs + 90_000,
    intervalMs: INTERVAL_MS,
    policies: { [policy]: compared },
    faults: [{ kind: 'pause', atMs: BEGINS_MS, forMs: pauseMs }],
  };
}

/** The mean number of successes of the intervals that lie wholly between two times. */
function goodput(series: PolicyResult['series'], fromMs: number, toMs: number): number {
  const counts = series.succeeded.slice(Math.ceil(fromMs / INTERVAL_MS), Math.floor(toMs / INTERVAL_MS));
  return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
}
