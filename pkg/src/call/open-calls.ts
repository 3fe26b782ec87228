/** The calls of a policy that are on their way, newest first: a list through the calls themselves. */

import type { AgentError } from '../error/agent-error.js';

/** A call as the list knows it. */
export interface OpenCall {
  next: OpenCall | undefined;
  previous: OpenCall | undefined;
  /** `true` if it is in a queue, or before a retry. */
  readonly isWaiting: boolean;
  /** Ends the call with CANCELLED at once, wherever it is. */
  cancel(error: AgentError, reason: unknown): void;
}

export class OpenCalls {
  private newest: OpenCall | undefined = undefined;
  /** Called once, when no call is in flight any more. */
  private whenNone: (() => void) | undefined = undefined;

  enter(call: OpenCall): void {
    const { newest } = this;
    if (newest !== undefined) {
      call.next = newest;
      newest.previous = call;
    }
    this.newest = call;
  }

  leave(call: OpenCall): void {
    const { next, previous } = call;
    if (next !== undefined) {
      next.previous = previous;
      call.next = undefined;
    }
    if (previous !== undefined) {
      previous.next = next;
      call.previous = undefined;
    } else if (this.newest === call) this.newest = next;
    if (this.whenNone !== undefined) this.notifyIfNone();
  }

  /** Resolves when no call is in flight any more. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.whenNone;
      this.whenNone = () => {
        before?.();
        resolve();
      };
      this.notifyIfNone();
    });
  }

  private notifyIfNone(): void {
    if (this.newest !== undefined) return;
    const { whenNone } = this;
    this.whenNone = undefined;
    whenNone?.();
  }

  /** How many calls are on their way, and how many of them wait. */
  count(): { inFlight: number; waiting: number } {
    const counted = { inFlight: 0, waiting: 0 };
    for (let call = this.newest; call !== undefined; call = call.next) {
      counted.inFlight++;
      if (call.isWaiting) counted.waiting++;
    }
    return counted;
  }

  /** Cancels all, those too that begin meanwhile. */
  cancel(error: AgentError): void {
    for (let call = this.newest; call !== undefined; call = this.newest) call.cancel(error, error);
  }
}
