// Backoff in the Lab: how long users wait under any options.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { drawn, openPage, output, seriousFindings, setStage } from './stage.js';

const stage = setStage();

/** Opens the part of the Lab that is about backoff. */
async function openBackoff(width?: number, theme?: 'light' | 'dark'): Promise<Page> {
  const page = await openPage(stage.browser, `${stage.server.dashboardUrl}&view=lab`, width, theme);
  await page.getByText('Backoff: how long a policy waits between attempts').click();
  await page.locator('.totals').waitFor();
  return page;
}

test('Backoff: sliders by keys change the curve, the wait and the code', async () => {
  const page = await openBackoff();
  const backoff = page.locator('.lab-backoff');
  const code = backoff.getByLabel('Code', { exact: true });
  const waits = page.locator('.totals');
  assert.match((await waits.textContent()) ?? '', /5\.60 s.*7\.00 s.*8\.40 s/);
  await backoff.getByLabel(/^Retries/).press('ArrowRight');
  await backoff.getByRole('row', { name: /attempt 5/ }).waitFor();
  assert.match((await code.textContent()) ?? '', /maxRetries: 4, baseDelayMs: 1000/);
  await backoff.getByLabel(/^Duration of an attempt/).press('ArrowRight');
  // 1 + 2 + 4 + 8 seconds of waits, five attempts of 250 ms.
  await waits.getByText('16.2 s').or(waits.getByText('16.3 s')).waitFor();
  // A slider that is moved keeps the focus.
  await backoff.getByLabel(/^Share/).press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match((await code.textContent()) ?? '', /jitter: 0\.3/);
  await backoff.getByLabel(/^Jitter/).selectOption({ label: 'full' });
  assert.match((await code.textContent()) ?? '', /jitter: 'full'/);
  assert.equal(await backoff.locator('.chart circle').count(), 4);
  await page.close();
});

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1400, 400]) {
    test(`at ${width} px, ${theme}: nothing serious for axe`, async () => {
      const page = await openBackoff(width, theme);
      await page.locator('.lab-backoff').scrollIntoViewIfNeeded();
      await drawn(page);
      await page.locator('.lab-backoff').screenshot({ path: join(output, `backoff-${width}-${theme}.png`) });
      assert.deepEqual(await seriousFindings(page), []);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.equal(await page.evaluate(wide), 0);
      await page.close();
    });
  }
}
