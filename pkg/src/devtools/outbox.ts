/**
 * What waits to be sent: bounded, counted when it overflows, written as text a slice at a time.
 *
 * An event that is told costs a push. Its JSON is made later, in slices that hold the thread for about
 * half a millisecond. While the server is away the oldest events go first, and one `events.dropped` event
 * takes their place.
 */

import type { HalfopenEvent } from '../events.js';
import { Ring } from './ring.js';

/** One event as text, with what identifies it. */
export interface Line {
  readonly text: string;
  readonly source: string;
  readonly seq: number;
  /** Set for a marker of dropped events, which is no event of the agent's. */
  readonly marker?: true;
}

/** How many events are written as text in one go. */
export const SLICE = 500;
/** Longest line worth sending, in UTF-16 units: the server takes 8 KiB, and events keep to 2. */
const MAX_LINE = 8_192;
/** Most lines of one batch. */
export const BATCH_LINES = 2_000;
/** Most characters of one batch; the server takes 1 MiB, and one that takes less is sent halves. */
const BATCH_CHARACTERS = 900 * 1024;

/** The events that one connection still has to send. */
export class Outbox {
  /** Events lost for good: no place, not writable as JSON, or refused by the server. */
  dropped = 0;
  /** Events pushed, ever. */
  told = 0;
  readonly #capacity: number;
  readonly #fresh: Ring<HalfopenEvent>;
  readonly #lines: Ring<Line>;
  /** Dropped since the last marker, and the newest of them. */
  #unreported: { count: number; source: string; seq: number } | undefined;
  #inFlight: Line[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#fresh = new Ring(capacity);
    this.#lines = new Ring(capacity);
  }

  /** Events in here, at most the capacity. */
  get held(): number {
    return this.#fresh.length + this.#lines.length + this.#inFlight.length;
  }

  /** Events not yet written as text. */
  get fresh(): number {
    return this.#fresh.length;
  }

  /** Events written as text and not yet in a batch. */
  get written(): number {
    return this.#lines.length;
  }

  /** Whether a batch is full, or nothing is left that could fill it. */
  get batchReady(): boolean {
    return this.#fresh.length === 0 || this.#lines.length >= BATCH_LINES;
  }

  /** Whether there is something to send. */
  get sendable(): boolean {
    return this.#inFlight.length > 0 || this.#lines.length > 0 || this.#unreported !== undefined;
  }

  /** Takes an event in. */
  push(event: HalfopenEvent): void {
    this.told += 1;
    if (this.held >= this.#capacity && !this.#dropOldest()) {
      this.#drop(event);
      return;
    }
    this.#fresh.push(event);
  }

  /** Writes a slice of the fresh events as text; returns it, ready for others to read too. */
  write(limit = SLICE): string[] {
    const texts: string[] = [];
    for (let count = 0; count < limit; count += 1) {
      const event = this.#fresh.shift();
      if (event === undefined) break;
      const text = toJson(event);
      if (text === undefined) {
        this.#drop(event);
        continue;
      }
      texts.push(text);
      this.#lines.push({ text, source: event.source, seq: event.seq });
    }
    return texts;
  }

  /** Gives up what is written but not in flight: there is no server to send to. */
  discardLines(): void {
    while (this.#lines.shift() !== undefined);
  }

  /** The batch to send: the one in flight again, or the next. Empty when there is nothing. */
  batch(): readonly Line[] {
    if (this.#inFlight.length > 0) return this.#inFlight;
    let characters = 0;
    if (this.#unreported !== undefined) {
      this.#inFlight.push(marker(this.#unreported));
      this.#unreported = undefined;
    }
    while (this.#inFlight.length < BATCH_LINES && characters < BATCH_CHARACTERS) {
      const line = this.#lines.shift();
      if (line === undefined) break;
      characters += line.text.length;
      this.#inFlight.push(line);
    }
    return this.#inFlight;
  }

  /** The first `count` lines of the batch are written, `rejected` of them refused as no events. */
  settle(count: number, rejected: number): void {
    this.#inFlight = this.#inFlight.slice(count);
    this.dropped += rejected;
  }

  /** Counts everything still in here as lost. */
  abandon(): void {
    this.dropped +=
      this.#fresh.length + this.#lines.length + this.#inFlight.filter((line) => !line.marker).length;
    this.#inFlight = [];
    while (this.#fresh.shift() !== undefined);
    this.discardLines();
  }

  #dropOldest(): boolean {
    const oldest = this.#lines.shift() ?? this.#fresh.shift();
    if (oldest === undefined) return false;
    this.#drop(oldest);
    return true;
  }

  #drop({ source, seq }: { readonly source: string; readonly seq: number }): void {
    this.dropped += 1;
    this.#unreported = { count: (this.#unreported?.count ?? 0) + 1, source, seq };
  }
}

/** Stands in the place of dropped events, under the number of the newest of them, which nobody else uses. */
function marker({ count, source, seq }: { count: number; source: string; seq: number }): Line {
  const event = { v: 1, source, seq, time: Date.now(), type: 'events.dropped', count };
  return { text: JSON.stringify(event), source, seq, marker: true };
}

/** `undefined` for what cannot be written: an application's listener may tell of anything. */
function toJson(event: HalfopenEvent): string | undefined {
  try {
    const text = JSON.stringify(event);
    return text.length <= MAX_LINE ? text : undefined;
  } catch {
    return undefined;
  }
}
