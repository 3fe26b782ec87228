// Exported by the Halfopen dashboard: call f79ef945-8 of the policy plain.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case options of its own: SERVER_ERROR after 2 attempts', async () => {
  const clock = new VirtualClock(1790004200000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'plain',
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
  });

  const operation = script<string>(
    fails(20, Object.assign(new Error('recorded'), { status: 503 })),
    fails(20, Object.assign(new Error('recorded'), { status: 503 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case options of its own', model: 'gpt-5-mini', retry: { baseDelayMs: 10, maxRetries: 1 }, timeout: { attemptMs: 50 } });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60110)]);

  assert.equal(operation.calls, 2);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['SERVER_ERROR', 'SERVER_ERROR'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [['backoff', 8, 12]],
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'call.failed' ? [event.code, event.why, event.userMessage] : [])),
    ['SERVER_ERROR', 'exhausted', 'The service is having technical problems; your request is not the cause. Please try again in a moment.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'SERVER_ERROR');
});
