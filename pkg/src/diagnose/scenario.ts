/** Scenarios for agents: their format in a few lines, a whole example, and all mistakes of one at once. */

import { misfitOf } from '../lab/check.js';
import { asJson } from '../lab/pace.js';
import type { Scenario } from '../lab/scenario.js';

/** An example with most of what a scenario can have. */
export const EXAMPLE: Scenario = {
  version: 1,
  durationMs: 60_000,
  clients: { count: 20, processes: 1, arrivals: { kind: 'open', perSecond: 5 } },
  policies: {
    now: { retry: { maxRetries: 3, baseDelayMs: 200 }, timeout: { attemptMs: 2000 } },
    changed: {
      retry: { maxRetries: 1 },
      breaker: { failureThreshold: 5, resetTimeoutMs: 5000 },
      fallback: true,
    },
  },
  provider: {
    servers: 4,
    service: { kind: 'lognormal', median: 300, sigma: 0.5 },
    errors: [{ code: 'SERVER_ERROR', rate: 0.02 }],
  },
  faults: [{ kind: 'outage', atMs: 20_000, forMs: 5000 }],
  expect: { minSuccessRate: 0.9, maxUserP95Ms: 8000 },
};

/** The format of a scenario. The page `lab` of the documentation has the same. */
export const FORMAT = `The scenario. Durations are in milliseconds; ? is optional.
version: 1. durationMs. name?, seed?, intervalMs?
clients: {count, processes?, patienceMs?, arrivals: {kind: 'open', perSecond, process?: 'poisson' | 'constant'} | {kind: 'closed', think: DISTRIBUTION} | {kind: 'once'}}
policies: {NAME: the options of createPolicy that are data: retry, breaker, breakerScope, timeout, bulkhead, rateLimit, hedge; fallback: true}
provider: {servers, service: DISTRIBUTION, queue?, abandons?, rateLimit?: {limit, windowMs, retryAfter?}, errors?: [{code, rate, retryAfterMs?, latencyMs?}]}
DISTRIBUTION: {kind: 'constant' | 'exponential', mean} | {kind: 'lognormal', median, sigma} | {kind: 'empirical', values}
faults?: [{kind: 'outage' | 'blackhole' | 'pause', atMs, forMs} | {kind: 'errors', atMs, forMs, code, rate, retryAfterMs?} | {kind: 'slow' | 'capacity' | 'load', atMs, forMs, factor, rampMs?}]
cost?: {perAttempt?, perToken?, tokensPerAttempt?}
expect?: {minSuccessRate?, maxAmplification?, maxUserP95Ms?, maxCost?, minRecoveredGoodput?}
Example: ${JSON.stringify(EXAMPLE)}`;

/** Most mistakes that are listed. */
const MOST = 20;

type Json = Record<string, unknown>;

/**
 * Checks a scenario. The lab stops at its first mistake, so each is mended in a copy to come to the next: an unknown key or a
 * wrong value is left out, and a missing one is taken from the example.
 *
 * @throws TypeError with a line for each mistake: where it is, what was expected and what came.
 */
export function checkScenario(given: unknown): void {
  const copy = JSON.parse(asJson(given as Scenario)) as Json;
  const mistakes: string[] = [];
  let last: string | undefined;
  // Each turn mends something; the bound is for a rule that the example itself does not meet.
  for (let turn = 0; turn < 2 * MOST && mistakes.length < MOST; turn += 1) {
    const misfit = misfitOf(JSON.stringify(copy));
    if (misfit === undefined) break;
    const at = misfit.indexOf(': expected ');
    const path = at < 0 ? '' : misfit.slice(0, at);
    // Left out, it may be missing: that is the same mistake.
    if (path !== last) mistakes.push(misfit);
    if (!mend(copy, path, path === last || misfit.endsWith(', got nothing'))) break;
    last = path;
  }
  if (mistakes.length > 0) throw new TypeError(mistakes.join('\n'));
}

/** Leaves out the value at a path, or replaces it by that of the example. Returns `false` if it can do neither. */
function mend(scenario: Json, path: string, isMissing: boolean): boolean {
  const names = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const last = names.pop();
  if (last === undefined || last === '') return false;
  const parentOf = (root: unknown): unknown =>
    names.reduce<unknown>((at, name) => (at as Json | undefined | null)?.[name], root);
  const parent = parentOf(scenario) as Json | undefined | null;
  if (typeof parent !== 'object' || parent === null) return false;
  // Another kind has other keys.
  if (last === 'kind') return mend(scenario, names.join('.'), true);
  if (!isMissing) {
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    return true;
  }
  const example = (parentOf(EXAMPLE) as Json | undefined)?.[last];
  if (example === undefined || parent[last] === example) return false;
  parent[last] = structuredClone(example);
  return true;
}
