// The heap after a million calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPolicy } from 'halfopen';
import { retryable } from '../policy/given.js';

test('a million calls leave nothing behind, and those that fail neither', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const policy = createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 }, seed: 1 });
  const failing = createPolicy({ retry: false, breaker: false });
  /** The heap when nothing more can be given back: what weak references and finalizers hold goes in later turns. */
  const heap = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      least = Math.min(least, process.memoryUsage().heapUsed);
    }
    return least;
  };
  const growth = async (calls: number): Promise<number> => {
    const before = await heap();
    for (let i = 0; i < calls; i++) {
      await policy.execute(async () => i);
      if (i % 20 === 0) await failing.execute(() => Promise.reject(retryable())).catch(() => {});
    }
    return (await heap()) - before;
  };
  await growth(50_000);
  // Data that the engine compiles or throws away comes and goes between rounds; leftovers of a call are there in each
  // of them.
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) rounds.push(await growth(200_000));
  const least = Math.min(...rounds);
  assert.ok(
    least < 100_000,
    `each of five rounds of 200,000 calls left at least ${least} bytes: ${rounds.join(', ')}`,
  );
});
