// `retryAdvice`: what a queue, a workflow engine or a framework should do with an error.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy, retryAdvice } from 'halfopen';

const failing = (status: number, headers = {}) => Object.assign(new Error('no'), { status, headers });

test('an error that is worth another attempt, with the wait that the provider asks for', () => {
  assert.deepEqual(retryAdvice(failing(429, { 'retry-after': '120' })), {
    retry: true,
    waitMs: 120_000,
    code: 'RATE_LIMITED',
  });
  assert.deepEqual(retryAdvice(failing(503)), { retry: true, code: 'SERVER_ERROR' });
});

test('an error that is not, without a wait', () => {
  assert.deepEqual(retryAdvice(failing(401, { 'retry-after': '5' })), {
    retry: false,
    code: 'AUTHENTICATION_ERROR',
  });
});

test('an open circuit says when to come back, and an isolated one nothing of it', async () => {
  const policy = createPolicy({ retry: false, breaker: { failureThreshold: 1, resetTimeoutMs: 30_000 } });
  const refused = async () => {
    await policy.execute(() => Promise.reject(failing(500))).catch(() => {});
    return policy.execute(() => 1).catch((error: unknown) => error);
  };
  const { retry, waitMs = 0, code } = retryAdvice(await refused());
  assert.deepEqual([retry, code], [true, 'CIRCUIT_OPEN']);
  assert.ok(waitMs > 25_000 && waitMs <= 30_000, `${waitMs}`);
  policy.breaker?.isolate();
  assert.deepEqual(retryAdvice(await refused()), { retry: true, code: 'CIRCUIT_OPEN' });
});

test('the context counts, and an AgentError is taken at its word', () => {
  const unknown = retryAdvice(new Error('Tool weather not found'), { layer: 'tool' });
  assert.equal(unknown.retry, false);
  const own = new AgentError('SERVER_ERROR', 'later', { retryAfterMs: 1500 });
  assert.deepEqual(retryAdvice(own), { retry: true, waitMs: 1500, code: 'SERVER_ERROR' });
});
