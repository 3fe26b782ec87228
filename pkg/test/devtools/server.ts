// A devtools server of its own for each test, and plain ways to talk to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { RunningServer } from '../../src/devtools/running.js';
import type { DashboardFiles } from '../../src/devtools/server/dashboard.js';
import { type ServerOptions, startServer } from '../../src/devtools/server/main.js';

export { until } from '../../../scripts/patience.mjs';

/** A directory that goes when the test ends. */
export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'halfopen-test-'));
  // A server that is closing may still write into it.
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20 }));
  return directory;
}

/** Keeps what servers write for their user out of the user's home. */
export function ownHome(t: TestContext): string {
  const home = temporaryDirectory(t);
  process.env.HALFOPEN_HOME = home;
  return home;
}

export async function start(t: TestContext, options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  ownHome(t);
  const server = await startServer({
    port: 0,
    host: '127.0.0.1',
    directory: options.directory ?? temporaryDirectory(t),
    ...options,
  });
  t.after(() => server.close());
  return server;
}

/** Files in place of the dashboard's. */
export function packed(files: Record<string, string>): DashboardFiles {
  const entries = Object.entries(files);
  return Object.fromEntries(entries.map(([name, text]) => [name, gzipSync(text).toString('base64')]));
}

export interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/** One HTTP request whose every header is ours, as `fetch` would not allow. */
export function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** A port that is likely free, and none that systems give to connections (from 32,768 on). */
export const anyPort = (): number => 20_000 + Math.floor(Math.random() * 12_000);

/** A browser's credentials after it came in: the cookie, and the key for the stream. */
export async function enter(server: RunningServer): Promise<{ cookie: string; key: string; page: Reply }> {
  const page = await ask(server.dashboardUrl);
  return {
    cookie: (page.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '',
    key: /data-key="([^"]+)"/.exec(page.body)?.[1] ?? '',
    page,
  };
}

/** A line as an agent sends it. */
export function line(seq: number, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    v: 1,
    source: 'agent-1',
    seq,
    time: 1_700_000_000_000 + seq,
    type: 'call.started',
    ...more,
  });
}

/** A server that responds, whichever process it runs in. */
export type Reachable = Pick<RunningServer, 'url' | 'token'>;

/** Posts lines with the server's token. */
export function post(server: Reachable, lines: readonly string[]): Promise<Reply> {
  return ask(`${server.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
}

/** The whole log, as the download route gives it. */
export async function stored(server: Reachable): Promise<Record<string, unknown>[]> {
  const { body } = await ask(`${server.url}/events?format=jsonl`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  return body
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
}
