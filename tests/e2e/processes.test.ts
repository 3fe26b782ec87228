// Two processes whose policies, breakers and calls bear the same names: nothing of one is shown as the other's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { go, openPage, send, serverFor, setStage } from './stage.js';

const stage = setStage();

/** The events of a process whose breaker opens for a reason and then refuses a call. */
function refusedCall(source: string, seconds: number, reason: string): object[] {
  const time = Date.now() - 5_000;
  const head = { v: 1, source, policy: 'chat' };
  const call = { ...head, call: 'c1', task: `of ${source}` };
  const breaker = { failureThreshold: 5, resetTimeoutMs: seconds * 1_000 };
  return [
    { ...head, seq: 1, time, type: 'policy.configured', options: { name: 'chat', breaker }, seed: 1 },
    {
      ...head,
      seq: 2,
      time,
      type: 'breaker.changed',
      breaker: 'chat',
      from: 'closed',
      to: 'open',
      reason,
      generation: 1,
      retryAt: time + seconds * 1_000,
    },
    { ...call, seq: 3, time: time + 10, type: 'call.started' },
    { ...call, seq: 4, time: time + 11, type: 'call.rejected', code: 'CIRCUIT_OPEN', by: 'breaker' },
    {
      ...call,
      seq: 5,
      time: time + 12,
      type: 'call.failed',
      attempts: 0,
      durationMs: 2,
      code: 'CIRCUIT_OPEN',
      why: 'breaker',
      userMessage: '',
    },
  ];
}

test('two processes with one policy name have calls, a breaker and settings of their own', async (t) => {
  const server = await serverFor(t);
  await send(server, refusedCall('monday', 60, '5 failures in a row'));
  await send(server, refusedCall('tuesday', 90, '9 of 10 failed'));
  const page = await openPage(stage.browser, server.dashboardUrl);
  for (const [source, reason, open] of [
    ['monday', '5 failures in a row', '1 m 00 s'],
    ['tuesday', '9 of 10 failed', '1 m 30 s'],
  ] as const) {
    await page.getByRole('option', { name: new RegExp(`of ${source}`) }).click();
    await page.getByRole('button', { name: 'Why the breaker refused it' }).click();
    const shown = page.locator('.breaker-slot:focus');
    await shown.getByText(reason).first().waitFor();
    const text = await shown.innerText();
    assert.ok(text.includes(source), text);
    assert.ok(text.includes(`open for ${open}`), text);
    await go(page, 'Timeline');
  }
  await go(page, 'Breakers');
  await page.getByRole('article', { name: 'Breaker chat' }).nth(1).waitFor();
  assert.equal(await page.getByRole('article', { name: 'Breaker chat' }).count(), 2);
  await page.close();
});
