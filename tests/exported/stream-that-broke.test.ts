// Exported by the Halfopen dashboard: call 1570c5e3-q of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('report: succeeds after 2 attempts', async () => {
  const clock = new VirtualClock(1795312196103);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  /** A stream of `count` chunks over `ms` milliseconds, which then ends, breaks, or falls silent. */
  const chunks = (count: number, ms: number, then?: Error | 'stall') => async function* () {
    for (let index = 0; index < count; index++) {
      await after(ms / count);
      yield `chunk ${index}`;
    }
    if (then === 'stall') await new Promise<never>(() => {});
    else if (then !== undefined) throw then;
  };
  const collect = async (stream: AsyncIterable<unknown>) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    breaker: { failureThreshold: 5, halfOpenMaxCalls: 1, probeTimeoutMs: 3000, resetTimeoutMs: 3000 },
    model: 'gpt-5',
    name: 'openai',
    provider: 'openai',
    retry: { backoffFactor: 2, baseDelayMs: 200, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 2000, maxRetries: 2 },
    timeout: { attemptMs: 2000 },
  });

  const operation = script<AsyncIterable<string>>(
    chunks(5, 114, Object.assign(new Error('recorded'), { code: 'UND_ERR_SOCKET', name: 'TypeError' })),
    chunks(13, 581),
  );
  const { events } = recordEvents(policy);
  const call = collect(policy.stream(operation, { task: 'report', onBreak: 'restart' }));
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(61964)]);

  assert.equal(operation.calls, 2);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['NETWORK_ERROR'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [['backoff', 160, 240]],
  );
  assert.equal(ended.status, 'fulfilled');
});
