// Exported by the Halfopen dashboard: call f79ef945-m of the policy by-attempt.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case opens between attempts: CIRCUIT_OPEN, refused after 2 attempts', async () => {
  const clock = new VirtualClock(1790007201450);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    breaker: { failureThreshold: 2, halfOpenMaxCalls: 1, probeTimeoutMs: 60000, resetTimeoutMs: 60000 },
    breakerScope: 'attempt',
    name: 'by-attempt',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 2 },
  });
  // What the breaker had counted before.

  const operation = script<string>(
    fails(10, Object.assign(new Error('recorded'), { status: 503 })),
    fails(10, Object.assign(new Error('recorded'), { status: 503 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case opens between attempts' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(61070)]);

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
    [['backoff', 80, 120], ['backoff', 160, 240]],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'CIRCUIT_OPEN');
  assert.ok(events.some((event) => event.type === 'breaker.changed' && event.to === 'open'));
});
