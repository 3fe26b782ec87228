/** Attempts that a timeout cut off in a log, and that have more time in its replay. */

/** Attempts that the same timeout cut off. */
export interface Censored {
  /** The timeout. */
  timeout: 'attemptMs' | 'totalMs';
  /** How long it is, in milliseconds. */
  ms: number;
  /** How many attempts it cut off. */
  attempts: number;
}

/** Returns the censored attempts of each policy, by its number: four numbers for each timeout. */
export function censoredOf(numbers: ArrayLike<number>): Map<number, Censored[]> {
  const all = new Map<number, Censored[]>();
  for (let at = 0; at < numbers.length; at += 4) {
    const policy = numbers[at] ?? 0;
    const timeout = numbers[at + 1] === 1 ? 'totalMs' : 'attemptMs';
    const of = all.get(policy) ?? [];
    all.set(policy, of);
    of.push({ timeout, ms: numbers[at + 2] ?? 0, attempts: numbers[at + 3] ?? 0 });
  }
  return all;
}

/** Returns the sum over all policies of the attempts that timeouts of the same length cut off. */
export function sumOfCensored(all: Iterable<readonly Censored[]>): Censored[] {
  const sums = new Map<string, Censored>();
  for (const { timeout, ms, attempts } of [...all].flat()) {
    const key = `${timeout} ${ms}`;
    sums.set(key, { timeout, ms, attempts: (sums.get(key)?.attempts ?? 0) + attempts });
  }
  return [...sums.values()];
}
