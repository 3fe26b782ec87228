// Exported by the Halfopen dashboard: call 1570c5e3-5 of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('figures: AUTHENTICATION_ERROR after 1 attempt, then the fallback', async () => {
  const clock = new VirtualClock(1795312190143);
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

  const operation = script<string>(
    fails(5, Object.assign(new Error('recorded'), { code: 'invalid_api_key', headers: { 'x-request-id': 'req_00000011' }, name: 'AuthenticationError', status: 401, type: 'invalid_request_error' })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'figures', fallback: () => 'the fallback' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60020)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['AUTHENTICATION_ERROR'],
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
    ['AUTHENTICATION_ERROR', 'not-retryable', 'OpenAI did not accept the API key. Check the key in the settings: it may be mistyped, expired or switched off.'],
  );
  assert.equal(ended.status, 'fulfilled');
});
