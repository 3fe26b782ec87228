// The contract of `halfopen/testing`.
import type { Clock, HalfopenEvent, Policy } from 'halfopen';
/** A clock that moves only when told. advance() runs due timers in order and lets promises settle between them. */
export class VirtualClock implements Clock {
  constructor(start?: number);
  now(): number;
  wall(): number;             // start + what has passed, start taken as epoch
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
  advance(ms: number): Promise<void>;
  readonly pending: number;
}
/** Wraps an operation so that it fails, stalls or slows at given rates, from a seed. */
export function chaos<T>(operation: () => T | PromiseLike<T>, options: {
  seed?: number | undefined; failureRate?: number | undefined; error?: ((random: number) => unknown) | undefined; latencyMs?: number | ((random: number) => number) | undefined; clock?: Clock | undefined;
}): () => Promise<T>;
/** An operation with scripted outcomes in turn: values are returned, Errors thrown, functions called; the last repeats. `calls` counts. */
export function script<T>(...outcomes: readonly (T | Error | (() => T | PromiseLike<T>))[]): (() => Promise<T>) & { readonly calls: number };
export function recordEvents(policy: Policy<unknown>): { readonly events: readonly HalfopenEvent[]; stop(): void };
