/** What a run for real may be: it takes as long as its scenario, and a server that others use. */

import { misuse } from '../../options.js';
import { misfitOf } from '../check.js';
import { asJson } from '../pace.js';
import type { Scenario } from '../scenario.js';

/** At most so many clients, for so long. The dashboard knows these numbers too (`web/model/src/view/lab/edit.rs`). */
const MOST_CLIENTS = 200;
const LONGEST_MS = 60_000;
/** At most so many calls a second begin, of all clients together. */
const MOST_A_SECOND = 200;

/**
 * Checks a scenario before anything runs.
 *
 * @throws TypeError where it does not fit, is too large, or has what only the simulator can do: it names the path, what was
 * expected and what came.
 */
export function checkReal(scenario: Scenario): void {
  const misfit = misfitOf(asJson(scenario));
  if (misfit !== undefined) throw new TypeError(`halfopen: ${misfit}`);
  const { clients, durationMs, policies } = scenario;
  const { arrivals } = clients;
  if (clients.count > MOST_CLIENTS)
    throw misuse('clients.count', `at most ${MOST_CLIENTS} in a run for real`, clients.count);
  if (durationMs > LONGEST_MS)
    throw misuse('durationMs', `at most ${LONGEST_MS} in a run for real`, durationMs);
  if (arrivals.kind === 'open' && arrivals.perSecond > MOST_A_SECOND) {
    const expected = `at most ${MOST_A_SECOND} in a run for real`;
    throw misuse('clients.arrivals.perSecond', expected, arrivals.perSecond);
  }
  if (Object.keys(policies).length > 4)
    throw misuse('policies', 'at most 4 in a run for real', Object.keys(policies).length);
  for (const key of ['patienceMs', 'nested'] as const) {
    if (clients[key] !== undefined) throw misuse(`clients.${key}`, 'nothing in a run for real', clients[key]);
  }
}
