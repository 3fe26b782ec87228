/**
 * The append-only log: what it acknowledges is written.
 *
 * `append` resolves after `write(2)` has returned, so nothing acknowledged is lost when the process
 * is killed at any moment. A crash of the whole machine may take the last second: the file is
 * synced once a second while it grows, when it is rotated and when it is closed. Batches that come
 * while a write is under way go out together in the next one.
 *
 * After a crash the last line may be torn. It was never acknowledged; opening the log cuts it off,
 * or completes it where only its newline was missing, and goes on behind it on a fresh line.
 */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { makeDirectory } from '../directory.js';
import { type AcceptedEvent, acceptLine, MAX_LINE_BYTES } from './accept.js';
import { SeenEvents } from './seen.js';
import { listSegments, type Segment, segment } from './segments.js';

/** How large the log may be, in bytes. */
export interface LogLimits {
  /** A file of this size is closed and the next begun. Default 16 MiB. */
  readonly segmentBytes: number;
  /** Above this the oldest files go. Default 256 MiB. */
  readonly maxBytes: number;
  /** Batches waiting to be written may hold this much; more is refused. Default 16 MiB. */
  readonly backlogBytes: number;
}

export const LOG_LIMITS: LogLimits = {
  segmentBytes: 16 * 1024 * 1024,
  maxBytes: 256 * 1024 * 1024,
  backlogBytes: 16 * 1024 * 1024,
};

/** How far back the log is read at start to know again which events are stored. */
const REREAD_BYTES = 32 * 1024 * 1024;
const SYNC_EVERY_MS = 1_000;

/** What became of a batch. */
export interface Appended {
  readonly stored: number;
  readonly duplicates: number;
  /** Sequence numbers too far below the newest of their source to know whether they are stored. */
  readonly old: number;
}

/** More is waiting to be written than may be kept in memory. */
export class BacklogFull extends Error {}

interface Waiting {
  readonly events: readonly AcceptedEvent[];
  readonly bytes: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** The log of one directory. One process at a time may have it open. */
export class EventLog {
  readonly directory: string;
  /** Names the log: another directory, or this one emptied, is another log. */
  readonly id: string;
  /** Events stored since the log was opened. */
  stored = 0;
  readonly #limits: LogLimits;
  readonly #seen = new SeenEvents();
  readonly #segments: Segment[];
  readonly #listeners = new Set<() => void>();
  #file: FileHandle;
  #end: number;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(
    directory: string,
    limits: LogLimits,
    segments: Segment[],
    file: FileHandle,
    end: number,
  ) {
    this.directory = directory;
    this.id = segments.at(-1)?.log ?? '';
    this.#limits = limits;
    this.#segments = segments;
    this.#file = file;
    this.#end = end;
  }

  /** Opens the log of a directory, made where there is none; mends a torn end. */
  static async open(directory: string, limits: Partial<LogLimits> = {}): Promise<EventLog> {
    await makeDirectory(directory);
    const segments: (Segment & { size: number })[] = await listSegments(directory);
    if (segments.length === 0) {
      segments.push({ ...segment(directory, randomBytes(4).toString('hex'), 0), size: 0 });
    }
    const last = segments[segments.length - 1] as (typeof segments)[number];
    const file = await open(last.path, 'a+', 0o600);
    const size = await mendEnd(file);
    const log = new EventLog(directory, { ...LOG_LIMITS, ...limits }, segments, file, last.base + size);
    await log.#reread();
    return log;
  }

  /** The position behind the last event written. */
  get end(): number {
    return this.#end;
  }

  /** The position of the oldest event that is still kept. */
  get start(): number {
    return this.#segments[0]?.base ?? this.#end;
  }

  /** How many agents have been heard of. */
  get sources(): number {
    return this.#seen.sources;
  }

  /** The file that holds a position, or the oldest behind it where that one is gone. */
  segmentAt(position: number): Segment | undefined {
    return this.#segments.filter(({ base }) => base <= position).at(-1) ?? this.#segments[0];
  }

  /** Where the first file behind a position starts; the log's end where there is none. */
  segmentAfter(position: number): number {
    return this.#segments.find(({ base }) => base > position)?.base ?? this.#end;
  }

  /** Calls back, at most once for each write, when the log has grown. Returns how to stop. */
  onGrowth(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores the events that are not stored yet, and resolves when they are written.
   *
   * @throws {BacklogFull} when too much is waiting; else what the file system says (a full disk).
   * Then none of the batch counts as stored, and it may be sent again.
   */
  append(events: readonly AcceptedEvent[]): Promise<Appended> {
    let bytes = 0;
    for (const { line } of events) bytes += line.length;
    if (this.#closed || this.#waitingBytes + bytes > this.#limits.backlogBytes) {
      return Promise.reject(new BacklogFull('too much is waiting to be written'));
    }
    return new Promise((resolve, reject) => {
      this.#waitingBytes += bytes;
      this.#waiting.push({ events, bytes, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Writes what waits, syncs, and closes the file. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    clearTimeout(this.#syncTimer);
    await this.#file.datasync();
    await this.#file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#writeGroup(group);
    }
    this.#writing = undefined;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    const fresh: AcceptedEvent[] = [];
    const results: Appended[] = [];
    for (const { events } of group) {
      const result = { stored: 0, duplicates: 0, old: 0 };
      for (const event of events) {
        const seen = this.#seen.add(event.source, event.seq);
        if (seen === 'new') {
          fresh.push(event);
          result.stored += 1;
        } else if (seen === 'duplicate') result.duplicates += 1;
        else result.old += 1;
      }
      results.push(result);
    }
    try {
      if (fresh.length > 0) await this.#write(`${fresh.map(({ line }) => line).join('\n')}\n`);
    } catch (error) {
      for (const { source, seq } of fresh) this.#seen.remove(source, seq);
      for (const { reject } of group) reject(error);
      return;
    }
    this.stored += fresh.length;
    group.forEach(({ resolve }, index) => {
      resolve(results[index] as Appended);
    });
    if (fresh.length > 0) for (const listener of this.#listeners) listener();
  }

  async #write(text: string): Promise<void> {
    const base = this.#segments.at(-1)?.base ?? 0;
    if (this.#end - base >= this.#limits.segmentBytes) await this.#rotate();
    const bytes = Buffer.from(text);
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.#file.write(bytes, written)).bytesWritten;
      }
    } catch (error) {
      // A full disk may have taken half of it: cut back to what is whole.
      await this.#file.truncate(this.#end - (this.#segments.at(-1)?.base ?? 0)).catch(() => {});
      throw error;
    }
    this.#end += bytes.length;
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      this.#file.datasync().catch(() => {});
    }, SYNC_EVERY_MS).unref();
  }

  async #rotate(): Promise<void> {
    const next = segment(this.directory, this.id, this.#end);
    const file = await open(next.path, 'a+', 0o600);
    await this.#file.datasync();
    await this.#file.close();
    this.#file = file;
    this.#segments.push(next);
    while (this.#segments.length > 2 && this.#end - (this.#segments[1]?.base ?? 0) >= this.#limits.maxBytes) {
      const oldest = this.#segments.shift();
      if (oldest) await unlink(oldest.path).catch(() => {});
    }
  }

  /** Marks the events of the log's end as stored. */
  async #reread(): Promise<void> {
    for (const { base, path } of this.#segments) {
      const next = this.#segments.find((other) => other.base > base)?.base ?? this.#end;
      if (next < this.#end - REREAD_BYTES) continue;
      const file = await open(path, 'r');
      for await (const line of file.readLines()) {
        const event = acceptLine(line);
        if (typeof event !== 'string') this.#seen.add(event.source, event.seq);
      }
    }
  }
}

/** Makes a file end with a whole line; returns its size then. */
async function mendEnd(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const end = await endOfLastLine(file, size);
  if (end === size) return size;
  const torn = Buffer.alloc(Math.min(size - end, 2 * MAX_LINE_BYTES));
  await file.read(torn, 0, torn.length, end);
  if (typeof acceptLine(torn.toString('utf8')) !== 'string') {
    await file.write('\n');
    return size + 1;
  }
  await file.truncate(end);
  return end;
}

/** Behind the last newline of a file; after a crash of the machine a long run of zeros may follow it. */
async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(64 * 1024);
  for (let from = size; from > 0; ) {
    const length = Math.min(from, block.length);
    from -= length;
    const { bytesRead } = await file.read(block, 0, length, from);
    const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}
