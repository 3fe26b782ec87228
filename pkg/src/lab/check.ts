/** The faults of a scenario, in the words of the core. */

import { restart } from '../core/instance.js';
import { labFree, labMisfit, labNew } from '../core/lab.js';

/** Returns the path, the expected form and the actual value; `undefined` if all fits. */
export function misfitOf(scenario: string): string | undefined {
  const policies = (JSON.parse(scenario) as { policies?: object } | null)?.policies ?? {};
  try {
    const run = labNew(scenario, Object.keys(policies)[0] ?? '', Number.NaN);
    if (run === 0) return labMisfit();
    labFree(run);
    return undefined;
  } catch (error) {
    restart(error);
    return 'scenario: expected what fits into memory, got more; fewer clients or a smaller queue help';
  }
}
