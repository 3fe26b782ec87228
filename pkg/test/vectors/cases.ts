// The cases of a shared vector file, which Rust and wasm run too (core/vectors).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** The cases of `tests/vectors/<area>.json`. */
export function cases<T>(area: string): T[] {
  const file = new URL(`../../../tests/vectors/${area}.json`, import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { about: string; cases: T[] };
  assert.ok(cases.length > 0, 'a vector file without cases tests nothing');
  return cases;
}
