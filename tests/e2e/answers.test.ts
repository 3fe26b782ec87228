// The dashboard's second module: fetched after the first paint, from any server, and what is said when it cannot be had.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { openPage, output, root, seriousFindings, setStage, troublesOf, until } from './stage.js';

const MODULE = '**/answers.wasm';
const missing = (route: Route) => route.fulfill({ status: 404, body: '' });

const stage = setStage();

/** A page of a view, whose module is answered so from the beginning. */
async function openWith(view: string, answer: (route: Route) => unknown, width = 1400): Promise<Page> {
  const page = await stage.browser.newPage({ viewport: { width, height: 880 } });
  await page.route(MODULE, answer);
  await page.goto(`${stage.server.dashboardUrl}&view=${view}`);
  await page.locator('.app').waitFor();
  return page;
}

test('it is fetched after the first paint, once, and compressed', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  // The page's policy allows no eval, which waitForFunction would need.
  const look = () =>
    page.evaluate(
      `[performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        performance.getEntriesByType('resource').filter((one) => one.name.endsWith('answers.wasm'))
          .map((one) => [one.startTime, one.encodedBodySize, one.decodedBodySize])]`,
    ) as Promise<[number | null | undefined, [number, number, number][]]>;
  const [painted, asked] = await until(look, ([first, all]) => typeof first === 'number' && all.length > 0);
  assert.ok(typeof painted === 'number', 'nothing was painted');
  assert.equal(asked.length, 1);
  const [start, sent, whole] = asked[0] ?? [0, 0, 0];
  assert.ok(start > painted, `asked for at ${start}, first painted at ${painted}`);
  assert.ok(sent > 0 && sent < whole / 2, `${sent} bytes for ${whole}`);
  await page.close();
});

for (const view of ['messages', 'classify']) {
  test(`${view}: while it cannot be fetched that is said, and another try brings it`, async () => {
    for (const width of [400, 1400]) {
      const page = await openWith(view, missing, width);
      const alert = page.getByRole('alert');
      await alert.getByText(/could not be loaded: the server answers 404\./).waitFor();
      await alert.getByText('answers.wasm').waitFor();
      assert.deepEqual(await seriousFindings(page), []);
      await page.screenshot({ path: join(output, `no-answers-${view}-${width}.png`) });
      await page.unroute(MODULE);
      await alert.getByRole('button', { name: 'Try again' }).press('Enter');
      await page.locator('.matrix tbody tr, [aria-label=Classification]').first().waitFor();
      assert.equal(await alert.count(), 0);
      await page.close();
    }
  });
}

test('a server that is gone is said as well', async () => {
  const page = await openWith('messages', (route) => route.abort());
  await page
    .getByRole('alert')
    .getByText(/could not be loaded: .*fetch/)
    .waitFor();
  await page.close();
});

test('what comes late is waited for in its place', async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const page = await openWith('classify', (route) => held.then(() => route.continue()));
  await page.getByText('Waiting for the core…').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  release();
  await page.getByLabel('Classification').getByText('RATE_LIMITED').first().waitFor();
  assert.equal(await page.getByText('Waiting for the core…').count(), 0);
  await page.close();
});

test('what is no answer is not taken for one', async () => {
  const page = await openWith('messages', (route) =>
    route.fulfill({ contentType: 'application/wasm', body: 'no wasm' }),
  );
  await page
    .getByRole('alert')
    .getByText(/could not be loaded/)
    .waitFor();
  await page.close();
});

test('in any static folder it works, also where nobody knows what a .wasm is', async (t) => {
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
  const folder: Server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
    try {
      const name = path === '/' ? 'index.html' : path;
      const bytes = readFileSync(join(root, 'pkg/dist/dashboard', name));
      const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      response.writeHead(200, { 'Content-Type': type }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => folder.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    folder.close();
    folder.closeAllConnections();
  });
  const address = folder.address();
  assert.ok(address !== null && typeof address === 'object');
  const page = await openPage(stage.browser, `http://127.0.0.1:${address.port}/?view=classify`);
  const troubles = troublesOf(page);
  await page.getByRole('article', { name: 'Classification' }).waitFor();
  await page.locator('body').press('d');
  await page.getByText('Demonstration in this page').waitFor();
  assert.deepEqual(
    troubles.filter((trouble) => !trouble.includes('404')),
    [],
  );
  await page.close();
});
