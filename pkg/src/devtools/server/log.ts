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
 *
 * Somebody may remove the files, or cut them, while the server runs; `write(2)` goes on without an error then. So each
 * write and each second ends with a look at the path. Where the file is another one the log goes on in a new file, whose
 * first line says how many events are gone.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, unlink } from 'node:fs/promises';
import { makeDirectory } from '../directory.js';
import { openOwn } from '../own-file.js';
import { type AcceptedEvent, acceptLine, MAX_LINE_BYTES } from './accept.js';
import { type Appended, BacklogFull } from './event-store.js';
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

const LOG_LIMITS: LogLimits = {
  segmentBytes: 16 * 1024 * 1024,
  maxBytes: 256 * 1024 * 1024,
  backlogBytes: 16 * 1024 * 1024,
};

/** How far back the log is read at start to know again which events are stored. */
const REREAD_BYTES = 32 * 1024 * 1024;
/** A crash of the machine loses at most the events of this time. */
const SYNC_EVERY_MS = 1_000;
const NEWLINE = 0x0a;
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

/** The hooks of the log's owner for missing files. */
export interface LogHooks {
  /**
   * Called when the log's files are gone, because other files of the directory may be gone too. If it throws, the log
   * stays closed.
   */
  readonly restore: () => Promise<void>;
  /** This number of events was acknowledged and is gone. */
  readonly onLost: (count: number) => void;
}

const NO_HOOKS: LogHooks = { restore: async () => {}, onLost: () => {} };

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
  private readonly limits: LogLimits;
  private readonly seen = new SeenEvents();
  private readonly segments: Segment[];
  private readonly listeners = new Set<() => void>();
  private file: FileHandle;
  private endPosition: number;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private writing: Promise<void> | undefined;
  /** Written since the last sync. */
  private unsynced = false;
  private readonly timer: NodeJS.Timeout;
  private readonly hooks: LogHooks;
  /** How many events each file holds, as far as they were read or written since the start. */
  private readonly counts = new Map<number, number>();
  /** How many lost events the markers in each file count. */
  private readonly markedIn = new Map<number, number>();
  /** Lost, and not yet in a marker. */
  private lost = 0;
  /** Names this run of the log in the events that it writes itself, and numbers those. */
  private readonly source = `devtools-${randomBytes(4).toString('hex')}`;
  private markers = 1;
  private closed = false;

  private constructor(
    directory: string,
    limits: LogLimits,
    segments: Segment[],
    file: FileHandle,
    end: number,
    hooks: LogHooks,
  ) {
    this.directory = directory;
    this.id = segments.at(-1)?.log ?? '';
    this.limits = limits;
    this.segments = segments;
    this.file = file;
    this.endPosition = end;
    this.hooks = hooks;
    this.timer = setInterval(() => {
      this.writing ??= this.lookAfter();
    }, SYNC_EVERY_MS).unref();
  }

  /** Opens the log of a directory, which is made if it is missing; repairs a torn end. */
  static async open(
    directory: string,
    limits: Partial<LogLimits> = {},
    hooks: LogHooks = NO_HOOKS,
  ): Promise<EventLog> {
    await makeDirectory(directory);
    const segments: (Segment & { size: number })[] = await listSegments(directory);
    if (segments.length === 0) {
      segments.push({ ...segment(directory, randomBytes(4).toString('hex'), 0), size: 0 });
    }
    const last = segments[segments.length - 1] as (typeof segments)[number];
    const file = await openOwn(last.path, APPEND);
    const size = await mendEnd(file);
    const end = last.base + size;
    const log = new EventLog(directory, { ...LOG_LIMITS, ...limits }, segments, file, end, hooks);
    try {
      await log.reread();
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** The position behind the last event written. */
  get end(): number {
    return this.endPosition;
  }

  /** The position of the oldest event that is still kept. */
  get start(): number {
    return this.segments[0]?.base ?? this.endPosition;
  }

  /** How many agents have been heard of. */
  get sources(): number {
    return this.seen.sources;
  }

  /** The file that holds a position, or the oldest behind it where that one is gone. */
  segmentAt(position: number): Segment | undefined {
    return this.segments.filter(({ base }) => base <= position).at(-1) ?? this.segments[0];
  }

  /** Returns the start of the first file behind a position; the log's end after the last file. */
  segmentAfter(position: number): number {
    return this.segments.find(({ base }) => base > position)?.base ?? this.endPosition;
  }

  /** Calls back, at most once for each write, when the log has grown. Returns how to stop. */
  onGrowth(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Stores the events that are not stored yet, and resolves when they are written.
   *
   * @throws {BacklogFull} when too much is waiting; otherwise the file system's error (a full disk). Then no event of
   * the batch counts as stored, and the batch may be sent again.
   */
  append(events: readonly AcceptedEvent[]): Promise<Appended> {
    let bytes = 0;
    for (const { line } of events) bytes += line.length;
    if (this.closed || this.waitingBytes + bytes > this.limits.backlogBytes) {
      return Promise.reject(new BacklogFull('too much is waiting to be written'));
    }
    return new Promise((resolve, reject) => {
      this.waitingBytes += bytes;
      this.waiting.push({ events, bytes, resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  /** Writes what waits, syncs, and closes the file. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.writing;
    await this.file.datasync();
    await this.file.close();
  }

  /** Once a second: syncs what was written, and looks whether the file is still there. */
  private async lookAfter(): Promise<void> {
    try {
      if (this.unsynced) await this.file.datasync();
      this.unsynced = false;
      if (!(await this.replaceFile()) && (await this.isOlderMissing())) {
        // Not the one that is written to: its place in the list says where the next line goes.
        await this.forgetMissing(this.segments.slice(0, -1));
        await this.writeMarker();
      }
    } catch {
      // The next batch fails with the same, and says so.
    }
    await this.writeAll();
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      this.waitingBytes = 0;
      await this.writeGroup(group);
    }
    this.writing = undefined;
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    const fresh: AcceptedEvent[] = [];
    const results: Appended[] = [];
    for (const { events } of group) {
      const result = { stored: 0, duplicates: 0, old: 0 };
      for (const event of events) {
        const seen = this.seen.add(event.source, event.seq);
        if (seen === 'new') {
          fresh.push(event);
          result.stored += 1;
        } else if (seen === 'duplicate') result.duplicates += 1;
        else result.old += 1;
      }
      results.push(result);
    }
    try {
      if (fresh.length > 0) await this.write(`${fresh.map(({ line }) => line).join('\n')}\n`, fresh.length);
    } catch (error) {
      for (const { source, seq } of fresh) this.seen.remove(source, seq);
      for (const { reject } of group) reject(error);
      return;
    }
    this.stored += fresh.length;
    group.forEach(({ resolve }, index) => {
      resolve(results[index] as Appended);
    });
    if (fresh.length > 0) for (const listener of this.listeners) listener();
  }

  /** Appends lines, and returns once they are in the file at the log's path. */
  private async write(text: string, count: number): Promise<void> {
    await this.writeMarker();
    if (this.endPosition - this.base >= this.limits.segmentBytes) await this.rotate();
    let bytes: number;
    do bytes = await this.appendText(text);
    while (await this.replaceFile(bytes));
    this.endPosition += bytes;
    this.counts.set(this.base, (this.counts.get(this.base) ?? 0) + count);
  }

  /** Writes behind the log's end. Returns how many bytes: they belong to the log once its end is moved behind them. */
  private async appendText(text: string): Promise<number> {
    const bytes = Buffer.from(text);
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.file.write(bytes, written)).bytesWritten;
      }
    } catch (error) {
      // A full disk may have taken half of it: cut back to what is whole.
      await this.file.truncate(this.endPosition - this.base).catch(() => {});
      throw error;
    }
    this.unsynced = true;
    return bytes.length;
  }

  /** Where the file that is written to begins. */
  private get base(): number {
    return this.segments.at(-1)?.base ?? 0;
  }

  /**
   * Goes on in a new file where the one that is written to is no longer the one at its path, or not as long as it should
   * be. Returns whether it did. `pending`: how many bytes were written behind the log's end.
   */
  private async replaceFile(pending = 0): Promise<boolean> {
    const mine = await this.file.stat({ bigint: true });
    const there = await lstat(this.segments.at(-1)?.path ?? '', { bigint: true }).catch(() => undefined);
    const same = there?.ino === mine.ino && there.dev === mine.dev;
    if (same && Number(there.size) === this.endPosition + pending - this.base) return false;
    // They are written once more, now or when they are sent again: a file that comes back must not have them too. Where it
    // cannot be cut, its disk is gone.
    if (pending > 0) await this.file.truncate(Number(mine.size) - pending).catch(() => {});
    await this.hooks.restore();
    await makeDirectory(this.directory);
    // Above the old file's name, also where that file was empty.
    const base = Math.max(this.endPosition, this.base + 1);
    const next = segment(this.directory, this.id, base);
    const file = await openOwn(next.path, APPEND);
    await this.file.close();
    this.file = file;
    await this.forgetMissing(this.segments);
    this.segments.push(next);
    this.endPosition = base + (await file.stat()).size;
    await this.writeMarker();
    return true;
  }

  /** Returns `true` if an older file is gone that was not dropped to save space. */
  private async isOlderMissing(): Promise<boolean> {
    const found = await Promise.all(
      this.segments.map(({ path }) =>
        lstat(path).then(
          () => true,
          () => false,
        ),
      ),
    );
    return found.includes(false);
  }

  /** Takes files that are gone off the list, and counts what was in them, and in what was cut off others. */
  private async forgetMissing(segments: readonly Segment[]): Promise<void> {
    let lost = 0;
    for (const one of [...segments]) {
      const before = this.counts.get(one.base) ?? 0;
      const left = await countLines(one.path);
      if (left === undefined) {
        this.segments.splice(this.segments.indexOf(one), 1);
        // Its markers of earlier losses are gone with it.
        this.lost += this.markedIn.get(one.base) ?? 0;
        this.markedIn.delete(one.base);
      }
      if ((left ?? 0) >= before) continue;
      lost += before - (left ?? 0);
      this.counts.set(one.base, left ?? 0);
    }
    this.lost += lost;
    if (lost > 0) this.hooks.onLost(lost);
  }

  /** Records in the log itself how many of its events are gone, at the position where they were. */
  private async writeMarker(): Promise<void> {
    if (this.lost === 0) return;
    const event = {
      v: 1,
      source: this.source,
      seq: this.markers,
      time: Date.now(),
      type: 'events.dropped',
      count: this.lost,
    };
    const bytes = await this.appendText(`${JSON.stringify(event)}\n`);
    this.endPosition += bytes;
    this.markers += 1;
    this.markedIn.set(this.base, (this.markedIn.get(this.base) ?? 0) + this.lost);
    this.lost = 0;
    for (const listener of this.listeners) listener();
  }

  private async rotate(): Promise<void> {
    const next = segment(this.directory, this.id, this.endPosition);
    const file = await openOwn(next.path, APPEND);
    await this.file.datasync();
    await this.file.close();
    this.file = file;
    this.segments.push(next);
    while (
      this.segments.length > 2 &&
      this.endPosition - (this.segments[1]?.base ?? 0) >= this.limits.maxBytes
    ) {
      const oldest = this.segments.shift();
      if (oldest === undefined) break;
      this.counts.delete(oldest.base);
      this.markedIn.delete(oldest.base);
      await unlink(oldest.path).catch(() => {});
    }
  }

  /** Marks the events of the log's end as stored. */
  private async reread(): Promise<void> {
    for (const { base, path } of this.segments) {
      const next = this.segments.find((other) => other.base > base)?.base ?? this.endPosition;
      if (next < this.endPosition - REREAD_BYTES) continue;
      const file = await openOwn(path, constants.O_RDONLY);
      let count = 0;
      for await (const line of file.readLines()) {
        count += 1;
        const event = acceptLine(line);
        if (typeof event !== 'string') this.seen.add(event.source, event.seq);
      }
      this.counts.set(base, count);
    }
  }
}

/** How many lines a file has; `undefined` where it cannot be read. */
async function countLines(path: string): Promise<number | undefined> {
  let file: FileHandle;
  try {
    file = await openOwn(path, constants.O_RDONLY);
  } catch {
    return undefined;
  }
  let count = 0;
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  }
  return count;
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
    const newline = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}
