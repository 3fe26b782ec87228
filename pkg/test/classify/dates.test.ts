// A date in `Retry-After` means what a JavaScript engine's `Date` makes of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRetryAfter } from 'halfopen';

const SETTINGS = { numRuns: 3000, includeErrorInReport: true };
/** Whole seconds from 1970 to 2099: HTTP's dates have no fractions. */
const seconds = fc.integer({ min: 60, max: 4_102_444_799 });

/** The time that `Retry-After` names, seen from a minute before. */
function readAs(text: string, due: number): number | undefined {
  const now = due - 60_000;
  const wait = parseRetryAfter({ 'retry-after': text }, now);
  return wait === undefined ? undefined : now + wait;
}

test('the date of HTTP', () => {
  const law = fc.property(seconds, (at) => {
    const text = new Date(at * 1000).toUTCString();
    assert.equal(readAs(text, Date.parse(text)), Date.parse(text), text);
  });
  fc.assert(law, SETTINGS);
});

test('the date of RFC 3339, with fractions of a second and offsets from UTC', () => {
  const law = fc.property(seconds, fc.nat(999), fc.integer({ min: -1439, max: 1439 }), (at, ms, offset) => {
    const text = new Date(at * 1000 + ms).toISOString();
    assert.equal(readAs(text, Date.parse(text)), Date.parse(text), text);
    const minutes = Math.abs(offset);
    const two = (number: number) => String(number).padStart(2, '0');
    const there = `${text.slice(0, -1)}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    const due = Date.parse(there);
    if (due >= 60_000) assert.equal(readAs(there, due), due, there);
  });
  fc.assert(law, SETTINGS);
});

test('one character changed: what both read means the same', () => {
  const character = fc.constantFrom(...'0123456789 :,-+TZGMADeo');
  const law = fc.property(seconds, fc.boolean(), fc.nat(28), character, (at, iso, place, put) => {
    const date = new Date(at * 1000);
    const text = iso ? date.toISOString() : date.toUTCString();
    const changed = text.slice(0, place) + put + text.slice(place + 1);
    // V8 reads dates in its own ways too; these are the ones that a standard has.
    const isStandard =
      /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(changed) ||
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(changed);
    // V8 reads the leap second, which RFC 9110 allows, as the first second of its minute.
    const isLeapSecond = /:60\b/.test(changed);
    const due = Date.parse(changed);
    if (!isStandard || isLeapSecond || Number.isNaN(due) || due < 60_000) return;
    // V8 takes 31 February for a day of March. To us it is no date.
    const there = iso ? new Date(due).toISOString() : new Date(due).toUTCString();
    const exists = there.replace(/^\w{3}/, '') === changed.replace(/^\w{3}/, '');
    const read = readAs(changed, due);
    if (exists || read !== undefined) assert.equal(read, due, changed);
  });
  fc.assert(law, SETTINGS);
});

test('a leap second is the first second of the next minute', () => {
  const due = Date.UTC(2016, 11, 31, 23, 59, 59) + 1000;
  for (const text of ['Sat, 31 Dec 2016 23:59:60 GMT', '2016-12-31T23:59:60Z'])
    assert.equal(readAs(text, due), due, text);
});
