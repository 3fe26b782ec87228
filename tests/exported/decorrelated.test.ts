// Exported by the Halfopen dashboard: call f79ef945-4 of the policy decorrelated.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case decorrelated: SERVER_ERROR after 3 attempts', async () => {
  const clock = new VirtualClock(1790001800000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'decorrelated',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 'decorrelated', maxDelayMs: 10000, maxRetries: 2 },
  });

  const operation = script<string>(
    fails(20, Object.assign(new Error('recorded'), { status: 503 })),
    fails(20, Object.assign(new Error('recorded'), { status: 503 })),
    fails(20, Object.assign(new Error('recorded'), { status: 503 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case decorrelated' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(61458)]);

  assert.equal(operation.calls, 3);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['SERVER_ERROR', 'SERVER_ERROR', 'SERVER_ERROR'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.delaySource] : [])),
    ['backoff', 'backoff'],
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'call.failed' ? [event.code, event.why, event.userMessage] : [])),
    ['SERVER_ERROR', 'exhausted', 'The service is having technical problems; your request is not the cause. Please try again in a moment.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'SERVER_ERROR');
});
