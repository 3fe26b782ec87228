// Exported by the Halfopen dashboard: call f79ef945-q of the policy windowed.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case opens a window: SERVER_ERROR after 1 attempt', async () => {
  const clock = new VirtualClock(1790007801460);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    breaker: { halfOpenMaxCalls: 1, probeTimeoutMs: 60000, resetTimeoutMs: 60000, window: { failureRate: 0.5, kind: 'count', minimumCalls: 4, size: 6 } },
    name: 'windowed',
    retry: false,
  });
  // What the breaker had counted before.
  for (let taken = 0; taken < 2; taken++) policy.breaker?.recordSuccess();
  for (let taken = 0; taken < 1; taken++) policy.breaker?.recordFailure();

  const operation = script<string>(
    fails(5, Object.assign(new Error('recorded'), { status: 503 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case opens a window' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60010)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['SERVER_ERROR'],
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
    ['SERVER_ERROR', 'exhausted', 'The service is having technical problems; your request is not the cause. Please try again in a moment.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'SERVER_ERROR');
  assert.ok(events.some((event) => event.type === 'breaker.changed' && event.to === 'open'));
});
