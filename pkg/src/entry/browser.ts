// Where the modules come from in a page: as in default.ts, except for the words of errors, because no successful call needs
// them. A bundler makes a chunk of them, or puts them into its one file.
import type { Words } from './words-source.js';

export { agent, policy } from './texts.js';
export const errors: Words['errors'] = undefined;

/** Engines remember a module that could not be fetched. Under another address, it is another module. */
const ADDRESS = /dynamically imported module: (https?:[^\s?#]+)/;

export async function fetchWords(): Promise<Words> {
  try {
    return await import('./words.js');
  } catch (error) {
    const [, address] = ADDRESS.exec(String(error)) ?? [];
    if (address === undefined) throw error;
    return import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}?again=${Date.now()}`);
  }
}
