/** Values on their way into a log: bounded, without secrets, without anything that could run or throw. */

import type { ProviderErrorMetadata } from './classification.js';
import { namesSecret, redact } from './core.js';

const MOST_TEXT = 4096;
const MOST_WORDS = 1000;
const MOST_ENTRIES = 50;
const DEEPEST = 5;
const HIDDEN = '[redacted]';

/** The text without secrets; a long one cut, before it crosses into the core. */
export function textForLog(text: string): string {
  return text.length <= MOST_TEXT ? redact(text) : `${redact(text.slice(0, MOST_TEXT))}…`;
}

/** What a thrown value says of itself, without secrets; empty when it says nothing or cannot be read. */
export function wordsOf(thrown: unknown): string {
  try {
    const said =
      typeof thrown === 'object' && thrown !== null ? (thrown as { message?: unknown }).message : thrown;
    if (typeof said === 'string') return textForLog(said.slice(0, MOST_WORDS)).trim();
    return said === undefined || said === null || typeof said === 'object'
      ? ''
      : textForLog(String(said).slice(0, MOST_WORDS));
  } catch {
    return '';
  }
}

/** The stack of a thrown value, without secrets; absent when it has none or cannot be read. */
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
      return value.slice(0, MOST_ENTRIES).map((entry) => valueForLog(entry, depth + 1) ?? null);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
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

/** What of a provider's metadata may be logged: the fields that are known, and never the thrown value. */
export function providerForLog(provider: ProviderErrorMetadata): Record<string, unknown> {
  const { model, statusCode, retryAfter, requestId } = provider;
  const shown: Record<string, unknown> = {};
  if (typeof provider.provider === 'string') shown.provider = textForLog(provider.provider.slice(0, 200));
  if (typeof model === 'string') shown.model = textForLog(model.slice(0, 200));
  if (typeof statusCode === 'number') shown.statusCode = statusCode;
  if (typeof retryAfter === 'number') shown.retryAfter = retryAfter;
  if (typeof requestId === 'string') shown.requestId = requestIdForLog(requestId);
  return shown;
}

/** Ids are often plain hexadecimal; only behind a name that says so are they told from keys. */
function requestIdForLog(id: string): string {
  const prefix = 'request_id ';
  return redact(prefix + id.slice(0, 200)).slice(prefix.length);
}
