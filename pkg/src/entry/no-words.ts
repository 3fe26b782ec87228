// For exports that can wait for the words in a page, which fetches them when it needs them.
import type { Words } from './words-source.js';

export const errors: Words['errors'] = undefined;
export const languages: Words['languages'] = undefined;
