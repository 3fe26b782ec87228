// docs/recognised.md is what score.mjs says: `node score.mjs --write` renews it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('docs/recognised.md has the figures of the recordings', async () => {
  const { heldOutRow, page, written } = await import(new URL('./recognised.mjs', import.meta.url).href);
  const { stdout, stderr, status } = spawnSync(process.execPath, ['score.mjs', '--json'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(status, 0, stderr.slice(-2000));
  const now = written();
  assert.equal(
    now,
    page(JSON.parse(stdout), heldOutRow(now)),
    'stale: node tests/tool-errors/score.mjs --write',
  );
});
