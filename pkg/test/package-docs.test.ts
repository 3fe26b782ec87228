// The documentation within the package: small enough, and every link of it leads to a page of it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a build script, which has no types
import { MOST_BYTES, withOwnLinks } from '../../scripts/package-docs.mjs';

const pkg = fileURLToPath(new URL('..', import.meta.url));
const docs = readdirSync(join(pkg, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));
const files = [...docs, 'AGENTS.md', 'llms.txt', 'skills/halfopen/SKILL.md'];
const textOf = (file: string) => readFileSync(join(pkg, file), 'utf8');

test('the pages are below the limit, and the first ones are there', () => {
  const bytes = docs.reduce((sum, file) => sum + Buffer.byteLength(textOf(file)), 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  assert.ok(bytes > MOST_BYTES / 2, `${bytes} bytes`);
  for (const page of ['start', 'errors', 'guides/agent', 'policies/retry'])
    assert.ok(docs.includes(`docs/${page}.md`), page);
});

test('every link leads to a file of the package', () => {
  const lost = files.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)[^)]*\)/g)]
      .map(([, target]) => String(target))
      .filter((target) => !existsSync(join(pkg, dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(lost, []);
});

test('every path that a page names is in the tarball, and no page names a target of the Makefile', () => {
  const { files: packed } = JSON.parse(textOf('package.json')) as { files: string[] };
  const isPacked = (path: string) =>
    packed.some((entry) => path === entry || path.startsWith(`${entry}/`)) && existsSync(join(pkg, path));
  const inRepository = `(?:${readdirSync(join(pkg, '..'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[a-z]+$/.test(entry.name) && entry.name !== 'docs')
    .map(({ name }) => name)
    .join('|')})`;
  const path = new RegExp(`(?<![\\w./@-])(?:node_modules/halfopen/)?(${inRepository}/[\\w./*-]+)`, 'g');
  const lost = files.flatMap((file) => {
    const spans = [...textOf(file).matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].map(([span]) => span);
    const named = spans.flatMap((span) => [...span.matchAll(path)].map(([, found]) => String(found)));
    const targets = spans.flatMap((span) => span.match(/^`make [\w-]+`$/) ?? []);
    return [...named.filter((one) => !isPacked(one)), ...targets].map((one) => `${file}: ${one}`);
  });
  assert.deepEqual(lost, []);
});

test('every page that AGENTS.md names is in the package', () => {
  const named = [...textOf('AGENTS.md').matchAll(/`(docs\/[\w/-]+\.md)`/g)].map(([, name]) => String(name));
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((name) => !docs.includes(name)),
    [],
  );
});

test('a link to a page that is left out is its text, and a picture nothing', () => {
  const shipped = new Set(['start', 'policies/retry']);
  const text =
    'See [start](../start.md#go), [`fleet`](../fleet.md), [a](https://a.example) and ![it](../images/a.png).';
  assert.equal(
    withOwnLinks('policies/retry', text, shipped),
    'See [start](../start.md#go), `fleet`, [a](https://a.example) and .',
  );
});
