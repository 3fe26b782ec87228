// However many calls wait, each begins once there is room for it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { deaf, onVirtualClock } from './given.js';

const MANY = 5000;

test('room for thousands of queued calls: all of them begin at once, in their order', async () => {
  const { policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: MANY } });
  const controller = new AbortController();
  const { signal } = controller;
  const begun: number[] = [];
  const calls = [policy.execute(deaf, { signal })];
  for (let at = 0; at < MANY; at++) {
    calls.push(
      policy.execute(
        () => {
          begun.push(at);
          return deaf();
        },
        { signal },
      ),
    );
  }
  assert.equal(begun.length, 0);
  policy.update({ bulkhead: { maxConcurrent: MANY + 1, maxQueued: MANY } });
  assert.equal(begun.length, MANY);
  assert.ok(begun.every((which, at) => which === at));
  controller.abort();
  await Promise.allSettled(calls);
  assert.equal(policy.stats().failed, 0);
});
