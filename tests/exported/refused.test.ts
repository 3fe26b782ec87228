// Exported by the Halfopen dashboard: call 1570c5e3-l of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('chapter 7: CIRCUIT_OPEN, refused after 0 attempts, then the fallback', async () => {
  const clock = new VirtualClock(1795312193098);
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
  // Others had opened the breaker.
  policy.breaker?.restore({ version: 1, name: 'breaker', state: 'open', generation: 1, at: clock.wall(), consecutiveFailures: 0, failedProbes: 0, retryAfterMs: 2994 });

  const operation = script<string>(
    'never asked',
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'chapter 7', fallback: () => 'the fallback' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60010)]);

  assert.equal(operation.calls, 0);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    [],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [],
  );
  assert.equal(ended.status, 'fulfilled');
});
