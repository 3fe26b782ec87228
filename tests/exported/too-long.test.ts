// Exported by the Halfopen dashboard: call 1570c5e3-7 of the policy openai.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('book: CONTEXT_LENGTH_EXCEEDED after 1 attempt', async () => {
  const clock = new VirtualClock(1795312190153);
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
    fails(4, Object.assign(new Error('recorded'), { code: 'context_length_exceeded', headers: { 'x-request-id': 'req_00000013' }, name: 'BadRequestError', status: 400, type: 'invalid_request_error' })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'book' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60008)]);

  assert.equal(operation.calls, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['CONTEXT_LENGTH_EXCEEDED'],
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
    ['CONTEXT_LENGTH_EXCEEDED', 'not-retryable', 'This conversation is too long for the model “gpt-5”. Shorten your request, leave out attachments, or start a new conversation.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'CONTEXT_LENGTH_EXCEEDED');
});
