/**
 * A reader's place in the log, and how it moves on.
 *
 * A reader holds only a position and one open file. Unread events stay in the file and need no queue, so a slow reader
 * costs no memory, however far it lags.
 */

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openOwn, UnsafeFile } from '../own-file.js';
import type { Chunk, EventReader } from './event-store.js';
import type { EventLog } from './log.js';
import type { Segment } from './segments.js';

/** How much is read at once, in bytes; above the longest line. */
const CHUNK_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const BRACE_OPEN = 0x7b;

/** Reads a log from a position on. */
export class LogCursor implements EventReader {
  private readonly log: EventLog;
  private readonly buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private position: number;
  private segment: Segment | undefined;
  private file: FileHandle | undefined;
  private gap = false;
  /** The position may lie within a line: read on from behind the next newline. */
  private align = false;

  constructor(log: EventLog, position: number) {
    this.log = log;
    this.position = position;
    if (position > log.start) {
      this.position = position - 1;
      this.align = true;
    }
  }

  /** The next lines, or `undefined` at the end of the log. */
  async next(): Promise<Chunk | undefined> {
    while (this.position < this.log.end) {
      const file = await this.openFile();
      if (file === undefined) continue;
      const limit = Math.min(CHUNK_BYTES, this.log.end - this.position);
      const { bytesRead } = await file.read(this.buffer, 0, limit, this.position - (this.segment?.base ?? 0));
      const bytes = this.buffer.subarray(0, bytesRead);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        await this.nextSegment(bytesRead);
        continue;
      }
      this.position += end;
      const start = this.align ? bytes.indexOf(NEWLINE) + 1 : 0;
      this.align = false;
      const lines = wholeLines(bytes.subarray(start, end));
      if (lines.length === 0) continue;
      const gap = this.gap;
      this.gap = false;
      return { lines, position: this.position, gap };
    }
    return undefined;
  }

  /** Gives the open file back. */
  async close(): Promise<void> {
    const file = this.file;
    this.file = undefined;
    await file?.close();
  }

  /** The file that the position lies in; `undefined` when it had gone and the position moved on. */
  private async openFile(): Promise<FileHandle | undefined> {
    if (this.file !== undefined) return this.file;
    const segment = this.log.segmentAt(this.position);
    if (segment === undefined) return undefined;
    try {
      this.file = await openOwn(segment.path, constants.O_RDONLY);
    } catch (error) {
      if (!(error instanceof UnsafeFile) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.skipTo(Math.max(this.log.start, this.log.segmentAfter(this.position)));
      return undefined;
    }
    if (segment.base > this.position) this.skipTo(segment.base);
    this.segment = segment;
    return this.file;
  }

  private skipTo(position: number): void {
    this.position = position;
    this.gap = true;
    this.align = false;
  }

  /** The end of a file is reached, or bytes without a line in them: on to the next file. */
  private async nextSegment(bytesRead: number): Promise<void> {
    await this.close();
    if (this.log.segmentAt(this.position)?.base !== this.segment?.base) return;
    // Bytes without a newline, or none where some should be, are not what this server wrote: over them.
    this.skipTo(bytesRead === 0 ? this.log.segmentAfter(this.position) : this.position + bytesRead);
  }
}

/** The lines of a chunk that can be events: a torn one, or zeros after a crash of the machine, cannot. */
function wholeLines(bytes: Buffer): string[] {
  const lines = [];
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line.charCodeAt(0) === BRACE_OPEN && line.endsWith('}') && !line.includes('\0')) lines.push(line);
  }
  return lines;
}
