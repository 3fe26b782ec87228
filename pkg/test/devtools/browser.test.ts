// The server and the connection in a real browser: the way in, pages that attack, pages that connect.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { CHROMIUM, launchChromium } from '../../../scripts/chromium.mjs';
import type { RunningServer } from '../../src/devtools/running.js';
import { noteCoverage } from '../page-coverage.js';
import { ask, line, packed, post, start, stored, temporaryDirectory, until } from './server.js';

const skip = existsSync(CHROMIUM) ? false : `no browser at ${CHROMIUM}: run make setup`;

let browser: Browser;

before(async () => {
  if (skip) return;
  // A name that leads to this machine, as a rebound one does.
  browser = await launchChromium('--host-resolver-rules=MAP evil.test 127.0.0.1');
});

after(() => browser?.close());

/** A server with a page in place of the dashboard, which tries an inline script. */
async function startWithPage(t: TestContext): Promise<RunningServer> {
  const dashboard = packed({
    'index.html':
      '<!doctype html><title>page</title><script>window.inline = true</script><script src="/own.js"></script>',
    'own.js': 'window.own = true',
  });
  return start(t, { dashboard });
}

async function context(t: TestContext): Promise<BrowserContext> {
  const fresh = await browser.newContext();
  t.after(() => fresh.close());
  // The helper that tsx wraps around named functions, which the page does not have.
  await fresh.addInitScript('globalThis.__name = (value) => value');
  return fresh;
}

/** Opens the printed URL, and waits for the dashboard's own address. */
async function enterPage(page: Page, server: RunningServer): Promise<void> {
  await page.goto(server.dashboardUrl);
  await page.waitForURL(`${server.url}/`);
}

/** A web site on a port of its own. */
async function site(t: TestContext, files: Record<string, { type: string; body: string }>): Promise<number> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' });
    response.end(file?.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

test('the printed URL lets a browser in; the token leaves the address and no script can read the cookie', {
  skip,
}, async (t) => {
  const server = await startWithPage(t);
  await post(server, [line(1), line(2)]);
  const visitor = await context(t);
  const page = await visitor.newPage();
  await enterPage(page, server);
  assert.equal(page.url(), `${server.url}/`);
  const [cookie] = await visitor.cookies();
  assert.equal(cookie?.httpOnly, true);
  assert.equal(cookie?.sameSite, 'Strict');
  const facts = await page.evaluate(
    () =>
      new Promise<{ cookie: string; inline: unknown; own: unknown; data: string }>((resolve) => {
        const key = localStorage.getItem('halfopen-key') ?? '';
        new EventSource(`/events?key=${key}`).onmessage = ({ data }) => {
          const { inline, own } = window as unknown as Record<string, unknown>;
          resolve({ cookie: document.cookie, inline, own, data });
        };
      }),
  );
  assert.equal(facts.cookie, '');
  assert.equal(facts.inline, undefined, 'an inline script ran');
  assert.equal(facts.own, true);
  assert.equal(facts.data, `${line(1)}\n${line(2)}`);
  const reloaded = await page.goto(server.url);
  assert.equal(reloaded?.status(), 200, 'the cookie goes on working');
  const other = await visitor.newPage();
  await other.goto(server.url);
  assert.equal(
    await other.evaluate(() => localStorage.getItem('halfopen-key')?.length),
    43,
    'another tab has the key',
  );
});

test('EventSource reconnects by itself and resumes where it was when the server was started again', {
  skip,
}, async (t) => {
  const directory = temporaryDirectory(t);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const dashboard = packed({ 'index.html': '<!doctype html><title>page</title>' });
  const one = await start(t, { directory, port, dashboard });
  await post(one, [line(1)]);
  const page = await (await context(t)).newPage();
  await enterPage(page, one);
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    new EventSource(`/events?key=${localStorage.getItem('halfopen-key')}`).onmessage = ({ data }) => {
      for (const text of String(data).split('\n')) seen.push((JSON.parse(text) as { seq: number }).seq);
    };
  });
  const seen = () => page.evaluate(() => (window as unknown as { seen: number[] }).seen);
  await until(seen, (all) => all.length >= 1);
  await one.close();
  const two = await start(t, { directory, port, dashboard });
  await post(two, [line(2), line(3)]);
  await until(seen, (all) => all.length >= 3);
  assert.deepEqual(await seen(), [1, 2, 3]);
});

test('a hostile page in the same browser reads nothing and writes nothing', { skip }, async (t) => {
  const server = await startWithPage(t);
  await post(server, [line(1, { task: 'the-secret-task' })]);
  const visitor = await context(t);
  await enterPage(await visitor.newPage(), server);
  const evilPort = await site(t, {
    '/': {
      type: 'text/html',
      body: '<!doctype html><title>evil</title><form method="post"><input name="a"></form>',
    },
  });
  const forged = line(66, { source: 'evil' });
  // A foreign site, a page of another port of this machine, and the server's own port under a foreign name.
  for (const origin of [
    `http://evil.test:${evilPort}`,
    `http://127.0.0.1:${evilPort}`,
    `http://localhost:${evilPort}`,
  ]) {
    const page = await visitor.newPage();
    await page.goto(origin);
    const got = await page.evaluate(
      async ({ target, body }) => {
        const read: string[] = [];
        const attempt = async (what: () => Promise<unknown>) => {
          try {
            read.push(String(await what()));
          } catch {
            read.push('refused');
          }
        };
        const text = (init?: RequestInit) => () =>
          fetch(`${target}/events?format=jsonl`, init).then((answer) => answer.text());
        await attempt(text());
        await attempt(text({ credentials: 'include' }));
        await attempt(text({ credentials: 'include', mode: 'no-cors' }));
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/x-ndjson']) {
          await attempt(() =>
            fetch(`${target}/events`, {
              method: 'POST',
              body,
              headers: { 'content-type': type },
              credentials: 'include',
            }),
          );
          await attempt(() =>
            fetch(`${target}/events`, { method: 'POST', body, mode: 'no-cors', credentials: 'include' }),
          );
        }
        navigator.sendBeacon(`${target}/events`, body);
        await attempt(
          () =>
            new Promise((resolve, reject) => {
              const source = new EventSource(`${target}/events`, { withCredentials: true });
              source.onmessage = ({ data }) => resolve(data);
              source.onerror = () => reject(new Error('closed'));
            }),
        );
        await attempt(
          () =>
            new Promise((resolve) => {
              const frame = document.createElement('iframe');
              frame.src = `${target}/`;
              frame.onload = () => {
                try {
                  resolve(frame.contentDocument?.title ?? 'closed');
                } catch {
                  resolve('closed');
                }
              };
              document.body.append(frame);
            }),
        );
        return read;
      },
      { target: server.url, body: forged },
    );
    assert.ok(!got.join().includes('the-secret-task'), origin);
    assert.ok(!got.includes('page'), `${origin} framed the dashboard`);
    await page.close();
  }
  const rebound = await visitor.newPage();
  const answer = await rebound.goto(`http://evil.test:${new URL(server.url).port}/?token=${server.token}`);
  assert.equal(answer?.status(), 403);
  assert.deepEqual(
    (await stored(server)).map(({ source }) => source),
    ['agent-1'],
  );
});

test('another server of this machine that gets the cookie reads nothing with it, and writes nothing', {
  skip,
}, async (t) => {
  const server = await startWithPage(t);
  await post(server, [line(1)]);
  const visitor = await context(t);
  const page = await visitor.newPage();
  await enterPage(page, server);
  let cookie = '';
  const thief = createServer((request, response) => {
    cookie = request.headers.cookie ?? cookie;
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><link rel="icon" href="data:,">');
  }).listen(0, '127.0.0.1');
  await once(thief, 'listening');
  t.after(() => {
    thief.close();
    thief.closeAllConnections();
  });
  await page.goto(`http://127.0.0.1:${(thief.address() as AddressInfo).port}/`);
  assert.match(cookie, /^halfopen_\d+=/, 'browsers send a cookie to every port');
  assert.equal(await page.evaluate(() => localStorage.length), 0, 'and what a page keeps to none');
  assert.equal((await ask(`${server.url}/events?format=jsonl`, { headers: { cookie } })).status, 401);
  assert.equal(
    (await ask(`${server.url}/events`, { method: 'POST', headers: { cookie }, body: line(2) })).status,
    401,
  );
  assert.equal((await stored(server)).length, 1);
});

test('a page connects: to the server with its token, and to its own origin by BroadcastChannel', {
  skip,
}, async (t) => {
  const server = await startWithPage(t);
  const { outputFiles } = await build({
    stdin: {
      contents: "import { connectDevtools } from 'halfopen/devtools'; window.connect = connectDevtools;",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
    // For noteCoverage.
    sourcemap: 'inline',
    sourcesContent: false,
  });
  const port = await site(t, {
    '/': {
      type: 'text/html',
      body: '<!doctype html><title>agent</title><link rel="icon" href="data:,"><script src="/agent.js"></script>',
    },
    '/agent.js': { type: 'text/javascript', body: outputFiles[0]?.text ?? '' },
  });
  const page = await (await context(t)).newPage();
  await noteCoverage(page);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`http://localhost:${port}`);
  const heard = await page.evaluate(
    async ({ url, token }) => {
      interface Connection {
        dropped: number;
        flush(): Promise<void>;
        close(): Promise<void>;
      }
      const { connect } = window as unknown as { connect(options: object): Connection };
      let tell = (_: object) => {};
      const policies = [
        {
          onEvent(listener: (event: object) => void) {
            tell = listener;
            return () => {};
          },
        },
      ];
      const texts: string[] = [];
      new BroadcastChannel('halfopen').onmessage = ({ data }) => texts.push(String(data));
      const connection = connect({ url, token, policies });
      for (let seq = 1; seq <= 50; seq += 1)
        tell({ v: 1, source: 'page', seq, time: 1, type: 'call.started', task: '✓ é' });
      await connection.close();
      // Without url and token nothing is posted: a page must not contact a port that its code did not name.
      const quiet = connect({ policies });
      tell({ v: 1, source: 'quiet', seq: 1, time: 1, type: 'call.started' });
      await quiet.close();
      while (!texts.join().includes('"quiet"')) await new Promise((resolve) => setTimeout(resolve, 20));
      return { texts, dropped: connection.dropped };
    },
    { url: server.url, token: server.token ?? '' },
  );
  assert.equal(heard.dropped, 0);
  const lines = heard.texts.join('\n').split('\n');
  assert.equal(lines.length, 51);
  const events = await stored(server);
  assert.equal(events.length, 50);
  assert.equal(events[49]?.task, '✓ é');
  assert.deepEqual(complaints, []);
  await page.close();
});
