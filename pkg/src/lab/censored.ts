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

/** Three numbers for each timeout. */
export function censoredOf(numbers: ArrayLike<number>): Censored[] {
  const all: Censored[] = [];
  for (let at = 0; at < numbers.length; at += 3) {
    const timeout = numbers[at] === 1 ? 'totalMs' : 'attemptMs';
    all.push({ timeout, ms: numbers[at + 1] ?? 0, attempts: numbers[at + 2] ?? 0 });
  }
  return all;
}

/** Returns a sentence for each timeout that cut attempts off. */
export function saysOfCensored(censored: readonly Censored[] = []): string[] {
  return censored.map(({ timeout, ms, attempts }) => {
    const were = attempts === 1 ? '1 attempt was' : `${attempts} attempts were`;
    return `${were} cut at ${ms} ms (timeout.${timeout}): how long they would have taken is unknown. Here they go on as recorded ones did that took longer, or hang where there is none: what this says of the longer timeout is a guess.`;
  });
}
