// Exported by the Halfopen dashboard: call f79ef945-2 of the policy deadline-2.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case deadline within an attempt: TIMEOUT after 1 attempt', async () => {
  const clock = new VirtualClock(1790000600000);
  const stalls = () => new Promise<never>(() => {});
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'deadline-2',
    retry: { backoffFactor: 2, baseDelayMs: 1000, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 3 },
    timeout: { totalMs: 3000 },
  });

  const operation = script<string>(
    stalls,
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case deadline within an attempt' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(66000)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['TIMEOUT'],
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
    ['TIMEOUT', 'deadline', 'The service took too long to answer. Please try again in a moment. If it keeps happening, try a shorter request.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'TIMEOUT');
});
