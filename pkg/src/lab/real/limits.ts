/** The limits of a run for real: it lasts as long as its scenario, and others use the same server. */

import { misuse } from '../../options.js';
import { misfitOf } from '../check.js';
import { asJson } from '../pace.js';
import type { Scenario } from '../scenario.js';

/** The most clients, and the longest run. The dashboard has the same numbers (`web/model/src/view/lab/edit.rs`). */
const MOST_CLIENTS = 200;
const LONGEST_MS = 60_000;
/** The most calls that begin in a second, of all clients together, with the factors of `load` faults. */
const MOST_A_SECOND = 200;
/** The most calls of a policy that are in flight at once. Each has a connection, and its answer in memory. */
export const MOST_UNDER_WAY = 2000;

/**
 * Checks a scenario before anything runs.
 *
 * @throws TypeError if the scenario does not fit, is too large, or needs something that only the simulator can do. The
 * error names the path, the expected form and the actual value.
 */
export function checkReal(scenario: Scenario): void {
  // Checked first, because the simulator creates all clients before it reports faults: a hundred million take seconds
  // and gigabytes.
  const count = (scenario as Partial<Scenario> | undefined)?.clients?.count;
  if (typeof count === 'number' && count > MOST_CLIENTS)
    throw misuse('clients.count', `at most ${MOST_CLIENTS} in a run for real`, count);
  const misfit = misfitOf(asJson(scenario));
  if (misfit !== undefined) throw new TypeError(`halfopen: ${misfit}`);
  const { clients, durationMs, policies, faults } = scenario;
  const { arrivals } = clients;
  if (durationMs > LONGEST_MS)
    throw misuse('durationMs', `at most ${LONGEST_MS} in a run for real`, durationMs);
  if (arrivals.kind === 'open' && arrivals.perSecond > MOST_A_SECOND) {
    const expected = `at most ${MOST_A_SECOND} in a run for real`;
    throw misuse('clients.arrivals.perSecond', expected, arrivals.perSecond);
  }
  const atMost = arrivals.kind === 'open' ? arrivals.perSecond * largestLoad(faults) : 0;
  if (atMost > MOST_A_SECOND) {
    const expected = `factors of 'load' that make at most ${MOST_A_SECOND} calls a second in a run for real`;
    throw misuse('faults', expected, atMost);
  }
  if (Object.keys(policies).length > 4)
    throw misuse('policies', 'at most 4 in a run for real', Object.keys(policies).length);
  for (const key of ['patienceMs', 'nested'] as const) {
    if (clients[key] !== undefined) throw misuse(`clients.${key}`, 'nothing in a run for real', clients[key]);
  }
}

/**
 * Returns the largest product of the factors of `load` faults that are on at the same time. A growing factor counts
 * with its full size.
 */
function largestLoad(faults: Scenario['faults'] = []): number {
  const loads = faults.flatMap((fault) => (fault.kind === 'load' ? [fault] : []));
  const products = loads.map(({ atMs: at }) =>
    loads
      .filter(({ atMs, forMs }) => at >= atMs && at < atMs + forMs)
      .reduce((product, { factor }) => product * Math.max(1, factor), 1),
  );
  return Math.max(1, ...products);
}
