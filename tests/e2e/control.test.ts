// Actions on a running process from the page: a real agent that allows them, a real server, Chromium.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createPolicy } from 'halfopen';
import { connectDevtools, startDevtoolsServer } from 'halfopen/devtools';
import { createRun } from 'halfopen/run';
import type { Browser, Page } from 'playwright-core';
import { output, seriousFindings, startBrowser, until, viewOf } from './stage.js';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** A server, and this process connected to it. Returns the page. */
async function watched(t: { after(end: () => unknown): void }, control: boolean): Promise<Page> {
  const directory = mkdtempSync(join(tmpdir(), 'halfopen-control-'));
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const server = await startDevtoolsServer({ port: 0, directory });
  t.after(() => server.close());
  const connection = connectDevtools({ url: server.dashboardUrl, channel: false, control });
  t.after(() => connection.close());
  const page = await browser.newPage({ viewport: { width: 1400, height: 880 }, colorScheme: 'light' });
  t.after(() => page.close());
  await page.goto(viewOf(server.dashboardUrl));
  await page.locator('.app').waitFor();
  return page;
}

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();

test('a breaker is isolated from the page, and the strip takes it back', async (t) => {
  const page = await watched(t, true);
  const policy = createPolicy({
    name: 'mail',
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 60_000 },
  });
  await assert.rejects(
    policy.execute(() => Promise.reject(Object.assign(new Error('boom'), { status: 500 }))),
  );
  policy.breaker?.reset();
  await tab(page, 'Breakers');
  const card = page.getByRole('article', { name: 'Breaker mail' });
  await card.getByRole('button', { name: 'Isolate' }).click();
  const strip = page.getByRole('status', { name: 'Actions of people' });
  await strip.getByText(/isolated the breaker mail in .+:\d+\./).waitFor();
  assert.equal(policy.breaker?.state, 'isolated');
  await card.getByText('isolated').first().waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await page.screenshot({ path: join(output, 'control.png') });
  await strip.getByRole('button', { name: 'Undo' }).click();
  await strip.waitFor({ state: 'hidden' });
  assert.equal(policy.breaker?.state, 'closed');
});

test('a run is ended from the page', async (t) => {
  const page = await watched(t, true);
  const run = createRun({ name: 'report' });
  run.step();
  await tab(page, 'Runs');
  await page.getByRole('button', { name: 'report' }).click();
  await page.getByRole('article', { name: 'Run report' }).getByRole('button', { name: 'End' }).click();
  await until(
    () => run.end,
    (end) => end !== undefined,
  );
  assert.equal(run.end?.kind, 'cancelled');
  assert.equal(run.signal.aborted, true);
  await page
    .getByRole('article', { name: 'Run report' })
    .getByRole('button', { name: 'End' })
    .waitFor({ state: 'detached' });
});

test('a process that does not allow it has no such buttons', async (t) => {
  const page = await watched(t, false);
  const policy = createPolicy({
    name: 'mail',
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 60_000 },
  });
  await assert.rejects(
    policy.execute(() => Promise.reject(Object.assign(new Error('boom'), { status: 500 }))),
  );
  await tab(page, 'Breakers');
  const card = page.getByRole('article', { name: 'Breaker mail' });
  await card.waitFor();
  assert.equal(await card.getByRole('button', { name: /Isolate|Close/ }).count(), 0);
});
