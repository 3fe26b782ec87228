/**
 * The one background sync of a process with a store. It collects deltas, distributes states, and detects that the store
 * is lost.
 */

import { type Time, type Timer, timeOf } from '../clock.js';
import type { FleetStore } from './store.js';

/** One resource, as the sync sees it. */
export interface Resource {
  readonly key: string;
  /** Returns the report to send; `undefined` if there is no reason to send one. */
  delta(): Uint8Array | undefined;
  /**
   * Applies the returned state, and returns the time until the next sync, in milliseconds. `sentAt` is the time of this
   * process at which the delta was sent.
   *
   * @throws an error that says why the state cannot be trusted.
   */
  take(state: Uint8Array, now: number, sentAt: number): number;
  /** The store did not respond, or its response cannot be trusted. */
  lost(): void;
  /**
   * Another process has changed it. Returns the time within which to sync, in milliseconds; `undefined` if no sync is
   * needed.
   */
  notified?(): number;
}

/** The bounds of a sync's timing, in milliseconds. */
export interface Pace {
  minMs: number;
  maxMs: number;
  timeoutMs: number;
}

/** Called when the store is reached and when it is lost. */
export type StatusListener = (status: 'joined' | 'degraded', reason?: string) => void;

/** The shortest time between two immediate requests, in milliseconds. */
const BETWEEN_MS = 20;
/** The wait for the next sync is this many times the duration of the last one, but no longer than a lease allows. */
const PER_SYNC = 4;
/** A quarter of the shortest lease, which lasts for four waits (`LEASE_SYNCS`). */
const SLOWEST_MS = 2500;
/** The wait for the next sync doubles with each failure in a row, up to this number. */
const MOST_DOUBLINGS = 6;

export class StoreSync {
  status: 'joined' | 'degraded' = 'degraded';
  /** When the last successful sync was sent. */
  syncedAt = Number.NEGATIVE_INFINITY;
  private readonly store: FleetStore;
  private time: Time = timeOf(undefined).unreferenced;
  /** The same time, with timers that keep the process alive. */
  private holdingTime: Time = timeOf(undefined);
  private pace: Pace = { minMs: 250, maxMs: 10_000, timeoutMs: 50 };
  private readonly resources = new Set<Resource>();
  private readonly listeners = new Set<StatusListener>();
  /** The functions that end the store's notifications. */
  private readonly subscriptions = new Map<Resource, () => void>();
  private timer: Timer | undefined = undefined;
  private dueAt = Number.POSITIVE_INFINITY;
  private isRunning = false;
  /** `true` once the store has responded or failed. Only later changes are reported. */
  private isKnown = false;
  /**
   * How long after the start of the running sync the next one may start, in milliseconds; `undefined` if no other is
   * needed.
   */
  private again: number | undefined = undefined;
  private failures = 0;
  private startedAt = Number.NEGATIVE_INFINITY;
  private waiting: (() => void)[] = [];

  constructor(store: FleetStore) {
    this.store = store;
  }

  /** `true` if the store was called, and did not respond or sent a response that cannot be trusted. */
  get isLost(): boolean {
    return this.isKnown && this.status === 'degraded';
  }

  add(resource: Resource, time: Time, pace: Pace): void {
    if (this.resources.size === 0) [this.time, this.holdingTime] = [time.unreferenced, time];
    this.resources.add(resource);
    this.pace = pace;
  }

  remove(resource: Resource): void {
    this.resources.delete(resource);
    this.subscriptions.get(resource)?.();
    this.subscriptions.delete(resource);
    if (this.resources.size === 0) this.stop();
  }

  listen(listener: StatusListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /**
   * Syncs as soon as possible: at once, unless a sync is running or has just started. `apartMs` is the least time after
   * the start of the last sync. It spreads syncs that all processes of a large fleet can request at the same time.
   */
  soon(apartMs = 0): void {
    if (this.isRunning) {
      this.again = Math.min(this.again ?? apartMs, apartMs);
      return;
    }
    const now = this.time.now();
    // A lost store is not called before the next planned try.
    if (this.failures > 0 && this.timer !== undefined) return;
    this.schedule(Math.max(0, this.startedAt + Math.max(BETWEEN_MS, apartMs) - now));
  }

  /** Called while calls run: keeps syncing at the set pace, and syncs as soon as possible if no sync is planned. */
  wake(): void {
    if (this.timer === undefined && !this.isRunning) this.soon();
  }

  /** Syncs, and resolves when the store has responded or the timeout has passed. Never rejects. */
  query(): Promise<void> {
    if (this.failures > 0) return Promise.resolve();
    return new Promise((resolve) => {
      // Another sync may have been running before. This one is then late by that wait, and lost for the call.
      const timer = this.time.after(this.pace.timeoutMs + 1, () => {
        for (const resource of this.resources) resource.lost();
        resolve();
      });
      this.waiting.push(() => {
        timer.cancel();
        resolve();
      });
      if (this.isRunning) this.again = 0;
      else this.run();
    });
  }

  /**
   * Sends a last report about a resource, whatever the result. The caller waits for it, so the process does not end
   * before.
   */
  async say(key: string, delta: Uint8Array): Promise<void> {
    await this.send([{ key, delta }], this.holdingTime).catch(() => {});
  }

  private stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
  }

  private schedule(ms: number): void {
    const dueAt = this.time.now() + ms;
    if (this.timer !== undefined && this.dueAt <= dueAt) return;
    this.stop();
    this.dueAt = dueAt;
    this.timer = this.time.after(ms, () => {
      this.stop();
      this.run();
    });
  }

  private run(): void {
    if (this.isRunning) return;
    this.stop();
    const sent: { resource: Resource; key: string; delta: Uint8Array }[] = [];
    for (const resource of this.resources) {
      const delta = resource.delta();
      if (delta !== undefined) sent.push({ resource, key: resource.key, delta });
    }
    const answered = this.waiting;
    this.waiting = [];
    const settle = (): void => {
      for (const resolve of answered) resolve();
    };
    // No calls run, and the store responds: the next call wakes the sync.
    if (sent.length === 0) {
      settle();
      return;
    }
    this.isRunning = true;
    const sentAt = this.time.now();
    this.startedAt = sentAt;
    this.send(sent).then(
      (states) => {
        this.isRunning = false;
        this.took(sent, states, sentAt);
        settle();
        this.next();
      },
      (reason: unknown) => {
        this.isRunning = false;
        this.lose(reasonOf(reason), sent);
        settle();
        this.next();
      },
    );
  }

  /** Has its own timer, because clients wait forever by default. */
  private send(
    sent: readonly { key: string; delta: Uint8Array }[],
    time = this.time,
  ): Promise<readonly { key: string; state: Uint8Array; now: number }[]> {
    const controller = new AbortController();
    return new Promise((resolve, reject) => {
      const timer = time.after(this.pace.timeoutMs, () => {
        reject(new Error(`the store did not answer within ${this.pace.timeoutMs} ms`));
        controller.abort();
      });
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          timer.cancel();
          settle(value);
        };
      try {
        const resources = sent.map(({ key, delta }) => ({ key, delta }));
        this.store.sync(resources, controller.signal).then(settled(resolve), settled(reject));
      } catch (thrown) {
        settled(reject)(thrown);
      }
    });
  }

  private took(
    sent: readonly { resource: Resource; key: string }[],
    states: readonly { key: string; state: Uint8Array; now: number }[],
    sentAt: number,
  ): void {
    let nextMs = this.pace.maxMs;
    let distrust: string | undefined;
    for (const [index, { resource, key }] of sent.entries()) {
      const found = states[index];
      try {
        if (found?.key !== key) throw new Error('the store returned the state of another key');
        nextMs = Math.min(nextMs, resource.take(found.state, found.now, sentAt));
        this.subscribe(resource);
      } catch (thrown) {
        distrust = reasonOf(thrown);
        resource.lost();
        nextMs = this.pace.minMs;
      }
    }
    this.syncedAt = sentAt;
    this.failures = 0;
    this.change(distrust === undefined ? 'joined' : 'degraded', distrust);
    // If the store or this machine is slow, more syncs would make it slower.
    const slow = Math.min(PER_SYNC * (this.time.now() - sentAt), SLOWEST_MS);
    const ms = Math.min(Math.max(nextMs, slow, this.pace.minMs), this.pace.maxMs);
    this.schedule(jittered(ms));
  }

  /** Subscribes after the store's first response, because nothing is sent before there are calls. */
  private subscribe(resource: Resource): void {
    if (this.store.subscribe === undefined || resource.notified === undefined) return;
    if (this.subscriptions.has(resource) || !this.resources.has(resource)) return;
    const end = this.store.subscribe([resource.key], () => this.notified(resource));
    this.subscriptions.set(resource, end);
  }

  private notified(resource: Resource): void {
    if (!this.resources.has(resource) || this.failures > 0) return;
    const withinMs = resource.notified?.();
    if (withinMs === undefined) return;
    // All processes are notified at once, so they spread their syncs.
    if (this.isRunning) this.soon(withinMs);
    else this.schedule(Math.max(Math.random() * withinMs, this.startedAt + BETWEEN_MS - this.time.now()));
  }

  private lose(reason: string, sent: readonly { resource: Resource }[]): void {
    this.failures = Math.min(this.failures + 1, MOST_DOUBLINGS);
    for (const { resource } of sent) resource.lost();
    this.change('degraded', reason);
    // Callers that wait for the next sync do not wait for one that is far off.
    for (const resolve of this.waiting.splice(0)) resolve();
    const longest = Math.min(this.pace.maxMs, this.pace.minMs * 2 ** this.failures);
    // Full jitter: when the store is back, processes return one by one.
    this.schedule(this.pace.minMs / 2 + Math.random() * longest);
  }

  private next(): void {
    const { again } = this;
    if (again === undefined) return;
    this.again = undefined;
    if (this.waiting.length > 0 && this.failures === 0) this.run();
    else this.soon(again);
  }

  private change(status: 'joined' | 'degraded', reason?: string): void {
    if (this.status === status && this.isKnown) return;
    this.isKnown = true;
    this.status = status;
    for (const listener of this.listeners) listener(status, reason);
  }
}

/** ±25 %, so that processes that started together do not sync together. */
function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const syncs = new WeakMap<FleetStore, StoreSync>();

/** Returns the one sync with a store, which all its fleets in this process share. */
export function syncOf(store: FleetStore): StoreSync {
  let sync = syncs.get(store);
  if (sync === undefined) {
    sync = new StoreSync(store);
    syncs.set(store, sync);
  }
  return sync;
}
