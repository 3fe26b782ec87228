// Where the modules come from when nothing else is said: they are in the package's own code, as texts.
import type { Words } from './words-source.js';

export { agent, policy } from './texts.js';
export { errors } from './words.js';
/** Pages fetch the words when they need them. */
export const fetchWords: (() => Promise<Words>) | undefined = undefined;
