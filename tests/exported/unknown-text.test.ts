// Exported by the Halfopen dashboard: call f79ef945-6 of the policy unknown.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case unknown text: UNKNOWN after 1 attempt', async () => {
  const clock = new VirtualClock(1790003000000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'unknown',
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
  });

  const operation = script<string>(
    fails(20, new Error('recorded')),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case unknown text' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60040)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['UNKNOWN'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [],
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'call.failed' ? [event.code, event.why, event.userMessage] : [])),
    ['UNKNOWN', 'not-retryable', 'An unexpected error occurred. Please try again in a moment. If it keeps happening, contact support.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'UNKNOWN');
});
