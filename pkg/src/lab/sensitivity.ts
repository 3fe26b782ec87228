/** On which inputs of a scenario a conclusion hangs. */

import { misuse } from '../options.js';
import { type RunOptions, runJobs } from './pace.js';
import type { Totals } from './result.js';
import type { Scenario } from './scenario.js';
import { flat, seedsOf } from './simulate-many.js';

/** The effect of changing an input on the difference between two policies. */
export interface Sensitivity {
  /** The path of the input, as in `provider.service.mean`. */
  path: string;
  /** The larger of the two changes of the difference, with its sign. */
  effect: number;
}

/** A number of a scenario that may be changed. */
interface Input {
  readonly path: string;
  readonly value: number;
  readonly changed: (value: number) => Scenario;
}

/** The parts that describe the world. The rest belongs to the run or to the policies. */
const WORLD = ['clients', 'provider', 'faults'];

/**
 * Changes each number of `clients`, `provider` and `faults` by a tenth, up and down, and returns how much each moves the
 * difference between two policies in one total, largest first. Whole numbers stay whole.
 *
 * @throws TypeError where the scenario does not fit.
 *
 * @example
 * ```ts
 * import { sensitivity } from 'halfopen/lab';
 * const inputs = await sensitivity(scenario, { policies: ['retries', 'none'], total: 'successRate' });
 * console.log(inputs[0]); // { path: 'clients.arrivals.perSecond', effect: -0.61 }
 * ```
 */
export async function sensitivity(
  scenario: Scenario,
  options: RunOptions & { policies: readonly [string, string]; total: keyof Totals },
): Promise<readonly Sensitivity[]> {
  const { policies, total, seeds } = options;
  const name = total === 'userMs' ? 'userMs.p95' : total;
  const inputs = WORLD.flatMap((part) => inputsOf(scenario, [part]));
  const variants = [
    scenario,
    ...inputs.flatMap(({ value, changed }) => [0.9, 1.1].map((factor) => changed(tenth(value, factor)))),
  ];
  const all = seedsOf(scenario, seeds);
  const jobs = variants.flatMap((variant) =>
    policies.flatMap((policy, index) =>
      all.map((seed) => ({ scenario: variant, policy, seed, sign: index === 0 ? 1 : -1 })),
    ),
  );
  const perVariant = jobs.length / variants.length;
  const differences: number[] = variants.map(() => 0);
  await runJobs(jobs, options, ({ totals }, _, index) => {
    const value = new Map(flat(totals)).get(name);
    if (value === undefined) throw misuse('total', 'the name of a total', total);
    const variant = Math.floor(index / perVariant);
    const sign = jobs[index]?.sign ?? 0;
    differences[variant] = (differences[variant] ?? 0) + (sign * value) / all.length;
  });
  const [base = 0, ...changed] = differences;
  const effects = inputs.map(({ path }, index) => {
    const [down = 0, up = 0] = changed.slice(2 * index, 2 * index + 2).map((value) => value - base);
    return { path, effect: Math.abs(up) >= Math.abs(down) ? up : down };
  });
  return effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
}

/** A tenth more or less, and at least one for a whole number. Shares stay shares. */
function tenth(value: number, factor: number): number {
  if (!Number.isInteger(value)) return value < 1 ? Math.min(1, value * factor) : value * factor;
  const step = Math.max(1, Math.round(Math.abs(value) * 0.1));
  return Math.max(value === 0 ? 0 : 1, factor < 1 ? value - step : value + step);
}

/** The numbers below a path. */
function inputsOf(scenario: Scenario, path: readonly (string | number)[]): Input[] {
  const value = path.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    scenario,
  );
  if (typeof value === 'number') {
    const changed = (next: number) => replaced(scenario, path, next) as Scenario;
    return [{ path: path.join('.'), value, changed }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) =>
    inputsOf(scenario, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function replaced(at: unknown, [key, ...rest]: readonly (string | number)[], value: number): unknown {
  if (key === undefined) return value;
  const next = replaced((at as Record<string, unknown>)[key], rest, value);
  return Array.isArray(at)
    ? at.map((item: unknown, index) => (index === key ? next : item))
    : { ...(at as object), [key]: next };
}
