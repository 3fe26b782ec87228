/** The dashboard's files: they come with the package as one module, and are served from memory. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context, Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';

/** Each file by its name: gzip, in base64. */
export type DashboardFiles = Readonly<Record<string, string>>;

const PAGE = 'index.html';
const unpack = promisify(gunzip);

/** The dashboard's files in the package. A checkout has them once the dashboard is built. */
export async function dashboardFiles(): Promise<DashboardFiles> {
  try {
    return (await import('../embed/files.js')).files;
  } catch {
    return {};
  }
}

/** Serves them; the dashboard's views have paths of their own, which all get its one page. */
export function serveDashboard(app: Hono, files: DashboardFiles): void {
  const packed = new Map(
    Object.entries(files).map(([name, text]) => [name, Uint8Array.from(Buffer.from(text, 'base64'))]),
  );
  // The package has them already, and twice would be too much.
  app.get('/lab-worker.js', async (c) => c.body((await labFiles()).script, 200, fresh('text/javascript')));
  app.get('/lab.wasm', async (c) => c.body((await labFiles()).module(), 200, fresh('application/wasm')));
  app.get('*', async (c) => {
    const path = c.req.path.slice(1);
    const name = path.includes('.') ? path : PAGE;
    const bytes = packed.get(name);
    if (bytes === undefined) return notFound(c, name);
    c.header('Content-Type', getMimeType(name) ?? 'application/octet-stream');
    // Trunk puts a hash of the content into the names of what it builds.
    const hashed = /-[0-9a-f]{12,}[._]/.test(name);
    c.header('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    c.header('Vary', 'Accept-Encoding');
    if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return c.body(await unpack(bytes));
    c.header('Content-Encoding', 'gzip');
    return c.body(bytes);
  });
  app.notFound((c) => notFound(c, c.req.path));
}

/** The files of the Lab view. */
const labFiles = () => import('../embed/lab-files.js');

/** The name says nothing of the content. */
const fresh = (type: string) => ({ 'Content-Type': type, 'Cache-Control': 'no-cache' });

function notFound(c: Context, name: string): Response {
  const why =
    name === PAGE
      ? 'Events are taken, but the dashboard is not built: run `make build` in a checkout of Halfopen.'
      : 'Not found.';
  return c.text(`${why}\n`, 404);
}
