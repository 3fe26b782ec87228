// The real clients over `policy.fetch` against the faulty provider: streams that break off count, once each.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { createPolicy, type Policy } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import OpenAI from 'openai';
import type { Fault } from '../../examples/faulty-provider/faults.js';
import { type FaultyProvider, startFaultyProvider } from '../../examples/faulty-provider/server.js';

let provider: FaultyProvider;
before(async () => {
  provider = await startFaultyProvider();
});
after(() => provider.close());

type Vendor = 'openai' | 'anthropic';

/** Reads a streamed answer of the vendor's own client to its end, or to the abort after the first chunk. */
async function read(vendor: Vendor, policy: Policy, abort?: AbortController): Promise<number> {
  const { fetch } = policy;
  const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], stream: true as const };
  const options = { signal: abort?.signal };
  const common = { apiKey: 'sk-test', maxRetries: 0, fetch };
  const stream =
    vendor === 'openai'
      ? await new OpenAI({ ...common, baseURL: provider.openaiUrl }).chat.completions.create(ask, options)
      : await new Anthropic({ ...common, baseURL: provider.anthropicUrl }).messages.create(
          { ...ask, max_tokens: 10 },
          options,
        );
  let chunks = 0;
  for await (const _ of stream) {
    chunks++;
    abort?.abort();
  }
  return chunks;
}

const broken: Fault = { kind: 'broken-stream', afterChunks: 2 };

for (const vendor of ['openai', 'anthropic'] as const) {
  test(`${vendor}: a stream that breaks off reaches the client, counts once, and opens the circuit`, async () => {
    provider.next(vendor, broken, broken);
    const policy = createPolicy({ breaker: { failureThreshold: 2 }, timeout: { attemptMs: 20_000 } });
    const { events } = recordEvents(policy);
    await assert.rejects(read(vendor, policy));
    assert.equal(policy.breaker?.snapshot().consecutiveFailures, 1);
    await assert.rejects(read(vendor, policy));
    assert.equal(policy.breaker?.state, 'open');
    const told = (type: string): number => events.filter((event) => event.type === type).length;
    assert.deepEqual([told('stream.broken'), told('attempt.failed'), told('breaker.changed')], [2, 2, 1]);
    const requests = provider.received.length;
    await assert.rejects(read(vendor, policy));
    assert.equal(provider.received.length, requests);
  });

  test(`${vendor}: a stream that ends, or that its client aborts, is no failure`, async () => {
    provider.next(vendor, { kind: 'overloaded' }, { kind: 'ok' }, { kind: 'ok', chunkEveryMs: 20 });
    const policy = createPolicy({ breaker: { failureThreshold: 1 }, retry: { baseDelayMs: 1 } });
    assert.ok((await read(vendor, policy)) > 1);
    const controller = new AbortController();
    const aborted = once(controller.signal, 'abort');
    await read(vendor, policy, controller).catch(() => {});
    await aborted;
    assert.deepEqual([policy.breaker?.state, policy.breaker?.snapshot().consecutiveFailures], ['closed', 0]);
  });
}
