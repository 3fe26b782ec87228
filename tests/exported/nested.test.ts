// Exported by the Halfopen dashboard: call f79ef945-r of the policy outer.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case nested: SERVER_ERROR after 1 attempt', async () => {
  const clock = new VirtualClock(1790008401460);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'outer',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 2 },
  });
  // What another policy has retried and given up on.
  const inner = createPolicy({ clock, name: 'inner', breaker: false, retry: { maxRetries: 1, baseDelayMs: 1 } });

  const operation = script<string>(
    () => inner.execute(fails(355, Object.assign(new Error('recorded'), { name: 'AgentError', status: 503 }))),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case nested' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60710)]);

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
    ['SERVER_ERROR', 'nested', 'The service is having technical problems; your request is not the cause. Please try again in a moment.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'SERVER_ERROR');
});
