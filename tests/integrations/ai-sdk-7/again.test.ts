// The tests of `halfopen/ai-sdk` once more, under the AI SDK 7. It needs Node 22, which npm's own package of the binary brings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const node = at('node_modules/node-24/bin/node');

test('all of them pass', { skip: !existsSync(node) && 'npm has no binary of Node for this machine' }, () => {
  const imports = ['../../../scripts/compiled.mjs', 'resolve.mjs'].flatMap((path) => ['--import', at(path)]);
  const options = ['--test', '--test-timeout=60000', '--test-reporter=tap'];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // a run of its own, not a part of this one
  const files = ['ai-sdk', 'ai-sdk-run', 'failover-model'].map((name) => at(`../${name}.test.ts`));
  const { status, stdout } = spawnSync(node, [...imports, ...options, ...files], {
    encoding: 'utf8',
    env: { ...env, AI_SDK_LOG_WARNINGS: 'false' },
    maxBuffer: 2 ** 26,
  });
  const failed = stdout.split('\n').filter((line) => /^ *not ok/.test(line));
  assert.deepEqual({ status, failed }, { status: 0, failed: [] }, stdout.slice(-20_000));
  assert.ok(Number(/^# pass (\d+)/m.exec(stdout)?.[1]) >= 40, stdout.slice(-2_000));
});
