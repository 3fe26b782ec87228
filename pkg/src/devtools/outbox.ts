/**
 * The queue of events to send: bounded, with a count of dropped events, and kept as the bytes that are sent.
 *
 * An event becomes text when it is pushed. That takes a microsecond, less than returning to it later, when garbage
 * collections have copied it and no cache has it. While the server is away the oldest events are dropped, and one
 * `events.dropped` event replaces them.
 */

import type { HalfopenEvent } from '../event/events.js';
import { LineWriter } from './line.js';
import { type LineId, PAGE_LINES, Page } from './page.js';

/** The longest line worth sending, in UTF-16 units: the server accepts 8 KiB, and events stay within 2. */
const MAX_LINE = 8_192;
/** How much text is encoded at once. */
const BLOCK = 4_096;

/** The content of one request: NDJSON in one piece or two. */
export interface Batch {
  readonly body: readonly Uint8Array[];
  readonly lines: number;
}

/** The events that one connection still has to send. */
export class Outbox {
  /** Events lost for good: no place, not writable as JSON, or refused by the server. */
  dropped = 0;
  /** Events pushed, ever. */
  pushed = 0;
  private readonly capacity: number;
  private readonly onBlock: (text: string) => void;
  private readonly writer = new LineWriter();
  /** Lines that are not in any page's bytes yet: the last ones that the last page has noted. */
  private block = '';
  /** Not in flight, in order; the last one is written to. */
  private readonly pages: Page[] = [];
  /** The lines of those. */
  private unsent = 0;
  private inFlight: Page | undefined;
  /** Sent before the page in flight, if events were dropped. */
  private marker: Uint8Array | undefined;
  /** The events dropped since the last marker, and the newest of them. */
  private unreported: (LineId & { readonly count: number }) | undefined;
  /** Its memory serves for the next page. */
  private spare: Page | undefined;

  /** Keeps at most `capacity` events; `onBlock` gets each block of lines once, as it is written. */
  constructor(capacity: number, onBlock: (text: string) => void) {
    this.capacity = capacity;
    this.onBlock = onBlock;
  }

  /** Events in here, at most the capacity. */
  get held(): number {
    return this.unsent + (this.inFlight?.lines ?? 0);
  }

  /** Events in no batch yet. */
  get waiting(): number {
    return this.unsent;
  }

  /** `true` if a batch is full. */
  get batchFull(): boolean {
    return this.unsent >= PAGE_LINES;
  }

  /** `true` if there is something to send. */
  get sendable(): boolean {
    return this.inFlight !== undefined || this.unsent > 0 || this.unreported !== undefined;
  }

  /** Takes an event in. */
  push(event: HalfopenEvent): void {
    this.pushed += 1;
    const line = this.lineOf(event);
    if (line === undefined || (this.held >= this.capacity && !this.dropOldest())) {
      this.drop({ source: event.source, seq: event.seq });
      return;
    }
    let page = this.pages.at(-1);
    if (page === undefined || page.full) {
      this.endBlock();
      page = this.newPage();
      this.pages.push(page);
    }
    this.block += `${line}\n`;
    page.note(event.source, event.seq);
    this.unsent += 1;
    if (this.block.length >= BLOCK) this.endBlock();
  }

  /** Hands all that was pushed to `onBlock`. */
  endBlock(): void {
    const block = this.block;
    if (block === '') return;
    this.block = '';
    this.pages.at(-1)?.write(block);
    this.onBlock(block);
  }

  /** Returns the batch to send, of at most that number of lines: the one in flight again, or the next. */
  batch(most = Number.POSITIVE_INFINITY): Batch {
    if (this.inFlight === undefined) {
      this.endBlock();
      if (this.unreported !== undefined) {
        this.marker = marker(this.unreported);
        this.unreported = undefined;
      }
      this.inFlight = this.pages.shift() ?? this.newPage();
      this.unsent -= this.inFlight.lines;
    }
    const before = this.marker === undefined ? 0 : 1;
    const lines = Math.min(this.inFlight.lines, most - before);
    const body = lines > 0 ? [this.inFlight.read(lines)] : [];
    if (this.marker !== undefined) body.unshift(this.marker);
    return { body, lines: lines + before };
  }

  /** The batch is written, `rejected` of its lines refused as no events. */
  settle({ lines }: Batch, rejected: number): void {
    this.dropped += rejected;
    const page = this.inFlight;
    page?.remove(this.marker === undefined ? lines : lines - 1);
    this.marker = undefined;
    if (page === undefined || page.lines > 0) return;
    this.inFlight = undefined;
    this.recycle(page);
  }

  /** Counts everything still in here as lost. */
  abandon(): void {
    this.dropped += this.held;
    this.inFlight = undefined;
    this.marker = undefined;
    this.forget();
  }

  /** Keeps nothing of what waits: there is no server to send it to. */
  forget(): void {
    this.block = '';
    this.unsent = 0;
    for (const page of this.pages.splice(0)) this.recycle(page);
  }

  /** Returns `undefined` for an event that cannot be written: an application's listener may pass anything. */
  private lineOf(event: HalfopenEvent): string | undefined {
    try {
      const line = this.writer.write(event);
      return line !== undefined && line.length <= MAX_LINE ? line : undefined;
    } catch {
      return undefined;
    }
  }

  private newPage(): Page {
    const page = this.spare ?? new Page(this.pages.at(-1)?.bytes);
    this.spare = undefined;
    return page;
  }

  private recycle(page: Page): void {
    page.clear();
    this.spare = page;
  }

  private dropOldest(): boolean {
    const page = this.pages[0];
    if (page === undefined || page.lines === 0) return false;
    if (this.pages.length === 1) this.endBlock();
    this.drop(page.first);
    page.remove(1);
    this.unsent -= 1;
    // The last page may still be written to.
    if (page.lines === 0 && this.pages.length > 1) this.pages.shift();
    return true;
  }

  private drop({ source, seq }: LineId): void {
    this.dropped += 1;
    this.unreported = { count: (this.unreported?.count ?? 0) + 1, source, seq };
  }
}

/** Replaces dropped events, under the number of the newest of them, which no other line uses. */
function marker({ count, source, seq }: LineId & { readonly count: number }): Uint8Array {
  const event = { v: 1, source, seq, time: Date.now(), type: 'events.dropped', count };
  return new TextEncoder().encode(`${JSON.stringify(event)}\n`);
}
