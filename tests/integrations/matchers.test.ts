// `halfopen/matchers` in Jest's own `expect`; tests/vitest has them in Vitest's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expect as jestExpect } from 'expect';
import { AgentError, createPolicy } from 'halfopen';
import { type HalfopenMatchers, matchers } from 'halfopen/matchers';
import { recordEvents, script } from 'halfopen/testing';

declare module 'expect' {
  interface Matchers<R> extends HalfopenMatchers<R> {}
}
jestExpect.extend(matchers);

const busy = () => Object.assign(new Error('busy'), { status: 429 });

test('codes, of AgentErrors and of what was thrown', async () => {
  jestExpect(new AgentError('TIMEOUT', 'late')).toHaveCode('TIMEOUT');
  jestExpect(busy()).toHaveCode('RATE_LIMITED');
  jestExpect(busy()).not.toHaveCode('TIMEOUT');
  jestExpect(busy()).toBeRetryable();
  const policy = createPolicy({ retry: false });
  await jestExpect(policy.execute(script(busy()))).rejects.toHaveCode('RATE_LIMITED');
  assert.throws(
    () => jestExpect(busy()).toHaveCode('TIMEOUT'),
    /Error: busy to have code TIMEOUT, it has RATE_LIMITED/,
  );
  assert.throws(() => jestExpect(busy()).toHaveCode('LATE' as never), /AgentErrorCode/);
});

test('events', async () => {
  const policy = createPolicy({ retry: { baseDelayMs: 1, maxRetries: 1 } });
  const recorded = recordEvents(policy);
  await policy.execute(script<unknown>(busy(), 'fine'));
  jestExpect(recorded).toHaveEmitted('retry.scheduled');
  jestExpect(recorded.events).toHaveEmitted('attempt.failed', {
    code: 'RATE_LIMITED',
    durationMs: jestExpect.any(Number),
  });
  jestExpect(recorded).not.toHaveEmitted('call.failed');
  jestExpect(recorded).not.toHaveEmitted('attempt.failed', { code: 'TIMEOUT' });
  jestExpect(recorded).toHaveEmittedInOrder(['attempt.failed', 'retry.scheduled', 'call.succeeded']);
  jestExpect(recorded).not.toHaveEmittedInOrder(['call.succeeded', 'retry.scheduled']);
  assert.throws(() => jestExpect(recorded).toHaveEmitted('call.failed'), /there were: policy.configured/);
  assert.throws(() => jestExpect(1).toHaveEmitted('call.failed'), /recordEvents/);
});
