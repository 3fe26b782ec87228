// The recipe of docs/integrations/cloudflare-agents.md: an agent of Cloudflare's Agents SDK in workerd, and what its `this.retry` runs, in Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import type { Fault } from '../../examples/faulty-provider/faults.js';
// The package exports it to its own files only: those need `cloudflare:workers`, which Node has not.
import { tryN } from './node_modules/agents/dist/retries.js';
import { provider, requests } from './provider.js';
import { recipe } from './recipe.js';
import { startWorker } from './workerd/start.js';

const { shouldRetry } = await recipe<{ shouldRetry(error: unknown): boolean }>(
  'cloudflare-agents',
  'import { retryAdvice }',
);

const policy = createPolicy({ retry: false });
const call = () =>
  policy.execute(({ signal }) =>
    fetch(`${provider.openaiUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'e', input: ['a'] }),
      signal,
    }),
  );
const retry = () => tryN(4, call, { baseDelayMs: 1, maxDelayMs: 2, shouldRetry });

test('what may succeed later is tried again', async () => {
  provider.next('openai', { kind: 'overloaded' }, { kind: 'reset' });
  assert.ok((await retry()).ok);
  assert.equal(requests(), 3);
});

test('what failed for good is tried once', async () => {
  provider.next('openai', { kind: 'unauthorized' });
  await assert.rejects(retry());
  assert.equal(requests(), 1);
});

test('a hint that the SDK would not wait for ends it', async () => {
  provider.next('openai', { kind: 'rate-limited', retryAfterSeconds: 60 });
  await assert.rejects(retry());
  assert.equal(requests(), 1);
});

test("the page's agent in workerd: this.retry tries again what may succeed later, a stream that breaks too", async () => {
  const worker = await startWorker();
  try {
    const ask = async (...faults: Fault[]) => {
      const since = requests();
      provider.next('openai', ...faults);
      const body = `${provider.openaiUrl}/chat/completions`;
      const answer = await (await fetch(worker.url, { method: 'POST', body })).text();
      return {
        answer: answer.endsWith('data: [DONE]\n\n') ? 'the whole stream' : answer,
        sent: requests() - since,
      };
    };
    const broken: Fault = { kind: 'broken-stream', afterChunks: 2 };
    assert.deepEqual(await ask({ kind: 'overloaded' }, broken), { answer: 'the whole stream', sent: 3 });
    assert.deepEqual(await ask({ kind: 'unauthorized' }), { answer: 'AUTHENTICATION_ERROR', sent: 1 });
    const late: Fault = { kind: 'rate-limited', retryAfterSeconds: 60 };
    assert.deepEqual(await ask({ kind: 'server-error' }, late), { answer: 'RATE_LIMITED', sent: 2 });
  } finally {
    await worker.stop();
  }
});
