// `halfopen/matchers` in Vitest. tests/integrations has them in Jest's `expect`.
import { createPolicy } from 'halfopen';
import { type HalfopenMatchers, matchers } from 'halfopen/matchers';
import { recordEvents, script } from 'halfopen/testing';
import { expect, test } from 'vitest';

declare module 'vitest' {
  interface Matchers<T> extends HalfopenMatchers<T> {}
}
expect.extend(matchers);

test('codes and events', async () => {
  const busy = Object.assign(new Error('busy'), { status: 429 });
  const policy = createPolicy({ retry: { baseDelayMs: 1, maxRetries: 1 } });
  const recorded = recordEvents(policy);
  await expect(policy.execute(script(busy))).rejects.toHaveCode('RATE_LIMITED');
  expect(recorded).toHaveEmitted('retry.scheduled', { delayMs: expect.any(Number) });
  expect(recorded).not.toHaveEmitted('call.succeeded');
  expect(() => expect(recorded).toHaveEmitted('call.succeeded')).toThrow('there were: policy.configured');
});
