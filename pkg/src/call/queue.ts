/** The calls of one policy that wait for a slot or a turn, and the timer for those that wait for time alone. */

import type { Time, Timer } from '../clock.js';
import * as engine from '../core/engine.js';

/** The policy, as its queue uses it. */
interface QueueHost {
  readonly time: Time;
  readonly handle: number;
  /** `true` if the present instance of the core knows the policy. */
  readonly isKnown: boolean;
  readonly isDisposed: boolean;
  coreFailed(error: unknown): void;
}

/** A call as the queue knows it. */
export interface QueuedCall {
  /** The engine's number of it. */
  readonly handle: number;
  readonly remainingMs: number;
  /** Ends the call with TIMEOUT. */
  passDeadline(): void;
  /** Takes the engine's next step. */
  advance(code: number): void;
  /** Goes on without the engine. */
  goUnguarded(): void;
}

export class CallQueue {
  private readonly host: QueueHost;
  /** By the engine's number. */
  private readonly calls = new Map<number, QueuedCall>();
  private timer: Timer | undefined = undefined;
  private dueAt = Number.POSITIVE_INFINITY;

  constructor(host: QueueHost) {
    this.host = host;
  }

  add(call: QueuedCall): void {
    this.calls.set(call.handle, call);
    engine.queues().add(this);
    this.wakeAt();
  }

  /** Drops the call of that number, if it is still here. */
  remove(handle: number): void {
    if (this.calls.delete(handle)) this.wakeAt();
  }

  /** Dequeues every call that can go on. A disposed policy frees no room: all its calls are being cancelled. */
  pump(): void {
    const { host, calls } = this;
    if (calls.size === 0 || host.isDisposed) return;
    while (calls.size > 0 && host.isKnown) {
      let code: number;
      let call: QueuedCall | undefined;
      try {
        const now = host.time.now();
        const next = engine.nextReady(host.handle, now);
        call = calls.get(next);
        if (call === undefined) break;
        if (call.remainingMs === 0) {
          call.passDeadline();
          continue;
        }
        code = engine.dequeue(host.handle, next, now);
        calls.delete(next);
      } catch (error) {
        host.coreFailed(error);
        return;
      }
      call.advance(code & ~engine.READY);
    }
    this.wakeAt();
  }

  /** The core that they waited for is gone. */
  goUnguarded(): void {
    if (this.host.isDisposed) return;
    const stranded = [...this.calls.values()];
    this.calls.clear();
    this.wakeAt();
    for (const call of stranded) call.goUnguarded();
  }

  /** No timer is left behind. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Sets a timer for the first call, if it waits for time alone; none while the queue is empty. */
  private wakeAt(): void {
    const { host, calls } = this;
    const dueAt = calls.size > 0 ? engine.onceMore(() => this.nextTurnAt()) : Number.POSITIVE_INFINITY;
    if (calls.size === 0) engine.queues().delete(this);
    if (dueAt === this.dueAt) return;
    this.stop();
    this.dueAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.timer = host.time.after(dueAt - host.time.now(), () => {
      this.timer = undefined;
      this.dueAt = Number.POSITIVE_INFINITY;
      this.pump();
    });
  }

  private nextTurnAt(): number {
    return this.host.isKnown ? engine.pollTimeout(this.host.handle) : Number.POSITIVE_INFINITY;
  }
}
