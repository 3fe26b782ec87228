// A bounded copy of any thrown value, written into the core's memory: allow-listed names only, long texts cut here.
//
// Reading a thrown value can run its code (getters, proxies): each read is guarded, and their number is bounded. The
// layout is described in core/src/classify/thrown.rs. core/src/classify/copy.rs copies JSON in the same way.

import { core, thrownBuffer } from '../core/errors.js';
import * as lists from './keys.js';
import { FIRST_HEADER, KEYS, NO_KEY } from './keys.js';

/** UTF-16 units of one text that are read. */
const TEXT_LIMIT = 4096;
/** UTF-16 units that are read of a text in which no JSON begins. */
const PROSE_LIMIT = 1024;
/** Bytes of one value that are copied: BUFFER_LIMIT of the core. */
const BUFFER_LIMIT = 32 * 1024;
/** Causes that are followed, those of an AggregateError and a RetryError included. */
const CAUSE_LIMIT = 8;
/** Objects that are looked into. */
const OBJECT_LIMIT = 48;
/** Items of one list. */
const ITEM_LIMIT = 8;
/** Headers of one response. */
const HEADER_LIMIT = 96;
/** Numbers at the buffer's head, which go back. */
const NUMBERS = 10;

const NUMBER = 2;
const TEXT = 3;
const OBJECT = 4;
const LIST = 5;

/** The first stands for what has no name. */
const names = /* @__PURE__ */ ` ${KEYS}`.split(' ');
const numbers = /* @__PURE__ */ new Map(
  names.map((name, place) => [name, place < NO_KEY ? place : place + 1]),
);
const key = (name: string): number => numbers.get(name) as number;

/** The names that are read of an object, each with its number. */
interface Read {
  readonly names: readonly string[];
  readonly keys: readonly number[];
}
function reads(list: string): Read {
  const all = list.split(' ');
  return { names: all, keys: all.map(key) };
}

const OF_ERROR = /* @__PURE__ */ reads(lists.OF_ERROR);
const OF_BODY = /* @__PURE__ */ reads(lists.OF_BODY);
/** Headers under the names that `Headers` and Node use, and as they are written by hand. */
const OF_HEADERS: readonly (readonly [lower: string, others: readonly string[], key: number])[] =
  /* @__PURE__ */ names
    .filter((name) => key(name) >= FIRST_HEADER)
    .map((name) => {
      const title = name.replace(/(^|-)([a-z])/g, (letters) => letters.toUpperCase());
      const byHand = title.replace(/Id$/, 'ID').replace('Ratelimit', 'RateLimit');
      return [name, [title, byHand, name.toUpperCase()], key(name)] as const;
    });

const ROOT = /* @__PURE__ */ key('');
const CLASS = /* @__PURE__ */ key('constructor');
const METADATA = /* @__PURE__ */ key('metadata');

type How = Read | 'headers' | 'causes' | 'presence';
/** How the value of a key is read, unless it is read as a body. */
const READ_AS = /* @__PURE__ */ readAs();
function readAs(): Map<number, How> {
  const ways: Record<string, How> = {
    error: OF_ERROR,
    response: reads(lists.OF_RESPONSE),
    model: reads(lists.OF_MODEL),
    retryable: reads(lists.OF_RETRYABLE),
    config: reads(lists.OF_CONFIG),
    signal: reads(lists.OF_SIGNAL),
    headers: 'headers',
    causes: 'causes',
    presence: 'presence',
  };
  return new Map(
    lists.READ_AS.split(' ').map((pair) => {
      const [name = '', way = ''] = pair.split(':');
      return [key(name), ways[way] as How];
    }),
  );
}

const encoder = /* @__PURE__ */ new TextEncoder();
let bytes = new Uint8Array(0);
let back = new Float64Array(0);
let view = new DataView(new ArrayBuffer(0));
let instance = -1;
let at = 0;
let objects = 0;
let causes = 0;
/** Errors that are being copied: a cycle ends here. */
const open: object[] = [];

/** Makes the views of the buffer, again when the memory has grown or the instance is another. */
function renew(): void {
  const start = thrownBuffer();
  const { buffer } = core.memory as WebAssembly.Memory;
  back = new Float64Array(buffer, start, NUMBERS);
  bytes = new Uint8Array(buffer, start + NUMBERS * 8, BUFFER_LIMIT);
  view = new DataView(buffer, start + NUMBERS * 8, BUFFER_LIMIT);
  instance = core.instanceNumber;
}

/** The numbers that came back from the last call. @internal */
export function numbersBack(): Float64Array {
  if (back.byteLength === 0) renew();
  return back;
}

/**
 * Copies what may be read of a thrown value into the buffer, and calls `read` with the copy's length in bytes while it is
 * there. Throws only what `read` throws.
 * @internal
 */
export function withThrown<T>(value: unknown, read: (length: number) => T): T {
  return withCopy(() => put(ROOT, value, OF_ERROR), read);
}

/** As {@link withThrown}, for headers in any shape. @internal */
export function withHeaders<T>(headers: unknown, read: (length: number) => T): T {
  return withCopy(() => {
    if (typeof headers === 'object' && headers !== null) putHeaders(ROOT, headers);
  }, read);
}

/** `true` while a copy is being made: code of the copied value may call this function again, for another value. */
let copying = false;

function withCopy<T>(copy: () => void, read: (length: number) => T): T {
  const resume = copying ? suspended() : undefined;
  try {
    begin();
    copying = true;
    try {
      copy();
    } catch {
      // Nothing that is read throws past its guard; this is for a stack that is nearly used up.
    } finally {
      copying = false;
      open.length = 0;
    }
    return read(at);
  } finally {
    resume?.();
  }
}

/** Sets the copy aside that is being made. Returns how to go on with it. */
function suspended(): () => void {
  const kept = { at, objects, causes, open: [...open], bytes: bytes.slice(0, at) };
  open.length = 0;
  return () => {
    if (bytes.byteLength === 0 || instance !== core.instanceNumber) renew();
    bytes.set(kept.bytes);
    ({ at, objects, causes } = kept);
    open.push(...kept.open);
    copying = true;
  };
}

function begin(): void {
  if (bytes.byteLength === 0 || instance !== core.instanceNumber) renew();
  at = 0;
  objects = 0;
  causes = 0;
}

function put(under: number, value: unknown, read: Read): void {
  switch (typeof value) {
    case 'string':
      putText(under, value);
      break;
    case 'number':
      putNumber(under, value);
      break;
    case 'boolean':
      if (at + 2 <= BUFFER_LIMIT) {
        bytes[at++] = under;
        bytes[at++] = value ? 1 : 0;
      }
      break;
    case 'object':
      if (value !== null) putObject(under, value, read);
  }
}

function putNumber(under: number, value: number): void {
  if (at + 10 > BUFFER_LIMIT) return;
  bytes[at] = under;
  bytes[at + 1] = NUMBER;
  view.setFloat64(at + 2, value, true);
  at += 10;
}

function putText(under: number, whole: string): void {
  const text = whole.length > PROSE_LIMIT ? shortened(whole) : whole;
  const room = BUFFER_LIMIT - at - 4;
  if (room < text.length) return;
  const start = at + 4;
  let length = 0;
  if (text.length <= 24) {
    for (; length < text.length; length++) {
      const unit = text.charCodeAt(length);
      if (unit > 127) break;
      bytes[start + length] = unit;
    }
  }
  if (length < text.length) {
    // The core reads 4096 bytes of a text: what does not fit ends at a character.
    length = encoder.encodeInto(text, bytes.subarray(start, start + Math.min(room, TEXT_LIMIT))).written;
  }
  head(under, TEXT, length);
  at = start + length;
}

/** Prose says what happened at its beginning; JSON and pages are read as far as any text is. */
function shortened(whole: string): string {
  const prose = whole.slice(0, PROSE_LIMIT);
  return prose.includes('{') || prose.includes('<') ? whole.slice(0, TEXT_LIMIT) : prose;
}

/** Writes key, kind and length of what begins at `at`. */
function head(under: number, kind: number, length: number): void {
  bytes[at] = under;
  bytes[at + 1] = kind;
  bytes[at + 2] = length & 255;
  bytes[at + 3] = length >> 8;
}

/** Opens an object or a list; where it began, or -1 when there is no room. */
function start(under: number, kind: number): number {
  if (at + 4 > BUFFER_LIMIT || ++objects > OBJECT_LIMIT) return -1;
  head(under, kind, 0);
  at += 4;
  return at;
}

function end(place: number): void {
  const length = at - place;
  bytes[place - 2] = length & 255;
  bytes[place - 1] = length >> 8;
}

function putObject(under: number, value: object, read: Read): void {
  let list = false;
  try {
    list = Array.isArray(value); // Throws for a revoked proxy.
  } catch {
    return;
  }
  if (list) putList(under, value as unknown[], read);
  else if (value instanceof Uint8Array) putBytes(under, value);
  else if (!open.includes(value)) putProperties(under, value, read);
}

function putProperties(under: number, value: object, read: Read): void {
  const place = start(under, OBJECT);
  if (place < 0) return;
  open.push(value);
  if (read === OF_ERROR) putClass(value);
  const { names, keys } = read;
  for (let index = 0; index < names.length; index++) {
    let found: unknown;
    try {
      found = (value as Record<string, unknown>)[names[index] as string];
    } catch {
      continue;
    }
    if (found === undefined || found === null) continue;
    const number = keys[index] as number;
    if (typeof found === 'object') putInner(number, found);
    else put(number, found, OF_BODY);
  }
  open.pop();
  end(place);
}

/** The class's name: some SDKs leave `name` at 'Error'. */
function putClass(value: object): void {
  try {
    const name: unknown = value.constructor?.name;
    if (typeof name === 'string' && name !== 'Object' && name !== 'Error') putText(CLASS, name);
  } catch {
    // Its value cannot be read.
  }
}

function putInner(under: number, value: object): void {
  const as = isError(value) ? OF_ERROR : (READ_AS.get(under) ?? OF_BODY);
  const metadata = under === METADATA ? metadataOf(value) : undefined;
  if (metadata !== undefined) putHeaders(under, metadata);
  else if (as === 'headers') putHeaders(under, value);
  else if (as === 'presence') putPresence(under);
  else if (as === 'causes') putObject(under, value, OF_ERROR);
  else if (as !== OF_ERROR || ++causes <= CAUSE_LIMIT) putObject(under, value, as);
}

/** An error is read as one under any key: `cause` is only the newest of many names. */
function isError(value: object): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false; // A proxy whose prototype cannot be had.
  }
}

/** The headers in the metadata of an RPC client: Connect's is `Headers`, that of `@grpc/grpc-js` keeps a Map. */
function metadataOf(value: object): object | undefined {
  try {
    const { internalRepr } = value as { internalRepr?: unknown };
    if (internalRepr instanceof Map) return internalRepr;
    return typeof Headers === 'function' && value instanceof Headers ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Only that there is something. */
function putPresence(under: number): void {
  const place = start(under, LIST);
  if (place >= 0) end(place);
}

function putList(under: number, value: unknown[], read: Read): void {
  const place = start(under, LIST);
  if (place < 0) return;
  for (let item = 0; item < ITEM_LIMIT; item++) {
    let found: unknown;
    try {
      if (!(item < value.length)) break;
      found = value[item];
    } catch {
      continue;
    }
    if (read === OF_ERROR && under !== ROOT && ++causes > CAUSE_LIMIT) break;
    put(ROOT, found, read);
  }
  end(place);
}

/** A body that was kept as bytes. */
function putBytes(under: number, value: Uint8Array): void {
  try {
    putText(under, new TextDecoder().decode(value.subarray(0, TEXT_LIMIT)));
  } catch {
    // A detached buffer.
  }
}

/** `Headers`, a Map, a list of pairs, or a plain object with names in any usual case. */
function putHeaders(under: number, headers: object): void {
  const place = start(under, OBJECT);
  if (place < 0) return;
  try {
    if (typeof (headers as Headers)[Symbol.iterator] === 'function') {
      let left = HEADER_LIMIT;
      for (const pair of headers as Iterable<[string, string]>) {
        if (left-- === 0) break;
        putHeader(pair[0], pair[1]);
      }
    } else putPlainHeaders(headers as Record<string, unknown>);
  } catch {
    // Headers that were read before the failure count.
  }
  end(place);
}

function putHeader(name: unknown, value: unknown): void {
  if (typeof name !== 'string' || name.length > 64) return;
  const number = numbers.get(name) ?? numbers.get(name.toLowerCase());
  if (number !== undefined && number >= FIRST_HEADER) putHeaderValue(number, value);
}

function putPlainHeaders(headers: Record<string, unknown>): void {
  const lower = headers['content-type'] !== undefined || headers.date !== undefined;
  for (const [name, others, number] of OF_HEADERS) {
    let value = headers[name];
    for (let other = 0; value === undefined && !lower && other < others.length; other++) {
      value = headers[others[other] as string];
    }
    if (value !== undefined && value !== null) putHeaderValue(number, value);
  }
}

/** A header that came several times is a list; the first counts. */
function putHeaderValue(number: number, value: unknown): void {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') putText(number, first);
  else if (typeof first === 'number') putText(number, String(first));
}
