// In Firefox, by WebDriver BiDi: the dashboard's views over the incident, and a page that embeds it.
import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Frame, Page } from 'puppeteer-core';
import { FIREFOX, launchFirefox } from '../../scripts/firefox.mjs';
import { scratch } from '../../scripts/scratch.mjs';
import { bundle, serve, urlOf, writeApp } from './embedding.js';
import { output, root, serverFor, until as untilSo } from './stage.js';

const skip = FIREFOX === undefined && 'there is no Firefox here (FIREFOX names one; Debian has firefox-esr)';

/** Waits until an expression is true in a page; its functions would be compiled there, which a strict policy forbids. */
const until = (where: Page | Frame, expression: string) =>
  untilSo(() => where.evaluate(expression).catch(() => false), expression).catch(async (error) => {
    const seen = await where.evaluate('document.body.innerText').catch(String);
    throw new Error(`${error.message}\n${String(seen).slice(0, 2_000)}`);
  });

const says = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;

/**
 * Resizes the page. Puppeteer also sends `emulation.setScreenOrientationOverride`. Firefox learned that command lately: an
 * older one, such as the ESR 140 that Debian 12 installs, refuses that command and resizes the page all the same.
 */
async function setViewport(page: Page, width: number, height: number): Promise<void> {
  await page.setViewport({ width, height }).catch((error: unknown) => {
    if (!/unknown command.*setScreenOrientationOverride/is.test(String(error))) throw error;
  });
  await until(page, `innerWidth === ${width} && innerHeight === ${height}`);
}

describe('in Firefox', { skip, concurrency: false }, () => {
  let browser: Browser;
  let troubles: string[] = [];
  before(async () => {
    browser = await launchFirefox();
  });
  after(() => browser?.close());

  async function open(url: string, width: number): Promise<Page> {
    const page = await browser.newPage();
    await setViewport(page, width, 880);
    troubles = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    // The page that takes the token goes on to the dashboard before it has loaded: WebDriver says then that its own navigation
    // was aborted.
    await page.goto(`${url}${url.includes('token') ? '&view=timeline' : ''}`).catch((error: unknown) => {
      if (!/NS_BINDING_ABORTED/.test(String(error))) throw error;
    });
    return page;
  }

  for (const width of [1400, 400]) {
    test(`every view opens over the incident, at ${width} px`, async (t) => {
      const server = await serverFor(t);
      const page = await open(server.dashboardUrl, width);
      await until(page, "document.querySelector('.app') !== null");
      const input = await page.$('input[type=file]');
      await input?.uploadFile(join(root, 'tests/fixtures/incident.jsonl'));
      await until(page, says('File: incident.jsonl'));
      await until(page, "document.querySelectorAll('[role=option]').length > 5");
      const views = (await page.evaluate(
        "[...document.querySelectorAll('nav[aria-label=Views] a')].map((tab) => new URL(tab.href).searchParams.get('view'))",
      )) as string[];
      assert.equal(views.length, 10);
      for (const view of views) {
        // The digits count the tabs.
        const digit = views.indexOf(view) + 1;
        if (digit <= 9) await page.keyboard.press(String(digit) as '1');
        else await (await page.$(`nav a[href*=${view}]`))?.click();
        await until(
          page,
          `document.querySelector('nav[aria-label=Views] [aria-current=page]')?.href.includes('${view}') && document.querySelector('main').innerText.length > 40`,
        );
        await new Promise((resolve) => setTimeout(resolve, 300));
        await page.screenshot({ path: join(output, `firefox-${view}-${width}.png`) });
        const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(wide), 0, view);
      }
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }

  describe('embedded, under a strict policy', () => {
    const folder = scratch(import.meta.dirname);
    let server: Server;
    before(async () => {
      writeApp(folder);
      server = await serve(
        await bundle(folder, 'esbuild'),
        "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'",
      );
    });
    after(() => server?.close());

    test('the shortcut shows it with the page’s events and the channel’s, and hides it', async () => {
      const page = await open(urlOf(server), 1200);
      await until(page, 'window.ask !== undefined');
      await page.evaluate("document.querySelector('#ask').focus()");
      const shortcut = async () => {
        await page.keyboard.down('Alt');
        await page.keyboard.down('Shift');
        await page.keyboard.press('H');
        await page.keyboard.up('Shift');
        await page.keyboard.up('Alt');
      };
      assert.equal(await page.evaluate('window.devtools.open'), false);
      await shortcut();
      await until(page, 'window.devtools.open');
      const frame = page.frames().find((one) => one !== page.mainFrame());
      assert.ok(frame);
      await until(frame, "document.querySelector('[role=option]')?.innerText.includes('question 0')");
      await page.evaluate('window.ask()');
      await until(frame, "document.querySelectorAll('[role=option]').length > 1");
      await page.evaluate(`new BroadcastChannel('halfopen').postMessage([
        { v: 1, source: 'worker', seq: 1, time: Date.now(), policy: 'other', call: 'w-1', type: 'call.started', task: 'from a worker' },
      ])`);
      await until(frame, says('from a worker'));
      await page.screenshot({ path: join(output, 'firefox-embedded.png') });
      // From within: the keys go to the frame, which has the focus.
      await shortcut();
      await until(page, '!window.devtools.open');
      await until(page, "document.activeElement.id === 'ask'");
      assert.deepEqual(troubles, []);
      await page.close();
    });
  });
});
