// The scenarios of the playground say what a policy does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHash, PRESETS, readProvider, run, toHash } from '../playground/run.js';

const preset = (name: RegExp) => {
  const found = PRESETS.find((one) => name.test(one.name));
  assert.ok(found);
  return found.scenario;
};

test('a provider that is busy twice is called three times', async () => {
  const { outcomes, requests, lines } = await run(preset(/busy twice/));
  assert.deepEqual([outcomes[0]?.result, requests], ['ok', 3]);
  assert.equal(lines.filter(({ text }) => text.startsWith('waits')).length, 2);
});

test('a short Retry-After is waited for, a long one ends the call', async () => {
  const { outcomes, lines } = await run(preset(/Retry-After/));
  assert.deepEqual(
    outcomes.map(({ result }) => result),
    ['RATE_LIMITED', 'ok'],
  );
  assert.ok(lines.some(({ text }) => text === 'waits 5.00 s, as the provider asks'));
  assert.match(outcomes[0]?.message ?? '', /OpenAI/);
});

test('the breaker opens, refuses, and closes by a probe', async () => {
  const { outcomes, breaker, lines } = await run(preset(/outage/));
  assert.ok(outcomes.some(({ result }) => result === 'CIRCUIT_OPEN'));
  assert.equal(breaker, 'closed');
  assert.equal(outcomes.at(-1)?.result, 'ok');
  assert.ok(lines.some(({ text }) => /probe/.test(text)));
});

test('every scenario ends, and goes through an address unchanged', async () => {
  for (const { scenario } of PRESETS) {
    assert.equal((await run(scenario)).outcomes.length, scenario.calls);
    assert.deepEqual(fromHash(toHash(scenario)), scenario);
    assert.match(toHash(scenario), /^#[\w-]+$/);
  }
  for (const hash of ['', '#', '#nonsense', '#e30', '#%']) assert.equal(fromHash(hash), undefined);
});

test('what is wrong is refused with a text for the page', async () => {
  assert.throws(() => readProvider('ok\n99'), /The provider's line "99"/);
  assert.throws(() => readProvider('503 retry=1'), /retry-after=<s>/);
  assert.throws(() => readProvider(' \n'), /at least one line/);
  await assert.rejects(run({ ...preset(/busy/), options: '{"retry":{"retries":1}}' }), /maxRetries/);
});
