// The address of the page: what it restores, and what the browser's Back and Forward do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { answeredCall, go, openPage, send, serverFor, setStage } from './stage.js';

const stage = setStage();

const current = (page: Page, view: string) =>
  page.locator('nav [aria-current=page]', { hasText: new RegExp(`^${view}`) }).waitFor();
const view = (page: Page, word: string) => page.waitForURL((url) => url.searchParams.get('view') === word);

test('Back and Forward go through the views that were shown, one each', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl, 1400, 'light', (fresh) =>
    fresh.clock.install(),
  );
  for (const name of ['Classify', 'Errors', 'Fleet']) {
    await go(page, name);
    await view(page, name.toLowerCase());
  }
  const steps = await page.evaluate('history.length');
  // The address is written by a timer, were there anything to write.
  const settle = () => page.clock.fastForward(1_000);
  await page.goBack();
  await current(page, 'Errors');
  await settle();
  await page.goBack();
  await current(page, 'Classify');
  await settle();
  assert.equal(new URL(page.url()).searchParams.get('view'), 'classify');
  await page.goForward();
  await current(page, 'Errors');
  await settle();
  await page.goForward();
  await current(page, 'Fleet');
  assert.equal(new URL(page.url()).searchParams.get('view'), 'fleet');
  assert.equal(await page.evaluate('history.length'), steps);
  await page.close();
});

test('Back restores the filter and the call that were shown with the view', async (t) => {
  const server = await serverFor(t);
  await send(server, [...answeredCall(0, { task: 'one' }), ...answeredCall(10, { task: 'two' })]);
  const page = await openPage(stage.browser, server.dashboardUrl);
  await page.getByLabel('Filter calls').fill('task:one');
  await page.getByRole('option', { name: /one/ }).click();
  await page.waitForURL((url) => url.searchParams.get('call') === 'c0');
  await go(page, 'Classify');
  await view(page, 'classify');
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => url.searchParams.get('call') === null);
  await page.goBack();
  await page.locator('#details').getByText('c0').waitFor();
  assert.equal(await page.getByLabel('Filter calls').inputValue(), 'task:one');
  await page.goForward();
  await current(page, 'Classify');
  await go(page, 'Timeline');
  await page.getByRole('option').first().waitFor();
  assert.equal(await page.locator('#details').count(), 0);
  await page.close();
});

test('an address with a view and a call restores both, also when the call comes later', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=traffic&call=c10`);
  await page.getByRole('row', { name: /openai/ }).waitFor();
  await send(server, answeredCall(10));
  await page.locator('.status').getByText('2 calls').waitFor();
  await current(page, 'Traffic');
  const address = new URL(page.url()).searchParams;
  assert.deepEqual([address.get('view'), address.get('call')], ['traffic', 'c10']);
  await go(page, 'Timeline');
  await page.locator('#details').getByText('c10').waitFor();
  await view(page, 'timeline');
  await page.reload();
  await page.locator('#details').getByText('c10').waitFor();
  await page.close();
});

test('a reload of a deep link restores its view, filter and call', async (t) => {
  const server = await serverFor(t);
  await send(server, [...answeredCall(0, { task: 'one' }), ...answeredCall(10, { task: 'two' })]);
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=breakers&q=task:two&call=c10`);
  for (const load of [() => Promise.resolve(), () => page.reload()]) {
    await load();
    await current(page, 'Breakers');
    assert.equal(await page.getByLabel('Filter calls').inputValue(), 'task:two');
  }
  await go(page, 'Timeline');
  await page.locator('#details').getByText('c10').waitFor();
  await view(page, 'timeline');
  await page.reload();
  await page.locator('#details').getByText('c10').waitFor();
  assert.equal(await page.getByRole('option').count(), 1);
  assert.equal(new URL(page.url()).searchParams.get('q'), 'task:two');
  await page.close();
});

test('a call that is selected meanwhile is not replaced by the one of the address', async (t) => {
  const server = await serverFor(t);
  await send(server, answeredCall(0));
  const page = await openPage(stage.browser, `${server.dashboardUrl}&call=c10`);
  await page.getByRole('option').first().click();
  await page.locator('#details').getByText('c0').waitFor();
  await send(server, answeredCall(10));
  await page.locator('.status').getByText('2 calls').waitFor();
  await page.waitForURL((url) => url.searchParams.get('call') === 'c0');
  await page.locator('#details').getByText('c0', { exact: true }).waitFor();
  await page.close();
});

test('an address of a view that is gone leads to the view that has its contents', async () => {
  for (const [old, name] of [
    ['backoff', 'Lab'],
    ['messages', 'Classify'],
  ] as const) {
    const page = await openPage(stage.browser, `${stage.server.dashboardUrl}&view=${old}`);
    await current(page, name);
    await page.getByRole('region', { name }).waitFor();
    await page.close();
  }
});
