// A client's own error, of a request that its policy sent: the message for users knows the provider that the policy knew.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { classify, createPolicy, formatErrorMessage } from 'halfopen';

test('before a stream as in the middle of it', async (t) => {
  const server = createServer((_request, response) => response.writeHead(529).end('{}')).listen(
    0,
    '127.0.0.1',
  );
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const policy = createPolicy({ retry: false, provider: 'anthropic', model: 'claude-sonnet-4-5' });
  const { status, headers } = await policy.fetch(url);
  // As the clients of Anthropic and OpenAI make it.
  const thrown = Object.assign(new Error('529 overloaded'), { status, headers });
  assert.match(formatErrorMessage(thrown), /^Anthropic is very busy right now\./);
  const { provider } = classify(thrown);
  assert.deepEqual([provider.provider, provider.model], ['anthropic', 'claude-sonnet-4-5']);
  assert.equal(
    classify(thrown, { provider: 'openai' }).provider.provider,
    'openai',
    'the caller knows better',
  );
});
