// Pages whose words of errors come late, in Chromium and in Firefox: served, slow, refused, cut.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as esbuild from 'esbuild';
import { AgentError } from 'halfopen';
import { launchChromium } from '../../scripts/chromium.mjs';
import { FIREFOX, launchFirefox } from '../../scripts/firefox.mjs';
import { root, until } from './stage.js';

const APP = `
import { createPolicy } from 'halfopen';
import { ownTime } from '${join(root, 'scripts/patience.mjs')}';
const events = [];
const policy = createPolicy({ name: 'page', onEvent: (event) => events.push(event), retry: false });
const THROWN = {
  quota: () => Object.assign(new Error('429 quota'), { status: 429, code: 'insufficient_quota' }),
  offline: () => new TypeError('Failed to fetch'),
};
window.succeed = () => policy.execute(async () => 'fine');
window.fail = async (name) => {
  const took = ownTime();
  const error = await policy.execute(async () => { throw THROWN[name](); }).catch((error) => error);
  const german = error.userMessage('de');
  return { code: error.code, message: error.userMessage(), german, text: error.message, tookMs: took() };
};
window.stop = async () => {
  const caller = new AbortController();
  const call = policy.execute(() => new Promise(() => {}), { signal: caller.signal });
  caller.abort();
  const took = ownTime();
  const error = await call.catch((error) => error);
  return { code: error.code, tookMs: took() };
};
window.seen = () => events.map(({ seq, type, userMessage }) => ({ seq, type, userMessage }));
window.isReady = true;
`;

/** How the page's server answers the request for the words' chunk. */
type Manner = 'served' | 'slow' | 'stalled' | 'refused' | 'cut' | 'refused-once';
interface Failed {
  code: string;
  message: string;
  german: string;
  text: string;
  tookMs: number;
}
interface Seen {
  seq: number;
  type: string;
  userMessage?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'halfopen-words-'));
before(async () => {
  await esbuild.build({
    stdin: { contents: APP, resolveDir: join(root, 'pkg/test') },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    outdir: folder,
    entryNames: 'app',
    logLevel: 'error',
  });
});
after(() => rmSync(folder, { recursive: true }));

/** Serves the page; returns its address, how often the words were requested, and how to stop. */
async function serve(manner: Manner) {
  let requests = 0;
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    const [name = ''] = (request.url ?? '/').slice(1).split('?');
    if (name === '') {
      response.setHeader('content-type', 'text/html');
      response.end(
        '<!doctype html><html lang="en"><title>app</title><script type="module" src="/app.js"></script>',
      );
      return;
    }
    if (!readdirSync(folder).includes(name)) {
      response.writeHead(404).end();
      return;
    }
    const body = readFileSync(join(folder, name));
    response.setHeader('content-type', 'text/javascript');
    if (name === 'app.js') {
      response.end(body);
      return;
    }
    requests++;
    if (manner === 'refused' || (manner === 'refused-once' && requests <= 2)) response.writeHead(503).end();
    else if (manner === 'slow') setTimeout(() => response.end(body), 800);
    else if (manner === 'cut') {
      response.setHeader('content-length', body.length);
      response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 50));
    } else if (manner !== 'stalled') response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    stop: () => {
      for (const response of open) response.destroy();
      server.close();
    },
  };
}

interface Opened {
  run<T>(expression: string): Promise<T>;
  close(): Promise<void>;
}

const ENGINES: Record<
  string,
  {
    skip: string | false;
    launch: () => Promise<{ open: (url: string) => Promise<Opened>; close: () => Promise<void> }>;
  }
> = {
  Chromium: {
    skip: false,
    launch: async () => {
      const browser = await launchChromium();
      return {
        open: async (url) => {
          const page = await browser.newPage();
          await page.goto(url);
          return { run: (expression) => page.evaluate(expression), close: () => page.close() };
        },
        close: () => browser.close(),
      };
    },
  },
  Firefox: {
    skip: FIREFOX === undefined && 'there is no Firefox here',
    launch: async () => {
      const browser = await launchFirefox();
      return {
        open: async (url) => {
          const page = await browser.newPage();
          await page.goto(url);
          return {
            run: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
            close: () => page.close(),
          };
        },
        close: () => browser.close(),
      };
    },
  },
};

const thrown = Object.assign(new Error('429 quota'), { status: 429, code: 'insufficient_quota' });
const full = AgentError.from(thrown);

for (const [name, { skip, launch }] of Object.entries(ENGINES)) {
  describe(`in ${name}`, { skip, concurrency: false }, () => {
    let browser: Awaited<ReturnType<typeof launch>>;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    async function inPage(manner: Manner, check: (page: Opened, requests: () => number) => Promise<void>) {
      const server = await serve(manner);
      try {
        const page = await browser.open(server.url);
        await page.run(
          'new Promise((resolve) => { const look = () => window.isReady ? resolve() : setTimeout(look, 20); look(); })',
        );
        await check(page, server.requests);
        await page.close();
      } finally {
        server.stop();
      }
    }

    for (const manner of ['served', 'slow'] as const) {
      test(`words that are ${manner}: the failure is that of every other runtime`, () =>
        inPage(manner, async (page) => {
          assert.equal(await page.run('succeed()'), 'fine');
          const failed = await page.run<Failed>("fail('quota')");
          const { code, message, german, text } = failed;
          assert.deepEqual(
            { code, message, german, text },
            {
              code: full.code,
              message: full.userMessage(),
              german: full.userMessage('de'),
              text: full.message,
            },
          );
          const seen = await page.run<Seen[]>('seen()');
          assert.deepEqual(
            seen.map(({ type }) => type),
            [
              'policy.configured',
              'call.started',
              'attempt.started',
              'attempt.succeeded',
              'call.succeeded',
              'call.started',
              'attempt.started',
              'attempt.failed',
              'call.failed',
            ],
          );
          assert.equal(seen.at(-1)?.userMessage, full.userMessage());
        }));
    }

    for (const manner of ['refused', 'cut', 'stalled'] as const) {
      test(`words that are ${manner}: first aid decides, and no event is shown that might hold a secret`, () =>
        inPage(manner, async (page) => {
          assert.equal(await page.run('succeed()'), 'fine');
          const stopped = await page.run<Failed>('stop()');
          assert.equal(stopped.code, 'CANCELLED');
          assert.ok(stopped.tookMs < 500, `cancelled after ${stopped.tookMs} ms`);
          const offline = await page.run<Failed>("fail('offline')");
          assert.equal(offline.code, 'NETWORK_ERROR');
          assert.match(offline.message, /Please try again/);
          assert.ok(offline.tookMs < 9000, `failed after ${offline.tookMs} ms`);
          assert.equal((await page.run<Failed>("fail('quota')")).code, 'UNKNOWN');
          assert.deepEqual(await page.run('seen()'), []);
        }));
    }

    test('words that are refused once: a later failure has them, and every event comes, in order', () =>
      inPage('refused-once', async (page, requests) => {
        await until(requests);
        assert.equal(await page.run('succeed()'), 'fine');
        const codes = [await page.run<Failed>("fail('quota')"), await page.run<Failed>("fail('quota')")];
        assert.equal(codes.at(-1)?.code, full.code);
        const seen = await page.run<Seen[]>('seen()');
        assert.deepEqual(
          seen.map(({ seq }) => seq),
          seen.map((_, index) => index + 1),
        );
        assert.equal(seen.filter(({ type }) => type === 'call.failed').length, 2);
      }));
  });
}
