// Exported by the Halfopen dashboard: call f79ef945-e of the policy bulkhead.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case no place: CAPACITY_EXCEEDED, refused after 0 attempts', async () => {
  const clock = new VirtualClock(1790006000000);
  const policy = createPolicy({
    clock,
    seed: 1,
    bulkhead: { maxConcurrent: 2, maxQueued: 1 },
    name: 'bulkhead',
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
  });
  // Others had every place, and every place in the queue.
  for (let taken = 0; taken < 3; taken++) void policy.execute(() => new Promise<never>(() => {}));

  const operation = script<string>(
    'never asked',
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case no place' });
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
});
