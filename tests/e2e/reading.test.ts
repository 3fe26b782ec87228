// Readability of the page: room between buttons, waits in one line, code that looks like code, an open call that can be
// read while it goes on, and a log that is shown whole although its first connection broke off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredCall, openPage, send, serverFor, setStage, until } from './stage.js';

const stage = setStage();

/** The events of a call that goes on, since `ago` milliseconds. */
function openCall(ago: number, more: readonly object[] = []): object[] {
  const time = Date.now() - ago;
  const head = { v: 1, source: 'stage', policy: 'chat', call: 'open', task: 'the trip' };
  const events = [
    { type: 'call.started' },
    { type: 'attempt.started', attempt: 1, provider: 'openai', model: 'gpt-5' },
    ...more,
  ];
  return events.map((event, seq) => ({ ...head, seq, time, ...event }));
}

test('the buttons of a call stand apart', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  for (const width of [1400, 400]) {
    const page = await openPage(stage.browser, server.dashboardUrl, width);
    await page.getByRole('option').first().click();
    const details = page.locator('#details');
    await details.getByRole('button', { name: 'Show its events' }).waitFor();
    const boxes = await details
      .locator('button:visible')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().toJSON() as DOMRect));
    const beside = boxes.flatMap((left) =>
      boxes
        .filter(
          (right) =>
            right !== left && right.left >= left.left && right.top < left.bottom && right.bottom > left.top,
        )
        .map((right) => right.left - left.right),
    );
    assert.ok(boxes.length >= 3 && beside.every((gap) => gap >= 4), `${width}: ${JSON.stringify(beside)}`);
    await page.close();
  }
});

test('how long something waits stands in one line', async (t) => {
  const server = await serverFor(t);
  await send(server, openCall(125_480, [{ type: 'call.queued', by: 'bulkhead', position: 1 }]));
  const page = await openPage(stage.browser, server.dashboardUrl);
  await page.getByRole('button', { name: 'Show what waits' }).click();
  const since = page.locator('li.waiting').getByText(/^since /);
  await since.waitFor();
  const lines = await since.evaluate((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size;
  });
  assert.equal(lines, 1, (await since.textContent()) ?? '');
  await page.close();
});

test('code within a sentence about what is missing is shown as code', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, server.dashboardUrl);
  const dropped = page.locator('[data-loss="dropped"]');
  await dropped.click();
  const sheet = page.getByRole('dialog', { name: 'What is missing here' });
  await sheet.locator('dd code').getByText('buffer', { exact: true }).waitFor();
  assert.doesNotMatch(`${await sheet.textContent()}${await dropped.getAttribute('title')}`, /`/);
  await page.close();
});

test('the panel of a call that goes on is not made anew all the time', async (t) => {
  const server = await serverFor(t);
  await send(server, openCall(1_000));
  const page = await openPage(stage.browser, server.dashboardUrl);
  await page.getByRole('option').first().click();
  const details = page.locator('#details');
  await details.getByText('attempt 1').first().waitFor();
  // It was 840 changes a second when each tenth of a second rebuilt the whole panel.
  const changes = await details.evaluate(
    (panel) =>
      new Promise<number>((resolve) => {
        let seen = 0;
        const observer = new MutationObserver((records) => {
          seen += records.length;
        });
        observer.observe(panel, { subtree: true, childList: true, characterData: true, attributes: true });
        setTimeout(() => resolve(seen), 2_000);
      }),
  );
  assert.ok(changes > 0 && changes < 800, `${changes} changes in two seconds`);
  await page.close();
});

test('the whole log is shown where the first connection breaks off before its end', async (t) => {
  const server = await serverFor(t);
  const calls = Array.from({ length: 6 }, (_, call) =>
    answeredCall(call * 10, { task: `task ${call}` }, (6 - call) * 120_000),
  );
  await send(server, calls.flat());
  let connections = 0;
  const page = await openPage(stage.browser, server.dashboardUrl, 1400, 'light', async (page) => {
    await page.route(/\/events\?/, (route) => {
      connections += 1;
      if (connections > 1) return route.continue();
      return route.fulfill({ contentType: 'text/event-stream', body: 'event: hello\ndata: {"log":"x"}\n\n' });
    });
  });
  await page.locator('.status').getByText('6 calls', { exact: true }).waitFor();
  await until(
    () => page.getByRole('option').count(),
    (rows) => rows === 6,
  );
  assert.ok(connections > 1, `${connections}`);
  await page.close();
});
