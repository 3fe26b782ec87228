// `halfopen/cloudflare-agents` with the function that `this.retry` of Cloudflare's Agents SDK runs.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createPolicy } from 'halfopen';
import { retryable } from 'halfopen/cloudflare-agents';
import { type FaultyProvider, startFaultyProvider } from '../../examples/faulty-provider/server.js';
// The package exports it to its own files only: those need `cloudflare:workers`, which Node has not.
import { tryN } from './node_modules/agents/dist/retries.js';

let provider: FaultyProvider;
let since = 0;
before(async () => {
  provider = await startFaultyProvider();
});
after(() => provider.close());
afterEach(() => {
  since = provider.received.length;
});

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
const retry = () => tryN(4, call, { baseDelayMs: 1, maxDelayMs: 2, shouldRetry: retryable() });
const requests = () => provider.received.length - since;

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
