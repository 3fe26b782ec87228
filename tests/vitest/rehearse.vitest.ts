// A rehearsal in tests of Vitest: a provider for each test, and an agent in the test's own process.
import { createPolicy } from 'halfopen';
import { guard } from 'halfopen/guard';
import { type Rehearsal, startRehearsal } from 'halfopen/rehearse';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';

let rehearsal: Rehearsal;
beforeEach(async () => {
  rehearsal = await startRehearsal({ scenario: '500-once' });
});
afterEach(() => rehearsal.close());

test('a guarded client gets its answer after a 500', async () => {
  const client = new OpenAI({ baseURL: rehearsal.env.OPENAI_BASE_URL, apiKey: rehearsal.env.OPENAI_API_KEY });
  const policy = createPolicy({ name: 'openai', retry: { baseDelayMs: 1 } });
  const { choices } = await guard(client, policy).chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hello' }],
  });
  policy.dispose();
  expect(choices).toHaveLength(1);
  expect(rehearsal.requests.map(({ status, fault }) => [status, fault])).toEqual([
    [500, 'server-error'],
    [200, undefined],
  ]);
});
