// The documentation: every example whose output is shown prints exactly that, every other block of code runs too. Tables that
// follow from the code: core/wasm/tests/generated. The examples of docs/integrations need the packages that they integrate:
// tests/integrations/docs.test.ts runs them. Those of docs/migration need the libraries that they leave: site/test runs them.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { testExamples, testFragments, unaccounted } from './docs-examples.js';
import { FRAGMENTS } from './docs-fragments.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const docs = `${root}docs/`;
const here = fileURLToPath(new URL('./', import.meta.url));
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.md') && !/^(integrations|migration)\b/.test(file),
);
testExamples(docs, pages, here);
testFragments(
  root,
  FRAGMENTS.filter(({ page }) => !page.startsWith('docs/integrations/')),
  here,
);

test('every block of code is run', () => {
  const inDocs = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file.replaceAll('\\', '/')}`);
  const texts = ['README.md', ...inDocs].map((page): [string, string] => [
    page,
    readFileSync(root + page, 'utf8'),
  ]);
  assert.deepEqual(unaccounted(new Map(texts)), []);
});

test('only the generated lists contain the size of the package', () => {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const elsewhere = ['README.md', ...pages].flatMap((page) => {
    const text = readFileSync(root + page, 'utf8').replaceAll(/<!-- sizes -->[\s\S]*?<!-- \/sizes -->/g, '');
    return [...text.matchAll(/.*\b\d{3} kB\b.*/g)].map(([line]) => `${page}: ${line}`);
  });
  // The page has the measurements of the last `make bench`.
  assert.deepEqual(
    elsewhere.filter((line) => !line.startsWith('docs/benchmarks.md')),
    [],
  );
});

test('where a page says that respond never rejects, it says what passes through it', () => {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const promises = ['README.md', ...pages].flatMap((page) =>
    readFileSync(root + page, 'utf8')
      .split('\n\n')
      .filter((paragraph) => /respond`\s+never\s+rejects/.test(paragraph))
      .map((paragraph) => ({ page, saysSo: /control flow/i.test(paragraph) })),
  );
  assert.ok(promises.length >= 4, JSON.stringify(promises));
  assert.deepEqual(
    promises.filter(({ saysSo }) => !saysSo).map(({ page }) => page),
    [],
  );
});

/** The anchor that a heading gets, as GitHub makes it. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

test('relative links lead to files and headings that exist', () => {
  const inRoot = ['README.md', 'HACKING.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];
  const inDocs = readdirSync(docs, { recursive: true, encoding: 'utf8' });
  const pages = [...inRoot, ...inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const dead: string[] = [];
  for (const page of pages) {
    const text = readFileSync(root + page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/g)) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? root + page : fileURLToPath(new URL(path, pathToFileURL(root + page)));
      if (!existsSync(file)) dead.push(`${page}: ${target}`);
      else if (heading !== undefined && file.endsWith('.md')) {
        const anchors = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, it = '']) =>
          anchor(it),
        );
        if (!anchors.includes(heading)) dead.push(`${page}: ${target}`);
      }
    }
  }
  assert.deepEqual(dead, []);
});
