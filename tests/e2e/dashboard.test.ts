// The dashboard in Chromium: over a live agent, over a recorded file, over hostile lines, and on its own.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratch } from '../../scripts/scratch.mjs';
import {
  drawn,
  go,
  openPage,
  output,
  runAgent,
  seriousFindings,
  setStage,
  startServer,
  troublesOf,
  until,
} from './stage.js';

const VIEWS = [
  'Health',
  'Timeline',
  'Breakers',
  'Errors',
  'Findings',
  'Traffic',
  'Fleet',
  'Runs',
  'Classify',
] as const;

const stage = setStage();
const folder = scratch();
/** The log of a day of the agent that is over. */
const recorded = join(folder, 'recorded.jsonl');
let server: Awaited<ReturnType<typeof startServer>>;
before(async () => {
  server = await startServer();
  assert.equal(await runAgent(server.url, server.token), 0);
  writeFileSync(recorded, await logOf(server));
});
after(() => server?.stop());

/** The whole log of a server. */
async function logOf({ url, token = '' }: { url: string; token?: string | undefined }): Promise<string> {
  const answer = await fetch(`${url}/events?format=jsonl`, { headers: { authorization: `Bearer ${token}` } });
  return answer.text();
}

describe('over a live agent', { concurrency: false }, () => {
  test('calls, waits, the breaker, fallbacks and messages show as they happen', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    const troubles = troublesOf(page);
    await page.getByText('Nothing has happened yet').waitFor();
    const token = new URL(stage.server.dashboardUrl).searchParams.get('token') ?? undefined;
    const day = runAgent(stage.server.url, token);
    await page.getByRole('listbox', { name: 'Calls' }).waitFor();
    assert.equal(await day, 0);
    await page.getByText('Connected').waitFor();

    // A call that was retried: each attempt with its rule, and the wait between.
    await page.getByLabel('Filter calls').fill('retried code:SERVER_ERROR,RATE_LIMITED');
    await page.getByRole('option').first().click();
    const details = page.locator('#details');
    await details
      .getByText(/backoff|Retry-After/)
      .first()
      .waitFor();
    assert.ok((await details.locator('.step.attempt.failed').count()) >= 1);
    assert.match((await details.locator('.verdict').first().textContent()) ?? '', /by rule http\./);
    await page.waitForURL((url) => url.searchParams.get('q') === 'retried code:SERVER_ERROR,RATE_LIMITED');
    await page.screenshot({ path: join(output, 'live-details.png') });
    await page.keyboard.press('Escape');
    await page.getByLabel('Filter calls').fill('');

    await page.emulateMedia({ colorScheme: 'dark' });
    await page
      .getByRole('option', { name: /^openai: chapter 1:/ })
      .first()
      .click();
    await details
      .getByRole('region', { name: 'What the user reads' })
      .getByText(/technical problems/)
      .waitFor();
    await page.screenshot({ path: join(output, 'dashboard.png') });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.keyboard.press('Escape');

    await go(page, 'Breakers');
    const breaker = page.getByRole('article', { name: 'Breaker openai' });
    assert.match((await breaker.locator('.track').getAttribute('aria-label')) ?? '', /open for/);
    await breaker.getByText('Why it opened').waitFor();
    await breaker.getByRole('img', { name: /^Last results, oldest first/ }).waitFor();

    await go(page, 'Traffic');
    await page.getByRole('row', { name: /openai/ }).waitFor();
    await go(page, 'Errors');
    await page
      .getByRole('button', { name: /http\./ })
      .first()
      .waitFor();
    assert.equal(await page.locator('[data-loss="malformed"]').textContent(), '0 malformed');
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test('a page that comes later sees all of it, and a restart of the view loses nothing', async () => {
    const lines = readFileSync(recorded, 'utf8').trimEnd().split('\n');
    const calls = new Set(lines.map((line) => JSON.parse(line).call).filter((call) => call !== undefined));
    const all = [`${lines.length} events`, `${calls.size} calls`];
    assert.ok(calls.size > 5, `${calls.size} calls`);
    const page = await openPage(stage.browser, `${server.dashboardUrl}&view=breakers`);
    const counts = async () =>
      (await page.locator('.status > span').allTextContents())
        .map((text) => text.replaceAll('\u202f', ''))
        .filter((text) => /^\d+ (events|calls)$/.test(text));
    const sees = (texts: string[]) => texts.join() === all.join();
    await until(counts, sees);
    await page.reload();
    await page.getByText('Connected').waitFor();
    await until(counts, sees);
    assert.equal(await page.locator('[data-loss="dropped"]').textContent(), '0 dropped');
    // The view is as it was left.
    await page.getByRole('heading', { name: 'Circuit breakers' }).waitFor();
    await page.close();
  });
});

describe('over a recorded file', { concurrency: false }, () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1400, 400]) {
      test(`every view at ${width} px, ${theme}: readable, complete, nothing serious for axe`, async () => {
        const page = await openPage(stage.browser, stage.server.dashboardUrl, width, theme);
        const troubles = troublesOf(page);
        await page.locator('input[type=file]').setInputFiles(recorded);
        await page.getByText('File: recorded.jsonl').waitFor();
        const findings: string[] = [];
        for (const view of VIEWS) {
          await go(page, view);
          await page.getByRole('region', { name: view }).first().waitFor();
          await drawn(page);
          await page.screenshot({ path: join(output, `${view.toLowerCase()}-${width}-${theme}.png`) });
          for (const finding of await seriousFindings(page)) findings.push(`${view}: ${finding}`);
          const wide = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          assert.equal(wide, 0, `${view} is wider than the window`);
          const nodes = Number(await page.evaluate('document.querySelectorAll("body *").length'));
          assert.ok(nodes <= 1_500, `${view} has ${nodes} nodes`);
        }
        await go(page, 'Timeline');
        await page.getByRole('option').first().click();
        await page.locator('#details').waitFor();
        await page.screenshot({ path: join(output, `details-${width}-${theme}.png`) });
        for (const finding of await seriousFindings(page)) findings.push(`details: ${finding}`);
        assert.deepEqual(findings, []);
        assert.deepEqual(troubles, []);
        await page.close();
      });
    }
  }
});

describe('a failed call of a recorded file', { concurrency: false }, () => {
  for (const [theme, width] of [
    ['light', 1400],
    ['dark', 1400],
    ['light', 400],
  ] as const) {
    test(`its message, its context and its report show at ${width} px, ${theme}`, async () => {
      const page = await openPage(stage.browser, stage.server.dashboardUrl, width, theme);
      const troubles = troublesOf(page);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('input[type=file]').setInputFiles(recorded);
      await page.getByText('File: recorded.jsonl').waitFor();
      const failed = failedCall();
      await page.getByLabel('Filter calls').fill(`call:${failed.call}`);
      await page.getByRole('option').first().click();
      const details = page.locator('#details');
      const message = details.getByRole('region', { name: 'What the user reads' });
      await message.getByText(failed.userMessage.slice(0, 30)).waitFor();

      const context = details.getByRole('region', { name: 'Context' });
      const fact = (name: string) =>
        context
          .locator('div')
          .filter({ has: page.getByText(name, { exact: true }) })
          .locator('dd')
          .textContent();
      assert.equal(await fact('Task'), failed.task);
      assert.equal(await fact('Operation'), failed.policy);
      assert.equal(await fact('Severity'), failed.severity);
      assert.match((await fact('Default route')) ?? '', failed.leadsTo);
      assert.equal(await fact('Retries'), String(Math.max(0, failed.attempts - 1)));
      assert.equal(await fact('Attempts'), String(failed.attempts));
      assert.match((await fact('Execution time')) ?? '', /^[\d.]+ (ms|s)$|m/);

      // The report stays folded until it is opened, and is in the message's language.
      const report = details.locator('pre[aria-label=Report]');
      assert.equal(await report.isVisible(), false);
      await details.getByText('Report', { exact: true }).click();
      await report.waitFor();
      const english = (await report.textContent()) ?? '';
      assert.match(english, /^⚠️ \*\*Error report\*\* - \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
      assert.ok(english.includes(`(${failed.code}, ${failed.severity})`), english);
      assert.ok(english.includes(`**Failed operation:** ${failed.policy}`), english);
      await page.screenshot({ path: join(output, `report-${width}-${theme}.png`) });
      assert.deepEqual(await seriousFindings(page), []);

      await details.getByRole('button', { name: 'Copy', exact: true }).click();
      await details.getByRole('button', { name: 'Copied' }).waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), english);

      await details.getByLabel('Language').selectOption('de');
      await details.getByText('Fehlerbericht').waitFor();
      assert.equal(await report.getAttribute('lang'), 'de');
      // The copied text differs from the present one.
      await details.getByRole('button', { name: 'Copy', exact: true }).waitFor();
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(wide, 0);

      // The language stays when another call is selected; one that answered has neither context nor report.
      await page.keyboard.press('Escape');
      await page.getByLabel('Filter calls').fill('status:ok');
      await page.getByRole('option').first().click();
      await details.getByText('What happened').waitFor();
      assert.equal(await details.getByText('Context', { exact: true }).count(), 0);
      assert.equal(await report.count(), 0);
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }

  const LEADS: Record<string, RegExp> = {
    critical: /^error – /,
    retriable: /^(retry – the same step after .+, retry \d of 3|error – the retries are used up)$/,
    replanning: /^orchestrator – /,
    reclassification: /^classifier – /,
    fatal: /^abort – /,
  };

  /** The first call of the record that failed although it was retried, as its own lines tell it. */
  function failedCall() {
    const events = readFileSync(recorded, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    for (const end of events.filter((event) => event.type === 'call.failed')) {
      const of = (type: string) => events.filter((event) => event.call === end.call && event.type === type);
      const task = of('call.started')[0]?.task;
      const last = of('attempt.failed').at(-1);
      if (typeof task !== 'string' || last?.code !== end.code || end.attempts < 2) continue;
      const { call, code, policy, userMessage } = end;
      const severity: string = last.severity;
      const leadsTo = LEADS[severity] ?? /./;
      return {
        call,
        task,
        code,
        policy,
        userMessage,
        severity,
        leadsTo,
        attempts: of('attempt.started').length,
      };
    }
    throw new Error('no call of the record failed');
  }
});

describe('hostile lines', () => {
  const head = (seq: number) => ({ v: 1, source: 'evil', seq, time: 1_700_000_000_000 + seq * 100 });
  const markup = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>';
  const failed = {
    type: 'attempt.failed',
    call: 'c',
    attempt: 1,
    durationMs: 5,
    code: markup,
    severity: markup,
    retryable: true,
    rule: markup,
    technicalDetails: `${markup}${'A'.repeat(200_000)}`,
    signals: { [markup]: markup },
    counted: true,
    requestId: markup,
  };
  const lines = [
    { ...head(1), type: 'call.started', call: 'c', policy: markup, task: markup },
    { ...head(2), type: 'attempt.started', call: 'c', attempt: 1, provider: markup, model: markup },
    { ...head(3), ...failed },
    {
      ...head(4),
      type: 'call.failed',
      call: 'c',
      attempts: 1,
      durationMs: 9,
      code: markup,
      why: markup,
      userMessage: markup,
    },
    {
      ...head(5),
      type: 'breaker.changed',
      breaker: markup,
      from: 'closed',
      to: 'open',
      reason: markup,
      generation: 1,
    },
    { ...head(6), type: `future.${markup}`, what: markup },
    { ...head(7), v: 9, type: 'call.succeeded', attempts: 'many' },
    { ...head(8), type: 'call.succeeded', call: 'c', attempts: 1, durationMs: Number.NaN },
    { ...head(9), type: 'call.started', call: 'x', time: -1 },
    { ...head(10), type: 'call.started', call: 17 },
  ];

  test('they show as text or are counted, and run nothing', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    const troubles = troublesOf(page);
    const path = join(folder, 'hostile.jsonl');
    const huge = JSON.stringify({ ...head(11), ...failed, technicalDetails: 'B'.repeat(1_000_000) });
    const text = [...lines.map((line) => JSON.stringify(line)), huge, '<html>', '{"v":1,"sou'].join('\n');
    writeFileSync(path, text);
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByText('File: hostile.jsonl').waitFor();
    // The file is read in pieces; the bar says so until it is through.
    await page.getByText('5 malformed', { exact: true }).waitFor();
    assert.equal(await page.locator('[data-loss="torn"]').textContent(), '1 torn');
    assert.equal(await page.locator('[data-loss="unknown"]').textContent(), '2 unknown');
    await page.getByRole('option').first().click();
    await page.locator('#details .technical').waitFor();
    assert.ok(((await page.locator('#details').textContent()) ?? '').includes(markup));
    const report = page.locator('pre[aria-label=Report]');
    assert.match((await report.textContent()) ?? '', /UNKNOWN \(UNKNOWN, critical\)/);
    assert.equal(await report.locator('*').count(), 0);
    for (const view of VIEWS) await go(page, view);
    assert.equal(await page.evaluate('window.owned'), undefined);
    assert.equal(await page.locator('main img, main script').count(), 0);
    assert.deepEqual(troubles, []);
    await page.close();
  });
});

describe('on its own', () => {
  test('a demonstration whose module is not there says so', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl, 1400, 'light', (fresh) =>
      fresh.route('**/answers.wasm', (route) => route.fulfill({ status: 404, body: '' })),
    );
    await page.locator('body').press('d');
    await page
      .getByText(/could not be loaded \(the server answers 404\): answers\.wasm should lie/)
      .waitFor();
    await page.close();
  });

  test('the demonstration runs, pauses, clears, filters, exports and answers to keys', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl, 1400, 'light', (fresh) =>
      fresh.clock.install(),
    );
    const troubles = troublesOf(page);
    await page.locator('body').press('d');
    await page.getByText('Demonstration in this page').waitFor();
    const events = async () =>
      Number(
        (
          (await page
            .locator('.status')
            .getByText(/events$/)
            .textContent()) ?? ''
        ).replaceAll(/\D/g, ''),
      );
    // Its module is fetched first; then what came before is there at once.
    const first = await until(events, (count) => count > 500);
    await until(events, (count) => count > first);

    await page.keyboard.press('p');
    // The counts are written four times a second; the demonstration's time follows the page's clock.
    await page.clock.runFor(600);
    const paused = await events();
    await page.clock.runFor(5_000);
    assert.equal(await events(), paused);
    await page.keyboard.press('p');

    await page.keyboard.press('/');
    await page.keyboard.type('code:PROVIDER_OVERLOADED');
    await page.getByRole('option').first().waitFor();
    const labels = await page
      .getByRole('option')
      .evaluateAll((rows) => rows.map((row) => row.textContent ?? ''));
    assert.ok(
      labels.length > 0 && labels.every((label) => /PROVIDER_OVERLOADED|anthropic/.test(label)),
      labels.join('\n'),
    );
    await page.keyboard.type(' duration>soon');
    await page.getByText(/expected a number or a time/).waitFor();
    await page.getByLabel('Filter calls').fill('');
    await page.keyboard.press('Escape');

    await page.keyboard.press('j');
    await page.locator('#details').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#details').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys, filters and signs' }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.keyboard.press('Escape');

    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('e')]);
    assert.equal(download.suggestedFilename(), 'halfopen-events.jsonl');
    // The digits count the tabs.
    const tabs = 'Health Timeline Runs Errors Breakers Traffic Findings Fleet Classify'.split(' ');
    for (const [index, view] of tabs.entries()) {
      await page.keyboard.press(String(index + 1));
      await page.getByRole('region', { name: view }).first().waitFor();
    }
    await page.keyboard.press('t');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
    await page.keyboard.press('t');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.keyboard.press('2');
    await page.screenshot({ path: join(output, 'demonstration-dark.png') });
    await page.keyboard.press('c');
    await until(events, (count) => count < paused);
    assert.deepEqual(troubles, []);
    await page.close();
  });
});
