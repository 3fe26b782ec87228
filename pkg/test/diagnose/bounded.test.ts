// Results of the tools for coding agents: any JSON is at most 20 kB, and the cursors lead over all items.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { page, partsFrom, textPage } from '../../src/diagnose/bounded.js';

const MOST = 20_000;

/** JSON that is wide, deep or long: random values alone are small. */
const json: fc.Arbitrary<unknown> = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('wide', 'deep', 'long', 'name', 'as it is'))
  .chain(([value, how]) =>
    fc.integer({ min: 0, max: 400 }).map((size) => {
      if (how === 'wide')
        return Object.fromEntries(Array.from({ length: size }, (_, at) => [`field${at}`, value]));
      if (how === 'deep')
        return Array.from({ length: size }).reduce((inner, _, at) => (at % 2 ? { inner } : [inner]), value);
      if (how === 'long') return { text: '😀"\n'.repeat(size * 60), value };
      return how === 'name' ? { ['n\u0000'.repeat(size * 60)]: value } : value;
    }),
  );

/** Reads a page, which must be JSON within the bound. */
function read(text: string): Record<string, unknown> & { next?: string } {
  assert.ok(Buffer.byteLength(text) <= MOST, `${Buffer.byteLength(text)} bytes`);
  return JSON.parse(text);
}

test('an object with very many fields is cut, and says how many are left out', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field${at}`, at]));
  for (const parts of [
    { name: 'items', items: [wide] },
    { head: { wide }, name: 'items', items: [] },
  ]) {
    const text = page(parts);
    read(text);
    assert.match(text, /"field0":0,"field1":1,.*"…":"… \d+ more"/);
  }
});

test('any head and any items: each page is JSON within the bound, and the cursors lead over all', () => {
  fc.assert(
    fc.property(
      fc.record({ value: json }),
      fc.array(json, { maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      (head, some, times) => {
        const items = Array.from({ length: times }, () => some).flat();
        let seen = 0;
        let cursor: string | undefined;
        do {
          const { items: taken, next } = read(page(partsFrom(cursor, { head, name: 'items', items })));
          assert.ok(Array.isArray(taken) && (taken.length > 0 || items.length === 0));
          seen += taken.length;
          cursor = next;
          assert.equal(cursor, seen < items.length ? String(seen) : undefined);
        } while (cursor !== undefined);
        assert.equal(seen, items.length);
      },
    ),
    { numRuns: 40 },
  );
});

test('any text: its pages, put together, are the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 3_000 }), (unit, times) => {
      const text = unit.repeat(times);
      let joined = '';
      let cursor: string | undefined;
      do {
        const { text: part, next } = read(textPage(cursor, { page: 'a' }, 'text', text));
        joined += part;
        cursor = next;
      } while (cursor !== undefined);
      assert.ok(joined === text);
    }),
    { numRuns: 50 },
  );
});

test('fields whose names become the same when they are cut are counted as left out', () => {
  const wide = (index: number) => [`${'name'.repeat(21)}${index}`, 'word '.repeat(1_000)];
  const item = Object.fromEntries(Array.from({ length: 60 }, (_, index) => wide(index)));
  const { items } = JSON.parse(page({ name: 'items', items: [item] }));
  const { '…': rest, ...fields } = items[0];
  assert.equal(rest, `… ${60 - Object.keys(fields).length} more`);
});

test('a head that is as long as a page leaves room for the text', () => {
  const text = textPage(undefined, { about: 'word '.repeat(6_000) }, 'text', 'line\n'.repeat(10_000));
  assert.ok(Buffer.byteLength(text) <= 20_000);
  assert.ok(JSON.parse(text).text.length > 1_000);
});
