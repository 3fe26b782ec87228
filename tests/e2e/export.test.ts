// Exports from the page: a call as a test that then runs, a report, a trace; over a recorded file and a live agent.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { scratch } from '../../scripts/scratch.mjs';
import {
  openFixture,
  openPage,
  openTools,
  output,
  root,
  runAgent,
  seriousFindings,
  setStage,
  troublesOf,
  until,
} from './stage.js';

const stage = setStage();
const folder = scratch(import.meta.dirname);

/** The test of the first call that a filter leaves, asked for by its key. */
async function exported(page: Page, filter: string): Promise<string> {
  await page.getByLabel('Filter calls').fill(filter);
  await page.getByRole('option').first().click();
  await page.locator('#export-test').waitFor();
  await page.keyboard.press('x');
  const code = (await page.getByLabel('The call as a test').textContent()) ?? '';
  assert.match(code, /^\/\/ Exported by the Halfopen dashboard/);
  return code;
}

/** Runs a test file with Node's own runner, on the built package; what it printed, and whether it passed. */
function run(name: string, code: string): Promise<{ passed: boolean; said: string }> {
  const path = join(folder, name);
  writeFileSync(path, code);
  return new Promise((resolve) => {
    // Without the variable by which this very runner tells its children that they are its own.
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    execFile(process.execPath, ['--import', 'tsx', '--test', path], { cwd: root, env }, (error, stdout) =>
      resolve({ passed: error === null, said: stdout }),
    );
  });
}

describe('over a recorded file', { concurrency: false }, () => {
  test('the call that opened the breaker runs again as a test, and fails under another policy', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    const troubles = troublesOf(page);
    await openFixture(page);
    const code = await exported(page, 'gift cards');
    const first = await run('breaker.test.ts', code);
    assert.ok(first.passed, first.said);
    for (const [setting, other] of [
      ['maxRetries: 2', 'maxRetries: 1'],
      ['baseDelayMs: 200', 'baseDelayMs: 300'],
      ['failureThreshold: 5', 'failureThreshold: 6'],
    ] as const) {
      assert.ok(code.includes(setting), setting);
      const changed = await run('changed.test.ts', code.replace(setting, other));
      assert.equal(changed.passed, false, `it passes with ${other} too`);
    }
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test('Save gives the same text as a file, Copy to the clipboard', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await openFixture(page);
    const code = await exported(page, 'status:rejected');
    const download = page.waitForEvent('download');
    await page.locator('.code-tools').getByRole('button', { name: 'Save' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'halfopen-call.test.ts');
    assert.equal(readFileSync(await file.path(), 'utf8'), code);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.code-tools').getByRole('button', { name: 'Copy' }).click();
    await page.locator('.code-tools').getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), code);
    await page.close();
  });

  test('a report and a trace of what the filter leaves, by menu and by key', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await openFixture(page);
    const saved = async (act: () => Promise<void>) => {
      const download = page.waitForEvent('download');
      await act();
      return readFileSync(await (await download).path(), 'utf8');
    };
    const report = await saved(async () => {
      await page.getByText('Export', { exact: true }).click();
      await page.getByRole('button', { name: /^Report/ }).click();
    });
    assert.match(report, /^# Incident of 2026-11-22T/);
    assert.match(report, /\| `SERVER_ERROR` \| `http.5xx` \| 16 \| yes \| `openai` \|/);
    assert.match(report, /breaker support-desk open: 5 failures in a row/);
    assert.match(report, /> OpenAI is having technical problems; your request is not the cause\./);
    assert.match(report, /breakerScope: 'attempt'/);

    await page.getByLabel('Filter calls').fill('status:rejected');
    await page.keyboard.press('Enter');
    const trace = JSON.parse(await saved(() => page.keyboard.press('g'))) as {
      traceEvents: { ph: string; name: string; args?: { outcome?: string } }[];
    };
    const calls = trace.traceEvents.filter((event) => event.ph === 'X' && event.args?.outcome !== undefined);
    assert.ok(calls.length > 0 && calls.every((event) => event.args?.outcome === 'rejected'));
    const narrowed = await saved(() => page.keyboard.press('r'));
    assert.match(narrowed, /Only calls that match `status:rejected`\./);
    await page.close();
  });

  test('a filter that cannot be read exports nothing, and the bar says so until it can be', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await openFixture(page);
    const filter = page.getByLabel('Filter calls');
    const saved: Download[] = [];
    page.on('download', (download) => saved.push(download));
    const note = page.locator('.status .note');
    for (const entry of [/^Report/, /^Trace/]) {
      await filter.fill('duration>soon');
      await page.getByText('Export', { exact: true }).click();
      await page.getByRole('button', { name: entry }).click();
      await note.getByText('Nothing was saved, because the filter cannot be read').waitFor();
      await filter.fill('status:rejected');
      await until(
        () => note.textContent(),
        (text) => text === '',
      );
    }
    // Files come in the order in which they were saved: one of the wrong filter would be here before these two.
    await page.keyboard.press('Enter');
    for (const [at, key] of ['g', 'r'].entries()) {
      await page.keyboard.press(key);
      await until(
        () => saved.length,
        (files) => files > at,
      );
    }
    assert.deepEqual(
      saved.map((download) => download.suggestedFilename()),
      ['halfopen-trace.json', 'halfopen-incident.md'],
    );
    await page.close();
  });

  test('exports need no server once the page is there', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await openFixture(page);
    await page.context().setOffline(true);
    for (const key of ['r', 'g', 'e']) {
      const download = page.waitForEvent('download');
      await page.keyboard.press(key);
      await download;
    }
    await page.close();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1400, 400]) {
      test(`menu and test at ${width} px, ${theme}`, async () => {
        const page = await openPage(stage.browser, stage.server.dashboardUrl, width, theme);
        await openFixture(page);
        await openTools(page);
        await page.getByText('Export', { exact: true }).click();
        const entry = page.getByRole('button', { name: /^Report/ });
        await entry.waitFor();
        assert.ok(((await entry.boundingBox())?.x ?? -1) >= 0, 'the menu stands within the page');
        await page.screenshot({ path: join(output, `export-menu-${width}-${theme}.png`) });
        assert.deepEqual(await seriousFindings(page), []);
        await exported(page, 'gift cards');
        await page.getByLabel('The call as a test').scrollIntoViewIfNeeded();
        await page.screenshot({ path: join(output, `export-test-${width}-${theme}.png`) });
        assert.deepEqual(await seriousFindings(page), []);
        const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(wide), 0);
        await page.close();
      });
    }
  }
});

test('the test of a call that goes on stays open while more is told of it', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await page.keyboard.press('d');
  await page.getByLabel('Filter calls').fill('retrying');
  await page.getByRole('option').first().click();
  await page.keyboard.press('x');
  const shown = page.getByLabel('The call as a test');
  await shown.waitFor();
  for (let tick = 0; tick < 10; tick++) {
    await page.waitForTimeout(100);
    assert.equal(await shown.count(), 1, `gone after ${tick + 1} ticks`);
  }
  await page.close();
});

test('over a live agent: a retried call becomes a test that passes', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  const token = new URL(stage.server.dashboardUrl).searchParams.get('token') ?? undefined;
  const day = runAgent(stage.server.url, token);
  await page.getByRole('listbox', { name: 'Calls' }).waitFor();
  assert.equal(await day, 0);
  const code = await exported(page, 'retried status:ok code:RATE_LIMITED');
  const { passed, said } = await run('live.test.ts', code);
  assert.ok(passed, said);
  assert.match(said, /# pass 1/);
  await page.close();
});
