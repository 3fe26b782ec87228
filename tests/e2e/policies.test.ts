// A user's questions to a log: the cost of each policy, the call behind a fact, related calls, and a link to share.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  answeredCall,
  drawn,
  fixture,
  openFixture,
  openPage,
  output,
  send,
  seriousFindings,
  serverFor,
  setStage,
  troublesOf,
  until,
} from './stage.js';

const stage = setStage();

/** A call that failed for good, with a message, a request id and the tokens that it took all the same. */
function failedCall(seq: number): object[] {
  const head = { v: 1, source: 'stage', policy: 'chat', call: `c${seq}`, time: Date.now() };
  const tokens = { inputTokens: 1_000_000, outputTokens: 500_000 };
  const failed = { code: 'TIMEOUT', severity: 'retriable', retryable: true, rule: 'timeout', counted: true };
  const texts = { technicalDetails: 'The socket hung up', requestId: 'req_81f2' };
  return [
    { ...head, seq, type: 'call.started', operation: 'searchFlights' },
    { ...head, seq: seq + 1, type: 'attempt.started', attempt: 1, provider: 'openai', model: 'gpt-5' },
    {
      ...head,
      seq: seq + 2,
      type: 'attempt.failed',
      attempt: 1,
      durationMs: 35,
      ...failed,
      ...texts,
      usage: tokens,
    },
    {
      ...head,
      seq: seq + 3,
      type: 'call.failed',
      attempts: 1,
      durationMs: 40,
      code: 'TIMEOUT',
      why: 'exhausted',
      userMessage: 'It took too long.',
    },
  ];
}

const names = (page: Page) => page.locator('.tl-name b').allTextContents();

test('each policy has its sums; prices of the user make money of tokens, and stay', async (t) => {
  const server = await serverFor(t);
  await send(server, [...answeredCall(0), ...answeredCall(10), ...failedCall(20)]);
  // The name that the view had before leads to it.
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=policies`);
  const byPolicy = () => page.getByLabel('By').selectOption('policy');
  await byPolicy();
  const row = page.getByRole('row', { name: /chat/ });
  await row.waitFor();
  const cell = (label: string) => row.locator(`[data-label="${label}"]`);
  assert.equal(await cell('Calls').textContent(), '3');
  assert.equal(await cell('Errors').textContent(), '33 %');
  assert.match((await cell('Of failed attempts').textContent()) ?? '', /^1.000.000 \/ 500.000$/);
  assert.equal(await cell('Cost').count(), 0);
  await page.getByText('Prices', { exact: true }).click();
  const prices = page.getByLabel(/^A line for each model/);
  await prices.fill('gpt-5* 1 ten');
  await page.getByText(/^Line 1: expected a model and two prices/).waitFor();
  await prices.fill('gpt-5* 1 10');
  await cell('Cost').waitFor();
  assert.deepEqual(
    [await cell('Cost').textContent(), await cell('Cost of failed attempts').textContent()],
    ['6.00', '6.00'],
  );
  await page.reload();
  await byPolicy();
  assert.equal(await cell('Cost').textContent(), '6.00');
  await row.getByRole('button', { name: 'chat' }).click();
  await page.getByRole('option').nth(2).waitFor();
  await page.close();
});

for (const [width, theme] of [
  [1400, 'light'],
  [1400, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const)
  test(`Traffic at ${width} px, ${theme}: readable, nothing serious for axe`, async () => {
    const page = await openPage(stage.browser, `${stage.server.dashboardUrl}&view=traffic`, width, theme);
    const troubles = troublesOf(page);
    await openFixture(page);
    // On a narrow screen the table has no header.
    await page.locator('.traffic tbody tr').first().waitFor();
    await page.getByText('Prices', { exact: true }).click();
    await page.getByLabel(/^A line for each model/).fill('gpt* 1 10\nclaude* 3 15\nbad line');
    await drawn(page);
    await page.screenshot({ path: join(output, `traffic-prices-${width}-${theme}.png`) });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByLabel(/^A line for each model/).fill('');
    assert.deepEqual(troubles, []);
    await page.close();
  });

test('a click on a heading sorts the rows, a second one turns them round', async (t) => {
  const server = await serverFor(t);
  const search = { policy: 'search', source: 'other' };
  await send(server, [...answeredCall(0), ...answeredCall(10), ...answeredCall(20, search)]);
  const page = await openPage(stage.browser, `${server.dashboardUrl}&view=traffic`);
  await page.getByLabel('By').selectOption('policy');
  const rows = page.locator('.traffic tbody th button');
  const are = (expected: string[]) =>
    until(
      () => rows.allTextContents(),
      (all) => all.join() === expected.join(),
    );
  await are(['chat', 'search']);
  await page.getByRole('columnheader', { name: 'Calls' }).getByRole('button').click();
  await are(['search', 'chat']);
  await page.getByRole('columnheader', { name: 'Policy' }).getByRole('button').click();
  await are(['chat', 'search']);
  // The filter narrows it.
  await page.getByLabel('Filter calls').fill('policy:search');
  await are(['search']);
  await page.close();
});

describe('the filter', { concurrency: false }, () => {
  test('finds a text in messages and request ids, and a call by its operation', async (t) => {
    const server = await serverFor(t);
    await send(server, [...answeredCall(0, { task: 'plan' }), ...failedCall(10)]);
    const page = await openPage(stage.browser, server.dashboardUrl);
    const field = page.getByLabel('Filter calls');
    for (const [text, found] of [
      ['', ['plan', 'searchFlights']],
      ['"hung up"', ['searchFlights']],
      ['message:"took too"', ['searchFlights']],
      ['req_81', ['searchFlights']],
      ['request:req_81f2', ['searchFlights']],
      ['operation:search*', ['searchFlights']],
      ['-message:socket', ['plan']],
    ] as const) {
      await field.fill(text);
      await until(
        () => names(page),
        (all) => all.join() === found.join(),
      );
    }
    await field.fill('nothing of this');
    await page.getByText('No call matches the filter. Change or clear it.').waitFor();
    await page.close();
  });

  /** A few calls, their groups, and their order then. */
  const GROUPED = {
    task: {
      calls: [{ task: 'a' }, { task: 'b' }, { task: 'a' }, {}, { task: 'b' }],
      rows: ['a', 'a', 'b', 'b', 'chat'],
      groups: ['task a', 'task b', 'no task'],
    },
    trace: {
      calls: [
        { task: 'plan', traceId: 't1' },
        { task: 'search', traceId: 't2' },
        { task: 'book', traceId: 't1' },
        { task: 'alone' },
      ],
      rows: ['plan', 'book', 'search', 'alone'],
      groups: ['trace t1', 'trace t2', 'no trace'],
    },
    policy: {
      calls: [
        { task: 'plan', policy: 'chat' },
        { task: 'send', policy: 'mail' },
        { task: 'book', policy: 'chat' },
        // A policy of the same name in another process is another one.
        { task: 'away', policy: 'chat', source: 'elsewhere' },
      ],
      rows: ['plan', 'book', 'send', 'away'],
      groups: ['policy chat · stage', 'policy mail · stage', 'policy chat · elsewhere'],
    },
  } as const;

  for (const [group, { calls, rows, groups }] of Object.entries(GROUPED))
    for (const width of [1400, 400])
      test(`puts the calls of one ${group} together, at ${width} px`, async (t) => {
        const server = await serverFor(t);
        await send(
          server,
          calls.flatMap((call, index) => answeredCall(index * 10, call, 5_000 - index * 500)),
        );
        const page = await openPage(stage.browser, server.dashboardUrl, width);
        await page.getByLabel('Filter calls').fill(`group:${group}`);
        await page
          .locator('.tl-group')
          .nth(groups.length - 1)
          .waitFor();
        assert.deepEqual(await names(page), rows);
        assert.deepEqual(await page.locator('.tl-group').allTextContents(), groups);
        // It is a part of the address.
        await page.waitForURL((url) => url.searchParams.get('q') === `group:${group}`);
        assert.deepEqual(await seriousFindings(page), []);
        await page.screenshot({ path: join(output, `grouped-${group}-${width}-light.png`) });
        await page.close();
      });

  test('says what can be grouped by, if the filter has something else', async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await page.getByLabel('Filter calls').fill('group:colour');
    await page
      .getByText(
        'expected group:task, group:trace, group:policy, group:source, group:host, group:deployment, group:version',
      )
      .waitFor();
    await page.close();
  });
});

test('a link to a call opens it for a colleague who has the same file', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openFixture(page);
  await page.getByLabel('Filter calls').fill('status:failed,rejected');
  await page.getByRole('option').first().click();
  const title = await page.locator('#details h2').textContent();
  await page.getByRole('button', { name: 'Copy a link to this call' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const link = new URL(String(await page.evaluate('navigator.clipboard.readText()')));
  assert.deepEqual([...link.searchParams.keys()], ['file', 'call']);
  await page.close();

  // The colleague's own server has a token of its own.
  const own = new URL(stage.server.dashboardUrl);
  for (const [key, value] of link.searchParams) own.searchParams.set(key, value);
  const theirs = await openPage(stage.browser, String(own));
  await theirs.getByText(/This link shows a call of the file incident\.jsonl: open that file/).waitFor();
  await theirs.screenshot({ path: join(output, 'linked-1400-light.png') });
  await theirs.locator('input[type=file]').setInputFiles(fixture('incident.jsonl'));
  await theirs.locator('#details h2').waitFor();
  assert.equal(await theirs.locator('#details h2').textContent(), title);
  await theirs.close();
});

test('Classify suggests a classifier for what no rule recognises', async () => {
  const page = await openPage(stage.browser, `${stage.server.dashboardUrl}&view=classify`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByLabel(/^The error/).fill('{ "name": "QueueError", "code": "E_QUEUE_7" }');
  const suggestion = page.locator('.suggestion');
  await suggestion.getByText("code === 'E_QUEUE_7'").waitFor();
  await suggestion.getByRole('button', { name: 'Copy' }).click();
  await suggestion.getByRole('button', { name: 'Copied' }).waitFor();
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^classify: \(error\) => \{\n/);
  assert.deepEqual(await seriousFindings(page), []);
  await page.screenshot({ path: join(output, 'suggested-1400-light.png') });
  // An error that a rule recognises needs none.
  await page.getByLabel(/^The error/).fill('{ "status": 429 }');
  await suggestion.waitFor({ state: 'detached' });
  await page.close();
});
