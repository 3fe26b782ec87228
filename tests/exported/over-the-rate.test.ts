// Exported by the Halfopen dashboard: call f79ef945-h of the policy rate.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case over the rate: CAPACITY_EXCEEDED, refused after 0 attempts', async () => {
  const clock = new VirtualClock(1790006001050);
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'rate',
    rateLimit: { limit: 2, maxWaitMs: 900, windowMs: 1000 },
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
  });
  // Other calls had already used up the limit of the window.
  for (let taken = 0; taken < 2; taken++) await policy.execute(async () => 'earlier');
  await clock.advance(50);

  const operation = script<string>(
    'never asked',
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case over the rate' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60000)]);

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
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'CAPACITY_EXCEEDED');
  assert.equal(ended.reason.retryAfterMs, 950);
});
