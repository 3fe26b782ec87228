// The built package: that it loads, in both module systems, and is one and the same in all entry points.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
// @ts-expect-error: a build script, which has no types
import { bundleSizes, listed } from '../../scripts/bundle-sizes.mjs';

test('import and require give the same names', async () => {
  const esm = await import('halfopen');
  const cjs = createRequire(import.meta.url)('halfopen') as Record<string, unknown>;
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
});

test('README and docs list the sizes that bundles have, within a twentieth', async (t) => {
  const { existsSync } = await import('node:fs');
  // A development build is as large as it is.
  if (!existsSync(new URL('../dist/js/index.js', import.meta.url)))
    return t.diagnostic('a development build');
  const measured = (await bundleSizes()) as { what: string; size: number }[];
  for (const { page, sizes } of listed() as { page: string; sizes: Map<string, number> }[]) {
    for (const { what, size } of measured) {
      const stated = sizes.get(what) ?? Number.NaN;
      assert.ok(
        Math.abs(stated - size) <= Math.max(0.2, size / 20),
        `${page} lists ${what} with ${stated} kB, it has ${size}: node scripts/bundle-sizes.mjs --write`,
      );
    }
  }
});
