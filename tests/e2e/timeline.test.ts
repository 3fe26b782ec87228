// The timeline under a hand and a keyboard: the filter, the strip, the tip, and what a pause and an undo keep.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  answeredCall,
  drawn,
  openPage,
  openTools,
  output,
  send,
  serverFor,
  setStage,
  until,
} from './stage.js';

const stage = setStage();
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'halfopen-timeline-'));
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const status = (page: Page, text: string | RegExp) =>
  page.locator('.status').getByText(text, { exact: true });
const options = (page: Page) => page.getByRole('option').count();

/** A server with `calls` calls, a second apart, and a page that shows all of them. */
async function open(t: Parameters<typeof serverFor>[0], calls: number, width = 1400) {
  const server = await serverFor(t);
  const all = Array.from({ length: calls }, (_, call) =>
    answeredCall(call * 10, { task: `task ${call}` }, (calls - call) * 1_000),
  );
  await send(server, all.flat());
  const page = await openPage(stage.browser, server.dashboardUrl, width);
  await status(page, `${calls} calls`).waitFor();
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('0');
  return { server, page };
}

test('Escape clears the filter with its field, Enter leaves the field and keeps it', async (t) => {
  const { page } = await open(t, 6);
  const field = page.getByLabel('Filter calls');
  await field.pressSequentially('task:"task 3"');
  await until(
    () => options(page),
    (rows) => rows === 1,
  );
  await page.keyboard.press('Enter');
  assert.equal(await field.evaluate((one) => one === document.activeElement), false);
  assert.deepEqual([await field.inputValue(), await options(page)], ['task:"task 3"', 1]);
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  assert.equal(await field.evaluate((one) => one === document.activeElement), false);
  await until(
    () => options(page),
    (rows) => rows === 6,
  );
  assert.equal(await field.inputValue(), '');
  await page.waitForURL((url) => url.searchParams.get('q') === null);
  await page.close();
});

test('the field of the filter offers keys, and values with the number of their calls', async (t) => {
  const { page } = await open(t, 6);
  const field = page.getByLabel('Filter calls');
  const offered = () =>
    page
      .locator('#search-keys option')
      .evaluateAll((all) => all.map((one) => `${(one as HTMLOptionElement).value} | ${one.textContent}`));
  await field.focus();
  const empty = await until(offered, (all) => all.length > 20);
  assert.equal(empty[0], 'status:ok | 6 calls');
  await field.fill('status:ok prov');
  await until(offered, (all) => all.join() === 'status:ok provider: | the provider of an attempt');
  await field.fill('status:ok provider:op');
  await until(offered, (all) => all.join() === 'status:ok provider:openai | 6 calls');
  await field.fill('task:');
  const tasks = await until(offered, (all) => all.length === 6);
  assert.ok(tasks.includes('task:"task 3" | 1 call'), tasks.join());
  await page.close();
});

test('a filter that is being typed hides nothing on its way', async (t) => {
  const { page } = await open(t, 6);
  const field = page.getByLabel('Filter calls');
  // The provider of all of them is openai; `open` is a word of the filter's own, and no call goes on.
  for (const typed of ['provider:', 'open', 'opena']) {
    await field.fill(typed);
    await drawn(page);
    assert.equal(await options(page), 6, typed);
  }
  await field.fill('open');
  await page.keyboard.press('Enter');
  await until(
    () => options(page),
    (rows) => rows === 0,
  );
  await page.close();
});

test('what came during a pause survives that the clearing is undone', async (t) => {
  const { server, page } = await open(t, 2);
  await page.keyboard.press('p');
  await send(server, answeredCall(100));
  await page.getByRole('button', { name: 'Resume (4)' }).waitFor();
  await page.keyboard.press('c');
  await status(page, '0 events').waitFor();
  await send(server, [...answeredCall(110), ...answeredCall(120)]);
  await page.getByRole('button', { name: 'Resume (8)' }).waitFor();
  await page.keyboard.press('u');
  await status(page, '12 events').waitFor();
  await page.getByRole('button', { name: 'Resume (8)' }).click();
  await status(page, '20 events').waitFor();
  assert.equal(await page.locator('[data-loss="dropped"]').textContent(), '0 dropped');
  await page.close();
});

test('the tip of a bar at the edge stays in the window, and is not squeezed', async (t) => {
  const { page } = await open(t, 40);
  const bars = await page.locator('.tl-bars').boundingBox();
  assert.ok(bars);
  const rows = await options(page);
  assert.ok(rows > 20);
  // The last call in sight is the rightmost, and at the bottom.
  await page.locator('.tl-body').evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await drawn(page);
  const last = await page.getByRole('option').last().boundingBox();
  assert.ok(last);
  const tip = page.locator('.tip');
  const y = last.y + last.height / 2;
  for (let x = bars.x + bars.width - 2; (await tip.count()) === 0 && x > bars.x; x -= 4)
    await page.mouse.move(x, y);
  const shown = await tip.boundingBox();
  assert.ok(shown);
  assert.ok(shown.width > 120 && shown.height < 80, JSON.stringify(shown));
  assert.ok(shown.x >= 0 && shown.x + shown.width <= 1400, JSON.stringify(shown));
  assert.ok(shown.y >= 0 && shown.y + shown.height <= 880, JSON.stringify(shown));
  await page.screenshot({ path: join(output, 'tip-1400-light.png') });
  await page.close();
});

test('the strip is dragged on where the hand leaves it', async (t) => {
  const { page } = await open(t, 40);
  const field = page.locator('.tl-names > span').first();
  for (let zoom = 0; zoom < 4; zoom += 1) await page.keyboard.press('+');
  const strip = await page.locator('.overview').boundingBox();
  assert.ok(strip);
  const inside = strip.y + strip.height / 2;
  await page.mouse.move(strip.x + 40, inside);
  await page.mouse.down();
  await drawn(page);
  const before = await page.getByRole('option').first().textContent();
  // Below the strip.
  await page.mouse.move(strip.x + strip.width - 60, inside + 200, { steps: 5 });
  await page.mouse.up();
  const first = () => page.getByRole('option').first().textContent();
  assert.notEqual(await until(first, (now) => now !== before), before);
  assert.notEqual(await field.textContent(), '0 calls');
  await page.close();
});

test('the log cannot be moved out of sight', async (t) => {
  const { page } = await open(t, 6);
  for (const key of ['ArrowRight', 'ArrowLeft']) {
    for (let press = 0; press < 40; press += 1) await page.keyboard.press(key);
    await drawn(page);
    assert.ok((await options(page)) > 0, key);
  }
  await page.close();
});

/** A file of `calls` calls, of two models, a quarter of a second apart. */
function writeFile(name: string, calls: number): string {
  const lines = Array.from({ length: calls }, (_, call) => {
    const time = 1.7e12 + call * 250;
    const head = { v: 1, source: 'file', policy: 'chat', call: `c${call}` };
    const model = call % 5 === 0 ? 'gpt-5-mini' : 'gpt-5';
    return [
      { ...head, seq: call * 3, time, type: 'call.started', task: `task ${call}` },
      { ...head, seq: call * 3 + 1, time, type: 'attempt.started', attempt: 1, provider: 'openai', model },
      { ...head, seq: call * 3 + 2, time: time + 100, type: 'call.succeeded', attempts: 1, durationMs: 100 },
    ];
  });
  const path = join(folder, name);
  writeFileSync(
    path,
    lines
      .flat()
      .map((event) => JSON.stringify(event))
      .join('\n'),
  );
  return path;
}

test('a long file is shown from its beginning, and a filter searches all of it', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await page.locator('input[type=file]').setInputFiles(writeFile('long.jsonl', 60_000));
  await status(page, '60\u202f000 calls').waitFor();
  await page.locator('.tl-names').getByText('60\u202f000 calls').waitFor();
  // A log of that size has swimlanes; a row for each call is one choice away.
  await page.getByLabel('A swimlane for each').selectOption('by call');
  await page.getByRole('option', { name: /task 0:/ }).waitFor();
  assert.equal(await page.locator('.tl-body').evaluate((one) => one.scrollTop), 0);
  await page.getByLabel('Filter calls').fill('task:"task 59999"');
  await page.getByRole('option', { name: /task 59999/ }).waitFor();
  assert.equal(await options(page), 1);
  await page.getByLabel('Filter calls').fill('model:gpt-5-mini');
  await page.locator('.tl-names').getByText('12\u202f000 calls').waitFor();
  await page.close();
});

test("a provider's row shows the calls of its model; the report has the calls that are listed", async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await page.locator('input[type=file]').setInputFiles(writeFile('models.jsonl', 50));
  await status(page, '50 calls').waitFor();
  await page.getByRole('link', { name: 'Traffic' }).click();
  await page
    .getByRole('row', { name: /gpt-5-mini/ })
    .getByRole('button')
    .first()
    .click();
  await until(
    () => options(page),
    (rows) => rows === 10,
  );
  // A part of the log is in sight, and the filter lists all of it.
  for (let zoom = 0; zoom < 3; zoom += 1) await page.keyboard.press('+');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('g')]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const trace = JSON.parse(Buffer.concat(chunks).toString()) as {
    traceEvents: { args?: { call?: string } }[];
  };
  assert.equal(trace.traceEvents.filter((event) => event.args?.call !== undefined).length, 10);
  await page.close();
});

test('a long notice wraps, and can be closed', async () => {
  for (const width of [1400, 400]) {
    const page = await openPage(stage.browser, stage.server.dashboardUrl, width);
    await page.locator('input[type=file]').setInputFiles(writeFile('one.jsonl', 1));
    await page.getByLabel('Filter calls').fill('frobnicate:soon');
    await openTools(page);
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: /^Report/ }).click();
    const note = page.locator('.status .note');
    await note.getByText('Change or clear it.').waitFor();
    assert.equal(await note.evaluate((one) => one.scrollWidth - one.clientWidth), 0, `cut at ${width}`);
    const box = await note.boundingBox();
    assert.ok(box && box.y + box.height <= 880, `${width}: ${JSON.stringify(box)}`);
    await page.screenshot({ path: join(output, `notice-${width}-light.png`) });
    await page.getByRole('button', { name: 'Close the notice' }).click();
    await until(
      () => note.textContent(),
      (text) => text === '',
    );
    await page.close();
  }
});
