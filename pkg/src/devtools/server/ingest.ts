/** `POST /events`: a batch comes in, is checked, written, and only then acknowledged. */

import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { acceptBatch, sourceOf } from './accept.js';
import { BacklogFull, type EventStore } from './event-store.js';
import { SharedBudget } from './rate.js';

/** The limits at which a server refuses events. */
export interface IngestLimits {
  /** Largest body of a POST, in bytes. Default 1 MiB. */
  readonly bodyBytes: number;
  /**
   * Events a second, over all agents; five seconds' worth at once. Default 50,000. Each agent has a sixteenth of it for
   * itself, whatever the others send.
   */
  readonly eventsPerSecond: number;
}

export const INGEST_LIMITS: IngestLimits = { bodyBytes: 1024 * 1024, eventsPerSecond: 50_000 };

/** The counts since the start. */
interface IngestCounts {
  rejected: number;
  duplicates: number;
}

/** How many reasons of rejection one answer spells out. */
const MOST_REASONS = 5;

/** The route, to be mounted at `/events`. */
export function ingest(log: EventStore, limits: IngestLimits, counts: IngestCounts): Hono {
  const rate = new SharedBudget(limits.eventsPerSecond);
  const tooLarge = (c: Context) => c.json({ error: `A batch has at most ${limits.bodyBytes} bytes.` }, 413);
  /** The error of the last write. It is reported once, and its end once. */
  let failing: string | undefined;
  const wrote = (error?: NodeJS.ErrnoException): void => {
    const code = error === undefined ? undefined : (error.code ?? 'unknown error');
    if (code === failing) return;
    failing = code;
    console.error(
      error === undefined
        ? `halfopen devtools: events are written again to ${log.place}`
        : `halfopen devtools: events cannot be written to ${log.place}: ${error.message}. ` +
            `${log.remedy}; agents keep what their buffers hold and send it again.`,
    );
  };

  return new Hono().post(
    '/',
    identityOnly,
    bodyLimit({ maxSize: limits.bodyBytes, onError: tooLarge }),
    async (c) => {
      const body = await c.req.text();
      const source = sourceOf(body);
      const waitSeconds = rate.wait(source);
      if (waitSeconds > 0)
        return later(c, 429, waitSeconds, `More than ${limits.eventsPerSecond} events a second.`);
      const { events, rejected } = acceptBatch(body);
      rate.charge(source, events.length + rejected.length);
      try {
        const { stored, duplicates, old } = await log.append(events);
        if (stored > 0) wrote();
        counts.rejected += rejected.length + old;
        counts.duplicates += duplicates;
        return c.json({
          stored,
          duplicates,
          rejected: rejected.length + old,
          reasons: rejected.slice(0, MOST_REASONS),
        });
      } catch (error) {
        if (error instanceof BacklogFull)
          return later(c, 503, 1, 'Events come faster than they can be written.');
        wrote(error as NodeJS.ErrnoException);
        return later(c, 507, 5, `Events could not be written (${failing}).`);
      }
    },
  );
}

/** Refuses what is compressed or otherwise encoded: read as it is, it would be no event (RFC 9110 §15.5.16). */
const identityOnly: MiddlewareHandler = async (c, next) => {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return next();
  const error = `Content-Encoding '${encoding.slice(0, 40)}' is not supported. Send the batch as it is.`;
  return c.json({ error }, 415, { 'Accept-Encoding': 'identity' });
};

function later(c: Context, status: 429 | 503 | 507, seconds: number, error: string): Response {
  c.header('Retry-After', String(seconds));
  return c.json({ error }, status);
}
