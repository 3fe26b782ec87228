// backoff.json: a seed fixes every delay of a policy, as in Rust and in wasm.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, type HalfopenEvent, type RetryOptions } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { cases } from './cases.js';

interface Case {
  preset?: 'agent' | 'capability' | 'service';
  options: RetryOptions;
  call?: RetryOptions;
  seed: number;
  calls: number[][];
}

test('the seed fixes every delay', async () => {
  for (const { preset, options, call, seed, calls } of cases<Case>('backoff')) {
    const clock = new VirtualClock();
    const delays: number[] = [];
    const onEvent = (event: HalfopenEvent): void => {
      if (event.type === 'retry.scheduled') delays.push(event.delayMs);
    };
    const policy = createPolicy({
      clock,
      seed,
      onEvent,
      breaker: false,
      preset,
      retry: { ...options, maxRetries: 6, budget: false },
    });
    for (const expected of calls) {
      delays.length = 0;
      const down = Object.assign(new Error('down'), { status: 503 });
      const done = policy.respond(() => Promise.reject(down), { retry: call });
      for (const delay of expected) await clock.advance(delay);
      assert.equal((await done).success, false);
      assert.deepEqual(delays, expected, `${JSON.stringify({ preset, options, call })}, seed ${seed}`);
    }
  }
});
