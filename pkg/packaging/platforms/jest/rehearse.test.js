/** @jest-environment node */
// A rehearsal in tests of Jest: a provider for each test, and a client in the test's own process.
const { createPolicy } = require('halfopen');
const { startRehearsal } = require('halfopen/rehearse');

let rehearsal;
beforeEach(async () => {
  rehearsal = await startRehearsal({ scenario: '500-once' });
});
afterEach(() => rehearsal.close());

test('a policy retries a request to the provider after a 500', async () => {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, HALFOPEN_REHEARSE_TASK } = rehearsal.env;
  const policy = createPolicy({ retry: { baseDelayMs: 1 } });
  const answer = await policy.execute(async ({ signal }) => {
    const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPENAI_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: HALFOPEN_REHEARSE_TASK }],
      }),
      signal,
    });
    if (!response.ok) throw response;
    return response.json();
  });
  policy.dispose();
  expect(answer.choices).toHaveLength(1);
  expect(rehearsal.requests.map(({ status, fault }) => [status, fault])).toEqual([
    [500, 'server-error'],
    [200, undefined],
  ]);
  const text = 'Sorry, this could not be done.';
  expect(rehearsal.score({ text, exitCode: 0, ms: 100 })).toMatchObject({ done: 0.5, once: 1, clean: 1 });
});
