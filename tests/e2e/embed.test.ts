// The dashboard within pages of somebody else's: bundled under a strict policy, and served by Vite as one develops.
import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createServer as createVite } from 'vite';
import { noteCoverage } from '../../pkg/test/page-coverage.js';
import { scratch } from '../../scripts/scratch.mjs';
import { bundle, serve, urlOf, writeApp } from './embedding.js';
import { drawn, output, root, seriousFindings, startBrowser, troublesOf } from './stage.js';

let browser: Browser;
const folder = scratch(import.meta.dirname);

before(async () => {
  browser = await startBrowser();
  writeApp(folder);
});
after(() => browser?.close());

async function openPage(
  url: string,
  width = 1200,
  theme: 'light' | 'dark' = 'light',
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: theme });
  await noteCoverage(page);
  await prepare(page);
  await page.goto(url);
  await page.waitForFunction('window.ask !== undefined');
  return page;
}

/** An event of another tab's, or a worker's. */
const tellByChannel = (page: Page) =>
  page.evaluate(`new BroadcastChannel('halfopen').postMessage([
    { v: 1, source: 'worker', seq: 1, time: Date.now(), policy: 'other', call: 'w-1', type: 'call.started', task: 'from a worker' },
  ])`);

const dashboardIn = (page: Page) => page.frameLocator('iframe[title="Halfopen dashboard"]');

describe('in a bundle, under a strict policy', { concurrency: false }, () => {
  let server: Server;
  let files: string;
  before(async () => {
    files = await bundle(folder, 'esbuild');
    server = await serve(
      files,
      "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'",
    );
  });
  after(() => {
    server?.close();
  });

  test('the Lab runs in it, in a worker that has no address', async () => {
    const page = await openPage(urlOf(server));
    const troubles = troublesOf(page);
    await page.keyboard.press('Alt+Shift+H');
    const dashboard = dashboardIn(page);
    await dashboard.getByRole('link', { name: 'Lab' }).click();
    await dashboard.getByText(/Never recovers: 0\.0 of/).waitFor();
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test('the shortcut shows it, with what happened before; keys and address stay the page’s', async () => {
    const page = await openPage(urlOf(server));
    const troubles = troublesOf(page);
    assert.equal(await page.locator('iframe').isVisible(), false);
    const address = page.url();
    const steps = await page.evaluate('history.length');

    await page.keyboard.press('Alt+Shift+H');
    const dashboard = dashboardIn(page);
    await dashboard.getByRole('listbox', { name: 'Calls' }).waitFor();
    await dashboard.getByText('Connected').waitFor();
    await dashboard.getByRole('option', { name: /page: question 0/ }).waitFor();

    // Events that happen while it is shown arrive too.
    await page.evaluate('window.ask()');
    await dashboard.getByRole('option').nth(1).waitFor();

    // Its keys are its own: a view of it, nothing of the page.
    const heard = await page.evaluate('window.keys');
    await dashboard.getByRole('listbox', { name: 'Calls' }).press('5');
    await dashboard.getByRole('heading', { name: 'Circuit breakers' }).waitFor();
    assert.equal(await page.evaluate('window.keys'), heard);
    assert.equal(page.url(), address);
    assert.equal(await page.evaluate('history.length'), steps);

    // And the page's are the page's.
    await page.locator('#ask').fill('');
    await page.locator('#ask').pressSequentially('12 pc');
    assert.equal(await page.locator('#ask').inputValue(), '12 pc');
    await dashboard.getByRole('heading', { name: 'Circuit breakers' }).waitFor();

    // The core answers there too: its module has no address, and comes with the page's own.
    await dashboard.getByRole('link', { name: /^Classify/ }).click();
    await dashboard.getByRole('article', { name: 'Classification' }).waitFor();

    await page.keyboard.press('Alt+Shift+H');
    await page.locator('iframe').waitFor({ state: 'hidden' });
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test('from within, the shortcut hides it and the focus returns; the grip resizes by keys', async () => {
    const page = await openPage(urlOf(server));
    await page.locator('#ask').focus();
    await page.keyboard.press('Alt+Shift+H');
    await dashboardIn(page).getByRole('listbox', { name: 'Calls' }).press('Alt+Shift+H');
    await page.locator('iframe').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate('document.activeElement.id'), 'ask');
    await page.keyboard.press('Alt+Shift+H');
    const grip = page.getByRole('separator', { name: 'Size of the devtools' });
    await grip.press('ArrowUp');
    assert.equal(await grip.getAttribute('aria-valuenow'), '55');
    // It is left open: the page begins with it when it is loaded again.
    await page.reload();
    await page.locator('iframe').waitFor({ state: 'visible' });
    await page.close();
  });

  test('what other tabs and workers of the origin tell by the channel is shown', async () => {
    const page = await openPage(urlOf(server));
    await page.evaluate('window.devtools.show()');
    await dashboardIn(page).getByText('Connected').waitFor();
    await tellByChannel(page);
    await dashboardIn(page)
      .getByRole('option', { name: /from a worker/ })
      .waitFor();
    await page.close();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const [width, dock] of [
      [1200, 'bottom'],
      [1200, 'right'],
      [400, 'bottom'],
    ] as const) {
      test(`docked ${dock} at ${width} px, ${theme}: nothing serious for axe`, async () => {
        const page = await openPage(`${urlOf(server)}?dock=${dock}`, width, theme);
        await page.evaluate('window.devtools.show()');
        await dashboardIn(page).getByRole('option').first().waitFor();
        await drawn(page);
        await page.screenshot({ path: join(output, `embed-${dock}-${width}-${theme}.png`) });
        assert.deepEqual(await seriousFindings(page), []);
        await page.close();
      });
    }
  }

  test('the element fills its own box, and goes with it', async () => {
    const page = await openPage(`${urlOf(server)}?element`);
    await dashboardIn(page).getByRole('option').first().waitFor();
    const box = await page.locator('iframe').boundingBox();
    assert.ok(box !== null && box.height > 500 && box.height <= 600, JSON.stringify(box));
    await page.evaluate(`document.querySelector('halfopen-devtools').remove()`);
    assert.equal(await page.locator('iframe').count(), 0);
    await page.close();
  });

  for (const [dock, larger, smaller, to] of [
    ['bottom', 'ArrowUp', 'ArrowDown', { x: 600, y: 225 }],
    ['right', 'ArrowLeft', 'ArrowRight', { x: 300, y: 450 }],
  ] as const) {
    test(`docked ${dock}, keys and the pointer move the grip, within its bounds`, async () => {
      const page = await openPage(`${urlOf(server)}?dock=${dock}`);
      await page.evaluate('window.devtools.show()');
      const grip = page.getByRole('separator', { name: 'Size of the devtools' });
      const size = async () => Number(await grip.getAttribute('aria-valuenow'));
      await grip.press(larger);
      assert.equal(await size(), 55);
      for (let presses = 0; presses < 12; presses += 1) await grip.press(smaller);
      assert.equal(await size(), 20);
      await grip.press('a');
      const box = await grip.boundingBox();
      assert.ok(box !== null);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 3 });
      assert.equal(await size(), 75);
      await page.mouse.up();
      await page.mouse.move(700, 700);
      assert.equal(await size(), 75);
      await page.getByRole('button', { name: 'Hide the devtools' }).click();
      await page.locator('iframe').waitFor({ state: 'hidden' });
      await page.close();
    });
  }

  test('only the policies that are given are shown, and no more events are kept than asked for', async () => {
    const page = await openPage(urlOf(server));
    const kept = await page.evaluate(`(() => {
      window.devtools.unmount();
      let listener;
      const source = { onEvent(one) { listener = one; return () => { listener = undefined; }; } };
      const mounted = window.again(null, { policies: [source], channel: false, shortcut: false, buffer: 10, dock: 'right' });
      for (let seq = 0; seq < 100; seq += 1)
        listener({ v: 1, source: 'own', seq, time: Date.now(), type: 'call.started', policy: 'own', call: 'c' + seq, task: 'task ' + seq });
      window.mounted = mounted;
      window.removed = () => listener === undefined;
      return [mounted.dropped, mounted.open];
    })()`);
    assert.deepEqual(kept, [90, false]);
    await page.keyboard.press('Alt+Shift+H');
    assert.equal(await page.locator('iframe').isVisible(), false, 'it has no shortcut');
    await page.evaluate('window.mounted.toggle()');
    const dashboard = dashboardIn(page);
    await dashboard.getByRole('option', { name: /task 99/ }).waitFor();
    assert.equal(await dashboard.getByRole('option', { name: /page: question/ }).count(), 0);
    assert.equal(await dashboard.getByRole('option', { name: /task 89/ }).count(), 0);
    assert.deepEqual(
      await page.evaluate('[window.mounted.unmount(), window.mounted.unmount(), window.removed()]'),
      [undefined, undefined, true],
    );
    assert.equal(await page.locator('iframe').count(), 0);
    await page.close();
  });

  test('the element is defined once, takes none for an attribute, and refuses a name without a hyphen', async () => {
    const page = await openPage(urlOf(server));
    const refusal = await page.evaluate(`(() => {
      window.devtools.unmount();
      window.define('own-devtools');
      window.define('own-devtools');
      document.body.insertAdjacentHTML('beforeend', '<own-devtools shortcut="none" channel="none" dock="bottom"></own-devtools>');
      try { window.define('devtools'); } catch (error) { return String(error); }
    })()`);
    assert.equal(
      refusal,
      "TypeError: halfopen: defineDevtoolsElement expects a name with a hyphen, got 'devtools'",
    );
    await page.locator('iframe').waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+Shift+H');
    assert.equal(await page.locator('iframe').isVisible(), false);
    await page.close();
  });

  test('a page without storage begins with it hidden, and shows it all the same', async () => {
    const page = await openPage(urlOf(server), 1200, 'light', (before) =>
      before.addInitScript(
        `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })`,
      ),
    );
    assert.equal(await page.locator('iframe').isVisible(), false);
    await page.evaluate('window.devtools.toggle()');
    await dashboardIn(page).getByText('Connected').waitFor();
    await page.close();
  });

  test('the frame says which files cannot be loaded', async () => {
    const page = await openPage(urlOf(server));
    await page.route('**/*.js', (route) => route.abort());
    await page.evaluate('window.devtools.show()');
    await dashboardIn(page)
      .getByText(/The dashboard's files could not be loaded: TypeError/)
      .waitFor();
    await page.close();
  });

  test('a policy without blob: is told of, in the frame', async () => {
    const strict = await serve(
      files,
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-src 'self'",
    );
    const page = await openPage(urlOf(strict));
    await page.evaluate('window.devtools.show()');
    await dashboardIn(page)
      .getByText(/Content-Security-Policy does not allow/)
      .waitFor();
    await page.close();
    strict.close();
  });

  test('without blob: it runs from the files that the page serves, and leaves the history alone', async () => {
    const strict = await serve(
      files,
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'",
    );
    const page = await openPage(urlOf(strict));
    const troubles = troublesOf(page);
    const steps = await page.evaluate('history.length');
    await page.evaluate(`(() => {
      window.devtools.unmount();
      window.again(null, { src: '/devtools/index.html', open: true });
    })()`);
    await page.evaluate('window.ask()');
    await dashboardIn(page).getByRole('option').first().waitFor();
    await dashboardIn(page).getByRole('listbox', { name: 'Calls' }).press('3');
    await dashboardIn(page).getByRole('heading', { name: 'Runs of agents' }).waitFor();
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate('history.length'), steps);
    assert.deepEqual(troubles, []);
    await page.close();
    strict.close();
  });
});

describe('in development with webpack', () => {
  test('the page shows it, without any setting: its own events, and those of the channel', async () => {
    // As its development mode has it: modules are evaluated from strings.
    const server = await serve(
      await bundle(folder, 'webpack'),
      "default-src 'self'; script-src 'self' blob: 'unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
    );
    const page = await openPage(urlOf(server));
    const troubles = troublesOf(page);
    await page.keyboard.press('Alt+Shift+H');
    await dashboardIn(page)
      .getByRole('option', { name: /page: question 0/ })
      .waitFor();
    await tellByChannel(page);
    await dashboardIn(page)
      .getByRole('option', { name: /from a worker/ })
      .waitFor();
    assert.deepEqual(troubles, []);
    await page.close();
    server.close();
  });
});

describe('in development with Vite', () => {
  test('the page shows it, without any setting', async () => {
    const vite = await createVite({
      root: folder,
      configFile: false,
      logLevel: 'error',
      cacheDir: join(folder, '.vite'),
      server: { host: '127.0.0.1', port: 0, fs: { allow: [root, folder] } },
    });
    await vite.listen();
    const url = vite.resolvedUrls?.local[0] ?? '';
    const page = await openPage(url.replace('localhost', '127.0.0.1'));
    await page.keyboard.press('Alt+Shift+H');
    await dashboardIn(page)
      .getByRole('option', { name: /page: question 0/ })
      .waitFor();
    await page.close();
    await vite.close();
  });
});
