// Properties that axe does not check: shortcuts, the focus, a screen reader's output.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import {
  answeredCall,
  drawn,
  openPage,
  output,
  send,
  seriousFindings,
  serverFor,
  setStage,
  until,
} from './stage.js';

const stage = setStage();

const hasFocus = (element: Locator) => element.evaluate((one) => one === one.ownerDocument.activeElement);
const status = (page: Page, text: string) => page.locator('.status').getByText(text, { exact: true });
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Keys, filters and signs' });
const current = (page: Page) => page.locator('nav [aria-current=page]').textContent();

test('shortcuts can be switched off, which is kept; other keys go on', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, server.dashboardUrl);
  await status(page, '4 events').waitFor();
  await page.getByRole('button', { name: 'Keys, filters and signs' }).click();
  await sheet(page).getByLabel('Keys of one character are shortcuts').uncheck();
  await page.screenshot({ path: join(output, 'keys-1400-light.png') });
  await page.keyboard.press('Escape');
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await page.getByRole('option').first().waitFor();
    for (const key of ['2', 'c', 't', '?', '/', 'd']) await page.keyboard.press(key);
    assert.equal(await current(page), 'Timeline');
    assert.equal(await sheet(page).count(), 0);
    assert.equal(
      await page.getByLabel('Filter calls').evaluate((one) => one === document.activeElement),
      false,
    );
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'system');
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    await page.keyboard.press('ArrowDown');
    await page.locator('#details').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#details').waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Keys, filters and signs' }).click();
  await sheet(page).getByLabel('Keys of one character are shortcuts').check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('5');
  await page.getByRole('heading', { name: 'Circuit breakers' }).waitFor();
  await page.close();
});

test('what c forgets is brought back by Undo, with what has come since', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0, { task: 'the first' }));
  const page = await openPage(stage.browser, server.dashboardUrl);
  await status(page, '4 events').waitFor();
  await page.keyboard.press('c');
  await status(page, '0 events').waitFor();
  await send(server, answeredCall(10, { task: 'the second' }));
  await status(page, '4 events').waitFor();
  const notice = page.getByRole('status').filter({ hasText: '4 events cleared' });
  await notice.getByRole('button', { name: 'Undo' }).click();
  await status(page, '8 events').waitFor();
  await page.getByRole('option', { name: /the first/ }).waitFor();
  await page.getByRole('option', { name: /the second/ }).waitFor();
  assert.equal(await notice.count(), 0);
  // By the button as well; and by a key.
  await page.getByRole('button', { name: 'Clear' }).click();
  await status(page, '0 events').waitFor();
  await page.keyboard.press('u');
  await status(page, '8 events').waitFor();
  await page.close();
});

test('what was forgotten is gone for good after twenty seconds', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, server.dashboardUrl, 400, 'dark', (fresh) =>
    fresh.clock.install(),
  );
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('c');
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  await page.screenshot({ path: join(output, 'forgotten-400-dark.png') });
  await page.clock.fastForward(21_000);
  await undo.waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  assert.equal(await page.getByRole('option').count(), 0);
  await page.close();
});

test('the sheet of keys keeps the focus, scrolls by keys, and gives the focus back', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl, 400);
  const opener = page.getByRole('button', { name: 'Keys, filters and signs' });
  await opener.focus();
  await page.keyboard.press('Enter');
  await sheet(page).waitFor();
  // Round and round within it: never to what lies below.
  for (let tabs = 0; tabs < 6; tabs++) {
    await page.keyboard.press('Tab');
    assert.equal(
      await page.evaluate('document.querySelector("main").contains(document.activeElement)'),
      false,
    );
  }
  await sheet(page).getByRole('button', { name: 'Close' }).focus();
  const scrolled = () => sheet(page).evaluate((dialog) => dialog.scrollTop);
  assert.equal(await scrolled(), 0);
  await page.keyboard.press('PageDown');
  await until(scrolled, (top) => top > 100);
  assert.deepEqual(await seriousFindings(page), []);
  await page.screenshot({ path: join(output, 'keys-400-light.png') });
  // No key of the page means anything while it is open.
  await page.keyboard.press('5');
  assert.equal(await current(page), 'Timeline');
  await page.keyboard.press('Escape');
  await sheet(page).waitFor({ state: 'detached' });
  assert.equal(await hasFocus(opener), true);
  await page.keyboard.press('Enter');
  await sheet(page).getByRole('button', { name: 'Close' }).click();
  await sheet(page).waitFor({ state: 'detached' });
  assert.equal(await hasFocus(opener), true);
  await page.close();
});

test('the sheet of what is missing gives the focus back as well', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  const opener = page.locator('[data-loss=malformed]');
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'What is missing here' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await hasFocus(opener), true);
  await page.close();
});

test('an option is read once, and the list says how many there are and which one is active', async (t) => {
  const server = await serverFor(t);
  const many = Array.from({ length: 80 }, (_, index) =>
    answeredCall(index * 10, { task: `task ${index}` }, 20_000 - index * 100),
  );
  await send(server, many.flat());
  const page = await openPage(stage.browser, server.dashboardUrl);
  await status(page, '80 calls').waitFor();
  await page.keyboard.press('0');
  // Following has scrolled to the newest.
  await page.locator('.tl-body').evaluate((body) => body.scrollTo(0, 0));
  const list = page.getByRole('listbox', { name: 'Calls' });
  await page
    .getByRole('option', { name: 'chat: task 0: succeeded after 1 attempt; 40 ms in total', exact: true })
    .waitFor();
  // The tree as assistive technology gets it: the sentence, and nothing of what the row shows beside it.
  const [first] = (await list.ariaSnapshot()).split('\n').filter((line) => line.includes('option'));
  assert.match(first ?? '', /option "chat: task \d+: succeeded after 1 attempt; 40 ms in total"/);

  const sizes = () =>
    page.getByRole('option').evaluateAll((rows) => [...new Set(rows.map((row) => row.ariaSetSize))]);
  await until(sizes, (all) => all.join() === '80');
  await send(server, answeredCall(900, { task: 'one more' }));
  await status(page, '81 calls').waitFor();
  await page.keyboard.press('0');
  await until(sizes, (all) => all.join() === '81');

  // The active option, if any, is in the document.
  const active = () => list.getAttribute('aria-activedescendant');
  await page.getByRole('option', { name: /task 0:/ }).click();
  const named = await until(active, (id) => id !== null);
  assert.equal(await page.locator(`#${named}`).getAttribute('aria-selected'), 'true');
  await page.locator('.tl-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await page.locator(`#${named}`).waitFor({ state: 'detached' });
  await until(active, (id) => id === null);
  await page.close();
});

test('the bar of tools is a group; one short line of Classify is live', async () => {
  const page = await openPage(stage.browser, `${stage.server.dashboardUrl}&view=classify`);
  await page.getByRole('group', { name: 'Events' }).getByRole('combobox', { name: 'Filter calls' }).waitFor();
  assert.equal(await page.getByRole('toolbar').count(), 0);
  const result = page.getByRole('article', { name: 'Classification' });
  await result.waitFor();
  const live = await page
    .locator('main')
    .locator('[aria-live], [role=status], [role=alert]')
    .evaluateAll((all) => all.map((one) => one.textContent));
  assert.deepEqual(live, ['Read as JSON: RATE_LIMITED.']);
  await page.close();
});

test('who has the focus on a provider keeps it while its numbers change', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=traffic`);
  const row = page.getByRole('row', { name: /openai/ });
  const button = row.getByRole('button', { name: 'openai' });
  await button.focus();
  await send(server, answeredCall(10));
  await row.getByRole('cell', { name: '2', exact: true }).waitFor();
  assert.equal(await hasFocus(button), true);
  // Values that no attempt changes are shown as well.
  const limits = { v: 1, source: 'stage', policy: 'chat', time: Date.now(), type: 'limits.observed' };
  const observed = { ...limits, provider: 'openai', unit: 'requests', limit: 100 };
  await send(server, [{ ...observed, seq: 20, remaining: 90 }]);
  await row.getByText('90 of 100 requests').waitFor();
  await send(server, [{ ...observed, seq: 21, remaining: 80 }]);
  await row.getByText('80 of 100 requests').waitFor();
  // No event mentions a breaker.
  assert.equal(await row.getByText('closed').count(), 0);
  assert.equal(await hasFocus(button), true);
  await page.close();
});

test('on a narrow screen the details take the focus, and the list has it back', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, server.dashboardUrl, 400);
  const list = page.getByRole('listbox', { name: 'Calls' });
  await list.focus();
  await page.keyboard.press('ArrowDown');
  const details = page.getByRole('complementary', { name: 'Selected call' });
  await details.waitFor();
  await until(() => hasFocus(details), Boolean);
  // The covered parts cannot be reached.
  assert.equal(await page.locator('.timeline').evaluate((one) => (one as HTMLElement).inert), true);
  assert.equal(await page.locator('.toolbar').evaluate((one) => (one as HTMLElement).inert), true);
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  await until(() => hasFocus(list), Boolean);
  // On a wide screen they are beside the list, which keeps it.
  await page.setViewportSize({ width: 1400, height: 880 });
  // The page learns its new width with a frame, not with the resize.
  await until(
    () => page.evaluate('innerWidth'),
    (width) => width === 1400,
  );
  await drawn(page);
  await page.keyboard.press('ArrowDown');
  await details.waitFor();
  assert.equal(await hasFocus(list), true);
  await page.close();
});
