// A clock that throws: the call ends all the same, and its policy keeps nothing of it.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { VirtualClock } from 'halfopen/testing';
import { countingSignal, onVirtualClock } from '../policy/given.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class BreakingClock extends VirtualClock {
  broken: 'now' | 'clearTimeout' | 'both' | undefined;

  override now(): number {
    if (this.broken === 'now' || this.broken === 'both') throw new Error('no time');
    return super.now();
  }

  override clearTimeout(handle: unknown): void {
    if (this.broken === 'clearTimeout' || this.broken === 'both') throw new Error('no timer');
    super.clearTimeout(handle);
  }
}

for (const broken of ['now', 'clearTimeout', 'both'] as const) {
  describe(`when the operation has answered: ${broken === 'both' ? 'now, clearTimeout' : broken}`, () => {
    for (const timeout of [{ attemptMs: 50 }, { totalMs: 100 }, { attemptMs: 50, totalMs: 100 }]) {
      for (const [way, answer] of [
        ['at once', () => 1],
        ['later', async () => 1],
      ] as const) {
        test(`${way}, ${Object.keys(timeout).join(' and ')}`, async () => {
          const clock = new BreakingClock();
          const { policy } = onVirtualClock({ clock, onEvent() {} });
          const { signal, listeners } = countingSignal();
          const call = policy.execute(
            (): number | Promise<number> => {
              clock.broken = broken;
              return answer();
            },
            { timeout, signal },
          );
          const ended = await Promise.race([
            call.catch((error: unknown) => error),
            turn().then(() => 'pending'),
          ]);
          assert.match(String(ended), /no time/);
          assert.equal(listeners(), 0);
          clock.broken = undefined;
          assert.equal(policy.stats().inFlight, 0);
        });
      }
    }
  });
}
