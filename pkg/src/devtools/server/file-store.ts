/** The files of a directory as a store that the routes read, with the filters that files do not have by themselves. */

import { LogCursor } from './cursor.js';
import type { Chunk, EventReader, EventStore } from './event-store.js';
import { callOf, type EventFilter, type FilterFields, passes } from './filter.js';
import type { EventLog } from './log.js';

/** Most calls that `text` selects: beyond them it selects no more. */
const MOST_CALLS = 100_000;

/** A directory's log, as a store. */
export function fileStore(log: EventLog): EventStore {
  return {
    get id() {
      return log.id;
    },
    place: log.directory,
    remedy: 'Make room there, or start again with another --dir',
    get stored() {
      return log.stored;
    },
    get sources() {
      return log.sources;
    },
    get start() {
      return log.start;
    },
    get end() {
      return log.end;
    },
    append: (events) => log.append(events),
    read(position, filter) {
      const cursor = new LogCursor(log, position);
      return filter === undefined
        ? cursor
        : new FilteredReader(cursor, filter, () => new LogCursor(log, log.start));
    },
    refresh: async () => {},
    onGrowth: (listener) => log.onGrowth(listener),
    close: () => log.close(),
  };
}

/** Passes on the lines that a filter wants. */
class FilteredReader implements EventReader {
  private readonly cursor: LogCursor;
  private readonly filter: EventFilter;
  private readonly fromStart: () => LogCursor;
  /** The calls that `text` selects, once they are known. */
  private calls: Set<string> | undefined;

  constructor(cursor: LogCursor, filter: EventFilter, fromStart: () => LogCursor) {
    this.cursor = cursor;
    this.filter = filter;
    this.fromStart = fromStart;
  }

  async next(): Promise<Chunk | undefined> {
    if (this.filter.text !== '') this.calls ??= await this.selectCalls();
    let gap = false;
    for (;;) {
      const chunk = await this.cursor.next();
      if (chunk === undefined) return undefined;
      gap ||= chunk.gap;
      const lines = chunk.lines.filter((line) => this.wants(line));
      if (lines.length > 0 || gap) return { lines, position: chunk.position, gap };
    }
  }

  close(): Promise<void> {
    return this.cursor.close();
  }

  private wants(line: string): boolean {
    const event = fieldsOf(line);
    if (event === undefined || !passes(this.filter, event)) return false;
    if (this.calls === undefined || event.type === 'process.started') return true;
    this.select(line, event);
    const call = callOf(event);
    return call === undefined ? this.hasText(line) : this.calls.has(call);
  }

  private hasText(line: string): boolean {
    return line.toLowerCase().includes(this.filter.text);
  }

  private select(line: string, event: FilterFields): void {
    const call = callOf(event);
    if (call === undefined || this.calls === undefined || this.calls.size >= MOST_CALLS) return;
    if (this.hasText(line)) this.calls.add(call);
  }

  /** Reads the whole log for the calls that have the text in one of their lines: an earlier line of theirs may not have it. */
  private async selectCalls(): Promise<Set<string>> {
    this.calls = new Set();
    const cursor = this.fromStart();
    for (let chunk = await cursor.next(); chunk !== undefined; chunk = await cursor.next()) {
      for (const line of chunk.lines) {
        const event = this.hasText(line) ? fieldsOf(line) : undefined;
        if (event !== undefined && passes(this.filter, event)) this.select(line, event);
      }
    }
    await cursor.close();
    return this.calls;
  }
}

function fieldsOf(line: string): FilterFields | undefined {
  try {
    return JSON.parse(line) as FilterFields;
  } catch {
    return undefined;
  }
}
