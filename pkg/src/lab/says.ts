/** Sentences about a replay, for a reader who has only its figures. */

import type { Censored } from './censored.js';

/** The attempts of a policy whose results the log does not have, as a replay counts them. */
interface Unsure {
  readonly censored?: readonly Censored[] | undefined;
  readonly unknown?: { readonly attempts: number; readonly calls: number } | undefined;
}

/** The sentence about the identity begins so. */
export const OF_IDENTITY = 'Under its own policies the log gives back';

/** Returns the sentences that a reader of a replay needs beside its figures. */
export function saysOf(identity: number, policies: Readonly<Record<string, Unsure>>): string[] {
  const cutOff = Object.entries(policies).flatMap(([name, { censored = [], unknown }]) => [
    ...censored.map(
      ({ timeout, ms, attempts }) =>
        `${counted(attempts)} of '${name}' ${attempts === 1 ? 'was' : 'were'} cut off at ${ms} ms (timeout.${timeout}), and ${attempts === 1 ? 'has' : 'have'} more time now. When the answer would have come is not in the log: here such an attempt goes on like one that is known to have lasted longer.`,
    ),
    ...(unknown === undefined
      ? []
      : [
          `No attempt can be compared with ${counted(unknown.attempts)} of '${name}': the log cannot tell how ${unknown.calls === 1 ? '1 call ends' : `${unknown.calls} calls end`}. Figures that depend on it are unknown; their range is from no answer at all to an answer at once. Try the change, and look at the log again.`,
        ]),
  ]);
  const isCut = Object.values(policies).some(({ censored }) => censored !== undefined);
  const share = `${(Math.floor(identity * 1000) / 10).toFixed(1)} %`;
  return [
    ...cutOff,
    identity === 1
      ? `${OF_IDENTITY} its own outcomes.`
      : `${OF_IDENTITY} ${share} of its outcomes${isCut ? ', calls that a timeout cut off not counted' : ''}: read the rest with care.`,
    'Calls that follow from the result of another call are not modelled: each call begins as it did in the log, and no other one is made.',
  ];
}

const counted = (attempts: number): string => `${attempts} attempt${attempts === 1 ? '' : 's'}`;
