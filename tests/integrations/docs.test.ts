// The examples of docs/integrations, on the packages that they are about: their types, and what they print.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testExamples, testFragments } from '../../pkg/test/docs-examples.js';
import { FRAGMENTS } from '../../pkg/test/docs-fragments.js';
import { faultsOf } from '../../site/test/check-types.js';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const here = fileURLToPath(new URL('./', import.meta.url));
const pages = readdirSync(`${docs}integrations`).map((name) => `integrations/${name}`);

test('every block of TypeScript has the right types', () => {
  const texts = pages.map((page): [string, string] => [page, readFileSync(docs + page, 'utf8')]);
  assert.deepEqual(faultsOf(new Map(texts), here), []);
});

testExamples(docs, pages, here);
testFragments(
  fileURLToPath(new URL('../../', import.meta.url)),
  FRAGMENTS.filter(({ page }) => page.startsWith('docs/integrations/')),
  here,
);
