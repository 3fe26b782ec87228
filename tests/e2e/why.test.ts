// The why in Chromium: Errors, Findings and Classify over a live agent and over its recorded incident, and what is pasted.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { scratch } from '../../scripts/scratch.mjs';
import {
  drawn,
  go,
  openFixture,
  openPage,
  output,
  runAgent,
  seriousFindings,
  serverFor,
  setStage,
  troublesOf,
  until,
} from './stage.js';

const stage = setStage();

/** The address of a view. */
const at = (view: string) => `${stage.server.dashboardUrl}&view=${view}`;

const check = (page: Page, name: string) => page.locator(`[data-check="${name}"]`);

describe('over the recorded incident', { concurrency: false }, () => {
  test('nothing is live: no pause, no following, but the file’s name and a way to close it', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    const tools = page.getByRole('group', { name: 'Events' });
    await tools.getByRole('button', { name: /Pause/ }).waitFor();
    await openFixture(page);
    await tools.getByText('incident.jsonl').waitFor();
    for (const name of [/Pause/, /Clear/, /Follow/])
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name));
    // Nothing waits at its end, and no time will pass.
    assert.equal(await page.getByRole('region', { name: 'Pending' }).count(), 0);
    await page.keyboard.press('p');
    await tools.getByRole('button', { name: 'Close the file' }).click();
    await page.getByText('Connected').waitFor();
    await tools.getByRole('button', { name: /Pause/ }).waitFor();
    assert.equal(await tools.getByText('incident.jsonl').count(), 0);
    await page.close();
  });

  test('a trend is over the whole log, and each of its failures has its place there', async () => {
    const page = await openPage(stage.browser, at('errors'));
    await openFixture(page);
    await page.getByText('Over 9.14 s').waitFor();
    const bars = await page
      .getByRole('button', { name: /SERVER_ERROR/ })
      .locator('.trend rect')
      .evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    // The first three seconds after the first second: more than one bar, and none where the breaker was open.
    assert.ok(bars.filter((height) => height > 0).length > 5, bars.join(' '));
    assert.ok(
      bars.slice(21).every((height) => height === 0),
      bars.join(' '),
    );
    await page.getByRole('button', { name: /RATE_LIMITED.*at/ }).waitFor();
    await page.close();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1400, 400]) {
      test(`Findings, Errors and Classify at ${width} px, ${theme}`, async () => {
        const page = await openPage(stage.browser, at('findings'), width, theme);
        const troubles = troublesOf(page);
        await openFixture(page);
        await check(page, 'hidden-outage').waitFor();
        const findings: string[] = [];
        for (const view of ['Findings', 'Errors', 'Breakers', 'Classify']) {
          await go(page, view);
          await page.getByRole('region', { name: view }).first().waitFor();
          await drawn(page);
          await page.screenshot({
            path: join(output, `why-${view.toLowerCase()}-${width}-${theme}.png`),
            fullPage: true,
          });
          for (const finding of await seriousFindings(page)) findings.push(`${view}: ${finding}`);
          const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate(wide), 0, `${view} is wider than the window`);
        }
        assert.deepEqual(findings, []);
        assert.deepEqual(troubles, []);
        await page.close();
      });
    }
  }

  test('each finding has its count, its fix to copy, and its evidence one click away', async () => {
    const page = await openPage(stage.browser, at('findings'));
    await openFixture(page);
    const futile = check(page, 'futile-retries');
    await futile.getByRole('heading', { name: '10 retries of SERVER_ERROR in a row' }).waitFor();
    await futile.getByText("They belong to 5 calls of 'support-desk'").waitFor();
    // Each setting as it is, beside what it is to be.
    assert.deepEqual(await futile.locator('.settings li').allTextContents(), [
      "breakerScope'call' (default) → 'attempt'",
      'retry.budgetfalse → { ratio: 0.1 }',
    ]);
    assert.match((await futile.locator('pre').textContent()) ?? '', /breakerScope: 'attempt'/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await futile.getByRole('button', { name: 'Copy' }).click();
    await futile.getByRole('button', { name: 'Copied' }).waitFor();
    assert.match(
      String(await page.evaluate('navigator.clipboard.readText()')),
      /^createPolicy\(\{\n {2}name: "support-desk",/,
    );
    assert.match((await page.getByRole('link', { name: /^Findings/ }).textContent()) ?? '', /2$/);
    await page.waitForURL((url) => url.searchParams.get('view') === 'findings');

    await futile.getByRole('button', { name: /gift cards/ }).click();
    await page.getByRole('heading', { name: /gift cards/ }).waitFor();
    await page.waitForURL((url) => url.searchParams.has('call'));
    await page.close();
  });

  test('a breaker says why it opened, under which settings, and a call that it refused leads there', async () => {
    const page = await openPage(stage.browser, at('breakers'));
    await openFixture(page);
    const breaker = page.getByRole('article', { name: 'Breaker support-desk' });
    await breaker.locator('.why').getByText('5 failures in a row').waitFor();
    await breaker.getByText('RATE_LIMITED ×1, SERVER_ERROR ×16, in 7 calls').waitFor();
    const settings = (await breaker.locator('.why dl').textContent()) ?? '';
    assert.match(settings, /breakerScope'call'.*failureThreshold5resetTimeoutMs2000/);
    assert.equal(await breaker.locator('header .state').textContent(), '●closed');

    await go(page, 'Timeline');
    await page.getByLabel('Filter calls').fill('task:"refund 1043"');
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Why the breaker refused it' }).click();
    await breaker.waitFor();
    assert.match(String(await page.evaluate('document.activeElement.textContent')), /^support-desk/);
    await page.close();
  });

  test('Errors tells a failure whole: signals, rule and source, recovery, report, every language', async () => {
    const page = await openPage(stage.browser, at('errors'));
    await openFixture(page);
    await page
      .getByRole('button', { name: /SERVER_ERROR/ })
      .first()
      .click();
    const closer = page.getByRole('article', { name: 'The last failure of this group' });
    await closer.getByRole('link', { name: 'RFC 9110 §15' }).waitFor();
    assert.equal(
      await closer.getByRole('link', { name: 'RFC 9110 §15' }).getAttribute('href'),
      'https://www.rfc-editor.org/rfc/rfc9110#section-15',
    );
    assert.match((await closer.getByLabel('Signals').textContent()) ?? '', /"status": 500/);
    await closer.getByText('status 500 to 599').waitFor();
    await closer.getByText('Default route').waitFor();
    assert.equal(await closer.locator('.messages > div').count(), 6);
    await closer.getByText('Report', { exact: true }).click();
    // The report is of a call that ended with the error, not of the last one, which a retry answered.
    assert.match((await closer.getByLabel('Report', { exact: true }).textContent()) ?? '', /refund 1042/);

    await closer.getByRole('button', { name: 'Classify these signals' }).click();
    const rules = page.locator('.rules');
    await rules.locator('.decided').getByText('http.5xx', { exact: true }).waitFor();
    await page.close();
  });
});

test('a live agent: its findings come as it goes, and lead to the breaker and the call', async () => {
  const page = await openPage(stage.browser, at('findings'));
  const troubles = troublesOf(page);
  const token = new URL(stage.server.dashboardUrl).searchParams.get('token') ?? undefined;
  const day = runAgent(stage.server.url, token, 'examples/incident.ts');
  await check(page, 'futile-retries').waitFor();
  await check(page, 'hidden-outage').waitFor();
  assert.equal(await day, 0);
  const found = await page
    .locator('[data-check]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-check')));
  assert.deepEqual(found, ['hidden-outage', 'futile-retries']);
  await check(page, 'hidden-outage')
    .getByRole('button', { name: /repairs|vouchers|careers/ })
    .first()
    .click();
  await page.locator('#details').getByText('What happened').waitFor();
  assert.deepEqual(troubles, []);
  await page.close();
});

describe('Classify', { concurrency: false }, () => {
  test('says which rules were asked, which came close, which decided, and by whose word', async () => {
    const page = await openPage(stage.browser, at('classify'));
    await page.getByLabel(/^The error/).fill('{"status":429,"error":{"code":"insufficient_quota"}}');
    const rules = page.locator('.rules');
    const decided = rules.locator('.decided');
    await decided.getByText('http.429.insufficient_quota').waitFor();
    await decided.getByText('status 429, code insufficient_quota').waitFor();
    assert.equal(
      await decided.getByRole('link').getAttribute('href'),
      'https://platform.openai.com/docs/guides/error-codes',
    );
    const few = await rules.locator('li').count();
    await page.getByRole('button', { name: /^All \d+ that were tried$/ }).click();
    assert.ok((await rules.locator('li').count()) > few + 10);
    await page.close();
  });

  test('takes a stack trace, and several lines of JSON one by one', async () => {
    const page = await openPage(stage.browser, at('classify'));
    const field = page.getByLabel(/^The error/);
    await field.fill(
      "RateLimitError: 429 quota\n    at generate (/app/openai.mjs:63:20) {\n  status: 429,\n  code: 'insufficient_quota'\n}",
    );
    await page.getByText(/^Read as a stack trace: [A-Z_]+\.$/).waitFor();
    await page.locator('.rules .decided').getByText('http.429.insufficient_quota').waitFor();
    await field.fill(
      '{"status":503}\n{"status":401}\n{"level":50,"err":{"type":"E","message":"m","status":529}}',
    );
    await page.getByRole('heading', { name: '3 errors, one a line' }).waitFor();
    await page.getByRole('button', { name: /2 .*AUTHENTICATION_ERROR/ }).click();
    await page
      .locator('.rules .decided')
      .getByText(/^http\.401/)
      .waitFor();
    await page.close();
  });

  test('shows hostile text as text, and ten megabytes do not hold it up', async () => {
    const page = await openPage(stage.browser, at('classify'));
    const troubles = troublesOf(page);
    const field = page.getByLabel(/^The error/);
    await field.fill(
      '{"name":"<img src=x onerror=alert(1)>","status":"<script>alert(1)</script>","code":"<b>"}',
    );
    await page.getByRole('article', { name: 'Classification' }).waitFor();
    assert.equal(await page.locator('main img, main script, main b >> text=alert').count(), 0);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(
      `navigator.clipboard.writeText('Error: 503 Service Unavailable ' + 'x'.repeat(10 * 1024 * 1024))`,
    );
    await field.fill('');
    await field.focus();
    await page.keyboard.press('Control+V');
    await page.getByText('Only the first 256 KiB are read.').waitFor();
    await page.locator('.rules .decided').waitFor();
    assert.deepEqual(troubles, []);
    await page.close();
  });
});

// All but core-restarted: no agent can be written that makes the module trap. The order is that of the harm done.
const CHECKS = [
  'advice-ignored',
  'budget-spent',
  'empty-answers',
  'flapping',
  'futile-retries',
  'hair-trigger',
  'hidden-outage',
  'long-timeout',
  'loop',
  'nested-retries',
  'no-stall-timeout',
  'no-timeout',
  'policy-per-request',
  'repaired-often',
  'retry-after',
  'run-without-limit',
  'short-deadline',
  'short-timeout',
  'unknown-share',
  'unread-stream',
  'words-alone',
];

test('every check finds what a live agent does wrong, and finds it again in the file', async (t) => {
  const own = await serverFor(t);
  const page = await stage.browser.newPage({ viewport: { width: 1400, height: 880 } });
  const names = () =>
    page
      .locator('[data-check]')
      .evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('data-check')))].sort());
  await page.goto(`${own.dashboardUrl}&view=findings`);
  const token = new URL(own.dashboardUrl).searchParams.get('token') ?? undefined;
  assert.equal(await runAgent(own.url, token, 'tests/e2e/troubled-agent.ts'), 0);
  // They come as what they tell of comes.
  await until(names, (all) => all.length >= CHECKS.length);
  assert.deepEqual(await names(), CHECKS);

  // A finding about a breaker leads to that breaker, which has the focus.
  await check(page, 'flapping').getByRole('button', { name: 'breaker flapping' }).click();
  await page.getByRole('article', { name: 'Breaker flapping' }).waitFor();
  assert.match(String(await page.evaluate('document.activeElement.textContent')), /^flapping/);
  // One about a group of failures leads to that group.
  await go(page, 'Findings');
  await check(page, 'unknown-share')
    .getByRole('button', { name: /UNKNOWN/ })
    .click();
  await page.getByText('No rule knows this error.').waitFor();

  const file = join(scratch(), 'troubled.jsonl');
  const answer = await page.request.get(`${own.url}/events?format=jsonl`, {
    headers: { authorization: `Bearer ${own.token}` },
  });
  writeFileSync(file, await answer.body());
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('File: troubled.jsonl').waitFor();
  await go(page, 'Findings');
  await check(page, 'hair-trigger').waitFor();
  assert.deepEqual(await names(), CHECKS);
  await page.close();
});
