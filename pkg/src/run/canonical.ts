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
export function canonical(value: unknown, text: (text: string) => string = same): string {
  try {
    return written(value, text, []);
  } catch {
    return 'null'; // A getter or a proxy that throws, or a nesting without end.
  }
}

const same = (text: string): string => text;

/** `around` has the objects that the value is within. */
function written(given: unknown, text: (text: string) => string, around: object[]): string {
  const value = jsonOf(given);
  if (typeof value === 'string') return quoted(text(value));
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value !== 'object' || value === null) return 'null';
  if (around.includes(value)) return '"[circle]"';
  around.push(value);
  const isList = Array.isArray(value);
  let all = '';
  if (isList) {
    for (const item of value) all += `${all === '' ? '' : ','}${written(item, text, around)}`;
  } else {
    for (const key of Object.keys(value).sort()) {
      const item = (value as Record<string, unknown>)[key];
      if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
      all += `${all === '' ? '' : ','}${quoted(key)}:${written(item, text, around)}`;
    }
  }
  around.pop();
  return isList ? `[${all}]` : `{${all}}`;
}

/** A string as JSON has it. JSON.stringify takes three times as long as a look for what it would escape. */
function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them, and lone surrogates
const ESCAPED = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** The JSON form of objects that have their own: dates, URLs, errors' messages, sets and maps as lists. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (isPlain && typeof toJSON !== 'function') return value;
  // A picture as a list of numbers takes seconds, and an ArrayBuffer has no fields at all.
  if (ArrayBuffer.isView(value))
    return bytesOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return bytesOf(new Uint8Array(value));
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

/**
 * The parts that change from one result to the next without meaning anything, each with what a text must have for it: a search for
 * the pattern itself takes up to ten times as long.
 */
const VOLATILE: readonly (readonly [needs: string | ((text: string) => boolean), RegExp])[] = [
  // ISO 8601 times. A date alone says something, and so does a time alone: it may count down.
  ['', /\b\d{4}-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?: ?(?:Z\b|UTC\b|[+-]\d\d:?\d\d))?/g],
  [hasLongHex, /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['/tmp/', /(?:\/private)?(?:\/var)?\/tmp\/[^\s"'`,;:)\]}>]+/g],
  ['/var/folders/', /\/var\/folders\/[^\s"'`,;:)\]}>]+/g],
  // At most twenty folders, because the search begins again at each drive.
  [':\\', /[a-z]:\\(?:[^\\\s"']{1,255}\\){0,20}te?mp\\[^\s"'`,;)\]}>]+/gi],
  [hasLongHex, /\b(?:0x)?[0-9a-f]{12,}\b/gi],
];

/** A result's text without times, UUIDs, hexadecimal ids and temporary paths. */
export function settled(text: string): string {
  let rest = text;
  for (const [needs, pattern] of VOLATILE) {
    const may = typeof needs === 'string' ? rest.includes(needs) : needs(rest);
    if (may) rest = rest.replace(pattern, '…');
  }
  return rest;
}

/** Returns `true` for eight hexadecimal digits in a row: eight divides the index of one of them, so only these are looked at. */
function hasLongHex(text: string): boolean {
  for (let at = 0; at < text.length; at += 8) {
    if (!isHex(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (from > 0 && isHex(text.charCodeAt(from - 1))) from--;
    while (to < text.length && isHex(text.charCodeAt(to))) to++;
    if (to - from >= 8) return true;
  }
  return false;
}

function isHex(unit: number): boolean {
  const small = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (small >= 0x61 && small <= 0x66);
}

/** A text of the model: its spaces do not matter. */
export function evenText(text: string): string {
  return settled(text).replace(/\s+/g, ' ').trim();
}

/**
 * A hash of a text's UTF-16 units, two in each round: two lanes that each multiply and shift (after MurmurHash3). `seed` is the hash
 * of what the text belongs to. It protects no secret: only a model that wants to be taken for one that repeats itself gains by a
 * collision.
 */
export function hashOf(text: string, seed = 0): Hash {
  let high = 0x9e3779b9 ^ seed;
  // Another function of the seed, for no unit to undo it in both lanes.
  let low = Math.imul(0x85ebca6b ^ seed, 0xc2b2ae35);
  // An index behind the last unit would make every round slower.
  const even = text.length & ~1;
  for (let at = 0; at < even; at += 2) {
    const units = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    high = Math.imul(high ^ units, 0x9e3779b1);
    high ^= high >>> 15;
    low = Math.imul(low ^ units, 0x5f356495);
    low ^= low >>> 13;
  }
  if (even < text.length) {
    high = Math.imul(high ^ text.charCodeAt(even), 0x9e3779b1);
    low = Math.imul(low ^ text.charCodeAt(even), 0x5f356495);
  }
  high ^= text.length;
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return { high: high >>> 0, low: low >>> 0 };
}
