/**
 * The checks on one line of a batch before it goes into the log.
 *
 * Data that an agent sends ends up in other people's browsers. So a line is stored only if it is one JSON object with
 * the five fields that every event has. Unknown types, unknown fields and later versions pass, as the contract of the
 * events requires. The stored text is the parsed value written again, not the received bytes: so a line is one line,
 * whatever white space it contained.
 */

/** Longest line taken, in bytes of UTF-8. The contract says 2 KiB; later versions may say more. */
export const MAX_LINE_BYTES = 8_192;
/** Most lines that one batch may have. */
const MAX_BATCH_LINES = 10_000;

/** An event that may be stored. */
export interface AcceptedEvent {
  readonly source: string;
  readonly seq: number;
  /** The event as one line of JSON, without its newline. */
  readonly line: string;
}

/** A batch, read: what may be stored, and why the rest may not. */
interface AcceptedBatch {
  readonly events: AcceptedEvent[];
  readonly rejected: { readonly line: number; readonly why: string }[];
}

const isText = (longest: number) => (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= longest;

/** The fields that every event has, and what each must be. */
const REQUIRED: readonly (readonly [field: string, test: (value: unknown) => boolean, expected: string])[] = [
  ['v', (v) => Number.isSafeInteger(v) && (v as number) >= 1, 'a whole number from 1'],
  ['source', isText(128), 'a string of 1 to 128 characters'],
  ['seq', (v) => Number.isSafeInteger(v) && (v as number) >= 0, 'a whole number from 0'],
  ['time', (v) => typeof v === 'number' && Number.isFinite(v), 'a finite number'],
  ['type', isText(64), 'a string of 1 to 64 characters'],
];

/** A longer `call` does not fit into an index of PostgreSQL, whose rows have 2,704 bytes at most. */
const LONGEST_CALL = 256;

/** Returns the process that sent a batch, from its first line; `''` if that is no event. */
export function sourceOf(body: string): string {
  const start = body.search(/\S/);
  const newline = body.indexOf('\n', start);
  const end = newline === -1 ? body.length : newline;
  if (start === -1 || end - start > MAX_LINE_BYTES) return '';
  const first = acceptLine(body.slice(start, end));
  return typeof first === 'string' ? '' : first.source;
}

/**
 * Reads a batch of NDJSON. Never throws; blank lines are ignored. Lines beyond the maximum are not read, and give one
 * reason.
 */
export function acceptBatch(body: string): AcceptedBatch {
  const events: AcceptedEvent[] = [];
  const rejected: { line: number; why: string }[] = [];
  let number = 0;
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf('\n', start);
    const end = newline === -1 ? body.length : newline;
    const line = body.slice(start, end);
    start = end + 1;
    number += 1;
    if (number > MAX_BATCH_LINES) {
      rejected.push({ line: number, why: `more than ${MAX_BATCH_LINES} lines in one batch` });
      break;
    }
    if (line.trim() === '') continue;
    const read = acceptLine(line);
    if (typeof read === 'string') rejected.push({ line: number, why: read });
    else events.push(read);
  }
  return { events, rejected };
}

/** Reads one line: the event, or the reason why it is invalid. */
export function acceptLine(line: string): AcceptedEvent | string {
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) return `longer than ${MAX_LINE_BYTES} bytes`;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
    const event = value as Record<string, unknown>;
    for (const [field, test, expected] of REQUIRED) {
      // `Object.hasOwn`: a field inherited from nowhere but the line itself.
      if (!Object.hasOwn(event, field) || !test(event[field])) return `${field} is not ${expected}`;
    }
    if (typeof event.call === 'string' && event.call.length > LONGEST_CALL)
      return `call is longer than ${LONGEST_CALL} characters`;
    const written = JSON.stringify(event);
    // A number or an escape may need more room when it is written again.
    if (Buffer.byteLength(written) > MAX_LINE_BYTES) return `longer than ${MAX_LINE_BYTES} bytes`;
    return { source: processOf(event), seq: event.seq as number, line: written };
  } catch {
    return 'not JSON';
  }
}

/**
 * The process that `seq` counts in. Older writers put the origin of a delay under `source` of `retry.scheduled`, and the
 * process under `process`; one without `process` is known by its call.
 */
function processOf(event: Record<string, unknown>): string {
  if (event.type !== 'retry.scheduled' || event.delaySource !== undefined) return event.source as string;
  return typeof event.process === 'string'
    ? event.process.slice(0, 128)
    : `${event.source}/${String(event.call).slice(0, 128)}`;
}
