/** Results in pages of at most 20 kB, with a cursor to the next: what an agent reads takes its context. */

import { redact } from '../message/user-message.js';

/** Most bytes of one result, as UTF-8. */
const MOST_BYTES = 20_000;

/** Texts, names, lists and objects of one item are cut to the first of these lengths with which it fits. */
const LENGTHS = [4_000, 1_000, 300, 80, 20, 5, 1];
/** Lists and objects within each other. At this depth, an item of the last length takes less than 10 kB. */
const DEEPEST = 50;

/** A result in parts. */
export interface Parts {
  /** The fields that every page has. */
  readonly head?: Readonly<Record<string, unknown>> | undefined;
  /** The name and the items of what is paged. */
  readonly name: string;
  readonly items: readonly unknown[];
  /** The cursor of the first item, if it is not the first of all; and that behind the last. Default: by their place. */
  readonly from?: number | undefined;
  readonly cursorOf?: ((item: unknown) => number) | undefined;
  readonly more?: number | undefined;
  /** The items are texts of the package, such as its documentation: an example may show where a secret belongs. */
  readonly isOwn?: boolean | undefined;
}

/** Writes one page as JSON, without secrets. `next` is the cursor of the next one; absent on the last. */
export function page({ head = {}, name, items, from = 0, cursorOf, more, isOwn = false }: Parts): string {
  const fixed = fitting(redacted(head), MOST_BYTES / 2);
  const taken: unknown[] = [];
  let left = MOST_BYTES - sizeOf({ ...fixed, [name]: [], next: '9'.repeat(16) });
  for (const item of items) {
    const shown = isOwn ? item : redacted(item);
    const whole = taken.length === 0 ? fitting(shown, left) : shown;
    const size = sizeOf(whole) + 1;
    if (size > left && taken.length > 0) {
      const next = cursorOf?.(item) ?? from + taken.length;
      return JSON.stringify({ ...fixed, [name]: taken, next: String(next) });
    }
    taken.push(whole);
    left -= size;
  }
  return JSON.stringify({ ...fixed, [name]: taken, ...(more !== undefined && { next: String(more) }) });
}

/** A cursor as a place in a list. */
export function placeOf(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor === 'string' && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new TypeError(`'cursor' expects the 'next' of an earlier result, got ${JSON.stringify(cursor)}`);
}

/** The items of a list from a cursor on, as parts. */
export function partsFrom(cursor: unknown, parts: Parts): Parts {
  const from = placeOf(cursor);
  return { ...parts, items: parts.items.slice(from), from };
}

/** A text in pages, cut between lines where a line is not too long. */
export function textPage(
  cursor: unknown,
  head: Readonly<Record<string, unknown>>,
  name: string,
  text: string,
): string {
  const from = placeOf(cursor);
  const fixed = fitting(head, MOST_BYTES / 2);
  const room = MOST_BYTES - sizeOf({ ...fixed, [name]: '', next: '9'.repeat(16) });
  let end = text.length;
  while (sizeOf(text.slice(from, end)) > room) {
    const half = from + Math.floor((end - from) * 0.8);
    const line = text.lastIndexOf('\n', half);
    end = line > from ? line + 1 : half;
  }
  const next = end < text.length && { next: String(end) };
  return JSON.stringify({ ...fixed, [name]: text.slice(from, end), ...next });
}

/** The value with each of its texts redacted. */
function redacted<T>(value: T): T {
  const text = JSON.stringify(value, (_, of: unknown) => (typeof of === 'string' ? redact(of) : of));
  return text === undefined ? value : (JSON.parse(text) as T);
}

/** The value with its texts, lists and objects cut as far as it must be to fit. */
function fitting<T>(value: T, bytes: number): T {
  let cut = value;
  for (const most of LENGTHS) {
    if (sizeOf(cut) <= bytes) return cut;
    cut = shortened(value, most, DEEPEST) as T;
  }
  return cut;
}

function shortened(value: unknown, most: number, depth: number): unknown {
  if (typeof value === 'string') return shortText(value, most);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  const all = Object.entries(value);
  const kept = all.slice(0, most).map(([name, of]) => [name, shortened(of, most, depth - 1)] as const);
  const more = (count: number): string => `… ${count} more`;
  if (Array.isArray(value))
    return [...kept.map(([, of]) => of), ...(all.length > most ? [more(all.length - most)] : [])];
  const made = Object.fromEntries(kept.map(([name, of]) => [shortText(name, most), of]));
  // Names that are cut may have become the same one.
  const lost = all.length - Object.keys(made).length;
  return lost > 0 ? { ...made, '…': more(lost) } : made;
}

function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`;
}

const encoder = new TextEncoder();
const sizeOf = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? '').length;
