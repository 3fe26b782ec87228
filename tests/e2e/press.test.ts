// A press and the focus stay on their element while events arrive and the view is redrawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, send, serverFor, setStage } from './stage.js';

const stage = setStage();

/** A call that only its fallback answered. */
function coveredCall(number: number): object[] {
  const time = Date.now() - 60_000 + number * 100;
  const head = { v: 1, source: 's', policy: 'chat', call: `c${number}`, task: `question ${number}` };
  const seq = number * 10;
  return [
    { ...head, seq, time, type: 'call.started' },
    { ...head, seq: seq + 1, time, type: 'attempt.started', attempt: 1, provider: 'openai' },
    {
      ...head,
      seq: seq + 2,
      time: time + 30,
      type: 'call.failed',
      attempts: 1,
      durationMs: 30,
      code: 'SERVER_ERROR',
      why: 'exhausted',
      userMessage: '',
    },
    { ...head, seq: seq + 3, time: time + 31, type: 'fallback.used', code: 'SERVER_ERROR' },
  ];
}

const covered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => coveredCall(from + index)).flat();

test('a link of a finding leads to the call that was pressed, though newer ones came meanwhile', async (t) => {
  const server = await serverFor(t);
  await send(server, covered(0, 6));
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=findings`);
  await page
    .getByRole('heading', { name: "Only the fallback answered 6 calls of 'chat' in a row" })
    .waitFor();
  await page.getByRole('button', { name: 'question 5' }).hover();
  await page.mouse.down();
  await send(server, covered(6, 8));
  // The view would be redrawn within a second.
  await page.waitForTimeout(2_500);
  await page.mouse.up();
  await page.locator('#details').getByRole('heading', { name: 'question 5' }).waitFor();
  await page.close();
});

test('the focus stays on a link of a finding while its numbers change', async (t) => {
  const server = await serverFor(t);
  await send(server, covered(0, 6));
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=findings`);
  const title = (calls: number) =>
    page.getByRole('heading', { name: `Only the fallback answered ${calls} calls of 'chat' in a row` });
  await title(6).waitFor();
  await page.getByRole('button', { name: 'question 5' }).focus();
  await send(server, covered(6, 8));
  await title(8).waitFor();
  assert.match(String(await page.evaluate('document.activeElement.textContent')), /question 5 at \d/);
  await page.keyboard.press('Enter');
  await page.locator('#details').getByRole('heading', { name: 'question 5' }).waitFor();
  await page.close();
});
