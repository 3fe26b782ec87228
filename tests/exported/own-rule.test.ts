// Exported by the Halfopen dashboard: call f79ef945-5 of the policy own.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.
// The policy's classify is code, which a log does not have.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case own rule: CONTENT_FILTERED after 3 attempts', async () => {
  const clock = new VirtualClock(1790002400000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'own',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 2 },
  });

  const operation = script<string>(
    fails(20, new AgentError('CONTENT_FILTERED', 'HTTP 503 · rule http.5xx', { provider: { statusCode: 503 }, severity: 'retriable', retryable: true })),
    fails(20, new AgentError('CONTENT_FILTERED', 'HTTP 503 · rule http.5xx', { provider: { statusCode: 503 }, severity: 'retriable', retryable: true })),
    fails(20, new AgentError('CONTENT_FILTERED', 'HTTP 503 · rule http.5xx', { provider: { statusCode: 503 }, severity: 'retriable', retryable: true })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case own rule' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(61008)]);

  assert.equal(operation.calls, 3);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['CONTENT_FILTERED', 'CONTENT_FILTERED', 'CONTENT_FILTERED'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [['backoff', 80, 120], ['backoff', 160, 240]],
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'call.failed' ? [event.code, event.why, event.userMessage] : [])),
    ['CONTENT_FILTERED', 'exhausted', 'The safety rules of the AI service stopped this request or its answer. Rephrase your request, and leave out sensitive content.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'CONTENT_FILTERED');
});
