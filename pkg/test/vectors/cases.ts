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

/** An object with a message is an Error with its properties, and so are its causes. */
export function live(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { message, cause, errors, constructor: name, ...rest } = value as Record<string, unknown>;
  if (typeof message !== 'string') return value;
  const error = Object.assign(new Error(message), rest);
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: live(cause) });
  if (Array.isArray(errors)) Object.assign(error, { errors: errors.map(live) });
  if (typeof name === 'string') Object.defineProperty(error, 'constructor', { value: { name } });
  return error;
}
