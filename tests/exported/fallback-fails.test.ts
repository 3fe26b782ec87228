// Exported by the Halfopen dashboard: call f79ef945-9 of the policy falls.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case fallback fails: SERVER_ERROR after 1 attempt, and the fallback failed', async () => {
  const clock = new VirtualClock(1790004800000);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'falls',
    retry: false,
  });

  const operation = script<string>(
    fails(20, Object.assign(new Error('recorded'), { status: 503 })),
  );
  const { events } = recordEvents(policy);
  const call = policy.execute(operation, { task: 'case fallback fails', fallback: () => { throw new Error('the fallback failed'); } });
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(60040)]);

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
  assert.equal(ended.status, 'rejected');
});
