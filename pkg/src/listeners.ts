/** The listeners to the events of this process: one registry for all copies of the package in it. */

import { disown } from './promises.js';

/** A listener of any event; `event/events.ts` has their types. */
export type Listener = (event: never) => void;

interface Registry {
  source: string | undefined;
  seq: number;
  /** Replaced on change, never edited: a listener may come or go while an event is delivered. */
  listeners: readonly Listener[];
  queue: { event: object; to: readonly Listener[] }[];
  telling: boolean;
}

const KEY = Symbol.for('halfopen.events');

const home = globalThis as unknown as Record<symbol, Registry | undefined>;

let known: Registry | undefined;

/** The registry, made when it is first needed: an import leaves the globals as they are. */
function registry(): Registry {
  known ??= home[KEY];
  if (known !== undefined) return known;
  known = { source: undefined, seq: 0, listeners: [], queue: [], telling: false };
  try {
    home[KEY] = known;
  } catch {
    // Frozen globals: each copy of the package has its own.
  }
  return known;
}

/** Adds a listener. Returns how to remove it. */
export function listen(listener: Listener): () => void {
  const mine: Listener = (event) => listener(event);
  const all = registry();
  all.listeners = [...all.listeners, mine];
  return () => {
    all.listeners = all.listeners.filter((one) => one !== mine);
  };
}

/** Returns `true` if there is a listener to the whole process. */
export function processObserved(): boolean {
  // Another copy of the package may have made it meanwhile.
  known ??= home[KEY];
  return known !== undefined && known.listeners.length > 0;
}

/** The name of this process in events: random, made when the first event is. */
export function processName(): string {
  const all = registry();
  all.source ??= randomHex(8);
  return all.source;
}

/** The number of the next event of this process. */
export function nextSeq(): number {
  return ++registry().seq;
}

/** For names, not for secrets: Node 18 has no global `crypto`. */
function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  return typeof crypto === 'undefined'
    ? bytes.map(() => Math.floor(Math.random() * 256))
    : crypto.getRandomValues(bytes);
}

/** `bytes` random bytes in hexadecimal; never all zero, as W3C Trace Context demands of ids. */
export function randomHex(bytes: number): string {
  let hex = '';
  do {
    hex = '';
    for (const byte of randomBytes(bytes)) hex += byte.toString(16).padStart(2, '0');
  } while (/^0+$/.test(hex));
  return hex;
}

/** Returns a random UUID, version 4 (RFC 9562 §5.4). Pages without https have no `crypto.randomUUID`. */
export function randomUuid(): string {
  const hex = randomHex(16);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-a$4-');
}

/**
 * Delivers an event to the given listeners and to the process's: first in, first out, so that all see the order of `seq`.
 * Nothing is redacted or cut here.
 */
export function deliver(event: object, listeners: readonly Listener[] = []): void {
  const { listeners: all, queue, telling } = registry();
  const to = listeners.length === 0 ? all : all.length === 0 ? listeners : [...listeners, ...all];
  // A listener has caused it: it waits until the one before has been delivered to everybody.
  if (telling) queue.push({ event, to });
  else deliverQueued(event, to);
}

function deliverQueued(event: object, to: readonly Listener[]): void {
  const all = registry();
  const { queue } = all;
  all.telling = true;
  try {
    for (const listener of to) observe(listener, event as never);
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const listener of next.to) observe(listener, next.event as never);
    }
  } finally {
    all.telling = false;
  }
}

/** Calls an observer, and ignores its error or rejection. */
export function observe<A extends unknown[]>(observer: (...args: A) => unknown, ...args: A): void {
  try {
    disown(observer(...args));
  } catch {
    // By the contract, an observer never changes an outcome.
  }
}
