// Exported by the Halfopen dashboard: call 74bf395d-22 of the policy rates.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case queued by one of several rates: succeeds after 1 attempt', async () => {
  const clock = new VirtualClock(1790006601700);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'rates',
    rateLimit: [{ limit: 50, windowMs: 60000 }, { limit: 2, maxWaitMs: 900, windowMs: 1000 }, { limit: 100000, unit: 'tokens', windowMs: 60000 }],
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
  });
  // Other calls had already used up the limit of the window.
  for (let taken = 0; taken < 2; taken++) await policy.execute(async () => 'earlier');
  await clock.advance(350);

  const operation = script<string>(
    answers(10),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case queued by one of several rates' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(61320)]);

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
