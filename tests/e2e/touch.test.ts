// The timeline under fingers: real touches by the debugger's way in, on a screen of 400 px.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { serverFor, startBrowser, troublesOf, viewOf } from './stage.js';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** Calls at these ages in seconds, in a page that fits them all. */
async function open(
  t: TestContext,
  ago: readonly number[],
): Promise<{ page: Page; touch: Touch; middle: Point }> {
  const server = await serverFor(t);
  const token = new URL(server.dashboardUrl).searchParams.get('token');
  const lines = ago.flatMap((seconds, index) => {
    const time = Date.now() - seconds * 1_000;
    const head = { v: 1, source: 'touch', policy: 'chat', call: `c${index}`, seq: index * 2 };
    return [
      { ...head, time, type: 'call.started', task: `task ${index}` },
      { ...head, seq: index * 2 + 1, time: time + 40, type: 'call.succeeded', attempts: 1, durationMs: 40 },
    ];
  });
  const sent = await fetch(`${server.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  assert.equal(((await sent.json()) as { stored: number }).stored, lines.length);
  const context = await browser.newContext({
    viewport: { width: 400, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(viewOf(server.dashboardUrl));
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('0');
  const bars = await page.locator('.tl-bars').boundingBox();
  assert.ok(bars);
  return {
    page,
    touch: new Touch(await context.newCDPSession(page)),
    middle: { x: bars.x + bars.width / 2, y: bars.y + bars.height / 2 },
  };
}

interface Point {
  x: number;
  y: number;
}

/** Fingers that come down, go somewhere, and leave. */
class Touch {
  readonly #session: CDPSession;
  constructor(session: CDPSession) {
    this.#session = session;
  }

  async move(paths: readonly (readonly [Point, Point])[]): Promise<void> {
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
      this.#session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: (type === 'touchEnd' ? [] : paths).map(([from, to], id) => ({
          id,
          x: from.x + (to.x - from.x) * share,
          y: from.y + (to.y - from.y) * share,
        })),
      });
    await send('touchStart', 0);
    for (let step = 1; step <= 10; step++) await send('touchMove', step / 10);
    await send('touchEnd', 1);
  }
}

/** The page itself has neither been moved nor made larger. */
async function assertStill(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate('[visualViewport.scale, scrollX, scrollY]'), [1, 0, 0]);
}

const tasks = (page: Page) =>
  page
    .getByRole('option')
    .allTextContents()
    .then((rows) => rows.map((row) => /task \d+/.exec(row)?.[0]));

test('one finger moves the window, and selects nothing', async (t) => {
  const { page, touch, middle } = await open(t, [30, 15, 0.1]);
  const troubles = troublesOf(page);
  assert.deepEqual(await tasks(page), ['task 0', 'task 1', 'task 2']);
  await touch.move([
    [
      { ...middle, x: middle.x + 60 },
      { ...middle, x: middle.x - 60 },
    ],
  ]);
  await page.getByRole('option').nth(2).waitFor({ state: 'detached' });
  assert.deepEqual(await tasks(page), ['task 1', 'task 2']);
  await touch.move([
    [
      { ...middle, x: middle.x - 60 },
      { ...middle, x: middle.x + 60 },
    ],
  ]);
  await page.getByRole('option').nth(2).waitFor();
  assert.equal(await page.locator('#details').count(), 0);
  await assertStill(page);
  assert.deepEqual(troubles, []);
});

test('two fingers that go apart show less of the time, and more again', async (t) => {
  const { page, touch, middle } = await open(t, [30, 15, 0.1]);
  const at = (by: number) => ({ ...middle, x: middle.x + by });
  await touch.move([
    [at(-15), at(-90)],
    [at(15), at(90)],
  ]);
  await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
  assert.deepEqual(await tasks(page), ['task 1']);
  await touch.move([
    [at(-90), at(-15)],
    [at(90), at(15)],
  ]);
  await page.getByRole('option').nth(2).waitFor();
  await assertStill(page);
});

test('a finger that goes up scrolls the rows, a tap selects one', async (t) => {
  const { page, touch, middle } = await open(
    t,
    Array.from({ length: 60 }, (_, index) => 60 - index),
  );
  const top = async () => Number(await page.evaluate("document.querySelector('.tl-body').scrollTop"));
  await touch.move([[middle, { ...middle, y: middle.y + 250 }]]);
  const before = await top();
  await touch.move([[middle, { ...middle, y: middle.y - 150 }]]);
  await page.waitForFunction(`document.querySelector('.tl-body').scrollTop > ${before + 50}`);
  assert.equal((await tasks(page)).length > 5, true);
  await assertStill(page);
  // A tap while the rows run on would only stop them.
  for (let at = -1; at !== (await top()); await page.waitForTimeout(200)) at = await top();
  await page.touchscreen.tap(middle.x, middle.y);
  await page.locator('#details').waitFor();
});
