// Exported by the Halfopen dashboard: call f79ef945-v of the policy streams.
//
// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';

test('case stream that stalls: TIMEOUT after 3 attempts', async () => {
  const clock = new VirtualClock(1790009611460);
  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const stalls = () => new Promise<never>(() => {});
  /** A stream of `count` chunks over `ms` milliseconds, which then ends, breaks, or falls silent. */
  const chunks = (count: number, ms: number, then?: Error | 'stall') => async function* () {
    for (let index = 0; index < count; index++) {
      await after(ms / count);
      yield `chunk ${index}`;
    }
    if (then === 'stall') await new Promise<never>(() => {});
    else if (then !== undefined) throw then;
  };
  const collect = async (stream: AsyncIterable<unknown>) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  const policy = createPolicy({
    clock,
    seed: 1,
    name: 'streams',
    retry: { backoffFactor: 2, baseDelayMs: 100, budget: false, enableJitter: true, jitter: 0.2, maxDelayMs: 10000, maxRetries: 2 },
  });

  const operation = script<AsyncIterable<string>>(
    chunks(1, 0, 'stall'),
    chunks(1, 0, 'stall'),
    chunks(1, 0, 'stall'),
  );
  const { events } = recordEvents(policy);
  const call = collect(policy.stream(operation, { task: 'case stream that stalls', onBreak: 'restart', stallTimeoutMs: 400 }));
  const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(63404)]);

  assert.equal(operation.calls, 3);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),
    ['TIMEOUT', 'TIMEOUT', 'TIMEOUT'],
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
    ['TIMEOUT', 'exhausted', 'The service took too long to answer. Please try again in a moment. If it keeps happening, try a shorter request.'],
  );
  assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));
  assert.equal(ended.reason.code, 'TIMEOUT');
});
