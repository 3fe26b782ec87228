// Exported by the Halfopen dashboard: call f79ef945-d of the policy bulkhead.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case queued for a place: succeeds after 1 attempt', async () => {
  const clock = new VirtualClock(1790006000000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    bulkhead: { maxConcurrent: 2, maxQueued: 1 },
    name: 'bulkhead',
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
  });
  // Others had every place when it began.
  for (let taken = 0; taken < 2; taken++) void policy.execute(answers(300));

  const operation = script<string>(
    answers(10),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case queued for a place' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60620)]);

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
