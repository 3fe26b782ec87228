// Shared parts of the site's tests: the built files, a server for them, and a page's references.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const dist = join(root, 'site/dist');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

const all = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1));

/**
 * Every file of the site by its path from the site's root. rustdoc's output is left out, because it is not ours to
 * test.
 */
export const files = new Set(all.filter((path) => !path.startsWith('rust/')));
export const rustFiles = new Set(all.filter((path) => path.startsWith('rust/')));

/** The pages, as paths such as `policies/retry.html`. */
export const pages = [...files].filter((path) => path.endsWith('.html') && path !== '404.html').sort();

export const read = (path: string) => readFileSync(join(dist, path), 'utf8');

/** Serves the site as any file server does. Returns its address, with a slash at the end. */
export async function serve(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURIComponent(pathname)
      .replace(/^\//, '')
      .replace(/(^|\/)$/, '$1index.html');
    if (!files.has(path) && !rustFiles.has(path)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
    response.end(readFileSync(join(dist, path)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
