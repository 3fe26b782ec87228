// Stores in real key-value stores: Deno KV, which several processes share by a file, and Workers KV as workerd binds it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startWorker } from '../integrations/workerd/start.js';

const here = fileURLToPath(new URL('./', import.meta.url));
const deno = join(here, '../../node_modules/.bin/deno');
const run = promisify(execFile);

function folderOf(t: { after(then: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-kv-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function inDeno(question: string, path: string): Promise<unknown> {
  const options = ['run', '-A', '--unstable-kv', '--no-remote', '--no-lock', '--node-modules-dir=manual'];
  const { stdout } = await run(deno, [...options, join(here, 'deno/main.mjs'), question, path]);
  return JSON.parse(stdout);
}

test('Deno KV passes, whichever process syncs', async (t) => {
  assert.deepEqual(await inDeno('conformance', join(folderOf(t), 'kv')), { cases: 10 });
});

test('processes in Deno share a breaker by Deno KV: together they have the failures that none has alone', async (t) => {
  const path = join(folderOf(t), 'kv');
  const answers = await Promise.all([1, 2, 3].map(() => inDeno('outage', path)));
  const failures = answers.map((answer) => (answer as { failures: number }).failures);
  // Thirty in a row open it.
  assert.ok(Math.min(...failures) < 30, failures.join());
});

test('Workers KV passes for one process, and policies in workerd share a breaker by it', async (t) => {
  const worker = await startWorker({
    entry: join(here, 'workerd/main.ts'),
    config: join(here, 'workerd/config.capnp'),
    modules: ['policy.wasm', 'errors.wasm', 'agent.wasm', 'fleet.wasm'],
  });
  t.after(() => worker.stop());
  const ask = async (path: string): Promise<unknown> => (await fetch(new URL(path, worker.url))).json();
  assert.deepEqual(await ask('/kv/conformance'), { cases: 10 });
  assert.deepEqual(await ask('/kv/outage'), { nodes: 3, state: 'open' });
});
