// The store in Durable Objects, in workerd itself: the suite of conformance within real objects, and what outlives the runtime.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startWorker } from '../integrations/workerd/start.js';

const here = fileURLToPath(new URL('./workerd/', import.meta.url));
const SOURCE = {
  entry: join(here, 'main.ts'),
  config: join(here, 'config.capnp'),
  modules: ['policy.wasm', 'errors.wasm', 'agent.wasm', 'fleet.wasm'],
};

const ask = async (worker: { readonly url: string }, path: string): Promise<unknown> =>
  (await fetch(new URL(path, worker.url))).json();

test('real Durable Objects pass, and policies in workerd share a breaker by them', async (t) => {
  const worker = await startWorker(SOURCE);
  t.after(() => worker.stop());
  assert.deepEqual(await ask(worker, '/conformance'), { cases: 10 });
  assert.deepEqual(await ask(worker, '/outage'), { nodes: 3, state: 'open' });
});

test('what an object keeps outlives the runtime', async (t) => {
  const storage = mkdtempSync(join(tmpdir(), 'halfopen-objects-'));
  t.after(() => rmSync(storage, { recursive: true, force: true }));
  const before = await startWorker(SOURCE, storage);
  await ask(before, '/isolate');
  await before.stop();
  const after = await startWorker(SOURCE, storage);
  t.after(() => after.stop());
  const [chat] = (await ask(after, '/inspect')) as { policy: string; state: string }[];
  assert.deepEqual([chat?.policy, chat?.state], ['chat', 'isolated']);
});
