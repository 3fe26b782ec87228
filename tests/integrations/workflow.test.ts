// The recipe of docs/integrations/workflow.md: Workflow's own classes of error recognise what a step throws. workflow/host.test.ts runs whole workflows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FatalError, RetryableError } from '@workflow/errors';
import { AgentError, createPolicy } from 'halfopen';
import { recipe } from './recipe.js';

const { asWorkflowError } = await recipe<{ asWorkflowError(thrown: unknown): Error }>(
  'workflow',
  'import { FatalError, RetryableError }',
);

const policy = createPolicy({ retry: false });
const thrownBy = (error: unknown) => policy.execute(() => Promise.reject(error)).catch(asWorkflowError);

test('what failed for good is a FatalError, which is not tried again', async () => {
  const error = await thrownBy(Object.assign(new Error('no such key'), { status: 401 }));
  assert.ok(FatalError.is(error) && !RetryableError.is(error));
  assert.ok(AgentError.is(error.cause));
  assert.equal(error.cause.code, 'AUTHENTICATION_ERROR');
});

test('what may succeed later is a RetryableError, as late as the provider asks', async () => {
  const limited = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '120' } });
  const error = await thrownBy(limited);
  assert.ok(RetryableError.is(error) && !FatalError.is(error));
  const waitMs = error.retryAfter.getTime() - Date.now();
  assert.ok(waitMs > 115_000 && waitMs <= 120_000, `${waitMs} ms`);
});

test('an open circuit is a RetryableError: the workflow comes back when it may be closed', async () => {
  const open = createPolicy({ retry: false, breaker: { failureThreshold: 1, resetTimeoutMs: 30_000 } });
  const fail = () => open.execute(() => Promise.reject(Object.assign(new Error('down'), { status: 503 })));
  await fail().catch(() => {});
  const error = await fail().catch(asWorkflowError);
  assert.ok(RetryableError.is(error));
  assert.ok(error.retryAfter.getTime() > Date.now() + 20_000);
});

test("Workflow's own errors pass as they are", () => {
  for (const own of [new FatalError('no'), new RetryableError('later')])
    assert.equal(asWorkflowError(own), own);
});
