// Health, the first view, and the scope that it sets: the filter and the selected time rule every view of the log.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { go, openPage, output, send, serverFor, setStage, until } from './stage.js';

const stage = setStage();
const CALLS = 240;
const FIRST_BAD = 120;
const LAST_BAD = 160;

/** A call every half second; those from the 120th to the 160th fail. */
function outage(): object[] {
  const begin = Date.now() - 200_000;
  return Array.from({ length: CALLS }, (_, index) => {
    const bad = index >= FIRST_BAD && index < LAST_BAD;
    const [time, seq] = [begin + index * 500, index * 4];
    const head = { v: 1, source: 'stage', policy: 'chat', call: `c${index}`, task: `question ${index}` };
    const end = bad ? { code: 'SERVER_ERROR', why: 'exhausted', userMessage: 'Sorry.' } : {};
    const failed = {
      code: 'SERVER_ERROR',
      rule: 'http.5xx',
      severity: 'retriable',
      retryable: true,
      counted: true,
    };
    return [
      { ...head, seq, time, type: 'call.started' },
      { ...head, seq: seq + 1, time, type: 'attempt.started', attempt: 1, provider: bad ? 'acme' : 'openai' },
      {
        ...head,
        seq: seq + 2,
        time: time + 90,
        type: bad ? 'attempt.failed' : 'attempt.succeeded',
        attempt: 1,
        durationMs: 90,
        ...(bad && failed),
      },
      {
        ...head,
        seq: seq + 3,
        time: time + 100,
        type: bad ? 'call.failed' : 'call.succeeded',
        attempts: 1,
        durationMs: 100,
        ...end,
      },
    ];
  }).flat();
}

const change = (page: Page) => page.getByRole('article', { name: 'What changed most' });
const narrowed = (page: Page) => page.locator('.narrowed span');

test('Health names when calls failed and what they have in common; a click selects that time', async (t) => {
  const server = await serverFor(t);
  await send(server, outage());
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=health`);
  const heading = change(page).getByRole('heading');
  await until(
    () => heading.textContent(),
    (text) => /^From .*: 40 of 4\d calls failed \((9\d|100) %\)$/.test(text ?? ''),
  );
  await change(page)
    .getByText(/^Changed most: errors (9\d|100) % instead of/)
    .waitFor();
  await change(page)
    .getByRole('button', { name: /^provider acme: 40 of 40 errors$/ })
    .waitFor();

  await change(page).getByRole('button', { name: 'Select this time' }).click();
  await until(
    () => heading.textContent(),
    (text) => /^Selected: /.test(text ?? ''),
  );
  const [, inside = ''] = /^(\d+) of 240 calls$/.exec((await narrowed(page).textContent()) ?? '') ?? [];
  assert.ok(Number(inside) >= 40 && Number(inside) < 50, `${inside} calls`);
  await page.screenshot({ path: join(output, 'health-selected.png') });

  // Every view of the log shows the calls of that time.
  await go(page, 'Timeline');
  await page.locator('.tl-names').getByText(`${inside} calls`).waitFor();
  await go(page, 'Errors');
  await page
    .getByRole('button', { name: /SERVER_ERROR/ })
    .first()
    .waitFor();
  await page.getByTitle('Show all times').click();
  await page.locator('.narrowed').waitFor({ state: 'hidden' });
  await page.close();
});

test('pointing at the charts reads a time, dragging selects one, and a click all times; sliders do the same', async (t) => {
  const server = await serverFor(t);
  await send(server, outage());
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=health`);
  await page.getByRole('img', { name: /^Calls a second: / }).waitFor();
  const box = await page.locator('.charts').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.58, box.y + 40);
  await page
    .getByText(/^[\d:]+ to [\d:]+: \d failed, 100 % errors, p50 \d+ ms, p95 \d+ ms, 0 retries/)
    .waitFor();
  await page.mouse.move(box.x + 5, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 4, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.locator('.narrowed').waitFor();
  await change(page)
    .getByText(/^Selected: .*: 0 of \d+ calls failed \(0 %\)$/)
    .waitFor();
  // The errors were later.
  await go(page, 'Errors');
  await page.getByText('No attempt has failed and no call was refused').waitFor();
  await go(page, 'Health');
  await page.mouse.click(box.x + 200, box.y + 40);
  await page.locator('.narrowed').waitFor({ state: 'hidden' });
  await page.getByRole('slider', { name: 'From' }).press('End');
  await page.getByRole('slider', { name: 'From' }).press('PageDown');
  await page.locator('.narrowed').waitFor();
  await page.close();
});

/** A policy whose breaker opened, with a call that it refused, in a run; 40 s before the present, and of another process. */
function refusal(): object[] {
  const head = { v: 1, source: 'mailer', policy: 'mail' };
  const time = Date.now() - 40_000;
  const call = { ...head, call: 'm1', run: 'letters' };
  const opened = {
    breaker: 'mail',
    from: 'closed',
    to: 'open',
    reason: '5 failures in a row',
    generation: 1,
  };
  const shares = { breaker: { failureThreshold: 1 }, fleet: { name: 'senders', shared: true } };
  return [
    { ...head, seq: 1, time, type: 'policy.configured', options: shares, seed: 1 },
    { v: 1, source: 'mailer', seq: 2, time, type: 'fleet.changed', fleet: 'senders', status: 'joined' },
    {
      ...{ v: 1, source: 'mailer', seq: 3, time, type: 'run.started' },
      ...{ run: 'letters', name: 'letters', limits: null },
    },
    {
      ...{ ...head, seq: 4, time: time + 100, type: 'breaker.changed', ...opened },
      window: { total: 1, failures: 1, slow: 0, last: [1] },
    },
    { ...call, seq: 5, time: time + 200, type: 'call.started' },
    { ...call, seq: 6, time: time + 201, type: 'call.rejected', code: 'CIRCUIT_OPEN', by: 'breaker' },
    { v: 1, source: 'mailer', seq: 7, time: time + 300, type: 'run.ended', run: 'letters', end: 'failed' },
  ];
}

test('Breakers, Runs, Fleet and Findings show what is in the scope, and so does the badge', async (t) => {
  const server = await serverFor(t);
  await send(server, [...outage(), ...refusal()]);
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=breakers`);
  const badge = page.getByRole('link', { name: /^Findings/ }).locator('.tab-count');
  const views = {
    Breakers: page.getByRole('article', { name: 'Breaker mail' }),
    Runs: page.getByRole('row', { name: /letters/ }),
    Fleet: page.getByRole('article', { name: 'Shared policy mail' }),
    Findings: page.locator('[data-check="hair-trigger"]'),
  };
  for (const [view, seen] of Object.entries(views)) {
    await go(page, view);
    await seen.waitFor();
  }
  // A filter that is typed here stays here.
  const all = await until(
    async () => Number(await badge.textContent()),
    (found) => found > 0,
  );
  for (const filter of ['policy:chat', 'policy:mail']) {
    await page.getByLabel('Filter calls').fill(filter);
    await page
      .locator('.narrowed')
      .getByText(filter === 'policy:chat' ? '240 of 241' : '1 of 241')
      .waitFor();
    for (const [view, seen] of Object.entries(views)) {
      await go(page, view);
      await page.getByRole('region', { name: view }).waitFor();
      await seen.waitFor({ state: filter === 'policy:mail' ? 'visible' : 'hidden' });
    }
  }
  await until(
    async () => Number(await badge.textContent()),
    (found) => found > 0 && found <= all,
  );
  const download = page.waitForEvent('download');
  await page.locator('h2').first().click();
  await page.keyboard.press('r');
  const report = readFileSync(await (await download).path(), 'utf8');
  assert.match(report, /: 1 call, of which 0 failed, 1 were refused/);
  assert.match(report, /A single result opened breaker 'mail'/);
  assert.doesNotMatch(report, /'chat'/);
  await page.close();
});

test('a chart for each provider; a filter stays in the view in which it is typed', async (t) => {
  const server = await serverFor(t);
  await send(server, outage());
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=health`);
  await page.getByLabel('Show').selectOption('provider');
  await page.getByRole('button', { name: 'acme', exact: true }).click();
  assert.equal(await page.getByLabel('Filter calls').inputValue(), 'provider:acme');
  await until(
    () => narrowed(page).textContent(),
    (text) => text === '40 of 240 calls',
  );
  await page.getByLabel('Filter calls').fill('provider:openai');
  await change(page).getByText('No error in 200 calls').waitFor();
  await go(page, 'Errors');
  await page.getByText('No attempt has failed and no call was refused').waitFor();
  await page.getByLabel('Filter calls').fill('');
  await page
    .getByRole('button', { name: /SERVER_ERROR/ })
    .first()
    .waitFor();
  assert.equal(await page.locator('nav [aria-current=page]').textContent(), 'Errors');
  // Where nothing shows what passes, it leads to the calls.
  await go(page, 'Classify');
  await page.getByLabel('Filter calls').fill('status:failed');
  await page.getByRole('option').first().waitFor();
  await page.close();
});
