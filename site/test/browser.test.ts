// Every page in Chromium: nothing is fetched from elsewhere, nothing fails, and axe finds nothing, in light and in dark.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM, CHROMIUM_FLAGS } from '../../scripts/chromium.mjs';
import { pages, serve } from './site.js';

let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
before(async () => {
  site = await serve();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
});
after(async () => {
  await browser.close();
  site.close();
});

interface Opened {
  page: Page;
  /** Requests to anything but the site, and answers that are no success. */
  wrong: string[];
}

async function open(colorScheme: 'light' | 'dark'): Promise<Opened> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1300, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const wrong: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(site.url))
      wrong.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  await page.addInitScript(axe.source);
  return { page, wrong };
}

/** What axe finds, each with the first element. */
async function findings(page: Page, exclude: string[], options: axe.RunOptions): Promise<string[]> {
  const call = `axe.run(${JSON.stringify({ include: 'html', exclude })}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(call)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`);
}

/**
 * Two pages at a time, one for each theme: colours are all that a theme changes. Those in code are few, and files.test.ts has
 * them: here they would be thousands of elements.
 */
const THEMES: { theme: 'light' | 'dark'; options: axe.RunOptions }[] = [
  { theme: 'light', options: {} },
  { theme: 'dark', options: { runOnly: ['color-contrast'] } },
];

for (const { theme, options } of THEMES) {
  test(`every page in ${theme}: no request elsewhere, no error, no finding`, {
    timeout: 600_000,
  }, async () => {
    const { page, wrong } = await open(theme);
    const found: Record<string, string[]> = {};
    for (const [index, path] of pages.entries()) {
      await page.goto(site.url + path, { waitUntil: 'load' });
      await page.locator('main').first().waitFor();
      // The bars around the text are the same on all pages: the first ones are enough of them.
      const exclude = ['.shiki span', ...(index < 3 ? [] : ['.VPNav', '.VPSidebar', '.VPDocFooter'])];
      const here = [...(await findings(page, exclude, options)), ...wrong.splice(0)];
      if (here.length > 0) found[path] = here;
    }
    assert.equal(
      await page.locator('html').evaluate((html) => html.classList.contains('dark')),
      theme === 'dark',
    );
    assert.deepEqual(found, {});
    await page.context().close();
  });
}

test('the search finds a page without any request elsewhere', async () => {
  const { page, wrong } = await open('light');
  await page.goto(site.url);
  await page.locator('#local-search button').click();
  await page.getByRole('searchbox').fill('half-open probes');
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
  assert.match(await page.locator('.VPLocalSearchBox .results').innerText(), /Circuit breaker/);
  assert.deepEqual(wrong, []);
  await page.context().close();
});

test('the playground runs a scenario of its address, and shows it in the dashboard', async () => {
  const { page, wrong } = await open('light');
  const scenario = { options: '{"retry":{"maxRetries":1}}', provider: '503\nok', calls: 1, everyMs: 0 };
  await page.goto(`${site.url}playground.html#${encodeURIComponent(JSON.stringify(scenario))}`);
  await page.getByText('2 requests; the breaker is closed.').waitFor();
  await page.getByRole('cell', { name: 'attempt 1 fails: SERVER_ERROR (rule http.5xx)' }).waitFor();

  await page.getByLabel('Options of createPolicy').fill('{"retry":{"retries":1}}');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'maxRetries' }).waitFor();

  await page.getByLabel('Scenario').selectOption({ label: 'A wrong key, which is not retried' });
  await page.getByText('1 request; the breaker is closed.').waitFor();
  await page.getByRole('button', { name: /dashboard/ }).click();
  await page.frameLocator('iframe').getByRole('option').first().waitFor();
  assert.deepEqual(wrong, []);
  await page.context().close();
});
