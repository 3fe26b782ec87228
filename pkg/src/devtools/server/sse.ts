/**
 * The stream of events to a browser: first what the log holds, then what comes.
 *
 * The stream is pulled: the log is only read further once the browser has taken the earlier part. One message carries
 * many events, one a line, and its id is the position behind them.
 */

import type { EventStore } from './event-store.js';
import type { EventFilter } from './filter.js';
import { eventId, parseEventId } from './segments.js';

const PING_EVERY_MS = 15_000;
const STATS_EVERY_MS = 1_000;
/** The most characters of a chunk of new lines for a watching page. One chunk is little work for a frame. */
const PIECE_CHARS = 32 * 1024;
/** From one piece to the next: a frame of the page. */
const PAUSE_MS = 16;
/** After this number of chunks in a row, a mebibyte, the rest follows without pauses, because the page lags. */
const MOST_PAUSES = 32;

/** The content of `stats` messages. */
type Stats = () => Readonly<Record<string, number>>;

/** The events of a stream: those behind the event `after` that pass the filter. */
interface Wanted {
  readonly after: string | undefined;
  readonly filter: EventFilter | undefined;
}

/** A `text/event-stream` body that begins behind the event `after`, or at the oldest one kept. */
export function eventStream(
  log: EventStore,
  { after, filter }: Wanted,
  stats: Stats,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const messages = readMessages(log, { after, filter }, stats, signal);
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await messages.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await messages.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* readMessages(
  log: EventStore,
  { after, filter }: Wanted,
  stats: Stats,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  await log.refresh();
  const from = startingPoint(log, after);
  const cursor = log.read(from.position, filter);
  const wake = new WakeUp(log, signal);
  let live = false;
  let pauses = 0;
  let sent = '';
  let sentAt = Number.NEGATIVE_INFINITY;
  let pingAt = performance.now() + PING_EVERY_MS;
  try {
    yield `retry: 1000\n${message('hello', { log: log.id, oldest: eventId(log.id, log.start), newest: eventId(log.id, log.end) })}`;
    if (from.gap !== undefined) yield message('gap', { reason: from.gap });
    while (!signal.aborted) {
      const chunk = await cursor.next();
      if (chunk !== undefined) {
        if (chunk.gap)
          yield message('gap', { reason: 'older files of the log are gone: given up for space, or removed' });
        if (chunk.lines.length === 0) continue;
        const id = eventId(log.id, chunk.position);
        for (const piece of pieces(chunk.lines, live ? PIECE_CHARS : Number.POSITIVE_INFINITY, id)) {
          yield piece;
          if (!live || pauses >= MOST_PAUSES) continue;
          pauses += 1;
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
        pingAt = performance.now() + PING_EVERY_MS;
        continue;
      }
      if (!live) yield message('live', { newest: eventId(log.id, log.end) });
      live = true;
      pauses = 0;
      const now = performance.now();
      const present = JSON.stringify(stats());
      if (present !== sent && now >= sentAt + STATS_EVERY_MS) {
        sent = present;
        sentAt = now;
        yield `event: stats\ndata: ${present}\n\n`;
      }
      if (now >= pingAt) {
        pingAt = now + PING_EVERY_MS;
        yield ': ping\n\n';
      }
      await wake.growthOr(Math.min(STATS_EVERY_MS, pingAt - now));
    }
  } finally {
    wake.stop();
    await cursor.close();
  }
}

/**
 * Yields lines as messages. Only the last one has the id, which is the position behind all of them. A browser that
 * resumes in between gets some lines again, and keeps each once.
 */
function* pieces(lines: readonly string[], most: number, id: string): Generator<string, void, void> {
  let piece: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (size >= most) {
      yield `data: ${piece.join('\ndata: ')}\n\n`;
      piece = [];
      size = 0;
    }
    piece.push(line);
    size += line.length;
  }
  yield `id: ${id}\ndata: ${piece.join('\ndata: ')}\n\n`;
}

/** Returns the start, and the gap before it. */
function startingPoint(log: EventStore, after: string | undefined): { position: number; gap?: string } {
  if (after === undefined || after === '') return { position: log.start };
  const id = parseEventId(after);
  if (id === undefined) return { position: log.start, gap: 'the id to resume from is none of this server' };
  if (id.log !== log.id || id.position > log.end)
    return { position: log.start, gap: 'the id to resume from is of another log' };
  if (id.position < log.start)
    return { position: log.start, gap: 'older files of the log are gone: given up for space, or removed' };
  return { position: id.position };
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Waits for the log to grow, without missing growth between two waits. */
class WakeUp {
  private grown = false;
  private resolve: (() => void) | undefined;
  private readonly removeListeners: () => void;

  constructor(log: EventStore, signal: AbortSignal) {
    const wake = () => {
      this.grown = true;
      this.resolve?.();
    };
    const stopListening = log.onGrowth(wake);
    signal.addEventListener('abort', wake);
    this.removeListeners = () => {
      stopListening();
      signal.removeEventListener('abort', wake);
    };
  }

  async growthOr(ms: number): Promise<void> {
    if (!this.grown) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.resolve = undefined;
    }
    this.grown = false;
  }

  stop(): void {
    this.removeListeners();
  }
}
