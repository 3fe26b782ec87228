/** Options in the form that an event can carry: plain values unchanged, infinity as a text, functions and
 * instances as their kind. */

import { isPlain } from '../options.js';

/** Returns an object of options, without its clock. */
export function described(options: object): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (name !== 'clock' && value !== undefined) plain[name] = describe(value);
  }
  return plain;
}

/** The options of one call that are shown: those that a reader of the log can compare with the policy's. */
const OWN = /* @__PURE__ */ new Set(
  'retry timeout hedge idempotent failOnNotOk estimatedTokens onBreak stallTimeoutMs firstChunkTimeoutMs'.split(
    ' ',
  ),
);

/** Returns the options that were given to a call and are shown; `undefined` without any. */
export function describedOwn(options: object | undefined): Record<string, unknown> | undefined {
  if (options === undefined) return undefined;
  const own = Object.entries(options).filter(([name]) => OWN.has(name));
  return own.length === 0 ? undefined : described(Object.fromEntries(own));
}

function describe(value: unknown): unknown {
  if (typeof value === 'function') return 'function';
  if (value === Number.POSITIVE_INFINITY) return 'Infinity';
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  if (isPlain(value)) return described(value);
  const { described: says } = value as { described?: unknown };
  return typeof says === 'string' ? says : 'shared';
}
