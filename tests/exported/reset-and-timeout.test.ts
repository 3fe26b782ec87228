// Exported by the Halfopen dashboard: call 1570c5e3-4 of the policy claude.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('notes: succeeds after 3 attempts', async () => {
  const clock = new VirtualClock(1795312187564);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
  };
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const stalls = () => new Promise<never>(() => {});
  const policy = createPolicy({
    clock,
    seed: 1,
    model: 'claude-opus-4-6',
    name: 'claude',
    provider: 'anthropic',
    retry: { backoffFactor: 2, baseDelayMs: 200, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 2000, maxRetries: 2 },
    timeout: { attemptMs: 2000 },
  });

  const operation = script<string>(
    fails(7, Object.assign(new Error('recorded'), { code: 'ECONNRESET', name: 'APIConnectionError' })),
    stalls,
    answers(10),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'notes' });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(65878)]);

  assert.equal(operation.calls, 3);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['NETWORK_ERROR', 'TIMEOUT'],
  );
  // Jitter draws other delays here, from the same range.
  assert.deepEqual(
    events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],
    ),
    [['backoff', 160, 240], ['backoff', 320, 480]],
  );
  assert.equal(ended.status, 'fulfilled');
});
