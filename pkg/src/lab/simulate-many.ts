/** Every policy of a scenario, over many seeds. */

import { misuse } from '../options.js';
import { policiesOf, type RunOptions, runJobs } from './pace.js';
import type { Totals } from './result.js';
import type { Scenario } from './scenario.js';

/** A total over all seeds: its mean, and the range of 95 % of the runs (of a few runs: all). */
export interface Band {
  /** The mean over all seeds. */
  mean: number;
  /** The lower end: 95 % of the runs lie between `low` and `high`. */
  low: number;
  /** The upper end. */
  high: number;
}

/**
 * Runs every policy of a scenario with `seeds` seeds, from the scenario's on.
 *
 * @returns for each policy, the band of each total by its path, such as `successRate` or `userMs.p95`.
 * @throws TypeError where the scenario or the number of seeds does not fit.
 *
 * @example
 * ```ts
 * import { simulateMany } from 'halfopen/lab';
 * const bands = await simulateMany(scenario, { seeds: 30 });
 * const { mean, low, high } = bands.default['userMs.p95'];
 * ```
 */
export async function simulateMany(
  scenario: Scenario,
  options: RunOptions & { seeds: number },
): Promise<Record<string, Record<string, Band>>> {
  const jobs = seedsOf(scenario, options.seeds).flatMap((seed) =>
    policiesOf(scenario).map((policy) => ({ scenario, policy, seed })),
  );
  const values = new Map<string, Map<string, number[]>>();
  await runJobs(jobs, options, ({ totals }, { policy }) => {
    const ofPolicy = values.get(policy) ?? new Map<string, number[]>();
    values.set(policy, ofPolicy);
    for (const [path, value] of flat(totals)) ofPolicy.set(path, [...(ofPolicy.get(path) ?? []), value]);
  });
  const bands = ([policy, totals]: [string, Map<string, number[]>]) => [
    policy,
    Object.fromEntries([...totals].map(([path, runs]) => [path, bandOf(runs)])),
  ];
  return Object.fromEntries([...values].map(bands)) as Record<string, Record<string, Band>>;
}

/** Returns that number of seeds, from the scenario's on. */
export function seedsOf(scenario: Pick<Scenario, 'seed'>, count = 1): number[] {
  if (!Number.isInteger(count) || count < 1 || count > 100_000)
    throw misuse('seeds', 'a whole number from 1 to 100000', count);
  return Array.from(
    { length: count },
    (_, index) => ((scenario as Pick<Scenario, 'seed'> | undefined)?.seed ?? 0) + index,
  );
}

/** The totals by path. */
export function flat(totals: Totals): [string, number][] {
  return Object.entries(totals).flatMap(([name, value]) =>
    typeof value === 'number'
      ? [[name, value] as [string, number]]
      : Object.entries(value as Record<string, number>).map(([part, share]): [string, number] => [
          `${name}.${part}`,
          share,
        ]),
  );
}

/** Builds totals from their paths, the inverse of `flat`. */
export function nested(entries: readonly (readonly [string, number])[]): Totals {
  const totals: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    const [outer = '', inner] = path.split('.');
    if (inner === undefined) totals[outer] = value;
    else totals[outer] = { ...(totals[outer] as object | undefined), [inner]: value };
  }
  return totals as unknown as Totals;
}

/** Returns the band of a total that was measured with several seeds. */
export function bandOf(runs: readonly number[]): Band {
  const sorted = [...runs].sort((a, b) => a - b);
  const outside = Math.floor(sorted.length * 0.025);
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    low: sorted[outside] ?? 0,
    high: sorted[sorted.length - 1 - outside] ?? 0,
  };
}
