/**
 * Options in the form in which they cross into the core: checked before, a number for each name, NaN for an absent one.
 */

/** Returns a seed for a policy without one. */
export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/** The values of these names, in this order: flags as 0 and 1. */
export function numbersOf<N extends string>(
  names: readonly N[],
  values: { readonly [name in N]?: number | boolean | undefined },
): Float64Array {
  return Float64Array.from(names, (name) => Number(values[name] ?? Number.NaN));
}
