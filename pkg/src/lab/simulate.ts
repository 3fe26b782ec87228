/** Every policy of a scenario, once. */

import { policiesOf, type RunOptions, runJobs } from './pace.js';
import type { PolicyResult, Simulation } from './result.js';
import type { Scenario } from './scenario.js';

/**
 * Runs every policy of a scenario with its seed, all on the same random numbers.
 *
 * Works for a few milliseconds at a time, so that a page or a server stays responsive.
 *
 * @throws TypeError where the scenario does not fit: it names the path, what was expected and what came, before anything runs.
 *
 * @example
 * ```ts
 * import { simulate } from 'halfopen/lab';
 * const { policies } = await simulate({
 *   version: 1,
 *   durationMs: 120_000,
 *   clients: { count: 100, arrivals: { kind: 'open', perSecond: 7, process: 'constant' } },
 *   policies: {
 *     retries: { retry: { maxRetries: 3, baseDelayMs: 50 }, breaker: false, timeout: { attemptMs: 500 } },
 *     none: { retry: false, breaker: false, timeout: { attemptMs: 500 } },
 *   },
 *   provider: { servers: 1, service: { kind: 'constant', mean: 100 } },
 *   faults: [{ kind: 'pause', atMs: 30_000, forMs: 1000 }],
 * });
 * console.log(policies.retries?.totals.amplification); // 3.25: the pause ended after a second, the retries did not
 * ```
 */
export async function simulate(scenario: Scenario, options: RunOptions = {}): Promise<Simulation> {
  const policies: Record<string, PolicyResult> = {};
  const jobs = policiesOf(scenario).map((policy) => ({ scenario, policy }));
  await runJobs(jobs, options, (result, { policy }) => {
    policies[policy] = result;
  });
  return { scenario, policies };
}
