// Messages and Backoff: what people read with any metadata, and what they wait under any options.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { AGENT_ERROR_CODES } from 'halfopen';
import { drawn, openPage, output, seriousFindings, setStage, troublesOf } from './stage.js';

const PATIENCE = { timeout: 60_000 };

const stage = setStage();

/** The address of a view. */
const at = (view: string) => `${stage.server.dashboardUrl}&view=${view}`;

test('Messages has every code in every language, with the metadata that is given', PATIENCE, async () => {
  const page = await openPage(stage.browser, at('messages'));
  const troubles = troublesOf(page);
  const rows = page.locator('.matrix tbody tr');
  await rows.first().waitFor();
  assert.equal(await rows.count(), AGENT_ERROR_CODES.length);
  assert.equal(await rows.first().locator('td').count(), 6);
  const limited = page.getByRole('row', { name: /^RATE_LIMITED/ });
  assert.match((await limited.textContent()) ?? '', /OpenAI .*30 seconds/);
  await page.getByLabel('Provider').fill('anthropic');
  await page.getByLabel('Retry after, seconds').fill('120');
  await limited
    .getByText(/Anthropic .*2 minutes/)
    .first()
    .waitFor();
  await page.getByText('✓ no warnings').waitFor();
  assert.deepEqual(troubles, []);
  await page.close();
});

test('what reads badly is marked, and can be looked at alone', PATIENCE, async () => {
  const page = await openPage(stage.browser, at('messages'));
  await page.getByLabel('Tool', { exact: true }).fill('HTTP exception');
  await page.getByLabel('Model').fill('ECONNRESET null');
  await page.getByText(/⚠ \d+ warnings/).waitFor();
  const all = await page.locator('.matrix tbody tr').count();
  await page.getByLabel('Only those with warnings').check();
  const marked = page.locator('.matrix tbody tr');
  assert.ok((await marked.count()) > 0 && (await marked.count()) < all);
  await marked
    .first()
    .getByText(/⚠ jargon/)
    .first()
    .waitFor();
  await page.close();
});

test('Backoff: sliders by keys change the curve, the wait and the code', PATIENCE, async () => {
  const page = await openPage(stage.browser, at('backoff'));
  const code = page.getByLabel('Code', { exact: true });
  const waits = page.locator('.totals');
  assert.match((await waits.textContent()) ?? '', /5\.60 s.*7\.00 s.*8\.40 s/);
  await page.getByLabel(/^Retries/).press('ArrowRight');
  await page.getByRole('row', { name: /attempt 5/ }).waitFor();
  assert.match((await code.textContent()) ?? '', /maxRetries: 4, baseDelayMs: 1000/);
  await page.getByLabel(/^Duration of an attempt/).press('ArrowRight');
  // 1 + 2 + 4 + 8 seconds of waits, five attempts of 250 ms.
  await waits.getByText('16.2 s').or(waits.getByText('16.3 s')).waitFor();
  // A slider that is moved keeps the focus.
  await page.getByLabel(/^Share/).press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match((await code.textContent()) ?? '', /jitter: 0\.3/);
  await page.getByLabel(/^Jitter/).selectOption({ label: 'full' });
  assert.match((await code.textContent()) ?? '', /jitter: 'full'/);
  assert.equal(await page.locator('.chart circle').count(), 4);
  await page.close();
});

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1400, 400]) {
    test(`both at ${width} px, ${theme}: nothing serious for axe`, PATIENCE, async () => {
      for (const view of ['messages', 'backoff']) {
        const page = await openPage(stage.browser, at(view), width, theme);
        if (view === 'messages') await page.getByLabel('Tool', { exact: true }).fill('HTTP exception');
        await drawn(page);
        await page.screenshot({ path: join(output, `workbench-${view}-${width}-${theme}.png`) });
        assert.deepEqual(await seriousFindings(page), []);
        const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(wide), 0);
        await page.close();
      }
    });
  }
}
