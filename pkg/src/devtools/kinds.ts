/** Kinds of devtools options that more than one function has. */

import { either, type Kind, kind, no } from '../options.js';

/** Returns a kind for a text that is not empty, with its expected form for the error. */
export function someText(expected: string): Kind {
  return kind(expected, (value) => typeof value === 'string' && value !== '');
}

/** The name of a BroadcastChannel, or none. */
export const channelName = either(someText('a name'), no);

/** Whose events to show. */
export const eventSources = kind(
  'an array of policies',
  (value) => Array.isArray(value) && value.every((one) => typeof one?.onEvent === 'function'),
);

/** How many events to keep. */
export const bufferSize = kind(
  'a whole number from 1 to 1000000',
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1e6,
);
