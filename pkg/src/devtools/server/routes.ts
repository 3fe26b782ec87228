/**
 * The server's responses.
 *
 * - `POST /events`: a batch of NDJSON; 200 when it is written.
 * - `GET /events`: the stream for browsers; with `?format=jsonl` the log as a file. The query can select a time range,
 *   policies, processes, or calls with a text (`filter.ts`).
 * - `GET /health`: which server this is; with `?nonce=` the proof that it knows the token. Needs no token.
 * - `POST /lab/real`: runs a scenario of the Lab view for real; needs the token, or the key of the dashboard's own
 *   page.
 * - `POST /control`: an action on a process that allows it; needs the token, or the key of the dashboard's own page. `POST
 *   /control/wait`, where such a process waits, needs the token.
 * - `POST /code`: a code that opens the dashboard once (answered by the guard).
 * - every other GET: the dashboard.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import { NONCE } from '../proof.js';
import { prove } from '../proof-node.js';
import { control } from './control.js';
import { type DashboardFiles, serveDashboard } from './dashboard.js';
import type { EventStore } from './event-store.js';
import { BadFilter, type EventFilter, readFilter } from './filter.js';
import { type GuardOptions, guard } from './guard.js';
import { securityHeaders } from './headers.js';
import { type IngestLimits, ingest } from './ingest.js';
import { real } from './real.js';
import { eventStream } from './sse.js';

/** How many browsers may follow at once. */
const MAX_BROWSERS = 32;

/** The dependencies of the routes. */
interface RouteOptions extends GuardOptions {
  readonly log: EventStore;
  /** Names this run of the server. */
  readonly instance: string;
  /** The secret by which the server proves itself. */
  readonly secret: string;
  readonly dashboard: DashboardFiles;
  readonly limits: IngestLimits;
}

/** The application: guard, events, dashboard. */
export function routes(options: RouteOptions): Hono {
  const { log } = options;
  const counts = { rejected: 0, duplicates: 0, browsers: 0 };
  const stats = () => ({ stored: log.stored, agents: log.sources, ...counts });
  const app = new Hono();
  app.use(securityHeaders);
  app.use(guard(options));
  app.get('/health', (c) => {
    const nonce = c.req.query('nonce');
    const proof =
      nonce !== undefined && NONCE.test(nonce) ? prove(options.secret, nonce, options.port) : undefined;
    c.header('Cache-Control', 'no-store');
    return c.json({ halfopen: 'devtools', instance: options.instance, port: options.port, proof });
  });
  app.route('/events', ingest(log, options.limits, counts));
  app.get('/events', async (c) => {
    c.header('Cache-Control', 'no-store');
    const filter = readFilter(new URL(c.req.url).searchParams);
    if (c.req.query('format') === 'jsonl') return await download(c, log, filter);
    if (counts.browsers >= MAX_BROWSERS) {
      c.header('Retry-After', '5');
      return c.json({ error: `${MAX_BROWSERS} browsers follow already.` }, 503);
    }
    counts.browsers += 1;
    const gone = whenGone(c);
    gone.addEventListener('abort', () => {
      counts.browsers -= 1;
    });
    c.header('Content-Type', 'text/event-stream');
    return c.body(
      eventStream(log, { after: c.req.header('last-event-id') ?? c.req.query('after'), filter }, stats, gone),
    );
  });
  app.route('/lab/real', real(whenGone));
  app.route('/control', control(options, whenGone));
  app.all('/events', (c) => c.json({ error: 'GET or POST.' }, 405, { Allow: 'GET, POST' }));
  serveDashboard(app, options.dashboard);
  app.onError((error, c) => {
    // A client that left in the middle of a request is no fault of the server, and gets no response.
    if (isGone(c)) return c.body(null, 400);
    if (error instanceof BadFilter) return c.json({ error: `${error.message}.` }, 400);
    console.error('halfopen devtools:', error);
    return c.json({ error: 'The server could not answer; its terminal says why.' }, 500);
  });
  return app;
}

/** Returns `true` if the connection of this request is closed already. */
function isGone(c: Context): boolean {
  const { incoming } = c.env as { incoming: IncomingMessage };
  return incoming.socket.destroyed || (incoming.destroyed && !incoming.complete);
}

/** Aborted when the connection of this request is closed. */
function whenGone(c: Context): AbortSignal {
  const gone = new AbortController();
  const { outgoing } = c.env as { outgoing: ServerResponse };
  outgoing.once('close', () => gone.abort());
  return gone.signal;
}

/** The log as it is now, as one file. */
async function download(c: Context, log: EventStore, filter: EventFilter | undefined): Promise<Response> {
  await log.refresh();
  const end = log.end;
  const cursor = log.read(log.start, filter);
  const encoder = new TextEncoder();
  c.header('Content-Type', 'application/x-ndjson; charset=utf-8');
  c.header('Content-Disposition', `attachment; filename="halfopen-${log.id}.jsonl"`);
  return c.body(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = await cursor.next();
          if (chunk !== undefined)
            controller.enqueue(encoder.encode(chunk.lines.map((line) => `${line}\n`).join('')));
          if (chunk === undefined || chunk.position >= end) {
            await cursor.close();
            controller.close();
          }
        },
        cancel: () => cursor.close(),
      },
      { highWaterMark: 0 },
    ),
  );
}
