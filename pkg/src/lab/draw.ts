/** Scenarios drawn by chance: what a policy has to hold in that is meant for any provider. */

import * as engine from '../core/lab.js';
import { misuse } from '../options.js';
import { untrapped } from './pace.js';
import type { LabPolicy, Scenario } from './scenario.js';

/**
 * Draws a scenario: one of eleven kinds of trouble in turn (none at all, errors, outage, pause, slow answers, less
 * capacity, more load, rate limits, flapping, silence, overload). The number of processes (one to 400), their rate (a
 * call a minute to five a second each), the service time, the provider's utilisation, its queue and the length of the
 * trouble are drawn.
 *
 * @param seed - the same seed draws the same scenarios.
 * @param index - which of them, from 0.
 * @param policies - each gets the scenario's own timeouts. Default: 'the default', which is what `createPolicy` does by itself.
 * @throws TypeError where `seed` or `index` is no whole number from 0.
 *
 * @example
 * ```ts
 * const mine = { retry: { maxRetries: 5 } };
 * const scenario = drawScenario(1, 2, { mine, 'no policy': { retry: false, breaker: false } });
 * const { policies } = await simulate(scenario);
 * console.log(scenario.name, policies.mine?.totals.successRate);
 * ```
 */
export function drawScenario(
  seed: number,
  index: number,
  policies: Record<string, LabPolicy> = { 'the default': {} },
): Scenario {
  for (const [name, value, most] of [
    ['seed', seed, Number.MAX_SAFE_INTEGER],
    ['index', index, 0xffff_ffff],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0 || value > most)
      throw misuse(name, `a whole number from 0 to ${most}`, value);
  }
  const scenario = JSON.parse(untrapped(() => engine.labDrawn(seed, index))) as Scenario;
  const timeout = scenario.policies['the default']?.timeout;
  const timed = Object.entries(policies).map(([name, policy]) => [name, { ...policy, timeout }]);
  return { ...scenario, policies: Object.fromEntries(timed) };
}
