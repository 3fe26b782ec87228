// A page: lines in order, as bytes, and what its first line is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGE_LINES, Page } from '../../src/devtools/page.js';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('lines of several processes: the first one left is known by its process and number', () => {
  const page = new Page(16);
  const lines = ['a', 'a', 'b', 'a', 'a'].map((source, index) => ({ source, seq: index * 7 }));
  for (const { source, seq } of lines) {
    page.write(`{"seq":${seq}}\n`);
    page.note(source, seq);
  }
  for (const [index, line] of lines.entries()) {
    assert.deepEqual(page.first, line);
    assert.equal(page.lines, lines.length - index);
    assert.equal(text(page.read(1)), `{"seq":${line.seq}}\n`);
    page.remove(1);
  }
  assert.equal(page.lines, 0);
});

test('a page that was cleared begins anew, and is full after as many lines as ever', () => {
  const page = new Page();
  for (const source of ['a', 'b']) {
    for (let seq = 1; seq <= PAGE_LINES; seq += 1) {
      assert.equal(page.full, false);
      page.write(`${seq}\n`);
      page.note(source, seq);
    }
    assert.equal(page.full, true);
    assert.deepEqual(page.first, { source, seq: 1 });
    assert.equal(text(page.read(2)), '1\n2\n');
    page.clear();
    assert.equal(page.lines, 0);
  }
});
