// All libraries, in the order of their names, and which of them are held out.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const { seed } = JSON.parse(readFileSync(new URL('./split.json', import.meta.url)));

/**
 * Whether nobody looks at how this library's errors are classified while rules are written: a fifth of all, drawn by
 * SHA-256 of the seed and the name, so that a library that is added later moves no other. split.json has the list.
 */
export const heldOut = (name) =>
  createHash('sha256').update(`${seed}:${name}`).digest().readUInt32BE(0) < 2 ** 32 / 5;

export const names = readdirSync(new URL('./libraries/', import.meta.url))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -4))
  .sort();

/** The cases of a library. Nothing is installed or started for that: each case loads its client when it runs. */
export async function load(name) {
  const { default: made } = await import(new URL(`./libraries/${name}.mjs`, import.meta.url).href);
  return { ...made, name, heldOut: heldOut(name) };
}
