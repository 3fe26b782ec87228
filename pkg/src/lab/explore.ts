/** A grid over a policy's options: the gains and costs of each point, and the points worth a choice. */

import { misuse } from '../options.js';
import { check, type RunOptions, runJobs } from './pace.js';
import type { PolicyResult, Totals } from './result.js';
import type { Expect, LabPolicy, Scenario } from './scenario.js';
import { bandOf, flat, nested, seedsOf } from './simulate-many.js';

/** A policy of the grid, and what it comes to. */
export interface ExploredPoint {
  /** The policy, with the options of the point in it. */
  policy: LabPolicy;
  /** The mean over all seeds. */
  totals: Totals;
  /** Between which 95 % of the seeds lie, of few all. */
  band: { low: Totals; high: Totals };
  /**
   * No other point is at least as good in success rate, amplification, the users' p95 and cost, and better in one of
   * them.
   */
  onFront: boolean;
  /** Every limit holds with every seed. */
  meets: boolean;
}

/** The results of a grid. */
export interface Exploration {
  /** The scenario's own policy, for comparison. Its `onFront` means that no point is better in all. */
  present: ExploredPoint;
  /** The grid: the values of the path named last change first. */
  points: readonly ExploredPoint[];
  /** Where no point meets the limits: the limit that is the cause. */
  blocking?: string | undefined;
}

/** The options to explore. */
export interface ExploreOptions extends RunOptions {
  /** The name of the policy in the scenario that is varied. */
  policy: string;
  /** The values of each option, by its path in the policy: `'retry.maxRetries': [0, 1, 2]`. */
  vary: Record<string, readonly unknown[]>;
  /** The bounds that a point must meet. Default: the scenario's `expect`. */
  limits?: Expect | undefined;
}

/** The most points of a grid, each of which runs with all seeds. */
const MOST_POINTS = 10_000;

/** The criteria of a front: the total, and whether more is better. */
const GOALS: readonly [name: string, sign: 1 | -1][] = [
  ['successRate', 1],
  ['amplification', -1],
  ['userMs.p95', -1],
  ['cost', -1],
];

/**
 * Runs a policy with every combination of the values in `vary`, at most 10,000, each with all seeds on the same random
 * numbers. You choose; nothing is tuned automatically. The front has the points that no other point beats: one that is
 * better in one of success rate, amplification, p95 and cost, and worse in none.
 *
 * @throws TypeError where the scenario, a path or a value does not fit, before anything runs.
 *
 * @example
 * ```ts
 * import { explore } from 'halfopen/lab';
 * const { points, blocking } = await explore(scenario, {
 *   policy: 'default',
 *   vary: { 'retry.maxRetries': [0, 1, 2, 3], 'retry.baseDelayMs': [100, 1000] },
 *   limits: { minSuccessRate: 0.99, maxAmplification: 1.2 },
 * });
 * const choice = points.filter(({ onFront, meets }) => onFront && meets);
 * ```
 */
export async function explore(scenario: Scenario, options: ExploreOptions): Promise<Exploration> {
  const { policy: name, vary, seeds } = options;
  const named = (scenario as Partial<Scenario> | undefined)?.policies ?? {};
  const base = Object.hasOwn(named, name) ? named[name] : undefined;
  if (base === undefined) throw misuse('policy', 'the name of a policy of the scenario', name);
  const axes = axesOf(vary);
  const size = axes.reduce((product, [, values]) => product * values.length, 1);
  if (size > MOST_POINTS) throw misuse('vary', `values that make ${MOST_POINTS} points at most`, size);
  const under = (policy: LabPolicy): Scenario => ({
    ...scenario,
    expect: options.limits ?? scenario.expect,
    policies: { [name]: policy },
  });
  check(under(base));
  for (const [path, values] of axes)
    for (const value of values) check(under(withOption(base, path.split('.'), value) as LabPolicy));
  const policies = [base, ...grid(base, axes)];
  const all = seedsOf(scenario, seeds);
  const jobs = policies.flatMap((policy) => {
    const varied = under(policy);
    return all.map((seed) => ({ scenario: varied, policy: name, seed }));
  });
  const results: PolicyResult[][] = policies.map(() => []);
  await runJobs(jobs, options, ({ totals, expectations }, _, index) => {
    // Without the series, because those of ten thousand runs would fill the memory.
    results[Math.floor(index / all.length)]?.push({ totals, expectations } as PolicyResult);
  });
  const explored = policies.map((policy, index) => pointOf(policy, results[index] ?? []));
  const [present, ...points] = explored.map(({ point }) => point) as [ExploredPoint, ...ExploredPoint[]];
  markFront(points);
  present.onFront = !points.some((other) => isBetter(other, present));
  const blocking = points.some(({ meets }) => meets)
    ? undefined
    : causeOf(explored.slice(1).map(({ holds }) => holds));
  return { present, points, ...(blocking !== undefined && { blocking }) };
}

type Axis = [path: string, values: readonly unknown[]];

function axesOf(vary: unknown): Axis[] {
  if (typeof vary !== 'object' || vary === null)
    throw misuse('vary', 'an object with the values of each option', vary);
  const axes = Object.entries(vary as Record<string, readonly unknown[]>);
  if (axes.length === 0) throw misuse('vary', 'an object with at least one option', '{}');
  for (const [path, values] of axes) {
    if (!Array.isArray(values) || values.length === 0)
      throw misuse(`vary['${path}']`, 'a list of values', values);
  }
  return axes;
}

function grid(base: LabPolicy, axes: readonly Axis[]): LabPolicy[] {
  return axes.reduce<LabPolicy[]>(
    (policies, [path, values]) =>
      policies.flatMap((policy) =>
        values.map((value) => withOption(policy, path.split('.'), value) as LabPolicy),
      ),
    [base],
  );
}

/**
 * Returns a copy with another value at the end of a path. An option that was off (`retry: false`) is turned on by it.
 */
function withOption(at: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const object = typeof at === 'object' && at !== null ? (at as Record<string, unknown>) : {};
  return { ...object, [key]: withOption(object[key], rest, value) };
}

function pointOf(
  policy: LabPolicy,
  results: readonly PolicyResult[],
): { point: ExploredPoint; holds: Map<string, boolean> } {
  const values = new Map<string, number[]>();
  const holds = new Map<string, boolean>();
  for (const { totals, expectations } of results) {
    for (const [path, value] of flat(totals)) {
      const found = values.get(path);
      if (found === undefined) values.set(path, [value]);
      else found.push(value);
    }
    for (const { name, holds: isKept } of expectations) holds.set(name, isKept && (holds.get(name) ?? true));
  }
  const bands = [...values].map(([path, runs]) => [path, bandOf(runs)] as const);
  const totals = (part: 'mean' | 'low' | 'high'): Totals =>
    nested(bands.map(([path, band]) => [path, band[part]]));
  const meets = [...holds.values()].every((isKept) => isKept);
  const band = { low: totals('low'), high: totals('high') };
  return { point: { policy, totals: totals('mean'), band, onFront: false, meets }, holds };
}

/** By each goal, larger is better. */
function merits({ totals }: ExploredPoint): number[] {
  const values = new Map(flat(totals));
  return GOALS.map(([name, sign]) => sign * (values.get(name) ?? 0));
}

function isBetter(one: ExploredPoint, other: ExploredPoint): boolean {
  return dominates(merits(one), merits(other));
}

function dominates(one: readonly number[], other: readonly number[]): boolean {
  let isMore = false;
  for (const [index, merit] of one.entries()) {
    const than = other[index] ?? 0;
    if (merit < than) return false;
    isMore ||= merit > than;
  }
  return isMore;
}

/** In this order, only an earlier point can beat a point, and only one on the front. */
function markFront(points: readonly ExploredPoint[]): void {
  const sorted = points.map((point) => ({ point, merits: merits(point) }));
  sorted.sort((a, b) => {
    const index = a.merits.findIndex((merit, index) => merit !== b.merits[index]);
    return index < 0 ? 0 : (b.merits[index] ?? 0) - (a.merits[index] ?? 0);
  });
  const front: (readonly number[])[] = [];
  for (const { point, merits } of sorted) {
    point.onFront = !front.some((other) => dominates(other, merits));
    if (point.onFront) front.push(merits);
  }
}

/**
 * Returns the limit without which most points would meet the others; if no limit helps, the one that the fewest meet.
 */
function causeOf(points: readonly ReadonlyMap<string, boolean>[]): string | undefined {
  const names = [...(points[0]?.keys() ?? [])];
  const count = (fits: (holds: ReadonlyMap<string, boolean>) => boolean) => points.filter(fits).length;
  const freed = (name: string) =>
    count((holds) => names.every((other) => other === name || holds.get(other) === true));
  const kept = (name: string) => count((holds) => holds.get(name) === true);
  return names.sort((a, b) => freed(b) - freed(a) || kept(a) - kept(b))[0];
}
