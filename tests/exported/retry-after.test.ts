// Exported by the Halfopen dashboard: call 1570c5e3-1 of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('plan: succeeds after 2 attempts', async () => {
  const clock = new VirtualClock(1795312185586);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
  };
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
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

  const operation = script<string>(
    fails(29, Object.assign(new Error('recorded'), { code: 'rate_limit_exceeded', headers: { 'retry-after-ms': '1000', 'x-request-id': 'req_00000001' }, name: 'RateLimitError', status: 429, type: 'requests' })),
    answers(12),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'plan' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(63090)]);

  assert.equal(operation.calls, 2);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['RATE_LIMITED'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [['retry-after', 1000, 1000]],
  );
  assert.equal(ended.status, 'fulfilled');
});
