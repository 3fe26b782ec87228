/** Attempts that a timeout cut off in a log, and that have more time in its replay; and what a replay says about itself. */

import type { Replay } from './replay.js';

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

/** Returns the sentences that a reader of a replay needs beside its figures. */
export function saysOf({ identity, policies }: Pick<Replay, 'identity' | 'policies'>): string[] {
  const cutOff = Object.entries(policies).flatMap(([name, { censored = [], unknown }]) => [
    ...censored.map(
      ({ timeout, ms, attempts }) =>
        `${counted(attempts)} of '${name}' ${attempts === 1 ? 'was' : 'were'} cut off at ${ms} ms (timeout.${timeout}), and ${attempts === 1 ? 'has' : 'have'} more time now. When the answer would have come is not in the log: here such an attempt goes on like one that is known to have lasted longer.`,
    ),
    ...(unknown === undefined
      ? []
      : [
          `${counted(unknown.attempts)} of '${name}' ${unknown.attempts === 1 ? 'has' : 'have'} no such example: the log cannot tell how ${unknown.calls === 1 ? '1 call ends' : `${unknown.calls} calls end`}. Figures that depend on it are unknown; their range is from no answer at all to an answer at once. Try the change, and look at the log again.`,
        ]),
  ]);
  const isCut = Object.values(policies).some(({ censored }) => censored !== undefined);
  const share = `${(Math.floor(identity * 1000) / 10).toFixed(1)} %`;
  return [
    ...cutOff,
    identity === 1
      ? 'Under its own policies the log gives back its own outcomes.'
      : `Under its own policies the log gives back ${share} of its outcomes${isCut ? ', calls that a timeout cut off not counted' : ''}: read the rest with care.`,
    'Calls that follow from the result of another call are not modelled: each call begins as it did in the log, and no other one is made.',
  ];
}

const counted = (attempts: number): string => `${attempts} attempt${attempts === 1 ? '' : 's'}`;
