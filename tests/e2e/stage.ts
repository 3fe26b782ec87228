// Shared parts of the browser tests: Chromium, the real devtools server, an agent that talks to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { startDevtoolsServer } from 'halfopen/devtools';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium.mjs';
import { scratch } from '../../scripts/scratch.mjs';

export { until } from '../../scripts/patience.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The folder of the pictures. HALFOPEN_PICTURES names one that keeps them; scripts/pictures.sh copies some into the docs. */
export const output = process.env.HALFOPEN_PICTURES ?? scratch();

/** A browser, without anything of a person's profile. */
export function startBrowser(...flags: string[]): Promise<Browser> {
  return launchChromium(...flags);
}

/** Waits until pending changes have been drawn: effects draw in the next frame, the browser after it. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))');
}

/** The address of a view, unless it names one: of the Timeline, which most tests look at. */
export function viewOf(url: string, view = 'timeline'): string {
  const address = new URL(url);
  if (!address.searchParams.has('view')) address.searchParams.set('view', view);
  return String(address);
}

/**
 * Opens a page of the dashboard's address, at the Timeline unless it names a view, and waits for the dashboard; `prepare`
 * sees the page before it is loaded.
 */
export async function openPage(
  browser: Browser,
  url: string,
  width = 1400,
  theme: 'light' | 'dark' = 'light',
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 880 }, colorScheme: theme });
  await prepare(page);
  await page.goto(viewOf(url));
  await page.locator('.app').waitFor();
  return page;
}

/** Starts a server with a log of its own. The caller must stop it: a running one keeps the test file from ending. */
export async function startServer() {
  const directory = mkdtempSync(join(tmpdir(), 'halfopen-e2e-'));
  const server = await startDevtoolsServer({ port: 0, directory });
  return {
    ...server,
    directory,
    async stop() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The server behind `npx halfopen devtools`, on a free port, for one test: it goes when the test ends, however it does. */
export async function serverFor(t: TestContext): ReturnType<typeof startServer> {
  const server = await startServer();
  t.after(() => server.stop());
  return server;
}

/** Sends events to a server, as an agent does. */
export async function send(
  { url, token = '' }: { url: string; token?: string | undefined },
  events: readonly object[],
): Promise<void> {
  const answer = await fetch(`${url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: events.map((event) => JSON.stringify(event)).join('\n'),
  });
  const { stored } = (await answer.json()) as { stored: number };
  if (stored !== events.length) throw new Error(`expected ${events.length} events kept, were ${stored}`);
}

/** The events of a call that answered, `ago` milliseconds ago; `seq` is its first event's, and its number. */
export function answeredCall(seq: number, more: Record<string, unknown> = {}, ago = 0): object[] {
  const time = Date.now() - ago;
  const head = { v: 1, source: 'stage', policy: 'chat', call: `c${seq}`, ...more };
  return [
    { ...head, seq, time, type: 'call.started' },
    { ...head, seq: seq + 1, time: time + 5, type: 'attempt.started', attempt: 1, provider: 'openai' },
    { ...head, seq: seq + 2, time: time + 40, type: 'attempt.succeeded', attempt: 1, durationMs: 35 },
    { ...head, seq: seq + 3, time: time + 40, type: 'call.succeeded', attempts: 1, durationMs: 40 },
  ];
}

/** The fixtures of all tests of a file, from the first to the last of them. */
export interface Stage {
  browser: Browser;
  server: Awaited<ReturnType<typeof startServer>>;
}

/** A browser and a server for all tests of the file that asks. */
export function setStage(): Stage {
  const stage: Partial<Stage> = {};
  before(async () => {
    stage.browser = await startBrowser();
    stage.server = await startServer();
  });
  after(async () => {
    await stage.browser?.close();
    await stage.server?.stop();
  });
  return stage as Stage;
}

/** Opens a recorded log of tests/fixtures, as a person does who picks a file. */
export async function openFixture(page: Page, name = 'incident.jsonl'): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(fixture(name));
  await page.getByText(`File: ${name}`).waitFor();
}

/** Where a recorded log is. */
export function fixture(name: string): string {
  return join(root, 'tests/fixtures', name);
}

/** An example's agent, on real SDKs, sending its events to a server; resolves when its day is over. */
export function runAgent(
  url: string,
  token: string | undefined,
  example = 'examples/agent.ts',
): Promise<number | null> {
  const agent: ChildProcess = spawn(process.execPath, ['--import', 'tsx', example], {
    cwd: root,
    env: {
      ...process.env,
      HALFOPEN_DEVTOOLS_URL: url,
      ...(token === undefined ? {} : { HALFOPEN_DEVTOOLS_TOKEN: token }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve) => agent.on('exit', resolve));
}

/** Errors of the page: thrown ones, and what the console calls an error (a refusal by the CSP is one). */
export function troublesOf(page: Page): string[] {
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  return troubles;
}

/** Returns axe's serious and critical findings, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // By the debugger's way in, which the page's CSP does not concern.
  await page.evaluate(`${axe.source}; void 0`);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations
      .filter((one) => one.impact === 'serious' || one.impact === 'critical')
      .map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')))`,
  )) as string[];
  return found;
}

/** Opens the list of tools, on a page that is too narrow to show them. */
export async function openTools(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'Tools', exact: true });
  if (await more.isVisible()) await more.click();
}

/** Goes to a view by its tab. */
export async function go(page: Page, view: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: new RegExp(`^${view}`) })
    .click();
}
