import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { expect, test, vi } from 'vitest';
import { consume } from './consumer.mjs';

test('the package in a test of Vitest', async () => {
  expect(await consume({ halfopen, testing })).toContain('AUTHENTICATION_ERROR');
});

test("Vitest's fake timers move a policy's own clock", async () => {
  vi.useFakeTimers();
  const policy = halfopen.createPolicy({ retry: { enableJitter: false } });
  const call = policy.execute(testing.script(new Error('socket hang up'), 'fine'));
  await vi.advanceTimersByTimeAsync(1000);
  expect(await call).toBe('fine');
  vi.useRealTimers();
});
