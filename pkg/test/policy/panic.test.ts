// The core traps because its memory is overwritten: a fresh instance is made, policies are rebuilt, the call goes on
// unguarded, and this is reported. It uses the sources, because the package exposes its memory to no one.
import assert from 'node:assert/strict';
import test from 'node:test';
import { core } from '../../src/core/policy.js';
import { AgentError } from '../../src/error/agent-error.js';
import type { PolicyOptions } from '../../src/policy/options.js';
import { createPolicy, type Policy } from '../../src/policy/policy.js';
import { VirtualClock } from '../../src/testing.js';

/** Nothing in it can be trusted after this; the first function that looks panics or reads out of bounds. */
function ruin(): void {
  new Uint8Array(core.memory?.buffer as ArrayBuffer).fill(0xff);
}

function given(options: PolicyOptions = {}): { clock: VirtualClock; policy: Policy; told: string[] } {
  const told: string[] = [];
  const clock = new VirtualClock();
  const policy = createPolicy({
    clock,
    retry: { enableJitter: false },
    onDebug: (message) => told.push(message),
    ...options,
  });
  return { clock, policy, told };
}

async function worksAgain(clock: VirtualClock, policy: Policy, told: string[]): Promise<void> {
  assert.equal(told.filter((message) => /core failed/.test(message)).length, 1, String(told));
  const result = policy.execute(({ attempt }) => {
    if (attempt === 1) throw new AgentError('SERVER_ERROR', 'x');
    return 'guarded again';
  });
  await clock.advance(1000);
  assert.equal(await result, 'guarded again');
}

test('before a call begins: it runs unguarded', async () => {
  const { clock, policy, told } = given();
  await policy.execute(() => 'warm');
  ruin();
  assert.equal(await policy.execute(() => 'value'), 'value');
  await worksAgain(clock, policy, told);
});

test('while an operation runs that succeeds: its value arrives', async () => {
  const { clock, policy, told } = given();
  assert.equal(
    await policy.execute(() => {
      ruin();
      return 'value';
    }),
    'value',
  );
  await worksAgain(clock, policy, told);
});

test('while an operation runs that has nothing else to mind: its value arrives, and later ones', async () => {
  const { clock, policy, told } = given();
  await policy.execute(() => 'warm');
  const values = Array.from({ length: 3 }, (_, index) =>
    policy.execute(async () => {
      await Promise.resolve();
      if (index === 0) ruin();
      return index;
    }),
  );
  assert.deepEqual(await Promise.all(values), [0, 1, 2]);
  await worksAgain(clock, policy, told);
});

test('while an operation runs that fails: its error arrives, classified', async () => {
  const { clock, policy, told } = given();
  await assert.rejects(
    policy.execute(() => {
      ruin();
      throw Object.assign(new Error('x'), { status: 401 });
    }),
    (error) => AgentError.is(error) && error.code === 'AUTHENTICATION_ERROR' && error.attempts === 1,
  );
  await worksAgain(clock, policy, told);
});

test('while a call waits to retry: it goes on unguarded', async () => {
  const { clock, policy, told } = given();
  const result = policy.execute(({ attempt }) => {
    if (attempt === 1) throw new AgentError('SERVER_ERROR', 'x');
    return 'value';
  });
  await clock.advance(500);
  ruin();
  await clock.advance(500);
  assert.equal(await result, 'value');
  await worksAgain(clock, policy, told);
});

test('calls in flight under another policy come to their ends', async () => {
  const { clock, policy, told } = given();
  const other = given();
  let end: ((value: string) => void) | undefined;
  const running = other.policy.execute(() => new Promise<string>((resolve) => (end = resolve)));
  const waiting = other.policy.execute(({ attempt }) => {
    if (attempt === 1) throw new AgentError('SERVER_ERROR', 'x');
    return 'waited';
  });
  await policy.execute(() => 'warm');
  ruin();
  assert.equal(await policy.execute(() => 'value'), 'value');
  end?.('ran');
  await other.clock.advance(1000);
  assert.deepEqual(await Promise.all([running, waiting]), ['ran', 'waited']);
  await worksAgain(clock, policy, told);
});

test('while calls wait for a slot: they go on unguarded', async () => {
  const { clock, policy, told } = given({ bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
  let end: ((value: string) => void) | undefined;
  const running = policy.execute(() => new Promise<string>((resolve) => (end = resolve)));
  const waiting = ['first', 'second'].map((value) => policy.execute(() => value));
  ruin();
  end?.('ran');
  assert.deepEqual(await Promise.all([running, ...waiting]), ['ran', 'first', 'second']);
  await worksAgain(clock, policy, told);
});

test('while a call waits for its turn: it goes on when the turn comes', async () => {
  const { clock, policy, told } = given({ rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 1000 } });
  await policy.execute(() => 'first');
  let begun: number | undefined;
  const waiting = policy.execute(() => (begun = clock.now()));
  ruin();
  await clock.advance(1000);
  assert.equal(await waiting, 1000);
  assert.equal(begun, 1000);
  assert.equal(clock.pending, 0);
  assert.equal(told.length, 1);
});

test('before a disposal: calls that wait for a slot are cancelled, not begun', async () => {
  const { policy } = given({ bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
  const begun: string[] = [];
  const calls = ['running', 'first', 'second'].map((name) =>
    policy.execute(() => {
      begun.push(name);
      return new Promise(() => {});
    }),
  );
  ruin();
  policy.dispose();
  for (const call of calls) {
    await assert.rejects(call, (error) => AgentError.is(error) && error.code === 'CANCELLED');
  }
  assert.deepEqual(begun, ['running']);
});
