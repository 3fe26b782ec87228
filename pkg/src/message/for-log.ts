/** Values on their way into a log: bounded, without secrets, without anything that could run or throw. */

import { namesSecret, redactText } from '../core/errors.js';
import type { ProviderErrorMetadata } from './about.js';

// The bounds of logged values, in UTF-16 units, entries and levels: a thrown value may be of any size.
const MOST_TEXT = 4096;
const MOST_WORDS = 1000;
const MOST_NAME = 200;
const MOST_ENTRIES = 50;
const DEEPEST = 5;
const HIDDEN = '[redacted]';

/** Returns the text without secrets; a text of more than `most` UTF-16 units is cut, before it crosses into the core. */
export function textForLog(text: string, most = MOST_TEXT): string {
  return text.length <= most ? cleanText(text) : `${redactText(beforeCut(text, most))}…`;
}

/**
 * Short texts in which the core found no secret. The names of policies, providers and models are in every event, and a
 * crossing into the core costs more than all the rest of the event. Texts with a secret are not kept.
 */
const harmless = new Set<string>();
/** The set is cleared at this size, because an application may have any number of names. */
const MOST_HARMLESS = 500;

function cleanText(text: string): string {
  if (harmless.has(text)) return text;
  const clean = redactText(text);
  if (clean === text && text.length <= MOST_NAME) {
    if (harmless.size >= MOST_HARMLESS) harmless.clear();
    harmless.add(text);
  }
  return clean;
}

/** How far back a cut moves: a key that is longer than this is known by its first part. */
const LONGEST_PART = 256;

/** Returns the first `most` units without the word that the cut goes through: half a key has no shape to know it by. */
function beforeCut(text: string, most: number): string {
  if (endsWord(text.charCodeAt(most))) return text.slice(0, most);
  let end = most;
  const least = Math.max(0, most - LONGEST_PART);
  while (end > least && !endsWord(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end > least || least === 0 ? end : most);
}

/** White space, quotes, brackets, commas and semicolons: no key goes across them. */
function endsWord(unit: number): boolean {
  return unit <= 0x20 || ENDS.has(unit);
}

const ENDS: ReadonlySet<number> = /* @__PURE__ */ new Set(
  [...`"'\`,;<>()[]{}`].map((letter) => letter.charCodeAt(0)),
);

/** Returns the text of a thrown value, without secrets; empty if it is missing or cannot be read. */
export function wordsOf(thrown: unknown, most = MOST_WORDS): string {
  try {
    const said =
      typeof thrown === 'object' && thrown !== null ? (thrown as { message?: unknown }).message : thrown;
    if (typeof said === 'string') return textForLog(said, most).trim();
    return said === undefined || said === null || typeof said === 'object'
      ? ''
      : textForLog(String(said), most);
  } catch {
    return '';
  }
}

/** Returns the stack of a thrown value, without secrets; `undefined` if it is missing or cannot be read. */
export function stackOf(thrown: unknown): string | undefined {
  try {
    const stack =
      typeof thrown === 'object' && thrown !== null ? (thrown as { stack?: unknown }).stack : undefined;
    return typeof stack === 'string' ? textForLog(stack) : undefined;
  } catch {
    return undefined;
  }
}

/** A copy that is plain JSON: secrets gone by name and by shape, functions and symbols left out, cycles cut. */
export function valueForLog(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return textForLog(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return textForLog(String(value));
    case 'object':
      if (value === null) return null;
      return depth >= DEEPEST ? '…' : structureForLog(value, depth);
    default:
      return undefined;
  }
}

function structureForLog(value: object, depth: number): unknown {
  try {
    if (Array.isArray(value))
      return Array.prototype.slice
        .call(value, 0, MOST_ENTRIES)
        .map((entry) => valueForLog(entry, depth + 1) ?? null);
    if (value instanceof Date)
      return Number.isNaN(Date.prototype.getTime.call(value)) ? null : Date.prototype.toISOString.call(value);
    if (value instanceof Error) return `${value.name}: ${textForLog(String(value.message))}`;
    // Each byte or letter is a property of its own: to list them takes seconds.
    const bytes = byteLengthOf(value);
    if (bytes !== undefined) return `[${bytes} bytes]`;
    if (value instanceof String) return textForLog(value.slice(0, MOST_TEXT + 1));
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value).slice(0, MOST_ENTRIES)) {
      const shown = valueForLog((value as Record<string, unknown>)[name], depth + 1);
      if (shown === undefined) continue;
      // Set by definition: `__proto__` is a name like any other here.
      const entry = namesSecret(name) && shown !== null ? HIDDEN : shown;
      Object.defineProperty(copy, textForLog(name), {
        value: entry,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return copy;
  } catch {
    return '…'; // A getter or a proxy that throws.
  }
}

/** The size of a buffer or of a view on one, such as Node's `Buffer`. */
function byteLengthOf(value: object): number | undefined {
  const isBuffer =
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer);
  return isBuffer ? value.byteLength : undefined;
}

/** Returns the part of a provider's metadata that may be logged: the known fields, and never the thrown value. */
export function providerForLog(provider: ProviderErrorMetadata): Record<string, unknown> {
  const { model, statusCode, retryAfter, requestId } = provider;
  const shown: Record<string, unknown> = {};
  if (typeof provider.provider === 'string') shown.provider = textForLog(provider.provider, MOST_NAME);
  if (typeof model === 'string') shown.model = textForLog(model, MOST_NAME);
  if (typeof statusCode === 'number') shown.statusCode = statusCode;
  if (typeof retryAfter === 'number') shown.retryAfter = retryAfter;
  if (typeof requestId === 'string') shown.requestId = idForLog(requestId);
  return shown;
}

/**
 * Returns an id of a request or a trace without secrets. Such ids are often plain hexadecimal: only the name before
 * them distinguishes them from keys.
 */
export function idForLog(id: string, name = 'request_id', most = MOST_NAME): string {
  return textForLog(`${name} ${id}`, name.length + 1 + most).slice(name.length + 1);
}
