// The dashboard's live connection in Chromium: a server that goes and comes back, pages of its origin, what is counted
// as missing, and what a person does with it: pause, clear, save, open again, drag.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startDevtoolsServer } from 'halfopen/devtools';
import type { Browser, Page } from 'playwright-core';
import { scratch } from '../../scripts/scratch.mjs';
import { output, seriousFindings, startBrowser, troublesOf, until, viewOf } from './stage.js';

const MINUTE = 60_000;

let browser: Browser;
const rubbish: (() => unknown)[] = [];

before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  for (const remove of rubbish) await remove();
});

/** A server with a log of its own, which may be started again at the same place. */
async function serve(at?: { port: number; directory: string }) {
  const directory = at?.directory ?? mkdtempSync(join(tmpdir(), 'halfopen-live-'));
  const server = await startDevtoolsServer({ port: at?.port ?? 0, directory });
  const url = new URL(server.url);
  rubbish.push(() => server.close());
  if (at === undefined)
    rubbish.push(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const token = new URL(server.dashboardUrl).searchParams.get('token');
  const post = async (lines: readonly string[]) => {
    const answer = await fetch(`${server.url}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: lines.join('\n'),
    });
    return (await answer.json()) as { stored: number; rejected: number };
  };
  return { ...server, directory, port: Number(url.port), post };
}

/** A call that answered, `ago` milliseconds ago: three events from the number `seq` on. */
function call(seq: number, ago = 0, more: Record<string, unknown> = {}): string[] {
  const time = Date.now() - ago;
  const head = { v: 1, source: 'live', policy: 'chat', call: `c${seq}`, ...more };
  return [
    { ...head, seq, time, type: 'call.started' },
    { ...head, seq: seq + 1, time: time + 5, type: 'attempt.started', attempt: 1, provider: 'openai' },
    { ...head, seq: seq + 2, time: time + 40, type: 'call.succeeded', attempts: 1, durationMs: 40 },
  ].map((event) => JSON.stringify(event));
}

async function open(url: string, prepare?: (page: Page) => Promise<void>): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 880 }, colorScheme: 'light' });
  await prepare?.(page);
  await page.goto(viewOf(url));
  await page.locator('.app').waitFor();
  return page;
}

const status = (page: Page, text: string | RegExp) =>
  page.locator('.status').getByText(text, { exact: true });

test('files of the log are removed under the server: the page counts what is gone, and goes on', async () => {
  const server = await serve();
  const page = await open(server.dashboardUrl);
  await server.post([...call(0), ...call(10)]);
  await status(page, '6 events').waitFor();
  for (const name of readdirSync(server.directory).filter((one) => one.endsWith('.jsonl')))
    rmSync(join(server.directory, name));
  await page.locator('[data-loss="dropped"]', { hasText: '6 dropped' }).waitFor();
  await server.post(call(20));
  await status(page, '3 calls').waitFor();
  await page.close();
});

/** The longest wait between two tries to connect (web/src/source/stream.rs), in milliseconds. */
const LONGEST_WAIT = 15_000;

/** A page's tries to connect: made, open, established, and still to be refused. */
interface Tries {
  made: number;
  open: number;
  connected: boolean;
  refusals: number;
}

/** Counts a page's connections, and refuses the next `refusals` ones. A text: tsx names functions by one of its own. */
const COUNTED = `{
  const made = [];
  window.refusals = 0;
  window.EventSource = class extends EventSource {
    constructor(address) {
      if (window.refusals > 0) {
        window.refusals -= 1;
        throw new Error('refused');
      }
      super(address);
      made.push(this);
    }
  };
  window.tries = () => ({
    made: made.length,
    open: made.filter((one) => one.readyState !== EventSource.CLOSED).length,
    connected: made.some((one) => one.readyState === EventSource.OPEN),
    refusals: window.refusals,
  });
}`;

describe('a server that goes and comes back', () => {
  test('the page says so, tries again by itself, and has every event once', async () => {
    const first = await serve();
    const page = await open(first.dashboardUrl);
    await first.post([...call(0), ...call(10)]);
    await status(page, '6 events').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/events')) asked.push(request.url());
    });
    await first.close();
    await page.locator('.connection.lost, .connection.connecting').waitFor();
    const second = await serve(first);
    await second.post([...call(20), ...call(10)]);
    await page.getByText('Connected').waitFor();
    await status(page, '9 events').waitFor();
    await status(page, '3 calls').waitFor();
    // It asked for what came after the last event that it had, not for all of it once more.
    assert.ok(asked.length > 0, 'it did not ask again');
    assert.equal(await page.locator('[data-loss="malformed"]').textContent(), '0 malformed');
    await page.close();
  });

  test('each try to connect ends the one before, and one that throws is not the last', async () => {
    const first = await serve();
    const page = await open(first.dashboardUrl, async (fresh) => {
      await fresh.clock.install();
      await fresh.addInitScript(COUNTED);
    });
    await page.getByText('Connected').waitFor();
    // The page itself only retries a connection that was never established; the browser retries a broken one.
    await page.keyboard.press('d');
    await page.getByText('Demonstration in this page').waitFor();
    await first.close();
    await page.getByRole('button', { name: 'End the demo' }).click();
    await page.locator('.connection.lost').waitFor();
    const later = async () => {
      await page.clock.fastForward(LONGEST_WAIT);
      const now = (await page.evaluate('tries()')) as Tries;
      assert.ok(now.open <= 1, `${now.open} of ${now.made} connections are open`);
      return now;
    };
    for (let time = 0; time < 5; time += 1) {
      const { made } = await later();
      await until(later, (now) => now.made > made);
    }
    await page.evaluate('window.refusals = 1');
    await until(later, (now) => now.refusals === 0);
    await serve(first);
    await until(later, (now) => now.connected);
    await page.getByText('Connected').waitFor();
    assert.equal((await later()).open, 1);
    await page.close();
  });

  test('the browser asks for what came after its last event, and is sent nothing else', async () => {
    const first = await serve();
    await first.post([...call(0), ...call(10)]);
    // A page of the server's origin, whose key opens the stream, with an EventSource and nothing else.
    const page = await browser.newPage();
    await page.route('**/*', (route) =>
      route.request().resourceType() === 'document' || route.request().url().endsWith('/entry.js')
        ? route.continue()
        : route.abort(),
    );
    await page.goto(first.dashboardUrl);
    await page.waitForURL((url) => url.search === '');
    await page.unrouteAll();
    const asked: (string | undefined)[] = [];
    page.on('request', async (request) => {
      if (request.resourceType() === 'eventsource') asked.push((await request.allHeaders())['last-event-id']);
    });
    await page.evaluate(() => {
      const got = { seqs: [] as number[], ids: [] as string[], gaps: 0 };
      Object.assign(globalThis, { got });
      const source = new EventSource(`/events?key=${localStorage.getItem('halfopen-key')}`);
      source.onmessage = ({ data, lastEventId }) => {
        for (const line of String(data).split('\n')) got.seqs.push(JSON.parse(line).seq);
        got.ids.push(lastEventId);
      };
      source.addEventListener('gap', () => {
        got.gaps += 1;
      });
    });
    const got = () =>
      page.evaluate(
        () => (globalThis as unknown as { got: { seqs: number[]; ids: string[]; gaps: number } }).got,
      );
    const having = (count: number) => until(got, ({ seqs }) => seqs.length >= count);
    let server = first;
    for (let time = 1; time <= 3; time += 1) {
      const { ids } = await having(time * 6);
      await server.close();
      server = await serve(first);
      await server.post([...call(time * 20), ...call(time * 20 + 10)]);
      const { gaps, seqs } = await having(time * 6 + 6);
      assert.equal(asked.at(-1), ids.at(-1), 'the id of the last event that it had');
      assert.equal(gaps, 0);
      assert.deepEqual(
        seqs,
        Array.from({ length: time + 1 }, (_, one) =>
          [0, 1, 2, 10, 11, 12].map((seq) => one * 20 + seq),
        ).flat(),
      );
    }
    assert.equal(asked[0], undefined, 'the first time it asks for all of it');
    await page.close();
  });

  test('another log at the same address is another session', async () => {
    const first = await serve();
    const page = await open(first.dashboardUrl);
    await first.post(call(0));
    await status(page, '1 call').waitFor();
    await first.close();
    const token = new URL(first.dashboardUrl).searchParams.get('token') ?? '';
    const directory = mkdtempSync(join(tmpdir(), 'halfopen-live-'));
    rubbish.push(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
    const second = await startDevtoolsServer({ port: first.port, directory, token });
    rubbish.push(() => second.close());
    await page.getByText('Connected').waitFor();
    await status(page, '0 events').waitFor();
    await page.close();
  });
});

test('pages of the same origin are heard by BroadcastChannel: lines, objects, lists of them', async () => {
  const server = await serve();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(viewOf(server.dashboardUrl));
  await page.getByText('Connected').waitFor();
  const agent = await context.newPage();
  await agent.goto(`${server.url}/health`);
  const tell = (data: unknown) =>
    agent.evaluate((message) => {
      const channel = new BroadcastChannel('halfopen');
      channel.postMessage(message);
      channel.close();
    }, data);
  await tell(call(0).join('\n'));
  await status(page, '3 events').waitFor();
  await tell(call(10).map((line) => JSON.parse(line)));
  await status(page, '6 events').waitFor();
  // An event that arrives on both ways is kept once.
  await server.post(call(10));
  await tell(JSON.parse(call(20)[0] as string));
  await status(page, '7 events').waitFor();
  await context.close();
});

test('what is missing is counted where it is seen, and listed behind it', async () => {
  const server = await serve();
  const page = await open(server.dashboardUrl);
  const troubles = troublesOf(page);
  const head = { v: 1, source: 'live', time: Date.now() };
  const markup = '<img src=x onerror=window.owned=1>';
  const answer = await server.post([
    ...call(0),
    JSON.stringify({ ...head, seq: 50, type: 'events.dropped', count: 1_234 }),
    JSON.stringify({ ...head, seq: 51, type: 'call.teleported', call: 'c0', where: markup }),
    JSON.stringify({ ...head, seq: 52, v: 9, type: 'call.succeeded', call: 'c0', attempts: 'many' }),
    JSON.stringify({ ...head, seq: 53, type: 'call.succeeded', call: 'c0', attempts: 'many', durationMs: 1 }),
    'this is no event',
  ]);
  assert.equal(answer.rejected, 1);
  const loss = (word: string) => page.locator(`[data-loss="${word}"]`);
  await loss('dropped')
    .getByText(/^1.?234 dropped$/)
    .waitFor();
  await loss('unknown').getByText('2 unknown').waitFor();
  await loss('malformed').getByText('1 malformed').waitFor();
  await loss('refused').getByText('1 refused').waitFor();
  await status(page, '1 agent').waitFor();

  await loss('unknown').focus();
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'What is missing here' });
  await sheet.getByText('call.teleported').waitFor();
  await sheet.getByText('\'attempts\' is "many", expected a whole number').waitFor();
  assert.ok(((await sheet.textContent()) ?? '').includes(markup));
  await page.screenshot({ path: join(output, 'losses-1400-light.png') });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 400, height: 880 });
  await page.screenshot({ path: join(output, 'losses-400-dark.png') });
  assert.equal(await sheet.evaluate((one) => one.scrollWidth - one.clientWidth), 0, 'nothing is cut off');
  assert.deepEqual(await seriousFindings(page), []);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('window.owned'), undefined);
  assert.deepEqual(troubles, []);
  await page.close();
});

test('who has the focus on what waits keeps it when its wait becomes another one', async () => {
  const server = await serve();
  // The address of the view that became a band of the timeline.
  const page = await open(`${server.dashboardUrl}&view=pending`);
  const time = Date.now();
  const head = { v: 1, source: 'live', policy: 'chat', call: 'waits' };
  const wait = { ...head, type: 'retry.scheduled', minMs: 0, maxMs: 0, delaySource: 'backoff' };
  const send = (event: object) => server.post([JSON.stringify(event)]);
  await send({ ...head, seq: 1, time, type: 'call.started', task: 'the trip' });
  await send({ ...wait, seq: 2, time, attempt: 2, delayMs: 60_000, dueAt: time + 60_000 });
  await page.getByRole('button', { name: 'Show what waits' }).click();
  const owner = page.getByRole('button', { name: 'the trip' });
  await owner.focus();
  await send({ ...wait, seq: 3, time, attempt: 3, delayMs: 90_000, dueAt: time + 90_000 });
  await page.getByText('attempt 3 after a backoff of 1 m 30 s').waitFor();
  assert.equal(await owner.evaluate((button) => button === button.ownerDocument.activeElement), true);
  await page.close();
});

test('the address follows the filter, at most a few times a second', async () => {
  const server = await serve();
  const page = await open(server.dashboardUrl, async (fresh) => {
    await fresh.addInitScript(() => {
      const written: number[] = [];
      Object.assign(window, { written });
      for (const name of ['pushState', 'replaceState'] as const) {
        const original = history[name].bind(history);
        history[name] = (...given) => {
          written.push(performance.now());
          original(...given);
        };
      }
    });
  });
  await server.post(call(0));
  await status(page, '1 call').waitFor();
  const began = Date.now();
  await page.getByLabel('Filter calls').pressSequentially('code:RATE_LIMITED provider:openai', { delay: 40 });
  await page.waitForURL((url) => url.searchParams.get('q') === 'code:RATE_LIMITED provider:openai');
  const seconds = (Date.now() - began) / 1_000;
  const written = (await page.evaluate('window.written')) as number[];
  assert.ok(written.length >= 2, `${written.length} times: it does not follow`);
  assert.ok(written.length <= 4 * seconds + 2, `${written.length} times in ${seconds} s`);
  await page.close();
});

test('pause, clear, save and open again: nothing is lost on the way', async () => {
  const server = await serve();
  const page = await open(server.dashboardUrl);
  const troubles = troublesOf(page);
  await server.post(call(0));
  await status(page, '3 events').waitFor();

  await page.keyboard.press('p');
  await server.post([...call(10), ...call(20)]);
  await page.getByRole('button', { name: 'Resume (6)' }).waitFor();
  assert.equal(await status(page, '3 events').count(), 1);
  await page.keyboard.press('p');
  await status(page, '9 events').waitFor();

  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('e')]);
  const path = join(scratch(), 'saved.jsonl');
  await download.saveAs(path);
  const kept = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    kept,
    [...call(0), ...call(10), ...call(20)].map((line, at) => withTimeOf(line, kept[at])),
  );

  await page.keyboard.press('c');
  await status(page, '0 events').waitFor();
  await server.post(call(30));
  await status(page, '3 events').waitFor();

  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByText('File: saved.jsonl').waitFor();
  await status(page, '9 events').waitFor();
  assert.equal(await page.getByRole('option').count(), 3);
  assert.deepEqual(troubles, []);
  await page.close();
});

/** The times of a line are those of when it was made. */
function withTimeOf(line: string, other = '{}'): string {
  return JSON.stringify({ ...JSON.parse(line), time: JSON.parse(other).time });
}

/** A page that shows three calls of half a minute, all of it in sight, and where their bars are. */
async function threeCalls() {
  const server = await serve();
  const page = await open(server.dashboardUrl);
  await server.post([...call(0, MINUTE / 2), ...call(10, MINUTE / 4), ...call(20)]);
  await status(page, '3 calls').waitFor();
  await page.getByRole('button', { name: 'Fit' }).click();
  await page.getByRole('option').nth(2).waitFor();
  const bars = await page.locator('.tl-bars').boundingBox();
  assert.ok(bars);
  return { page, bars };
}

test('a drag over the bars moves the window; a press selects the row', async () => {
  const { page, bars } = await threeCalls();
  const follow = page.getByRole('button', { name: 'Follow' });
  const y = bars.y + 20;
  await page.mouse.move(bars.x + 700, y);
  await page.mouse.down();
  await page.mouse.move(bars.x + 300, y, { steps: 5 });
  await page.mouse.up();
  // The first call lay at the left and has gone out of the window; no row was selected by it.
  await page.getByRole('option').nth(2).waitFor({ state: 'detached' });
  assert.equal(await page.locator('#details').count(), 0);
  assert.equal(await follow.getAttribute('aria-pressed'), 'false');
  await page.mouse.click(bars.x + 700, y);
  await page.locator('#details').waitFor();
  await page.close();
});

test('a drag that begins in the very moment another ends moves the window too', async () => {
  const { page, bars } = await threeCalls();
  // One task of the page: no timer of the first drag comes before the second has begun.
  const pointer = (type: string, x: number) =>
    `row.dispatchEvent(new PointerEvent('${type}', { bubbles: true, pointerId: 1, isPrimary: true,
      clientX: ${bars.x + x}, clientY: ${bars.y + 20}, buttons: ${type === 'pointerup' ? 0 : 1} }))`;
  await page.evaluate(`{
    const row = document.elementFromPoint(${bars.x + 300}, ${bars.y + 20});
    ${pointer('pointerdown', 300)}; ${pointer('pointermove', 310)}; ${pointer('pointermove', 300)};
    ${pointer('pointerup', 300)}; ${pointer('pointerdown', 700)};
    new Promise((resolve) => setTimeout(() => resolve(${pointer('pointermove', 300)}), 100));
  }`);
  await page.getByRole('option').nth(2).waitFor({ state: 'detached' });
  await page.close();
});

test("a retry's wait shows the call's deadline", async () => {
  const server = await serve();
  const page = await open(server.dashboardUrl);
  const time = Date.now();
  const head = { v: 1, source: 'live', policy: 'chat', call: 'w', time };
  const options = { timeout: { totalMs: 20_000 } };
  await server.post(
    [
      { ...head, call: undefined, seq: 1, type: 'policy.configured', options, seed: 1 },
      { ...head, seq: 2, type: 'call.started' },
      { ...head, seq: 3, type: 'attempt.started', attempt: 1 },
      {
        ...head,
        ...{
          seq: 4,
          type: 'attempt.failed',
          attempt: 1,
          durationMs: 5,
          code: 'TIMEOUT',
          severity: 'retriable',
        },
        ...{ retryable: true, rule: 'r', technicalDetails: '', signals: {}, counted: true },
      },
      {
        ...head,
        ...{ seq: 5, delaySource: 'backoff', type: 'retry.scheduled', attempt: 2 },
        ...{ delayMs: 15_000, dueAt: time + 15_000, minMs: 9_000, maxMs: 18_000 },
      },
    ].map((event) => JSON.stringify(event)),
  );
  await status(page, '1 call').waitFor();
  // Twenty-five seconds around the call, so that the deadline lies in sight.
  await page.getByRole('button', { name: 'Fit' }).click();
  for (let step = 0; step < 12; step += 1) await page.getByRole('button', { name: 'Zoom out' }).click();
  const bars = await page.locator('.tl-bars').boundingBox();
  assert.ok(bars);
  const told: string[] = [];
  for (let x = 0; x < bars.width; x += 3) {
    await page.mouse.move(bars.x + x, bars.y + 14);
    // The tip is drawn with a frame of the page.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    for (const text of await page.locator('.tip').allTextContents()) told.push(text);
    if (told.some((text) => text.startsWith('Deadline'))) break;
  }
  // Its sign is a sign: what waits has a card of its own elsewhere, by the same word.
  const edge = "getComputedStyle(document.querySelector('.tl-row .sign.waiting')).borderTopWidth";
  assert.equal(await page.evaluate(edge), '0px');
  assert.ok(told.includes('Deadline: 20.0 s after the call began'), [...new Set(told)].join('\n'));
  await page.screenshot({ path: join(output, 'deadline.png') });
  await page.close();
});
