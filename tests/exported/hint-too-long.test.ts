// Exported by the Halfopen dashboard: call f79ef945-3 of the policy hint.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case hint too long: RATE_LIMITED after 1 attempt', async () => {
  const clock = new VirtualClock(1790001200000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'hint',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 2 },
  });

  const operation = script<string>(
    fails(20, Object.assign(new Error('recorded'), { headers: { 'retry-after-ms': '300000' }, status: 429 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case hint too long' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60040)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['RATE_LIMITED'],
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
    ['RATE_LIMITED', 'hint', 'Too many requests were sent to the service in a short time. Please try again in about 5 minutes.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'RATE_LIMITED');
});
