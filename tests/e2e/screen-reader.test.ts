// The walk of somebody who listens: the tree that Chromium gives to a screen reader, for Timeline, Details and Errors.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import puppeteer, { type Browser, type Page, type SerializedAXNode } from 'puppeteer-core';
import { CHROMIUM, CHROMIUM_FLAGS } from '../../scripts/chromium.mjs';
import { WAIT } from '../../scripts/patience.mjs';
import { fixture, serverFor, until, viewOf } from './stage.js';

let browser: Browser;
before(async () => {
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: CHROMIUM_FLAGS,
    timeout: WAIT,
    protocolTimeout: WAIT,
  });
});
after(() => browser?.close());

/** Everything that is read, in its order: role and name. */
async function heard(page: Page): Promise<string[]> {
  const lines: string[] = [];
  const walk = (node: SerializedAXNode): void => {
    // The parts of a line of text are no more than the line.
    if (node.name && !/TextBox$|^StaticText$/.test(node.role)) lines.push(`${node.role}: ${node.name}`);
    for (const child of node.children ?? []) walk(child);
  };
  const tree = await page.accessibility.snapshot({ interestingOnly: false });
  assert.ok(tree !== null);
  walk(tree);
  return lines;
}

/** Reads until a line is heard. */
const hears = (page: Page, line: RegExp) =>
  until(
    () => heard(page),
    (lines) => lines.some((one) => line.test(one)),
  );

/** The lines in which each of these is heard, one after the other. */
function inOrder(lines: readonly string[], wanted: readonly RegExp[]): void {
  let from = 0;
  for (const one of wanted) {
    const at = lines.findIndex((line, index) => index >= from && one.test(line));
    assert.notEqual(at, -1, `not heard after line ${from}: ${one}\n${lines.join('\n')}`);
    from = at + 1;
  }
}

test('Timeline, Details and Errors can be walked by ear', async (t) => {
  const server = await serverFor(t);
  const page = await browser.newPage();
  page.setDefaultTimeout(WAIT);
  await page.goto(viewOf(server.dashboardUrl));
  await page.waitForSelector('.app');
  const input = await page.waitForSelector('input[type=file]');
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(
    fixture('incident.jsonl'),
  );

  // Timeline: the position, the contents, and each call in a sentence that is read once.
  let lines = await hears(page, /^option: .*support-desk/);
  inOrder(lines, [
    /^heading: Halfopen$/,
    /^link: Timeline/,
    /^link: Errors/,
    /combobox: Filter calls$/,
    /^listbox: Calls$/,
    /^option: support-desk: .*: (succeeded|answered by its fallback|failed|refused) .* in total/,
  ]);
  for (const option of lines.filter((line) => line.startsWith('option: ')))
    assert.equal(option.match(/support-desk/g)?.length, 1, option);

  // Details of a call that failed: what the user read, what happened step by step, and the call's facts.
  await page.focus('#search');
  await page.keyboard.type('status:failed,rejected');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  lines = await hears(page, /^heading: What happened$/i);
  inOrder(lines, [
    /^button: Close the details$/,
    /^heading: .+/,
    /^heading: What the user reads$/i,
    /^combobox: Language$/,
    /^heading: What happened$/i,
    /^heading: Context$/i,
    /^heading: The call$/i,
    /^button: Copy a link to this call$/,
    /^button: Show its events$/,
  ]);
  await page.keyboard.press('Escape');

  // Errors: each group says its code, its rule, its trend and its number; the selected one is marked.
  await page.keyboard.press('4');
  lines = await hears(page, /^heading: Failed attempts and refused calls$/i);
  inOrder(lines, [
    /^heading: Failed attempts and refused calls$/i,
    /^button: .*SERVER_ERROR.*http\.5xx.*Over .* 3 failed attempts, 1 calls? failed by it, last at/,
    /^heading: Decided by$/i,
    /^button: Classify these signals$/,
    /^heading: What the user reads$/i,
  ]);
  const tree = await page.accessibility.snapshot({ interestingOnly: false });
  const pressed: string[] = [];
  const walk = (node: SerializedAXNode): void => {
    if (node.pressed === true) pressed.push(node.name ?? '');
    for (const child of node.children ?? []) walk(child);
  };
  if (tree !== null) walk(tree);
  assert.equal(pressed.length, 1);
  await page.close();
});
