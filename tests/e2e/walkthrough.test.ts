// The steps of docs/walkthrough.md over the recorded incident: each statement is on the screen.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { drawn, go, openFixture, output, setStage, viewOf } from './stage.js';

const stage = setStage();

async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await drawn(page);
  await page.screenshot({ path: join(output, `walkthrough-${name}.png`) });
}

test('what failed, why the breaker opened, what the person read, which setting to change', async () => {
  const page = await stage.browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(viewOf(stage.server.dashboardUrl));
  await openFixture(page);
  await page.getByRole('option').first().waitFor();
  await picture(page, '1-timeline');

  // The strip of the whole log says when the breaker was open: from 4.5 of some 9 seconds on.
  const colourAbove = (share: number) =>
    page.locator('canvas.overview').evaluate((canvas: HTMLCanvasElement, share) => {
      const x = Math.round(canvas.width * share);
      return [...(canvas.getContext('2d')?.getImageData(x, 2, 1, 1).data ?? [])];
    }, share);
  const [red = 0, green = 0, blue = 0] = await colourAbove(0.6);
  assert.ok(
    red > green + 60 && red > blue + 60,
    `expected red above 0.6 of the strip, got ${[red, green, blue]}`,
  );
  assert.notDeepEqual(await colourAbove(0.3), await colourAbove(0.6));

  // 1. The failure.
  await page.keyboard.press(await keyOf(page, 'Errors'));
  await page
    .getByRole('button', { name: /SERVER_ERROR/ })
    .first()
    .click();
  await page.getByRole('article', { name: 'The last failure of this group' }).waitFor();
  await picture(page, '2-errors');

  // 2. Why the breaker opened.
  await page.keyboard.press(await keyOf(page, 'Breakers'));
  const breaker = page.getByRole('article', { name: 'Breaker support-desk' });
  await breaker.getByText('5 failures in a row').first().waitFor();
  await breaker.getByRole('img', { name: 'Last results, oldest first: ✓✓✓✓✕✕✕✕✕' }).waitFor();
  await breaker.getByText('Counted: the last 5, all failed. The 4 before no longer counted.').waitFor();
  // Two calls were let through as probes, of four attempts: it opened again once.
  await breaker.getByText('2 calls: 1 succeeded, 1 failed').waitFor();
  assert.equal(await breaker.getByRole('button', { name: /^probe: / }).count(), 2);
  await picture(page, '3-breakers');

  // Another view does not contradict it: in the end the breaker had closed.
  await go(page, 'Traffic');
  await page.getByRole('row', { name: /openai gpt-5 .*closed/ }).waitFor();

  // 3. The user's message: a refund has no fallback.
  await page.keyboard.press(await keyOf(page, 'Timeline'));
  await page.getByLabel('Filter calls').fill('status:rejected');
  await page
    .getByRole('option', { name: /refund/ })
    .first()
    .click();
  const read = page.getByRole('region', { name: 'What the user reads' });
  await read.locator('blockquote').waitFor();
  assert.ok(((await read.locator('blockquote').textContent()) ?? '').length > 20);
  await picture(page, '4-person');
  await page.keyboard.press('Escape');

  // 4. The setting to change, of the whole log again.
  await page.getByLabel('Filter calls').fill('');
  await page.keyboard.press('Escape');
  await go(page, 'Findings');
  const futile = page.locator('[data-check="futile-retries"]');
  await futile.waitFor();
  assert.match((await futile.locator('pre').textContent()) ?? '', /breakerScope: 'attempt'/);
  await picture(page, '5-findings');
  await page.close();
});

/** The key that goes to a view, as its tab's tip says. */
async function keyOf(page: Page, view: string): Promise<string> {
  const tab = page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: new RegExp(`^${view}`) });
  return /\((\d)\)/.exec((await tab.getAttribute('title')) ?? '')?.[1] ?? '?';
}
