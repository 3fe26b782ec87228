// A page of somebody else's that embeds the dashboard: what it is made of, how it is bundled, who serves it.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import * as esbuild from 'esbuild';
import webpack from 'webpack';
import { root } from './stage.js';

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An app</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><script type="module" src="/app.js"></script></head>
<body><main><h1>An app of somebody's</h1><label>Ask <input id="ask"></label><p id="keys"></p></main></body></html>`;

const APP = `
import { createPolicy } from 'halfopen';
import { defineDevtoolsElement, mountDevtools } from 'halfopen/devtools/embed';

const policy = createPolicy({ name: 'page', provider: 'openai', retry: { maxRetries: 1, baseDelayMs: 20 } });
let calls = 0;
window.ask = () => policy.execute(async () => {
  if (++calls % 3 !== 0) throw Object.assign(new Error('down'), { status: 503 });
  return 'fine';
}, { task: 'question ' + calls }).catch((error) => error.code);
window.again = mountDevtools;
window.define = defineDevtoolsElement;
window.keys = '';
window.addEventListener('keydown', (event) => { window.keys += event.key; });
if (new URLSearchParams(location.search).has('element')) {
  defineDevtoolsElement();
  const element = document.createElement('halfopen-devtools');
  element.setAttribute('open', '');
  element.style.height = '600px';
  document.body.append(element);
} else {
  window.devtools = mountDevtools(undefined, { dock: new URLSearchParams(location.search).get('dock') ?? undefined });
}
await window.ask();
`;

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Writes the page and its code into a folder. */
export function writeApp(folder: string): void {
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'app.js'), APP);
}

/** Bundles the page of a folder for development, and returns the folder of the output. */
export async function bundle(folder: string, by: 'esbuild' | 'webpack'): Promise<string> {
  const files = join(folder, by);
  mkdirSync(files);
  cpSync(join(folder, 'index.html'), join(files, 'index.html'));
  if (by === 'esbuild') {
    await esbuild.build({
      entryPoints: [join(folder, 'app.js')],
      outdir: files,
      bundle: true,
      splitting: true,
      format: 'esm',
      conditions: ['development'],
      logOverride: { 'ignored-bare-import': 'silent' },
      external: ['node:*'],
      // For what a page notes of coverage.
      sourcemap: 'inline',
      sourcesContent: false,
    });
  } else {
    await new Promise<void>((resolve, reject) => {
      const output = { path: files, filename: 'app.js' };
      webpack({ mode: 'development', entry: join(folder, 'app.js'), output }, (error, stats) => {
        if (error !== null) reject(error);
        else if (stats?.hasErrors()) reject(new Error(stats.toString('errors-only')));
        else resolve();
      });
    });
  }
  return files;
}

/** The page's files, and the package's dashboard under /devtools/. */
export function serve(files: string, policy: string): Promise<Server> {
  const folders = { '/': files, '/devtools/': join(root, 'pkg/dist/dashboard') };
  const server = createServer((request, response) => {
    const [, below = '/', name = ''] = /^(\/(?:devtools\/)?)([^/?]*)/.exec(request.url ?? '/') ?? [];
    const within = folders[below as keyof typeof folders];
    const file = name === '' ? 'index.html' : name;
    if (within === undefined || !readdirSync(within).includes(file)) {
      // Asked for some time after the page: a 404 would be an error of the console's, in the middle of a test.
      response.writeHead(file === 'favicon.ico' ? 204 : 404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'text/plain',
      'content-security-policy': policy,
    });
    response.end(readFileSync(join(within, file)));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

export const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
