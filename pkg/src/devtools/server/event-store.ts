/** Where a server keeps its events: what the routes need of it, whether it is a directory of files or a database. */

import type { AcceptedEvent } from './accept.js';
import type { EventFilter } from './filter.js';

/** The result of appending a batch. */
export interface Appended {
  readonly stored: number;
  readonly duplicates: number;
  /** Sequence numbers too far below the newest of their source to know whether they are stored. */
  readonly old: number;
}

/** Whole lines, and the position behind the last. */
export interface Chunk {
  readonly lines: readonly string[];
  readonly position: number;
  /** Lines between the last chunk and this one are gone: given up for space, or removed. */
  readonly gap: boolean;
}

/** A reader's position. It holds no queue: unread events stay in the store. */
export interface EventReader {
  /** The next lines, or `undefined` at the end of what is stored. */
  next(): Promise<Chunk | undefined>;
  close(): Promise<void>;
}

/** Keeps events in the order in which they came. A position is where one of them ends. */
export interface EventStore {
  /** Names the log: positions of one mean nothing in another. */
  readonly id: string;
  /** Its location, for messages: a path, or a database without its password. */
  readonly place: string;
  /** Advice for when nothing can be written. */
  readonly remedy: string;
  /** Events stored since this server has started. */
  readonly stored: number;
  /** How many processes have been heard of. */
  readonly sources: number;
  /** The position of the oldest event that is kept. */
  readonly start: number;
  /** The position behind the newest. */
  readonly end: number;
  /** Resolves once all new events are stored durably. Rejects if no event of the batch is. */
  append(events: readonly AcceptedEvent[]): Promise<Appended>;
  /** Reads from a position on what passes the filter. */
  read(position: number, filter: EventFilter | undefined): EventReader;
  /** Makes `start` and `end` true: others may write too. */
  refresh(): Promise<void>;
  /** Calls back when the store has grown. Returns how to stop. */
  onGrowth(listener: () => void): () => void;
  close(): Promise<void>;
}

/** More is waiting to be written than may be kept in memory. */
export class BacklogFull extends Error {}

/** A database that cannot be used; the message says what to do. */
export class DatabaseUnusable extends Error {}
