// The Lab view: policies compared in a worker, edited, cancelled, shared, exported, fitted to a log, and run for real.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { replay, type Scenario, simulate } from 'halfopen/lab';
import type { Download, Page } from 'playwright-core';
import {
  fixture,
  openFixture,
  openPage,
  output,
  seriousFindings,
  serverFor,
  setStage,
  troublesOf,
  until,
} from './stage.js';

const stage = setStage();

const at = (fragment = '') => `${stage.server.dashboardUrl}&view=lab${fragment}`;

/** A scenario in an address, as the view writes it. */
const fragmentOf = (scenario: Scenario) =>
  `#lab=${Buffer.from(JSON.stringify(scenario)).toString('base64url')}`;

/** Some seconds of an outage: small enough to be run for real. */
const SHORT: Scenario = {
  version: 1,
  name: 'Short outage',
  durationMs: 3000,
  intervalMs: 250,
  clients: { count: 5, processes: 1, arrivals: { kind: 'open', perSecond: 20, process: 'constant' } },
  policies: {
    'no retry': { retry: false, breaker: false },
    retries: { retry: { maxRetries: 3, baseDelayMs: 200, enableJitter: false }, breaker: false },
  },
  provider: { servers: 8, service: { kind: 'constant', mean: 50 } },
  faults: [{ kind: 'outage', atMs: 1000, forMs: 1000 }],
};

const card = (page: Page, name: string) => page.getByRole('article', { name });
const bar = (page: Page) => page.locator('.lab-bar');
/** Everything has come: the runs, the pauses, and the bands of the seeds. */
const compared = async (page: Page) => {
  const small = page.locator('.lab-totals small:not(:empty)');
  await until(
    () => small.count(),
    (count) => count > 4,
  );
};

const saved = async (download: Download) => readFileSync(await download.path());

test('it shows at once why ten retries without a budget are a bad policy', async () => {
  const page = await openPage(stage.browser, at());
  const troubles = troublesOf(page);
  await compared(page);
  const bad = await card(page, '10 retries, no budget').textContent();
  const good = await card(page, 'Retry budget 10 %').textContent();
  assert.match(bad ?? '', /survives a pause of 0\.\d s.*Never recovers: 0\.0 of 2\d\.\d calls a second/);
  assert.match(good ?? '', /survives a pause of over 20 s.*Recovers .* after the fault/);
  const totals = page.getByRole('region', { name: 'Totals' }).getByRole('row');
  assert.equal(await totals.count(), 5);
  // The numbers are those of `halfopen/lab` itself.
  const scenario = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../web/model/src/view/lab/presets/outage.json'), 'utf8'),
  ) as Scenario;
  const { policies } = await simulate(scenario);
  const load = policies['10 retries, no budget']?.totals.amplification.toFixed(2);
  assert.match((await totals.nth(3).textContent()) ?? '', new RegExp(`${load}×`));
  assert.deepEqual(troubles, []);
  await page.close();
});

test('it shows which inputs the conclusion hangs on', async () => {
  const page = await openPage(stage.browser, at());
  const inputs = page.getByRole('region', { name: 'What the conclusion hangs on' }).getByRole('listitem');
  await until(
    () => inputs.count(),
    (count) => count > 2,
  );
  assert.match((await inputs.first().textContent()) ?? '', /^[^:]+: [A-Z].+[+-]\d+\.\d points$/);
  await page.close();
});

test('what does not fit is said at its field, in the words of the core', async () => {
  const page = await openPage(stage.browser, at());
  await compared(page);
  const servers = page.getByLabel('Served at once');
  await servers.fill('-3');
  const why = page.getByRole('alert').filter({ hasText: 'provider.servers' });
  await why.waitFor();
  assert.match((await why.textContent()) ?? '', /expected a whole number from 1 .*got -3/);
  assert.equal(await servers.getAttribute('aria-invalid'), 'true');
  await page.locator('.lab-field.bad').getByText('got -3').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Run', exact: false }).first().isDisabled());
  await servers.fill('many');
  await page.locator('.lab-field.bad').getByText("got 'many'").waitFor();
  await servers.fill('8');
  await why.waitFor({ state: 'detached' }).catch(() => why.waitFor({ state: 'hidden' }));
  assert.equal(await servers.getAttribute('aria-invalid'), 'false');
  // The value that would make the run too long carries the message, with the duration.
  const rate = page.getByLabel('Calls of all clients');
  await rate.fill('1000000000');
  await page.getByRole('alert').filter({ hasText: 'clients.arrivals.perSecond' }).waitFor();
  await page
    .locator('.lab-field.bad')
    .getByText(/takes \d+ (hours|days|years)/)
    .first()
    .waitFor();
  assert.equal(await rate.getAttribute('aria-invalid'), 'true');
  await rate.fill('-1');
  await page.locator('.lab-field.bad').getByText('got -1').first().waitFor();
  await rate.fill('10');
  await page.getByText('All of it as JSON').click();
  const json = page.getByLabel('The scenario as JSON');
  await json.fill('{ "version": 2 }');
  await page.getByRole('alert').filter({ hasText: 'version' }).waitFor();
  await json.fill('{ "version": 1, "speed": NaN }');
  await page.getByRole('alert').filter({ hasText: 'expected JSON' }).waitFor();
  await json.fill('{ "version": 1, "speed": 3 }');
  await page.getByRole('alert').filter({ hasText: 'speed' }).waitFor();
  await json.fill('{ "version": 1,');
  await page.getByRole('alert').filter({ hasText: 'expected JSON' }).waitFor();
  await page.close();
});

test('a long run can be cancelled, and another one begun', async () => {
  const page = await openPage(stage.browser, at());
  await compared(page);
  await page.getByLabel('Calls of all clients').fill('2000');
  await page.getByLabel('Served at once').fill('1000');
  await page.getByLabel('Calls arrive for').fill('1800000');
  await bar(page).getByRole('button', { name: 'Run', exact: false }).first().click();
  await page.getByRole('progressbar', { name: 'Progress of the simulation' }).waitFor();
  await bar(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled.').waitFor();
  await page.getByRole('button', { name: 'Flapping' }).click();
  await compared(page);
  await page.close();
});

test('a link shows the same scenario with the same results', async () => {
  const page = await openPage(stage.browser, at());
  await page.getByRole('button', { name: 'Metastable failure' }).click();
  await page.getByLabel('Calls of all clients').fill('6.5');
  await bar(page).getByRole('button', { name: 'Run', exact: false }).first().click();
  await compared(page);
  const table = () => page.locator('.lab-totals').textContent();
  const before = await table();
  assert.match(page.url(), /#lab=[\w-]+$/);
  await page.reload();
  await compared(page);
  assert.equal(await page.getByLabel('Calls of all clients').inputValue(), '6.5');
  await until(table, (after) => after === before);
  await page.close();
});

test('scenario, charts and policies can be taken away', async () => {
  const page = await openPage(stage.browser, at(fragmentOf(SHORT)));
  await compared(page);
  const save = async (name: string) => {
    const download = page.waitForEvent('download');
    await bar(page).getByRole('button', { name, exact: true }).click();
    return saved(await download);
  };
  const scenario = JSON.parse((await save('Scenario')).toString()) as Scenario;
  assert.deepEqual(scenario, SHORT);
  const svg = (await save('SVG')).toString();
  assert.match(svg, /^<svg xmlns=.*no retry/s);
  assert.doesNotMatch(svg, /var\(|NaN|undefined/);
  const png = await save('PNG');
  assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  await card(page, 'retries').getByText('As code').click();
  const code = await card(page, 'retries').getByLabel('Code', { exact: true }).textContent();
  assert.match(
    code ?? '',
    /createPolicy\(\{\s+retry: \{ maxRetries: 3, baseDelayMs: 200, enableJitter: false \}/,
  );
  await page.close();
});

test('the last incident of the log becomes a scenario', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await openFixture(page);
  await page.getByText('Export', { exact: true }).click();
  await page.getByRole('button', { name: 'Open the last incident in the Lab' }).click();
  await compared(page);
  await card(page, 'support-desk').waitFor();
  await page.getByText('Fitted to the log').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Lab' }).getAttribute('aria-current'), 'page');
  await page.close();
});

/** A log of a minute: an agent's model fails for ten seconds, its search once, its database never. */
function severalPolicies(): object[] {
  const events: Record<string, unknown>[] = [];
  const call = (policy: string, second: number, durationMs: number, code?: string) => {
    const time = 1.7e12 + second * 1000;
    const head = { v: 1, source: 'agent', policy, call: `${policy}-${second}` };
    const of = (at: number, type: string, more: object = {}) =>
      events.push({ ...head, seq: events.length, time: time + at, type, ...more });
    of(0, 'call.started');
    of(0, 'attempt.started', { attempt: 1, provider: policy });
    if (code === undefined) {
      of(durationMs, 'attempt.succeeded', { attempt: 1, durationMs });
      of(durationMs, 'call.succeeded', { attempts: 1, durationMs });
    } else {
      const failed = { severity: 'retriable', retryable: true, rule: 'r', counted: true };
      of(durationMs, 'attempt.failed', { attempt: 1, durationMs, code, ...failed });
      of(durationMs, 'call.failed', { attempts: 1, durationMs, code, why: 'exhausted', userMessage: '' });
    }
  };
  for (let second = 0; second < 60; second++) {
    call('chat', second, 600, second >= 20 && second < 30 ? 'PROVIDER_OVERLOADED' : undefined);
    call('search', second, 40, second === 40 ? 'TIMEOUT' : undefined);
    call('db', second, 1);
  }
  return events;
}

test('of several policies the one that failed most is shown first, and another can be chosen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-lab-'));
  const path = join(folder, 'several.jsonl');
  writeFileSync(
    path,
    severalPolicies()
      .map((event) => JSON.stringify(event))
      .join('\n'),
  );
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  const troubles = troublesOf(page);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByText('File: several.jsonl').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Lab' }).click();
  const choice = page.getByLabel('Policy of the incident');
  assert.equal(await choice.isVisible(), false);
  await page.getByRole('button', { name: 'Incident from the log' }).click();
  await card(page, 'chat').waitFor();
  assert.equal(await choice.inputValue(), 'chat');
  const names = await choice.getByRole('option').allTextContents();
  assert.deepEqual(names, ['chat', 'search', 'all policies, as one provider']);

  await choice.selectOption('search');
  await card(page, 'search').waitFor();
  assert.equal(await card(page, 'chat').count(), 0);
  assert.equal(await choice.inputValue(), 'search');
  await page.screenshot({ path: join(output, 'lab-incident-of-1400-light.png') });
  await choice.selectOption({ label: 'all policies, as one provider' });
  await card(page, 'chat').waitFor();
  await page.getByRole('button', { name: 'Provider outage' }).click();
  await choice.waitFor({ state: 'hidden' });
  assert.deepEqual(troubles, []);
  await page.close();
  rmSync(folder, { recursive: true, force: true });
});

const report = (page: Page) => page.getByRole('region', { name: 'What came of it' });
const run = (page: Page) => bar(page).getByRole('button', { name: 'Run', exact: false }).first().click();

test('the open log is replayed under the policies of the scenario', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  const troubles = troublesOf(page);
  await openFixture(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Lab' }).click();
  await page.getByRole('button', { name: 'Replay the log' }).click();
  assert.match((await page.getByLabel('In the place of').textContent()) ?? '', /support-desk/);
  await page.getByLabel('In the place of').selectOption('support-desk');
  await run(page);
  const rows = report(page).getByRole('row');
  // As recorded, and four policies, each with a row of its own for what there is to open.
  await until(
    () => rows.count(),
    (count) => count === 1 + 2 * 5,
  );
  await report(page).getByText('Identity 100 %').waitFor();
  // The numbers are those of `halfopen/lab` itself.
  const log = readFileSync(fixture('incident.jsonl'), 'utf8');
  const scenario = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../web/model/src/view/lab/presets/outage.json'), 'utf8'),
  ) as Scenario;
  const [name = '', policy = {}] = Object.entries(scenario.policies)[0] ?? [];
  const { before, after, changed } = await replay(log, { policies: { 'support-desk': policy }, seeds: 30 });
  const cells = async (row: string) =>
    (await rows.filter({ hasText: row }).first().getByRole('cell').allTextContents()).slice(0, 2);
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const recordedCells = await cells('As recorded');
  assert.ok(recordedCells[0]?.startsWith(percent(before.successRate)), `${recordedCells}`);
  const replayed = await cells(name);
  assert.ok(replayed[0]?.startsWith(percent(after.successRate)), `${replayed}`);
  await report(page).getByText(`${changed.length} calls end otherwise`).first().waitFor();
  await report(page).getByText('Calls that end otherwise', { exact: true }).first().click();
  await report(page)
    .getByText(changed[0]?.after ?? '')
    .first()
    .waitFor();
  assert.deepEqual(troubles, []);
  await page.close();
});

test('options are explored under limits, and a point joins the scenario', async () => {
  const page = await openPage(stage.browser, at(fragmentOf(SHORT)));
  const troubles = troublesOf(page);
  await compared(page);
  await page.getByRole('button', { name: 'Explore options' }).click();
  await page.getByLabel('Policy to vary').selectOption({ label: 'retries' });
  await page.getByLabel('retry.maxRetries').fill('0, 2, 4');
  await page.getByLabel('retry.budget.ratio').fill('');
  await page.getByLabel('Others').fill('retry.baseDelayMs=100,400');
  await page.getByLabel('Load at most').fill('5');
  await run(page);
  await report(page).getByText('6 combinations, of which').waitFor();
  await report(page).getByText('6 combinations meet the limits').waitFor();
  await report(page).getByText('the present one').first().waitFor();
  await report(page)
    .getByText(/^retry\.maxRetries \d, retry\.baseDelayMs \d+/)
    .first()
    .waitFor();
  await report(page).getByText('As code').last().click();
  assert.match(
    (await report(page).getByLabel('Code', { exact: true }).last().textContent()) ?? '',
    /createPolicy\(\{\s+retry: \{ maxRetries: \d, baseDelayMs: \d+/,
  );
  await report(page).getByRole('button', { name: 'Add it to the scenario' }).last().click();
  await page
    .locator('.lab-editor')
    .getByText(/^retry\.maxRetries \d/)
    .first()
    .waitFor();
  // No combination is as quick as this: it says which limit is the cause.
  await page.getByLabel('User p95 at most').fill('1');
  await run(page);
  await report(page).getByText('The cause is the longest p95 (1).').waitFor();
  await report(page).getByText('misses a limit').first().waitFor();
  await page.getByLabel('Others').fill('retry.baseDelayMs');
  await run(page);
  await bar(page).getByText("got 'retry.baseDelayMs'").waitFor();
  assert.deepEqual(troubles, []);
  await page.close();
});

test('an exploration can be cancelled', async () => {
  const page = await openPage(stage.browser, at());
  await compared(page);
  await page.getByRole('button', { name: 'Explore options' }).click();
  await page.getByLabel('retry.maxRetries').fill('0,1,2,3,4,5,6,7,8,9,10');
  await page.getByLabel('retry.baseDelayMs').fill('100,200,300,400,500,600,700,800,900,1000');
  await page.getByLabel('retry.budget.ratio').fill('0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1');
  await run(page);
  await bar(page).getByText('Running every combination').waitFor();
  await bar(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled.').waitFor();
  assert.equal(await report(page).count(), 0);
  await page.close();
});

test('the moment under the scrubber moves by keys and plays', async () => {
  const page = await openPage(stage.browser, at());
  await compared(page);
  const moment = page.getByRole('slider', { name: 'Moment' });
  const says = async () => (await moment.getAttribute('aria-valuetext')) ?? '';
  assert.equal(await says(), 'at 2 m 59 s');
  await moment.press('Home');
  await until(says, (text) => text === 'at 0 ms');
  const crowd = card(page, '10 retries, no budget');
  await crowd
    .getByText(/answered/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: '▶ Play' }).click();
  await until(says, (text) => text.includes('outage'));
  await page.getByRole('button', { name: 'Pause', exact: false }).last().click();
  await page.getByText('The charts as a table').click();
  assert.ok(
    (await page.getByRole('region', { name: 'The charts as a table' }).getByRole('row').count()) > 10,
  );
  await page.close();
});

test('it runs for real through the server and is laid over the simulation', async (t) => {
  const server = await serverFor(t);
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=lab${fragmentOf(SHORT)}`);
  const troubles = troublesOf(page);
  await compared(page);
  await page.getByRole('button', { name: 'Run it for real' }).click();
  await page
    .getByText(/real: \d+ %/)
    .first()
    .waitFor();
  const measured = await page
    .locator('.lab-totals tbody tr')
    .first()
    .locator('.lab-measured')
    .first()
    .textContent();
  const share = Number(/(\d+) %/.exec(measured ?? '')?.[1]) / 100;
  // How close it comes is for pkg/test/lab/real.test.ts to say; here a browser and others share the processor.
  assert.ok(share > 0.4 && share < 0.95, `${measured}: an outage of one of three seconds is felt`);
  assert.equal(await page.locator('.lab-chart .measured').count(), 6);
  assert.deepEqual(troubles, []);
  // Too large: it says so, and offers what fits.
  await page.getByRole('button', { name: 'Provider outage' }).click();
  await page.getByRole('button', { name: 'Run it for real' }).click();
  await page.getByText(/Not run for real: .*durationMs.*at most 60000/).waitFor();
  await page.getByRole('button', { name: 'Shorten it' }).click();
  await until(
    () => page.getByLabel('Calls arrive for').inputValue(),
    (text) => text === '60000',
  );
  await page.close();
});

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1400, 400]) {
    test(`at ${width} px, ${theme}: nothing serious for axe, nothing beyond the page`, async () => {
      const page = await openPage(stage.browser, at(), width, theme);
      await compared(page);
      await page.screenshot({ path: join(output, `lab-${width}-${theme}.png`) });
      await page.getByText('The charts as a table').click();
      for (const closed of ['Change the scenario', 'All of it as JSON']) {
        const summary = page.getByText(closed, { exact: true });
        const isOpen = await summary.evaluate(
          (element) => (element.parentElement as HTMLDetailsElement).open,
        );
        if (!isOpen) await summary.click();
      }
      assert.deepEqual(await seriousFindings(page), []);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.equal(await page.evaluate(wide), 0);
      await page.close();
    });

    test(`at ${width} px, ${theme}: the same of a replay and an exploration`, async () => {
      const page = await openPage(stage.browser, stage.server.dashboardUrl, width, theme);
      await openFixture(page);
      await page.getByRole('navigation').getByRole('link', { name: 'Lab' }).click();
      for (const [name, says] of [
        ['Replay the log', 'Identity 100 %'],
        ['Explore options', '8 combinations'],
      ] as const) {
        await page.getByRole('button', { name }).click();
        await run(page);
        await report(page).getByText(says).waitFor();
        await until(() => bar(page).getByRole('button', { name: 'Cancel' }).isDisabled(), Boolean);
        await report(page).getByText('As code').last().click();
        await page.screenshot({
          path: join(output, `lab-${name.split(' ')[0]}-${width}-${theme}.png`),
          fullPage: true,
        });
        assert.deepEqual(await seriousFindings(page), []);
        const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(wide), 0);
      }
      await page.close();
    });
  }
}
