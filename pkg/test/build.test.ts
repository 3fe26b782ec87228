// The built package: that it loads, in both module systems, and is one and the same in all entry points.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

test('import and require give the same names', async () => {
  const esm = await import('halfopen');
  const cjs = createRequire(import.meta.url)('halfopen') as Record<string, unknown>;
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
});
