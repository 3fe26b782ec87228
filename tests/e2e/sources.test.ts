// Where the events come from, changed while it is in use: what was said of the one before goes with it, and a file
// that is opened while another is still being read is alone in the log.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { answeredCall, openFixture, openPage, setStage, until } from './stage.js';

/** Calls of a file that takes a while to read, of four events each. */
const CALLS = 50_000;
/** After this number of its calls there is a line that is no event. */
const MALFORMED_EVERY = 500;

const stage = setStage();
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'halfopen-sources-'));
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a log in a folder of its own, so that several may have one name; returns its path. */
function writeLog(place: string, name: string, lines: readonly string[]): string {
  mkdirSync(join(folder, place), { recursive: true });
  const path = join(folder, place, name);
  writeFileSync(path, lines.join('\n'));
  return path;
}

/** The lines of calls that answered, and some that are no events. */
function manyCalls(source: string): string[] {
  const lines: string[] = [];
  for (let call = 0; call < CALLS; call++) {
    for (const event of answeredCall(call * 4, { source })) lines.push(JSON.stringify(event));
    if (call % MALFORMED_EVERY === 0) lines.push('"no event"');
  }
  return lines;
}

/** Gives the page files that it can open, at `window.held`, any number of times. */
async function hold(page: Page, ...paths: string[]): Promise<void> {
  await page.evaluate(`{
    const input = document.createElement('input');
    Object.assign(input, { type: 'file', multiple: true, id: 'held' });
    document.body.append(input);
  }`);
  await page.locator('#held').setInputFiles(paths);
  await page.evaluate(`{
    const input = document.querySelector('#held');
    window.held = [...input.files];
    window.dropHeld = (number) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(window.held[number]);
      const drop = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer });
      document.querySelector('.app').dispatchEvent(drop);
    };
    input.remove();
  }`);
}

/** Opens the first of the files that the page holds, and another one when part of it has been read. */
async function openOverAnother(page: Page, other: number): Promise<void> {
  const came = await page.evaluate(`new Promise((tell) => {
    dropHeld(0);
    let began = false;
    const look = () => {
      const bar = document.querySelector('.status progress');
      began ||= bar !== null;
      if (bar !== null && bar.value > 0) {
        dropHeld(${other});
        tell('while it was being read');
      } else if (began && bar === null) {
        tell('when it had been read');
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  })`);
  assert.equal(came, 'while it was being read', 'the file is too small for this machine');
}

const status = (page: Page, text: string | RegExp) =>
  page.locator('.status').getByText(text, { exact: true });
const note = (page: Page) => page.locator('.status .note');
const untilNothingIsNoted = (page: Page) =>
  until(
    () => note(page).textContent(),
    (text) => text === '',
  );
/** A number as the bar writes it. */
const written = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');

test('that a file could not be read is said until the events come from elsewhere', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await hold(page, writeLog('gone', 'gone.jsonl', manyCalls('gone').slice(0, 10)));
  // As of a disk that is taken away.
  await page.evaluate(`{
    const { read } = ReadableStreamBYOBReader.prototype;
    ReadableStreamBYOBReader.prototype.read = function (view) {
      return window.taken ? Promise.reject(new DOMException('', 'NotReadableError')) : read.call(this, view);
    };
  }`);
  const elsewhere = {
    'the demonstration': async () => {
      await page.keyboard.press('d');
      await page.getByText('Demonstration in this page').waitFor();
    },
    'the server': async () => {
      await page.getByRole('button', { name: 'Close the file' }).click();
      await page.getByText('Connected').waitFor();
    },
    'another file': () => openFixture(page),
  };
  for (const [name, go] of Object.entries(elsewhere)) {
    await page.evaluate('window.taken = true; dropHeld(0)');
    await note(page).getByText('gone.jsonl could not be read to its end').waitFor();
    await page.evaluate('window.taken = false');
    await go();
    assert.equal(await untilNothingIsNoted(page), '', name);
  }
  await page.close();
});

test('that the server lacks events is said until the connection is well again', async () => {
  let asked = 0;
  let letThrough = () => {};
  const wellAgain = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const page = await openPage(stage.browser, stage.server.dashboardUrl, 1400, 'light', (fresh) =>
    fresh.route(/\/events\?/, async (route) => {
      asked += 1;
      if (asked === 1) {
        // A stream that reports a gap, and breaks.
        const body = 'retry: 50\n\nevent: gap\ndata: {"reason":"files are gone"}\n\n';
        await route.fulfill({ contentType: 'text/event-stream', body });
      } else {
        await wellAgain;
        await route.continue();
      }
    }),
  );
  await note(page).getByText('The server no longer has all that came before').waitFor();
  await page.locator('.connection.connecting').waitFor();
  letThrough();
  await page.getByText('Connected').waitFor();
  await untilNothingIsNoted(page);
  await page.close();
});

test('a file that is opened again while it is being read is in the log once', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await hold(page, writeLog('once', 'long.jsonl', manyCalls('once')));
  await openOverAnother(page, 0);
  await status(page, `${written(CALLS * 4)} events`).waitFor();
  await page.locator('.status progress').waitFor({ state: 'detached' });
  await status(page, `${written(CALLS)} calls`).waitFor();
  // An event that is read twice is kept once; but what is no event counts as often as it is read.
  await page.getByText(`${CALLS / MALFORMED_EVERY} malformed`, { exact: true }).waitFor();
  assert.equal(await note(page).textContent(), '');
  await page.close();
});

test('of a file that is left for another of its name nothing comes into the log', async () => {
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  const other = manyCalls('other');
  await hold(
    page,
    writeLog('first', 'day.jsonl', manyCalls('first')),
    writeLog('second', 'day.jsonl', other),
  );
  await openOverAnother(page, 1);
  // The second one is read as long as the first would have been: had that gone on, it would be through.
  await page.locator('.status progress').waitFor({ state: 'detached' });
  await status(page, `${written(CALLS)} calls`).waitFor();
  await status(page, `${written(CALLS * 4)} events`).waitFor();
  await page.close();
});

for (const reader of ['that fills buffers of the page', 'that has its own buffers, as in Safari'])
  test(`a file of many parts is read whole by a reader ${reader}`, async () => {
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await page.evaluate(`{
      const { getReader } = ReadableStream.prototype;
      window.modes = [];
      ReadableStream.prototype.getReader = function (options) {
        if (${reader.includes('Safari')} && options?.mode === 'byob') throw new TypeError('not a byte stream');
        window.modes.push(options?.mode);
        return getReader.call(this, options);
      };
    }`);
    await hold(page, writeLog(reader, 'parts.jsonl', manyCalls('parts')));
    await page.evaluate('dropHeld(0)');
    await status(page, `${written(CALLS)} calls`).waitFor();
    await status(page, `${written(CALLS * 4)} events`).waitFor();
    await page.getByText(`${CALLS / MALFORMED_EVERY} malformed`, { exact: true }).waitFor();
    assert.deepEqual(await page.evaluate('window.modes'), [reader.includes('Safari') ? undefined : 'byob']);
    await page.close();
  });
