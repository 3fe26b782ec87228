// The core traps, for its memory is overwritten: a fresh instance is made, policies are rebuilt, the call is let through
// unguarded, and it is told. Uses the sources, for the package shows its memory to nobody.
import assert from 'node:assert/strict';
import test from 'node:test';
import { core } from '../../src/core/policy.js';
import { AgentError } from '../../src/error/agent-error.js';
import { createPolicy, type Policy } from '../../src/policy/policy.js';
import { VirtualClock } from '../../src/testing.js';

/** Nothing in it can be trusted after this; the first function that looks panics or reads out of bounds. */
function ruin(): void {
  new Uint8Array(core.memory?.buffer as ArrayBuffer).fill(0xff);
}

function given(): { clock: VirtualClock; policy: Policy; told: string[] } {
  const told: string[] = [];
  const clock = new VirtualClock();
  const policy = createPolicy({
    clock,
    retry: { enableJitter: false },
    onDebug: (message) => told.push(message),
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
