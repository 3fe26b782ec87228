// Exported by the Halfopen dashboard: call 1570c5e3-n of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('chapter 8: succeeds after 1 attempt', async () => {
  const clock = new VirtualClock(1795312196095);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
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
  // The breaker was open, and its reset timeout over: the first attempt is a probe.
  policy.breaker?.restore({ version: 1, name: 'breaker', state: 'open', generation: 1, at: clock.wall(), consecutiveFailures: 0, failedProbes: 0, retryAfterMs: 0 });

  const operation = script<string>(
    answers(8),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'chapter 8' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60016)]);

  assert.equal(operation.calls, 1);
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
