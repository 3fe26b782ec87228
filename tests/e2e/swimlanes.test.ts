// The timeline of many calls and of few: swimlanes that open into rows, the band of what waits, the clock of the axis, folded
// calls, two calls side by side, the events of one, the legend, and how much of a narrow page is left for it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  answeredCall,
  drawn,
  openFixture,
  openPage,
  output,
  send,
  seriousFindings,
  serverFor,
  setStage,
  until,
} from './stage.js';

const stage = setStage();
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'halfopen-swimlanes-'));
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const BEGINS = Date.UTC(2026, 0, 1, 12);

/** The events of a call that failed after one attempt. */
function failedCall(seq: number, policy: string, time: number): object[] {
  const head = { v: 1, source: 'file', policy, call: `c${seq}` };
  const failure = { code: 'TIMEOUT', severity: 'retriable', retryable: true, rule: 'timeout-error' };
  return [
    { ...head, seq, time, type: 'call.started' },
    { ...head, seq: seq + 1, time, type: 'attempt.started', attempt: 1, provider: 'openai' },
    {
      ...head,
      seq: seq + 2,
      time: time + 900,
      type: 'attempt.failed',
      attempt: 1,
      durationMs: 900,
      ...failure,
    },
    {
      ...head,
      seq: seq + 3,
      time: time + 900,
      type: 'call.failed',
      attempts: 1,
      durationMs: 900,
      code: 'TIMEOUT',
      why: 'exhausted',
      userMessage: 'It took too long.',
    },
  ];
}

const answered = (seq: number, policy: string, time: number, more: Record<string, unknown> = {}) =>
  answeredCall(seq, { source: 'file', policy, ...more }, Date.now() - time);

/** A page that shows a file with these events. */
async function show(events: object[], width = 1400, theme: 'light' | 'dark' = 'light'): Promise<Page> {
  const path = join(folder, 'log.jsonl');
  writeFileSync(path, events.map((event) => JSON.stringify(event)).join('\n'));
  const page = await openPage(stage.browser, stage.server.dashboardUrl, width, theme);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByText('File: log.jsonl').waitFor();
  return page;
}

/** `calls` calls, a second apart: nine of ten of `search`, the others of `chat`, which fail. */
const many = (calls: number, begins = BEGINS, apart = 1_000) =>
  Array.from({ length: calls }, (_, call) => {
    const time = begins + call * apart;
    return call % 10 === 0 ? failedCall(call * 4, 'chat', time) : answered(call * 4, 'search', time);
  }).flat();

const swimlanes = (page: Page) => page.locator('.tl-swimlane button');
/** The rows of calls; the choice of swimlanes has options, too. */
const rows = (page: Page) => page.locator('#calls').getByRole('option');
const options = (page: Page) => rows(page).count();

/** How many pixels of the bars are painted between two heights, beside the grid. */
const painted = (page: Page, top: number, bottom: number) =>
  page.locator('.tl-bars').evaluate(
    (canvas, [top, bottom]) => {
      const bars = canvas as HTMLCanvasElement;
      const ratio = bars.width / bars.clientWidth;
      const height = (bottom - top) * ratio;
      const data = bars.getContext('2d')?.getImageData(0, top * ratio, bars.width, height).data ?? [];
      let all = 0;
      for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 0) > 0) all += 1;
      return all / data.length;
    },
    [top, bottom] as const,
  );

test('the keys move between swimlanes, Enter opens one, and the address and the report have it', async (t) => {
  const server = await serverFor(t);
  await send(server, many(600, Date.now() - 15_000, 20));
  const page = await openPage(stage.browser, server.dashboardUrl);
  await swimlanes(page).nth(1).waitFor();
  const focused = () => page.evaluate("document.activeElement.closest('.tl-swimlane')?.textContent ?? ''");
  for (const [key, expected] of [
    ['j', /chat/],
    ['j', /search/],
    ['ArrowDown', /search/],
    ['k', /chat/],
  ] as const) {
    await page.keyboard.press(key);
    await until(focused, (text) => expected.test(String(text)));
  }
  await page.keyboard.press('Enter');
  await page.locator('.tl-names').getByText('60 calls').waitFor();
  await page.waitForURL((url) => url.searchParams.get('swimlane') === 'policy:chat@file');

  const download = page.waitForEvent('download');
  await page.keyboard.press('r');
  const report = readFileSync(await (await download).path(), 'utf8');
  assert.match(report, /: 60 calls, of which 60 failed/);
  assert.match(report, /^Only calls of the swimlane `chat`\.$/m);

  await page.reload();
  await page.getByRole('button', { name: '‹ All swimlanes' }).waitFor();
  await page.locator('.tl-names').getByText('60 calls').waitFor();
  await page.getByRole('button', { name: '‹ All swimlanes' }).click();
  await page.waitForURL((url) => url.searchParams.get('swimlane') === null);
  await page.close();
});

test('more than five hundred calls have a swimlane for each policy, which opens into its rows', async () => {
  const page = await show(many(600));
  await until(
    () => swimlanes(page).allTextContents(),
    (all) => all.length === 2 && /^chat.*60 calls.*100 % failed/.test(all[0] ?? ''),
  );
  assert.equal(await options(page), 0);
  // Both swimlanes have bars, the busier one more.
  const [chat, search] = [await painted(page, 4, 52), await painted(page, 60, 108)];
  assert.ok(chat > 0.01 && search > chat, `${chat} ${search}`);
  await page.screenshot({ path: join(output, 'swimlanes-1400-light.png') });
  assert.deepEqual(await seriousFindings(page), []);

  await swimlanes(page).first().click();
  await page.locator('.tl-names').getByText('60 calls').waitFor();
  await page
    .getByRole('option', { name: /failed/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: '‹ All swimlanes' }).click();
  await swimlanes(page).nth(1).waitFor();
  await page.close();
});

test('a press on a bar opens the list at the calls of that time, and the tip goes', async () => {
  const page = await show(many(600));
  await swimlanes(page).nth(1).waitFor();
  const bars = await page.locator('.tl-bars').boundingBox();
  assert.ok(bars);
  await until(
    () => painted(page, 60, 108),
    (share) => share > 0.01,
  );
  const at = { x: bars.x + bars.width * 0.6, y: bars.y + 105 };
  await page.mouse.move(at.x, at.y);
  const said = await page.locator('.tip').textContent();
  await page.mouse.click(at.x, at.y);
  await page.locator('.tl-names').getByText('540 calls').waitFor();
  // The calls are evenly spread over the log, which has a margin on both sides.
  const begins = () => page.locator('.tl-body').evaluate((list) => list.scrollTop / list.scrollHeight);
  await until(begins, (share) => share > 0.5 && share < 0.7);
  assert.match(said ?? '', /^search, /);
  assert.equal(await page.locator('.tip').count(), 0);
  // The name of a swimlane has no time: its list opens at the beginning.
  await page.getByRole('button', { name: '‹ All swimlanes' }).click();
  await page.mouse.click(bars.x - 40, at.y);
  await page.locator('.tl-names').getByText('540 calls').waitFor();
  await until(begins, (share) => share === 0);
  await page.close();
});

test('a swimlane for each task, or rows; a filter that leaves few calls shows them as rows', async () => {
  const page = await show(many(600));
  const choice = page.getByLabel('A swimlane for each');
  await choice.selectOption('by task');
  await swimlanes(page).getByText('no task', { exact: true }).waitFor();
  await choice.selectOption('by call');
  await rows(page).first().waitFor();
  await choice.selectOption('by policy');
  await swimlanes(page).first().waitFor();
  await page.getByLabel('Filter calls').fill('policy:chat');
  await page.locator('.tl-names').getByText('60 calls').waitFor();
  await rows(page).first().waitFor();
  assert.equal(await swimlanes(page).count(), 0);
  await page.close();
});

test('zooming in leaves fewer calls, which are rows again; a call that is selected opens its swimlane', async () => {
  const page = await show(many(600));
  await swimlanes(page).first().waitFor();
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('+');
  await rows(page).first().waitFor();
  await page.keyboard.press('0');
  await swimlanes(page).first().waitFor();
  await page.getByRole('link', { name: 'Errors' }).click();
  await page.locator('button.link', { hasText: 'chat' }).first().click();
  await page.locator('#details').waitFor();
  await page.getByRole('button', { name: '‹ All swimlanes' }).waitFor();
  await page.locator('.opened-swimlane').getByText('60 of 600 calls').waitFor();
  await selectedIsInSight(page, '#call-590');

  // Another filter moves the row; the panel stays, and so does the row in sight.
  await page.getByLabel('Filter calls').fill('source:file');
  await page.locator('.narrowed').getByText('600 of 600 calls').waitFor();
  await selectedIsInSight(page, '#call-590');
  await page.getByLabel('Filter calls').fill('policy:search');
  await page.locator('#details').getByText('leaves this call out of the list').waitFor();
  await page.locator('#details').getByRole('button', { name: 'Show all calls' }).click();
  await selectedIsInSight(page, '#call-590');
  await page.close();
});

/** Waits until the row of the selected call is within the visible part of the list. */
async function selectedIsInSight(page: Page, row: string): Promise<void> {
  const box = (selector: string) => page.locator(selector).boundingBox();
  await until(
    async () => ({ list: await box('.tl-body'), row: await box(`${row}[aria-selected='true']`) }),
    ({ list, row }) =>
      // The list may end within a pixel.
      list !== null && row !== null && row.y >= list.y && row.y + row.height <= list.y + list.height + 1,
  );
}

test('a filter without calls offers the term that was meant, and one that cannot be read says that it does not count', async () => {
  const page = await show(many(60));
  const filter = page.getByLabel('Filter calls');
  await filter.fill('outcome:failed');
  await page.locator('#search-says').getByRole('button', { name: 'status:failed' }).waitFor();
  await page.locator('.narrowed').getByText('all 60 calls, without the filter').waitFor();
  await page.locator('.tl-names').getByText('60 calls').waitFor();
  await filter.fill('failed');
  await page.locator('.tl-none').getByRole('button', { name: 'status:failed' }).click();
  await page.locator('.narrowed').getByText('6 of 60 calls').waitFor();
  assert.equal(await filter.inputValue(), 'status:failed');
  await page.close();
});

test('Errors counts the calls that ended with an error apart from attempts, and links to them', async () => {
  const head = { v: 1, source: 'file', policy: 'chat', call: 'retried', time: BEGINS + 1_000_000 };
  const failure = { code: 'TIMEOUT', severity: 'retriable', retryable: true, rule: 'timeout-error' };
  const retried = [
    { ...head, seq: 90_000, type: 'call.started' },
    { ...head, seq: 90_001, type: 'attempt.started', attempt: 1, provider: 'openai' },
    { ...head, seq: 90_002, type: 'attempt.failed', attempt: 1, durationMs: 9, ...failure },
    { ...head, seq: 90_003, type: 'attempt.started', attempt: 2, provider: 'openai' },
    { ...head, seq: 90_004, type: 'attempt.succeeded', attempt: 2, durationMs: 9 },
    { ...head, seq: 90_005, type: 'call.succeeded', attempts: 2, durationMs: 20 },
  ];
  const page = await show([...many(600), ...retried]);
  await page.getByRole('link', { name: 'Errors' }).click();
  const group = page.locator('button.group').first();
  await until(
    () => group.locator('b').allTextContents(),
    (counts) => /^61 /.test(counts[0] ?? '') && /^60 /.test(counts[1] ?? ''),
  );
  await page.screenshot({ path: join(output, 'errors-1400-light.png') });
  await page.getByRole('button', { name: '60 calls', exact: true }).click();
  await page.locator('.narrowed').getByText('60 of 601 calls').waitFor();
  await page.locator('.tl-names').getByText('60 calls').waitFor();
  await page.close();
});

test('refused calls are a group of Errors, with links to them and to their breaker', async () => {
  const head = { v: 1, source: 'file', policy: 'chat' };
  const configured = { ...head, seq: 80_000, time: BEGINS, type: 'policy.configured', seed: 1 };
  const refused = Array.from({ length: 70 }, (_, call) => {
    const time = BEGINS + call * 1_000;
    const of = { ...head, call: `refused-${call}`, time, seq: 90_000 + call * 2 };
    const refusal = { type: 'call.rejected', code: 'CIRCUIT_OPEN', by: 'breaker' };
    return [
      { ...of, type: 'call.started' },
      { ...of, seq: of.seq + 1, ...refusal },
    ];
  });
  const page = await show([{ ...configured, options: { breaker: {} } }, ...many(600), ...refused.flat()]);
  await page.getByRole('link', { name: 'Errors' }).click();
  const groups = page.locator('button.group');
  // The calls that failed by it are more than those of the other group.
  for (const filter of ['', 'code:CIRCUIT_OPEN']) {
    await page.getByLabel('Filter calls').fill(filter);
    await until(
      async () => ({
        groups: await groups.count(),
        counts: await groups.first().locator('b').allTextContents(),
      }),
      (seen) =>
        seen.groups === (filter ? 1 : 2) &&
        /^0 /.test(seen.counts[0] ?? '') &&
        /^70 /.test(seen.counts[1] ?? ''),
    );
  }
  const closer = page.getByRole('article', { name: 'The last refused call of this group' });
  await closer.locator('.messages').getByText('en', { exact: true }).waitFor();
  const [sentence, first] = await Promise.all(
    ['p:has(+ .messages)', '.messages'].map((part) => closer.locator(part).boundingBox()),
  );
  assert.ok(sentence && first && first.y - sentence.y - sentence.height >= 6, 'a gap below the sentence');
  assert.deepEqual(await seriousFindings(page), []);
  await page.screenshot({ path: join(output, 'errors-refused-1400-light.png') });
  await closer.getByRole('button', { name: '70 calls', exact: true }).click();
  await page.locator('.narrowed').getByText('70 of 670 calls').waitFor();
  await page.getByRole('link', { name: 'Errors' }).click();
  await closer.getByRole('button', { name: 'chat ×70' }).click();
  await page.getByRole('article', { name: 'Breaker chat' }).waitFor();
  await page.close();
});

test('a view opens at its top, wherever the one before stood', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await openFixture(page);
  await page.setViewportSize({ width: 1400, height: 300 });
  await page.getByRole('link', { name: 'Findings' }).click();
  const scroll = () => page.locator('.page').evaluate((one) => one.scrollTop);
  await page.locator('.page[aria-label="Findings"]').waitFor();
  const scrollDown = () =>
    page.locator('.page').evaluate((one) => {
      one.scrollTop = 100;
      return one.scrollTop;
    });
  await until(scrollDown, (top) => top === 100);
  await page.getByRole('link', { name: 'Errors' }).click();
  await page.locator('.page[aria-label="Errors"]').waitFor();
  assert.equal(await scroll(), 0);
  await page.close();
});

/** A call that waits to be tried again in a minute, one in a queue, and one that runs. */
function waiting(): object[] {
  const time = BEGINS;
  const head = (call: string) => ({ v: 1, source: 'file', policy: 'chat', call, time });
  const started = (call: string, seq: number) => ({
    ...head(call),
    seq,
    type: 'call.started',
    task: `the ${call}`,
  });
  return [
    started('trip', 1),
    {
      ...head('trip'),
      seq: 2,
      type: 'retry.scheduled',
      attempt: 2,
      delayMs: 60_000,
      dueAt: time + 60_000,
      minMs: 0,
      maxMs: 0,
      delaySource: 'backoff',
    },
    started('mail', 3),
    { ...head('mail'), seq: 4, type: 'call.queued', by: 'bulkhead', position: 1 },
    started('talk', 5),
    { ...head('talk'), seq: 6, type: 'attempt.started', attempt: 1, provider: 'openai' },
  ];
}

test('a line above the rows says what waits, and opens into a list of it', async () => {
  const page = await show(waiting());
  const band = page.getByRole('region', { name: 'Pending' });
  for (const part of ['At the end of this log', '1 in flight', /1 backing off in/, '1 queued'])
    await band.getByText(part).waitFor();
  await band.getByRole('button', { name: 'Show what waits' }).click();
  await band.getByText('attempt 2 after a backoff of').waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await page.screenshot({ path: join(output, 'waiting-1400-light.png') });
  await band.getByRole('button', { name: 'the trip' }).click();
  await page.locator('#details').waitFor();
  await page.close();
});

for (const width of [1400, 400])
  test(`the wait of a breaker for its probe stands in the line above the rows, ${width} px`, async () => {
    const change = { breaker: 'chat', from: 'closed', to: 'open', reason: 'r', generation: 1 };
    const opened = {
      v: 1,
      source: 'file',
      policy: 'chat',
      time: BEGINS + 1_000,
      type: 'breaker.changed',
      ...change,
    };
    const page = await show([...waiting(), { ...opened, seq: 7, retryAt: BEGINS + 60_000 }], width);
    const band = page.getByRole('region', { name: 'Pending' });
    const part = band.getByText(/probe of chat in/);
    // A narrow line scrolls.
    await part.scrollIntoViewIfNeeded();
    const [line, words] = [await band.boundingBox(), await part.boundingBox()];
    assert.ok(line && words);
    assert.ok(words.x >= line.x + 8 && words.x + words.width <= line.x + line.width, JSON.stringify(words));
    assert.ok(words.y >= line.y && words.y + words.height <= line.y + line.height, JSON.stringify(words));
    await page.close();
  });

test('the axis has the time of day if it is asked for, and the pointer both', async () => {
  const page = await show(many(30));
  const ruler = () => page.locator('.tl-ruler').evaluate((one) => (one as HTMLCanvasElement).toDataURL());
  const before = await ruler();
  const clock = page.getByRole('button', { name: 'Clock' });
  await clock.click();
  assert.equal(await clock.getAttribute('aria-pressed'), 'true');
  await until(ruler, (now) => now !== before);
  const bars = await page.locator('.tl-bars').boundingBox();
  assert.ok(bars);
  await page.mouse.move(bars.x + bars.width / 3, bars.y + 40);
  const local = new Date(BEGINS).toTimeString().slice(0, 6);
  await page
    .locator('.tl-at')
    .getByText(new RegExp(`^${local}\\d\\d · [\\d.]+ s$`))
    .waitFor();
  await page.screenshot({ path: join(output, 'clock-1400-light.png') });
  // The browser remembers the choice.
  await page.reload();
  await page.locator('input[type=file]').setInputFiles(join(folder, 'log.jsonl'));
  await page.getByText('File: log.jsonl').waitFor();
  assert.equal(await clock.getAttribute('aria-pressed'), 'true');
  await page.close();
});

test('the calls within a call fold, by a click and by a key', async () => {
  const page = await show([
    ...answered(0, 'plan', BEGINS),
    ...answered(10, 'search', BEGINS + 10, { parentCall: 'c0' }),
    ...answered(20, 'search', BEGINS + 20, { parentCall: 'c0' }),
    ...answered(30, 'mail', BEGINS + 100),
  ]);
  await until(
    () => options(page),
    (count) => count === 4,
  );
  await page.locator('.fold').click();
  await until(
    () => options(page),
    (count) => count === 2,
  );
  assert.equal(await page.locator('#details').count(), 0, 'folding selects nothing');
  await rows(page).first().click();
  await page.keyboard.press('n');
  await until(
    () => options(page),
    (count) => count === 4,
  );
  await page.close();
});

test('two calls are compared side by side, with what differs marked', async () => {
  const page = await show([...answered(0, 'search', BEGINS), ...failedCall(10, 'chat', BEGINS + 500)]);
  await rows(page).first().click();
  const details = page.locator('#details');
  await page
    .getByRole('option')
    .nth(1)
    .click({ modifiers: ['Shift'] });
  await details.getByRole('heading', { name: 'Two calls' }).waitFor();
  const line = (name: string | RegExp) => details.getByRole('row', { name });
  assert.match((await line(/^Ended≠/).getAttribute('class')) ?? '', /differs/);
  assert.deepEqual(
    await line(/^Policy/)
      .getByRole('cell')
      .allTextContents(),
    ['search', 'chat'],
  );
  assert.doesNotMatch((await line(/^Attempts/).getAttribute('class')) ?? '', /differs/);
  assert.deepEqual(await seriousFindings(page), []);
  await page.screenshot({ path: join(output, 'compared-1400-light.png') });
  // Back to the first of them, then out.
  await page.keyboard.press('Escape');
  await details.getByRole('heading', { name: 'What happened' }).waitFor();

  // The same by a button, for a finger.
  await details.getByRole('button', { name: 'Compare…' }).click();
  await rows(page).nth(1).click();
  await details.getByRole('heading', { name: 'Two calls' }).waitFor();
  await page.close();
});

test('the events of a call are there as they came, each with its time', async () => {
  const page = await show(failedCall(0, 'chat', BEGINS));
  await rows(page).first().click();
  await page.getByRole('button', { name: 'Show its events' }).click();
  const events = page.getByLabel('Events of this call').getByRole('listitem');
  const texts = await events.allTextContents();
  assert.equal(texts.length, 4);
  assert.match(texts[2] ?? '', /^\+900 msattempt\.failed\{.*"code":"TIMEOUT"/);
  await page.close();
});

test('the legend of the signs is below the rows until it is closed', async () => {
  const page = await show(many(3));
  const legend = page.getByRole('region', { name: 'Legend' });
  await legend.getByText('refused by the policy').waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await legend.getByRole('button', { name: 'Close the legend' }).click();
  await legend.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('.app').waitFor();
  await page.locator('input[type=file]').setInputFiles(join(folder, 'log.jsonl'));
  await rows(page).first().waitFor();
  assert.equal(await legend.count(), 0);
  await page.close();
});

for (const theme of ['light', 'dark'] as const) {
  test(`of a narrow page no more than 120 pixels are frame, ${theme}`, async () => {
    const page = await show(many(600), 400, theme);
    await swimlanes(page).first().waitFor();
    const main = await page.locator('#main').boundingBox();
    assert.ok(main && 880 - main.height <= 120, JSON.stringify(main));
    const tools = page.getByRole('button', { name: 'Tools', exact: true });
    // The ruler has all of the width of the bars, so each of its labels is seen.
    const [ruler, bars] = await Promise.all(
      ['.tl-ruler', '.tl-bars'].map((canvas) => page.locator(canvas).boundingBox()),
    );
    assert.deepEqual([ruler?.x, ruler?.width], [bars?.x, bars?.width]);
    await page.screenshot({ path: join(output, `swimlanes-400-${theme}.png`) });
    await tools.click();
    await page.getByRole('button', { name: 'Open…' }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.screenshot({ path: join(output, `tools-400-${theme}.png`) });
    await tools.click();
    await drawn(page);
    assert.equal(await page.getByRole('button', { name: 'Open…' }).count(), 0);
    await page.close();
  });
}
