// A dashboard whose program has ended: real traps, in its own module, in the core's, and within another page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { scratch } from '../../scripts/scratch.mjs';
import { bundle, serve, urlOf, writeApp } from './embedding.js';
import { answeredCall, go, openPage, output, send, seriousFindings, serverFor, setStage } from './stage.js';

const stage = setStage();

/** Keeps the instance's exports, which the page's starter gives away once it runs. */
const keepExports = (page: Page) =>
  page.addInitScript(
    "addEventListener('TrunkApplicationStarted', (event) => { window.program = event.detail.wasm; });",
  );

/** Ends the program: it requests more memory than there is, which traps in its allocator. */
const TRAP = 'setTimeout(() => window.program.__wbindgen_malloc(-1 >>> 0, 1)); void 0';

const notice = (page: Page) => page.getByRole('alertdialog', { name: 'The dashboard stopped' });

for (const [theme, width] of [
  ['light', 1400],
  ['dark', 400],
] as const) {
  test(`a trap shows a notice that loads the page again (${width} px, ${theme})`, async (t) => {
    const server = await serverFor(t);
    await send(server, answeredCall(0));
    const page = await openPage(stage.browser, server.dashboardUrl, width, theme, keepExports);
    await page.getByRole('option').first().waitFor();
    await page.evaluate(TRAP);
    await notice(page)
      .getByText(/unreachable/)
      .waitFor();
    await page.screenshot({ path: join(output, `crash-${width}-${theme}.png`) });
    assert.deepEqual(await seriousFindings(page), []);
    // Nothing below it can be reached; its button has the focus.
    assert.equal(await page.evaluate('document.querySelector(".app").inert'), true);
    const reload = notice(page).getByRole('button', { name: 'Reload' });
    assert.equal(await reload.evaluate((button) => button === button.ownerDocument.activeElement), true);
    await page.keyboard.press('Enter');
    await notice(page).waitFor({ state: 'detached' });
    await page.getByRole('option').first().waitFor();
    await page.close();
  });
}

test('the notice stands over a sheet that was open', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl, 1400, 'light', keepExports);
  await page.locator('body').press('?');
  await page.getByRole('dialog', { name: 'Keys, filters and signs' }).waitFor();
  await page.evaluate(TRAP);
  await notice(page).getByRole('button', { name: 'Reload' }).click();
  await page.getByText('Nothing has happened yet').waitFor();
  await page.close();
});

test('an error that is no end of the program shows no notice', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  const heard = page.waitForEvent('pageerror');
  await page.evaluate(`setTimeout(() => { throw new TypeError('of an extension'); }); void 0`);
  await heard;
  await go(page, 'Breakers');
  assert.equal(await page.locator('#crash').count(), 0);
  await page.close();
});

test('a program that does not start says so', async () => {
  const page = await stage.browser.newPage();
  await page.route('**/*_bg.wasm', (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(stage.server.dashboardUrl);
  const stopped = page.getByRole('alertdialog', { name: 'The dashboard did not start' });
  await stopped.waitFor();
  await page.unroute('**/*_bg.wasm');
  await stopped.getByRole('button', { name: 'Reload' }).click();
  await page.locator('.app').waitFor();
  await page.close();
});

/** A module with the names of the core's, in which every question is a trap. */
const TRAPPING = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  // Types: () -> i32, (i32) -> i32. Functions: room, query, answer. A memory of one page.
  ...[1, 10, 2, 0x60, 0, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f],
  ...[3, 4, 3, 1, 1, 0],
  ...[5, 3, 1, 0, 1],
  // Exports, by their names.
  ...[7, 34, 4],
  ...[4, ...Buffer.from('room'), 0, 0],
  ...[5, ...Buffer.from('query'), 0, 1],
  ...[6, ...Buffer.from('answer'), 0, 2],
  ...[6, ...Buffer.from('memory'), 2, 0],
  // Code: room returns 0, query is unreachable, answer returns 0.
  ...[10, 15, 3, 4, 0, 0x41, 0, 0x0b, 3, 0, 0, 0x0b, 4, 0, 0x41, 0, 0x0b],
]);

test('a trap in the core is said where it was called, and another instance answers', async () => {
  const page = await stage.browser.newPage();
  await page.route('**/answers.wasm', (route) =>
    route.fulfill({ contentType: 'application/wasm', body: Buffer.from(TRAPPING) }),
  );
  await page.goto(`${stage.server.dashboardUrl}&view=classify`);
  const alert = page.getByRole('alert');
  await alert.getByText(/^The core, which computes this, stopped: unreachable\.$/).waitFor();
  await page.screenshot({ path: join(output, 'core-stopped.png') });
  // The rest of the dashboard goes on.
  await go(page, 'Timeline');
  await page.getByText('Nothing has happened yet').waitFor();
  await go(page, 'Classify');
  await page.unroute('**/answers.wasm');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('article', { name: 'Classification' }).waitFor();
  assert.equal(await page.locator('#crash').count(), 0);
  await page.close();
});

test('within another page the notice loads the frame again, with all events', async () => {
  const folder = scratch(import.meta.dirname);
  writeApp(folder);
  const server = await serve(
    await bundle(folder, 'esbuild'),
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'",
  );
  const page = await stage.browser.newPage();
  // Before the frame's own listener puts the program into it: its exports are kept when it is instantiated. As text: the
  // compiler of this file adds helpers to functions, which the page does not have.
  await page.addInitScript(`
    const { createElement } = Document.prototype;
    Document.prototype.createElement = function (tag, options) {
      const made = createElement.call(this, tag, options);
      if (tag === 'iframe') made.addEventListener('load', () => {
        const within = made.contentWindow;
        const { instantiate } = within.WebAssembly;
        within.WebAssembly.instantiate = async (module, imports) => {
          const result = await instantiate(module, imports);
          const { exports } = result.instance ?? result;
          if ('__wbindgen_malloc' in exports) within.program = exports;
          return result;
        };
      });
      return made;
    };`);
  await page.goto(urlOf(server));
  await page.waitForFunction('window.ask !== undefined');
  await page.evaluate('window.devtools.show()');
  const within = page.frameLocator('iframe[title="Halfopen dashboard"]');
  await within.getByRole('option', { name: /page: question 0/ }).waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame()) as Frame;
  await frame.evaluate(TRAP);
  const stopped = within.getByRole('alertdialog', { name: 'The dashboard stopped' });
  await stopped.getByRole('button', { name: 'Reload' }).click();
  await stopped.waitFor({ state: 'detached' });
  await within.getByRole('option', { name: /page: question 0/ }).waitFor();
  await page.close();
  server.close();
});
