// Every page in Chromium: nothing is fetched from elsewhere, nothing fails, and axe finds nothing, in light and in dark.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium.mjs';
import { toHash } from '../playground/run.js';
import { pages, serve } from './site.js';

let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
before(async () => {
  site = await serve();
  browser = await launchChromium();
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

/** Returns axe's findings, each with the first element. */
async function findings(page: Page, exclude: string[], options: axe.RunOptions): Promise<string[]> {
  const call = `axe.run(${JSON.stringify({ include: 'html', exclude })}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(call)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`);
}

/** Rows of a table beyond this one are built like those before it, and axe takes a second for a thousand of them. */
const ROWS = 12;
/** The bars around the text are the same on all pages: the first pages are enough of them. */
const BARS = ['.VPNav', '.VPSidebar', '.VPDocFooter'];

/**
 * Returns the faults of a page: its requests and errors, and axe's findings in light, then in dark, which changes
 * colours only.
 */
async function faultsOf({ page, wrong }: Opened, path: string, exclude: string[]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(site.url + path, { waitUntil: 'load' });
  await page.locator('main').first().waitFor();
  await page.evaluate(
    `document.querySelectorAll('tbody tr:nth-child(n+${ROWS})').forEach((row) => row.remove())`,
  );
  const inLight = await findings(page, exclude, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark').waitFor();
  const inDark = await findings(page, exclude, { runOnly: ['color-contrast'] });
  return [...inLight, ...inDark.map((one) => `dark: ${one}`), ...wrong.splice(0)];
}

test('every page, in light and in dark: no request elsewhere, no error, no finding', async () => {
  const found: Record<string, string[]> = {};
  const left = [...pages.entries()];
  const visit = async () => {
    const opened = await open('light');
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, path] = next;
      // Colours of code are few, and files.test.ts has them: here they would be thousands of elements.
      const faults = await faultsOf(opened, path, ['.shiki span', ...(index < 3 ? [] : BARS)]);
      if (faults.length > 0) found[path] = faults;
    }
    await opened.page.context().close();
  };
  await Promise.all([visit(), visit()]);
  assert.deepEqual(found, {});
});

test('the search finds a page without any request elsewhere, in a dialog without a finding', async () => {
  const { page, wrong } = await open('light');
  await page.goto(site.url);
  await page.locator('#local-search button').click();
  const field = page.getByRole('dialog').getByRole('combobox');
  await field.fill('half-open probes');
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
  assert.match(await page.locator('.VPLocalSearchBox .results').innerText(), /Circuit breaker/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page, [], {}), [], colorScheme);
  }
  await page.keyboard.press('ArrowDown');
  const active = page.locator(`#${await field.getAttribute('aria-activedescendant')}`);
  assert.equal(await active.getAttribute('aria-selected'), 'true');
  const to = await active.getAttribute('href');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname + url.hash === to);
  assert.deepEqual(wrong, []);
  await page.context().close();
});

test('the playground runs a scenario of its address, and shows it in the dashboard', async () => {
  const { page, wrong } = await open('light');
  const scenario = { options: '{"retry":{"maxRetries":1}}', provider: '503\nok', calls: 1, everyMs: 0 };
  await page.goto(`${site.url}playground.html${toHash(scenario)}`);
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
