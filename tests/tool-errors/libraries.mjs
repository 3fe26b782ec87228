// All libraries, in the order of their names, and which of them are held out.
import { readdirSync, readFileSync } from 'node:fs';

const { draws } = JSON.parse(readFileSync(new URL('./split.json', import.meta.url)));
const { libraries, scored } = draws.at(-1);
const held = new Set(scored === undefined ? libraries : []);

/**
 * Returns `true` if we do not look at how this library's errors are classified while rules are written: the libraries
 * of the latest draw, until `split.json` has their figures. Then they are open, as those of earlier draws.
 */
export const heldOut = (name) => held.has(name);

export const names = readdirSync(new URL('./libraries/', import.meta.url))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -4))
  .sort();

/** The cases of a library. Nothing is installed or started for that: each case loads its client when it runs. */
export async function load(name) {
  const { default: made } = await import(new URL(`./libraries/${name}.mjs`, import.meta.url).href);
  return { ...made, name, heldOut: heldOut(name) };
}
