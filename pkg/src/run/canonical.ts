/** Decides which arguments, results or texts are the same: by their canonical form, and its hash. */

/** A hash of 64 bits in two halves. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

/**
 * JSON in its canonical form (RFC 8785): keys sorted by their UTF-16 units, numbers and strings as JSON has them. Values that
 * JSON does not have are written as texts. Never throws.
 */
export function canonical(value: unknown, text: (text: string) => string = (text) => text): string {
  const seen = new Set<object>();
  const write = (given: unknown): string => {
    const value = jsonOf(given);
    if (typeof value === 'string') return JSON.stringify(text(value));
    if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    if (typeof value === 'boolean') return String(value);
    if (typeof value === 'bigint') return `"${value}"`;
    if (typeof value !== 'object' || value === null) return 'null';
    if (seen.has(value)) return '"[circle]"';
    seen.add(value);
    const written = Array.isArray(value)
      ? `[${value.map(write).join()}]`
      : `{${Object.keys(value)
          .sort()
          .filter((key) => isWritten((value as Record<string, unknown>)[key]))
          .map((key) => `${JSON.stringify(key)}:${write((value as Record<string, unknown>)[key])}`)
          .join()}}`;
    seen.delete(value);
    return written;
  };
  try {
    return write(value);
  } catch {
    return 'null'; // A getter or a proxy that throws, or a nesting without end.
  }
}

const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** The JSON form of objects that have their own: dates, URLs, errors' messages, sets and maps as lists. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // A picture as a list of numbers takes seconds, and an ArrayBuffer has no fields at all.
  if (ArrayBuffer.isView(value))
    return bytesOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return bytesOf(new Uint8Array(value));
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return toJSON.call(value, '');
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Set || value instanceof Map) return [...value];
  return value;
}

/** Bytes by their number and their hash. */
function bytesOf(bytes: Uint8Array): object {
  // Each byte is another character in this encoding.
  const { high, low } = hashOf(new TextDecoder('latin1').decode(bytes));
  return { bytes: bytes.length, hash: [high, low] };
}

/** Arguments as a model gives them: an object, or its JSON text. Missing ones and '' are {}. A text that is no JSON stays one. */
export function argumentsOf(given: unknown): unknown {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  try {
    return JSON.parse(given) ?? {};
  } catch {
    return given;
  }
}

/** The parts that change from one result to the next without meaning anything. */
const VOLATILE = [
  // ISO 8601 times. A date alone says something, and so does a time alone: it may count down.
  /\b\d{4}-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?: ?(?:Z\b|UTC\b|[+-]\d\d:?\d\d))?/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /(?:\/private)?(?:\/var)?\/tmp\/[^\s"'`,;:)\]}>]+/g,
  /\/var\/folders\/[^\s"'`,;:)\]}>]+/g,
  // So many folders, because the search begins anew at each drive.
  /[a-z]:\\(?:[^\\\s"']{1,255}\\){0,20}te?mp\\[^\s"'`,;)\]}>]+/gi,
  /\b(?:0x)?[0-9a-f]{12,}\b/gi,
];

/** A result's text without times, UUIDs, hexadecimal ids and temporary paths. */
export function settled(text: string): string {
  return VOLATILE.reduce((rest, pattern) => rest.replace(pattern, '…'), text);
}

/** A text of the model: its spaces do not matter. */
export function evenText(text: string): string {
  return settled(text).replace(/\s+/g, ' ').trim();
}

/**
 * A hash of a text's UTF-16 units, two lanes that each multiply and rotate (after MurmurHash3's finaliser). It is no secret and
 * keeps none: nobody gains by a collision but a model that wants to be taken for one that repeats itself.
 */
export function hashOf(text: string): Hash {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
    low ^= low >>> 15;
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return { high: high >>> 0, low: low >>> 0 };
}
