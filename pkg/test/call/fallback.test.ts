// Fallbacks: who answers when the call cannot.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy } from 'halfopen';
import { recordEvents, script } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

test('it is asked once retries are used up, with the error of the call', async () => {
  const seen: AgentError[] = [];
  const { clock, policy } = onVirtualClock({
    fallback: (error: AgentError) => {
      seen.push(error);
      return 'spare';
    },
  });
  const result = policy.execute(script<string>(retryable()));
  await clock.advance(10_000);
  assert.equal(await result, 'spare');
  assert.deepEqual([seen.length, seen[0]?.attempts, seen[0]?.errors.length], [1, 4, 4]);
});

test("a call's own stands instead of the policy's", async () => {
  const policy = createPolicy({ fallback: () => 'policy' });
  assert.equal(await policy.execute(script(fatal()), { fallback: () => 'call' }), 'call');
  assert.equal(await policy.execute(script(fatal())), 'policy');
});

test('it is not asked for CANCELLED', async () => {
  const policy = createPolicy({ fallback: () => 'spare' });
  await rejectsWith(
    policy.execute(() => 1, { signal: AbortSignal.abort() }),
    'CANCELLED',
  );
  const controller = new AbortController();
  const result = rejection(policy.execute(deaf, { signal: controller.signal }));
  controller.abort();
  assert.equal((await result).code, 'CANCELLED');
});

test("what it throws becomes the call's error, with the first as its cause", async () => {
  for (const fallback of [
    (): never => {
      throw new AgentError('NOT_FOUND', 'no spare');
    },
    () => Promise.reject(new AgentError('NOT_FOUND', 'no spare')),
  ]) {
    const { policy } = onVirtualClock({ fallback });
    const { events } = recordEvents(policy);
    const error = await rejectsWith(policy.execute(script(fatal('first'))), 'NOT_FOUND');
    assert.ok(AgentError.is(error.cause));
    assert.equal(error.cause.message, 'first');
    assert.equal(error.attempts, 1);
    const used = events.find((event) => event.type === 'fallback.used');
    assert.ok(used?.type === 'fallback.used' && used.failed === true);
  }
});

test('an abort while it runs rejects at once and reaches its signal', async () => {
  let aborted = false;
  const { policy } = onVirtualClock({
    fallback: (_error, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return deaf();
    },
  });
  const controller = new AbortController();
  const result = rejection(policy.execute(script(fatal()), { signal: controller.signal }));
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  assert.equal((await result).code, 'CANCELLED');
  assert.equal(aborted, true);
});

test('it is not bound by the total deadline, which is inside of it', async () => {
  const { clock, policy } = onVirtualClock({
    timeout: { totalMs: 100 },
    fallback: (error: AgentError) =>
      new Promise<string>((resolve) => clock.setTimeout(() => resolve(error.code), 500)),
  });
  const result = policy.execute<string>(deaf);
  await clock.advance(600);
  assert.equal(await result, 'TIMEOUT');
});

test('it is not called for a CANCELLED of the operation either', async () => {
  const policy = createPolicy({ fallback: () => 'spare' });
  await rejectsWith(policy.execute(script<string>(new AgentError('CANCELLED', 'no more'))), 'CANCELLED');
});

test('it may answer with undefined', async () => {
  const policy = createPolicy({ fallback: () => undefined });
  assert.equal(await policy.execute(script(fatal())), undefined);
});
