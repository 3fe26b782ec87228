// Exported by the Halfopen dashboard: call f79ef945-t of the policy refuses.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case agent error: MODEL_NOT_FOUND after 1 attempt', async () => {
  const clock = new VirtualClock(1790009001460);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'refuses',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 2 },
  });

  const operation = script<string>(
    fails(5, new AgentError('MODEL_NOT_FOUND', 'no such model')),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case agent error' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60010)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['MODEL_NOT_FOUND'],
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
    ['MODEL_NOT_FOUND', 'not-retryable', 'The chosen model is not available. Check its name in the settings, or choose another model.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'MODEL_NOT_FOUND');
});
