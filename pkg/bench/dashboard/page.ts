// The dashboard in Chromium, as the measurements drive it: the real server in a process of its own, the built page.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { Day } from './day.js';

const bin = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));

/** The server behind `npx halfopen devtools`, with a log of its own. */
export class Server {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #home: string;

  private constructor(child: ChildProcess, home: string, url: string) {
    this.#child = child;
    this.#home = home;
    this.url = url;
  }

  static start(): Promise<Server> {
    const home = mkdtempSync(join(tmpdir(), 'halfopen-bench-'));
    const child = spawn(process.execPath, [bin, 'devtools', '--port', '0', '--dir', join(home, 'log')], {
      env: { ...process.env, HALFOPEN_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the devtools server ended: ${code}`)));
      child.stdout?.on('data', (text: Buffer) => {
        const url = /http:\S+/.exec(String(text))?.[0];
        if (url !== undefined) resolve(new Server(child, home, url));
      });
    });
  }

  /** Sends a batch as an agent does; an error when the server did not store all of it. */
  async post(lines: string, count: number): Promise<void> {
    const url = new URL(this.url);
    for (;;) {
      const answer = await fetch(new URL('/events', url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${url.searchParams.get('token')}`,
          'content-type': 'application/x-ndjson',
        },
        body: lines,
      });
      if (answer.status === 429 || answer.status === 503) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        continue;
      }
      const { stored } = (await answer.json()) as { stored?: number };
      if (stored !== count) throw new Error(`the server stored ${stored} of ${count} events`);
      return;
    }
  }

  /** Sends `perSecond` events a second, in a batch every fifth of a second as a connection does. */
  async live(day: Day, perSecond: number, seconds: number): Promise<number> {
    const [batch, began] = [perSecond / 5, performance.now()];
    for (let number = 0; number < seconds * 5; number += 1) {
      await this.post(day.lines(batch), batch);
      const due = began + (number + 1) * 200;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
    return seconds * perSecond;
  }

  async stop(): Promise<void> {
    this.#child.removeAllListeners('exit');
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await gone;
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How many events the page says that it has, and how many it says were lost. */
export async function counts(page: Page): Promise<{ events: number; lost: number }> {
  const [events, lost] = (await page.evaluate(`[
    [...document.querySelectorAll('.status span')].find((one) => /events/.test(one.textContent))?.textContent ?? '0',
    [...document.querySelectorAll('[data-loss]')].map((one) => one.textContent).join(' '),
  ]`)) as [string, string];
  const number = (text: string) => Number(text.replaceAll(/\D/g, '') || '0');
  return { events: number(events), lost: lost.split(/[a-z]+/i).reduce((sum, part) => sum + number(part), 0) };
}

/** Waits until the page has that number of events. Throws after `seconds`, with the number that it had. */
export async function untilCounted(page: Page, wanted: number, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    const { events, lost } = await counts(page);
    if (events + lost >= wanted) return;
    if (performance.now() > until)
      throw new Error(`the page has ${events} of ${wanted} events, ${lost} counted as lost`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * How long the page takes from the choice of a file until it says that it has all of its events, in milliseconds, by the
 * page's own clock: to ask it from outside, ten times a second, would count the asking.
 */
export function untilShown(page: Page, events: number): Promise<number> {
  return page.evaluate(`new Promise((resolve, reject) => {
    const status = document.querySelector('.status');
    const shown = () => [...status.querySelectorAll('span')].find((one) => /events/.test(one.textContent));
    document.querySelector('input[type=file]').addEventListener('change', () => {
      const began = performance.now();
      setTimeout(() => reject(new Error('the page has ' + shown()?.textContent + ' of ${events}')), 120_000);
      new MutationObserver((_, observer) => {
        if (Number(shown()?.textContent.replaceAll(/\\D/g, '') ?? 0) < ${events}) return;
        observer.disconnect();
        resolve(performance.now() - began);
      }).observe(status, { subtree: true, childList: true, characterData: true });
    }, { capture: true, once: true });
  })`) as Promise<number>;
}

/** Watches the page's memory while something goes on, and the nodes of its document. */
export class Watch {
  /** The most that the page's process had to itself, in bytes: its heap, its WebAssembly memory, everything. */
  peakBytes = 0;
  /** The most elements that the document had. */
  peakNodes = 0;
  readonly #timers: readonly NodeJS.Timeout[];

  private constructor(page: Page, pids: readonly number[]) {
    const bytes = setInterval(() => {
      // The browser keeps an empty renderer in spare: the page's is the larger one.
      this.peakBytes = Math.max(this.peakBytes, ...pids.map(privateBytes));
    }, 100);
    // Reading these is work of the page's main thread, so it happens once a second.
    const nodes = setInterval(() => {
      page
        .evaluate('document.querySelectorAll("*").length')
        .then((nodes) => {
          this.peakNodes = Math.max(this.peakNodes, Number(nodes));
        })
        // The page may be closed by then.
        .catch(() => {});
    }, 1_000);
    this.#timers = [bytes, nodes];
  }

  static async start(browser: Browser, page: Page): Promise<Watch> {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    return new Watch(page, renderers);
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

/** Memory that a process shares with no file and no other process: `RssAnon` of /proc/<pid>/status. */
function privateBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
