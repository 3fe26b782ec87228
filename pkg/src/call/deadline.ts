/** The total deadline of a call, `timeout.totalMs`. */

import type { Time, Timer } from '../clock.js';

export class Deadline {
  private readonly time: Time;
  private readonly at: number;
  private timer: Timer | undefined;

  constructor(time: Time, totalMs: number, passed: () => void) {
    const now = time.now();
    this.time = time;
    this.at = now + totalMs;
    this.timer = time.after(totalMs, passed, now);
  }

  get remainingMs(): number {
    return Math.max(0, this.at - this.time.now());
  }

  /** Nothing is left of it but the time. */
  clear(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}
