// Pages of consumers in Chromium, under a Content-Security-Policy.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { launchChromium } from '../../scripts/chromium.mjs';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
};

/** Opens a folder's index.html in Chromium under a Content-Security-Policy and waits for what the page says of itself. */
export async function inChromium(directory, policy) {
  const server = createServer((request, response) => {
    const path = join(directory, request.url === '/' ? 'index.html' : request.url.slice(1));
    try {
      const body = readFileSync(path);
      response.writeHead(200, {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': policy,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await seenAt(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
}

/** Opens a page in Chromium and waits for what it says of itself. */
export async function seenAt(url) {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on(
      'console',
      (message) =>
        message.type() === 'error' && !message.text().includes('favicon') && complaints.push(message.text()),
    );
    await page.goto(url);
    const body = page.locator('body[data-result], body[data-error]');
    await body.waitFor({ state: 'attached' }).catch(() => {
      throw new Error(`the page said nothing. ${complaints.join('\n')}`);
    });
    const error = await body.getAttribute('data-error');
    if (error) throw new Error(error);
    return await body.getAttribute('data-result');
  } finally {
    await browser.close();
  }
}

export const WITH_WASM = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
export const WITHOUT_WASM = "default-src 'none'; script-src 'self'";
export const PAGE =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>consumer</title></head><body><script type="module" src="./main.js"></script></body></html>';

/** Bundles `main.mjs` for browsers. */
export const bundle = (at, options) =>
  esbuild.build({
    absWorkingDir: at,
    entryPoints: ['main.mjs'],
    bundle: true,
    format: 'esm',
    minify: true,
    outfile: 'bundle/main.js',
    logLevel: 'error',
    ...options,
  });

/** How much JavaScript a folder has. */
export function sizeOf(directory) {
  const bytes = readdirSync(directory, { recursive: true })
    .map((name) => join(directory, name))
    .filter((path) => /\.m?js$/.test(path))
    .reduce((sum, path) => sum + statSync(path).size, 0);
  return `${(bytes / 1024).toFixed(0)} KiB of JavaScript`;
}

/** Bundles a consumer and opens it as a page; returns what it saw. */
export async function page(at, policy, options) {
  await bundle(at, options);
  writeFileSync(join(at, 'bundle/index.html'), PAGE);
  return `${await inChromium(join(at, 'bundle'), policy)}; ${sizeOf(join(at, 'bundle'))}`;
}
