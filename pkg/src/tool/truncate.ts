/** Cuts a text between words, or at least between graphemes. */

import { misuse } from '../misuse.js';

/**
 * Cuts a text at the end of a word, or where the first word is too long, of a grapheme. The result, with its '…', has at
 * most `maxLength` UTF-16 units. A text that fits is returned unchanged.
 *
 * @example
 * ```ts
 * truncate('Hello wonderful world', 12); // 'Hello…'
 * truncate('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 12); // '👩‍👩‍👧‍👦…': a family is not torn apart
 * ```
 * @throws TypeError for a length that is no whole number, 0 or more.
 */
export function truncate(content: string, maxLength: number): string {
  if (typeof content !== 'string') throw misuse('text', 'a string', content);
  if (!Number.isSafeInteger(maxLength) || maxLength < 0) {
    if (maxLength === Number.POSITIVE_INFINITY) return content;
    throw misuse('maxLength', 'a whole number, 0 or more', maxLength);
  }
  if (content.length <= maxLength) return content;
  if (maxLength === 0) return '';
  const room = maxLength - 1;
  // Enough characters after the cut that a grapheme or a word across it is recognised as one.
  const beginning = content.slice(0, room + 256);
  const head = beginning.slice(0, lastEnd(beginning, room, 'word')).trimEnd();
  return `${head === '' ? beginning.slice(0, lastEnd(beginning, room, 'grapheme')) : head}…`;
}

/** How far from a cut a grapheme may begin or end: longer ones are noise. */
const NEAR = 64;

/** The end of the last grapheme that ends at `at` or before. */
export function graphemeEnd(text: string, at: number): number {
  return graphemeAt(text, at)[0];
}

/** The beginning of the first grapheme that begins at `at` or behind. */
export function graphemeStart(text: string, at: number): number {
  return graphemeAt(text, at)[1];
}

/** The borders of graphemes around a place in a text; twice the place itself if it is one. */
function graphemeAt(text: string, at: number): [before: number, behind: number] {
  if (at <= 0) return [0, 0];
  if (at >= text.length) return [text.length, text.length];
  // White space begins a grapheme in any case, and so do the texts that are read from there.
  const before = text.slice(Math.max(0, at - NEAR), at);
  let from = at - before.length + Math.max(0, before.search(/\s\S*$/));
  if (isLowSurrogate(text, from)) from++;
  let end = from;
  for (const length of segmentLengths(text.slice(from, at + NEAR), 'grapheme')) {
    if (end + length > at) return [end, end === at ? at : end + length];
    end += length;
  }
  return [at, at];
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Where the last segment that ends within `room` ends. */
function lastEnd(content: string, room: number, granularity: 'grapheme' | 'word'): number {
  let end = 0;
  for (const length of segmentLengths(content, granularity)) {
    if (end + length > room) break;
    end += length;
  }
  return end;
}

/** The lengths of words or graphemes, as Unicode's annex 29 divides text. */
function* segmentLengths(content: string, granularity: 'grapheme' | 'word'): Iterable<number> {
  if (typeof Intl !== 'undefined' && 'Segmenter' in Intl) {
    for (const { segment } of new Intl.Segmenter(undefined, { granularity }).segment(content))
      yield segment.length;
  } else {
    // Firefox before 125: code points with their marks, and words by their spaces. No literal for `\p`: engines check each
    // literal of a file that they read, and this one would make the import slower.
    const divide = granularity === 'word' ? /\s+|\S+/gu : /\P{M}(?:\p{M}|\u200d\P{M})*|\p{M}+/gu;
    for (const [segment] of content.matchAll(divide)) yield segment.length;
  }
}
