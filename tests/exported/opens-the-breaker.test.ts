// Exported by the Halfopen dashboard: call 1570c5e3-h of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('chapter 5: SERVER_ERROR after 3 attempts, then the fallback', async () => {
  const clock = new VirtualClock(1795312192504);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    breaker: { failureThreshold: 5, halfOpenMaxCalls: 1, probeTimeoutMs: 3000, resetTimeoutMs: 3000 },
    model: 'gpt-5',
    name: 'openai',
    provider: 'openai',
    retry: { backoffFactor: 2, baseDelayMs: 200, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 2000, maxRetries: 2 },
    timeout: { attemptMs: 2000 },
  });
  // What the breaker had counted before.
  for (let taken = 0; taken < 4; taken++) policy.breaker?.recordFailure();

  const operation = script<string>(
    fails(11, Object.assign(new Error('recorded'), { code: 'server_error', headers: { 'x-request-id': 'req_00000031' }, name: 'InternalServerError', status: 500 })),
    fails(3, Object.assign(new Error('recorded'), { code: 'server_error', headers: { 'x-request-id': 'req_00000032' }, name: 'InternalServerError', status: 500 })),
    fails(4, Object.assign(new Error('recorded'), { code: 'server_error', headers: { 'x-request-id': 'req_00000033' }, name: 'InternalServerError', status: 500 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'chapter 5', fallback: () => 'the fallback' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(61908)]);

  assert.equal(operation.calls, 3);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['SERVER_ERROR', 'SERVER_ERROR', 'SERVER_ERROR'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [['backoff', 160, 240], ['backoff', 320, 480]],
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'call.failed' ? [event.code, event.why, event.userMessage] : [])),
    ['SERVER_ERROR', 'exhausted', 'OpenAI is having technical problems; your request is not the cause. Please try again in a moment.'],
  );
  assert.equal(ended.status, 'fulfilled');
  assert.ok(events.some((event) => event.type === 'breaker.changed' && event.to === 'open'));
});
