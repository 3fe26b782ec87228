/** The calls of one policy that wait for a place or a turn, and the timer for those that time alone brings forward. */

import type { Timer } from '../clock.js';
import * as engine from '../core/engine.js';
import type { Policy } from '../policy/policy.js';
import type { Call } from './call.js';

export class WaitingCalls {
  private readonly policy: Policy<unknown>;
  /** By the engine's number. */
  private readonly calls = new Map<number, Call<unknown>>();
  private timer: Timer | undefined = undefined;
  private dueAt = Number.POSITIVE_INFINITY;

  constructor(policy: Policy<unknown>) {
    this.policy = policy;
  }

  add(call: Call<unknown>): void {
    call.queuedAs = call.handle;
    this.calls.set(call.handle, call);
    engine.queues.add(this);
    this.wakeAt();
  }

  remove(call: { queuedAs: number }): void {
    this.calls.delete(call.queuedAs);
    call.queuedAs = 0;
    this.wakeAt();
  }

  /** Lets go whoever can. */
  pump(): void {
    const { policy, calls } = this;
    if (calls.size === 0) return;
    while (calls.size > 0 && policy.isKnown) {
      let word: number;
      let call: Call<unknown> | undefined;
      try {
        const now = policy.time.now();
        const next = engine.nextReady(policy.handle, now);
        call = calls.get(next);
        if (call === undefined) break;
        if (call.remainingMs === 0) {
          call.pastDeadline();
          continue;
        }
        word = engine.dequeue(policy.handle, next, now);
      } catch (error) {
        policy.coreFailed(error);
        return;
      }
      calls.delete(call.queuedAs);
      call.queuedAs = 0;
      call.obey(word & ~engine.READY);
    }
    this.wakeAt();
  }

  /** The core that they waited for is gone. */
  goUnguarded(): void {
    const stranded = [...this.calls.values()];
    this.calls.clear();
    this.wakeAt();
    for (const call of stranded) {
      call.queuedAs = 0;
      call.goUnguarded();
    }
  }

  /** No timer is left behind. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** A timer for the first of them, where time alone brings it forward; none while nobody waits. */
  private wakeAt(): void {
    const { policy, calls } = this;
    const dueAt = calls.size > 0 ? engine.onceMore(() => this.nextTurnAt()) : Number.POSITIVE_INFINITY;
    if (calls.size === 0) engine.queues.delete(this);
    if (dueAt === this.dueAt) return;
    this.stop();
    this.dueAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.timer = policy.time.after(dueAt - policy.time.now(), () => {
      this.timer = undefined;
      this.dueAt = Number.POSITIVE_INFINITY;
      this.pump();
    });
  }

  private nextTurnAt(): number {
    return this.policy.isKnown ? engine.pollTimeout(this.policy.handle) : Number.POSITIVE_INFINITY;
  }
}
