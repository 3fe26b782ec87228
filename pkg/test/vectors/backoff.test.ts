// backoff.json: a seed fixes every delay of a policy, as in Rust and in wasm.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, type HalfopenEvent, type RetryOptions } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { cases } from './cases.js';

interface Case {
  options: RetryOptions;
  seed: number;
  calls: number[][];
}

test('the seed fixes every delay', async () => {
  for (const { options, seed, calls } of cases<Case>('backoff')) {
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
      retry: { ...options, maxRetries: 6 },
    });
    for (const expected of calls) {
      delays.length = 0;
      const done = policy.respond(() => Promise.reject(Object.assign(new Error('down'), { status: 503 })));
      for (const delay of expected) await clock.advance(delay);
      assert.equal((await done).success, false);
      assert.deepEqual(delays, expected, `${JSON.stringify(options)}, seed ${seed}`);
    }
  }
});
