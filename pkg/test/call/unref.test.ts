// `unref`: a policy's timers do not keep the process alive.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { createPolicy, type PolicyOptions } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { WAIT } from '../../../scripts/patience.mjs';
import { deaf, retryable } from '../policy/given.js';

/** A virtual clock whose timers count how many of them may keep the process alive. */
class HoldingClock extends VirtualClock {
  holding = 0;
  override setTimeout(callback: () => void, ms: number): unknown {
    const handle = super.setTimeout(callback, ms) as object;
    this.holding++;
    return Object.assign(handle, { unref: () => this.holding-- });
  }
}

/** The cause of each timer of a policy: its options, and the end of an attempt. */
const TIMERS: Record<string, { options: PolicyOptions; operation: () => Promise<never> }> = {
  'a wait before a retry': { options: {}, operation: () => Promise.reject(retryable()) },
  'the timeout of an attempt': { options: { timeout: { attemptMs: 100 } }, operation: deaf },
  'the deadline of a call': { options: { timeout: { totalMs: 100 } }, operation: deaf },
  'a turn under the rate limit': {
    options: { rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 1000 } },
    operation: deaf,
  },
};

for (const [timer, { options, operation }] of Object.entries(TIMERS)) {
  test(`with unref ${timer} lets the process end, without it holds it`, async () => {
    for (const unref of [false, true]) {
      const clock = new HoldingClock();
      const policy = createPolicy({ clock, ...options, unref });
      for (const _ of [1, 2]) policy.execute(operation).catch(() => {});
      await clock.advance(0);
      assert.ok(clock.pending > 0);
      assert.equal(clock.holding > 0, !unref);
      policy.dispose();
      assert.equal(clock.pending, 0);
    }
  });
}

test('so it does for the chunks of a stream', async () => {
  const clock = new HoldingClock();
  const policy = createPolicy({ clock, unref: true });
  const stream = policy.stream(deaf, { firstChunkTimeoutMs: 100 });
  const first = stream.next().catch(() => {});
  await clock.advance(0);
  assert.deepEqual([clock.pending, clock.holding], [1, 0]);
  policy.dispose();
  await first;
});

test('an update changes it for timers that are set from then on', async () => {
  const clock = new HoldingClock();
  const policy = createPolicy({ clock, timeout: { totalMs: 100 } });
  policy.execute(deaf).catch(() => {});
  policy.update({ unref: true });
  policy.execute(deaf).catch(() => {});
  assert.deepEqual([clock.pending, clock.holding], [2, 1]);
  policy.dispose();
});

test('the time is the same as that of policies on the same clock', async () => {
  const clock = new HoldingClock();
  const breaker = createPolicy({ clock, breaker: { failureThreshold: 1, resetTimeoutMs: 500 } }).breaker;
  assert.ok(breaker);
  const policy = createPolicy({ clock, breaker, retry: false, unref: true });
  await policy.execute(() => Promise.reject(retryable())).catch(() => {});
  await clock.advance(400);
  assert.equal(breaker.retryAfterMs, 100);
});

test('timers that are numbers are unreferenced as Deno does it', async () => {
  const seen: number[] = [];
  Object.assign(globalThis, { Deno: { unrefTimer: (id: number) => seen.push(id) } });
  try {
    let next = 40;
    const clock = { now: () => 0, setTimeout: () => ++next, clearTimeout: () => {} };
    const policy = createPolicy({ clock, unref: true, timeout: { totalMs: 100 } });
    policy.execute(deaf).catch(() => {});
    policy.dispose();
    assert.deepEqual(seen, [41]);
  } finally {
    delete (globalThis as { Deno?: unknown }).Deno;
  }
});

test('a process with a call that waits for an hour ends at once', () => {
  const program = `
    import { AgentError, createPolicy } from 'halfopen';
    const policy = createPolicy({ unref: true, retry: { baseDelayMs: 3600000, maxDelayMs: 3600000 } });
    policy.execute(() => { throw new AgentError('TIMEOUT', 'x'); });
    process.on('exit', () => console.log('ended'));
  `;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    cwd: new URL('.', import.meta.url),
    timeout: WAIT,
  });
  assert.deepEqual([stdout, status], ['ended\n', 0]);
});

test('anything but a boolean is a TypeError', () => {
  assert.throws(
    () => createPolicy({ unref: 1 as never }),
    /^TypeError: halfopen: option 'unref' must be a boolean, got 1$/,
  );
});
