// The core traps in the middle of a step: the call goes on without it, and is still itself. It uses the sources,
// because the package exposes its memory to no one.
import assert from 'node:assert/strict';
import test from 'node:test';
import { core } from '../../src/core/policy.js';
import { AgentError } from '../../src/error/agent-error.js';
import type { PolicyOptions } from '../../src/policy/options.js';
import { createPolicy } from '../../src/policy/policy.js';
import { VirtualClock } from '../../src/testing.js';

/** Nothing in it can be trusted after this; the first function that looks panics or reads out of bounds. */
function ruin(): void {
  new Uint8Array(core.memory?.buffer as ArrayBuffer).fill(0xff);
}

const given = (options: PolicyOptions = {}) => createPolicy({ clock: new VirtualClock(), ...options });

/** Ruins the core, and lets another policy notice. */
function replaceCore(): void {
  ruin();
  void given().execute(() => 'notices');
}

test('a listener that meets the trap as its call is queued: the call goes on, and waits for no slot', async () => {
  let isDue = true;
  const policy = given({
    bulkhead: { maxConcurrent: 1, maxQueued: 1 },
    onEvent: ({ type }) => {
      if (type !== 'call.queued' || !isDue) return;
      isDue = false;
      replaceCore();
    },
  });
  void policy.execute(() => new Promise(() => {})).catch(() => {});
  let runs = 0;
  const queued = policy.execute(() => ++runs);
  assert.equal(runs, 1);
  assert.equal(await queued, 1);
  policy.dispose();
});

test('a call that fails after the trap: its fallback answers', async () => {
  const policy = createPolicy<string>({ clock: new VirtualClock(), fallback: ({ code }) => `less: ${code}` });
  const value = await policy.execute(() => {
    ruin();
    throw new AgentError('AUTHENTICATION_ERROR', 'x');
  });
  assert.equal(value, 'less: AUTHENTICATION_ERROR');
});

test('a queued call that is aborted as the one before it goes on without the core is not begun', async () => {
  const policy = given({ bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
  let end: (value: string) => void = () => {};
  const running = policy.execute(() => new Promise<string>((resolve) => (end = resolve)));
  const controller = new AbortController();
  let runs = 0;
  const first = policy.execute(() => {
    controller.abort();
    return 'first';
  });
  const second = policy.execute(() => ++runs, { signal: controller.signal });
  const aborted = assert.rejects(second, (error) => AgentError.is(error) && error.code === 'CANCELLED');
  ruin();
  end('ran');
  assert.deepEqual(await Promise.all([running, first]), ['ran', 'first']);
  await aborted;
  assert.equal(runs, 0);
  assert.deepEqual([policy.stats().attempts, policy.stats().cancelled], [2, 1]);
});

test('a stream that breaks as the core traps has failed: it is not said to begin again', async () => {
  const policy = given();
  const actions: string[] = [];
  policy.onEvent((event) => {
    if (event.type === 'stream.broken') actions.push(event.action);
  });
  const received: unknown[] = [];
  const stream = policy.stream(
    async function* () {
      yield 1;
      ruin();
      throw new AgentError('SERVER_ERROR', 'x');
    },
    { onBreak: 'restart' },
  );
  await assert.rejects(
    (async () => {
      for await (const chunk of stream) received.push(chunk);
    })(),
    (error) => AgentError.is(error) && error.code === 'SERVER_ERROR',
  );
  assert.deepEqual(received, [1]);
  assert.deepEqual(actions, ['fail']);
});
