/** An act's record as a store keeps it: JSON in UTF-8, with the result beside it. */

import { notJson } from './key.js';
import type { ActRecord } from './protocol.js';

/** A result as it is kept. */
export type Kept =
  | { readonly value: unknown }
  /** Nothing is kept, or the result was undefined. */
  | { readonly nothing: true }
  /** The result could not be kept, and why. */
  | { readonly unkept: string };

/** A record with the fields beside it. */
export interface KeptRecord {
  readonly record: ActRecord;
  /** Of an act that is done. */
  readonly kept?: Kept | undefined;
  /** Of an act that runs or is unknown, for a person. */
  readonly about?: string | undefined;
}

/** The version of the form. A later one is unknown to this code, and so is the act. */
const FORM = 1;
/** The longest result, in bytes of JSON: Deno KV takes values of 65,536 bytes. */
const LONGEST = 60_000;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();

export function written({ record, kept, about }: KeptRecord): Uint8Array {
  const isOpen = record.state === 'running' || record.state === 'unknown';
  return encoder.encode(
    JSON.stringify({
      form: FORM,
      ...record,
      ...(isOpen && { about }),
      ...(record.state === 'done' && { kept }),
    }),
  );
}

/** Bytes that cannot be read are an act of which nothing is known. */
export function read(bytes: Uint8Array | undefined): KeptRecord | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { form, kept, about, ...record } = JSON.parse(decoder.decode(bytes));
    if (form === FORM && isRecord(record) && (record.state !== 'done' || isKept(kept)))
      return { record, kept, about: typeof about === 'string' ? about : undefined };
  } catch {
    // Of another program, or damaged.
  }
  return { record: { attempts: 0, state: 'unknown', since: 0 } };
}

function isRecord(value: unknown): value is ActRecord {
  const { attempts, state, owner, since, until } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(attempts)) return false;
  if (state === 'failed' || state === 'done') return true;
  if (!Number.isFinite(since)) return false;
  if (state === 'running') return typeof owner === 'string' && Number.isFinite(until);
  return state === 'unknown' && (owner === undefined || typeof owner === 'string');
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  ('value' in value || 'nothing' in value || 'unkept' in value);

/** A result as it will be kept. */
export function keptOf(result: unknown, keep: 'result' | 'nothing'): Kept {
  if (keep === 'nothing' || result === undefined) return { nothing: true };
  const wrong = notJson(result, true);
  if (wrong !== undefined) return { unkept: `it is not JSON: ${wrong}` };
  const { length } = encoder.encode(JSON.stringify(result));
  if (length > LONGEST) return { unkept: `it has ${length} bytes of JSON, and at most ${LONGEST} are kept` };
  return { value: result };
}

/** The error for a result that could not be kept: at the first call and at every later one. */
export function unkeptError(name: string, why: string): TypeError {
  return new TypeError(
    `halfopen: '${name}' was carried out, but its result could not be kept: ${why}. Return plain data, or set keep: 'nothing'`,
  );
}
