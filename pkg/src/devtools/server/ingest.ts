/** `POST /events`: a batch comes in, is checked, written, and only then acknowledged. */

import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { acceptBatch } from './accept.js';
import { BacklogFull, type EventLog } from './log.js';
import { TokenBucket } from './rate.js';

/** What one server takes before it says no. */
export interface IngestLimits {
  /** Largest body of a POST, in bytes. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Events a second, over all agents; five seconds' worth at once. Default 50,000. */
  readonly eventsPerSecond: number;
}

export const INGEST_LIMITS: IngestLimits = { bodyBytes: 1024 * 1024, eventsPerSecond: 50_000 };

/** What has been counted since the start. */
export interface IngestCounts {
  rejected: number;
  duplicates: number;
}

/** How many reasons of rejection one answer spells out. */
const REASONS_TOLD = 5;

/** The route, to be mounted at `/events`. */
export function ingest(log: EventLog, limits: IngestLimits, counts: IngestCounts): Hono {
  const rate = new TokenBucket(limits.eventsPerSecond, limits.eventsPerSecond * 5);
  const tooLarge = (c: Context) => c.json({ error: `A batch has at most ${limits.bodyBytes} bytes.` }, 413);
  /** What the last write failed with: said once, and once that it is over. */
  let failing: string | undefined;
  const wrote = (error?: NodeJS.ErrnoException): void => {
    const code = error === undefined ? undefined : (error.code ?? 'unknown error');
    if (code === failing) return;
    failing = code;
    console.error(
      error === undefined
        ? `halfopen devtools: events are written again to ${log.directory}`
        : `halfopen devtools: events cannot be written to ${log.directory}: ${error.message}. ` +
            'Make room there, or start again with another --dir; agents keep what their buffers hold and send it again.',
    );
  };

  return new Hono().post('/', bodyLimit({ maxSize: limits.bodyBytes, onError: tooLarge }), async (c) => {
    const waitSeconds = rate.take(0);
    if (waitSeconds > 0)
      return later(c, 429, waitSeconds, `More than ${limits.eventsPerSecond} events a second.`);
    const { events, rejected } = acceptBatch(await c.req.text());
    rate.take(events.length + rejected.length);
    try {
      const { stored, duplicates, old } = await log.append(events);
      if (stored > 0) wrote();
      counts.rejected += rejected.length + old;
      counts.duplicates += duplicates;
      return c.json({
        stored,
        duplicates,
        rejected: rejected.length + old,
        reasons: rejected.slice(0, REASONS_TOLD),
      });
    } catch (error) {
      if (error instanceof BacklogFull) return later(c, 503, 1, 'The disk is slower than the events come.');
      wrote(error as NodeJS.ErrnoException);
      return later(c, 507, 5, `Events could not be written (${failing}).`);
    }
  });
}

function later(c: Context, status: 429 | 503 | 507, seconds: number, error: string): Response {
  c.header('Retry-After', String(seconds));
  return c.json({ error }, status);
}
