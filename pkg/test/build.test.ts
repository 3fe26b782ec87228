// The built package: that it loads, in both module systems, and is one and the same in all entry points.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
// @ts-expect-error: a build script, which has no types
import { bundleSizes, listed } from '../../scripts/bundle-sizes.mjs';

test('import and require give the same names', async () => {
  const esm = await import('halfopen');
  const cjs = createRequire(import.meta.url)('halfopen') as Record<string, unknown>;
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
});

test('docs/size.md lists the sizes that bundles have, within a twentieth', async (t) => {
  const { existsSync } = await import('node:fs');
  // A development build is as large as it is.
  if (!existsSync(new URL('../dist/js/index.js', import.meta.url)))
    return t.diagnostic('a development build');
  const sizes = listed() as Map<string, number>;
  for (const { what, size } of (await bundleSizes()) as { what: string; size: number }[]) {
    const stated = sizes.get(what) ?? Number.NaN;
    assert.ok(
      Math.abs(stated - size) <= Math.max(0.2, size / 20),
      `docs/size.md lists ${what} with ${stated} kB, it has ${size}: node scripts/bundle-sizes.mjs --write`,
    );
  }
});

test('no other page has a table of sizes', () => {
  const root = new URL('../../', import.meta.url);
  const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' });
  const pages = ['README.md', ...docs.map((name) => `docs/${name}`).filter((name) => name.endsWith('.md'))];
  const tables = pages.filter((page) =>
    /^\| Imported \| at once/m.test(readFileSync(new URL(page, root), 'utf8')),
  );
  assert.deepEqual(tables, ['docs/size.md']);
});
