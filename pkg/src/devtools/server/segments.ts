/**
 * The files of the log, and the positions in it.
 *
 * The log is one endless sequence of bytes, cut into files: `events-<log>-<base>.jsonl`, where `base` is the position
 * of the file's first byte. So a position is found without an index, and stays valid when old files are removed. An
 * event's id is `<log>:<position after its line>`.
 */

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** One file of the log. */
export interface Segment {
  readonly log: string;
  readonly base: number;
  readonly path: string;
}

const NAME = /^events-([0-9a-f]{8})-(\d{15})\.jsonl$/;

/** The file that starts at `base`. */
export function segment(directory: string, log: string, base: number): Segment {
  return { log, base, path: join(directory, `events-${log}-${String(base).padStart(15, '0')}.jsonl`) };
}

/** The segments in a directory, oldest first, each with its size in bytes. */
export async function listSegments(directory: string): Promise<(Segment & { readonly size: number })[]> {
  const found = [];
  for (const name of await readdir(directory)) {
    const match = NAME.exec(name);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const path = join(directory, name);
    found.push({ log: match[1], base: Number(match[2]), path, size: (await lstat(path)).size });
  }
  return found.sort((a, b) => a.base - b.base);
}

/** The id of a position, as browsers send it back in `Last-Event-ID`. */
export function eventId(log: string, position: number): string {
  return `${log}:${position}`;
}

/** Parses an id; `undefined` if it is invalid. */
export function parseEventId(id: string): { log: string; position: number } | undefined {
  const match = /^([0-9a-f]{8}):(\d{1,15})$/.exec(id);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { log: match[1], position: Number(match[2]) };
}
