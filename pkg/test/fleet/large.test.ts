// A fleet that is too large for its processes to sync often: they ask for what is exact at their pace, too.
import assert from 'node:assert/strict';
import test from 'node:test';
import { script } from 'halfopen/testing';
import { codeOf, crowded, overloaded, world } from './processes.js';

const KEY = 'test/policy/p';
const fails = () => script(overloaded());

test('a process whose own breaker has opened hears of the others before it probes', async () => {
  const { clock, store, process } = world();
  // They sync every three seconds or so.
  store.inner = crowded(clock, KEY, 1_500);
  const { policy, fleet } = process({ breaker: { failureThreshold: 2, resetTimeoutMs: 500 } });
  await policy.execute(() => 'fine');
  await clock.advance(100);
  assert.ok(fleet.nodes > 1_500, `${fleet.nodes} processes`);
  for (let i = 0; i < 2; i++) await codeOf(policy.execute(fails()));
  await clock.advance(100);
  const { syncs } = store;
  let probes = 0;
  const probe = async () => {
    const code = codeOf(policy.execute(() => probes++));
    await clock.advance(100);
    return code;
  };
  await clock.advance(600);
  assert.equal(policy.breaker?.state, 'half_open');
  assert.equal(await probe(), 'CIRCUIT_OPEN');
  assert.deepEqual([probes, store.syncs], [0, syncs], 'nor does it ask at once');
  await clock.advance(4_000);
  assert.equal(await probe(), 'ok');
  assert.equal(policy.breaker?.state, 'closed');
  assert.ok(store.syncs > syncs);
  await fleet.close();
});

test('when the time of a shared breaker is over, not all processes ask for the probe at once', async () => {
  const { clock, store, process } = world();
  store.inner = crowded(clock, KEY, 1_500);
  const breaker = { failureThreshold: 30, resetTimeoutMs: 10_000 };
  const twenty: ReturnType<typeof process>[] = [];
  for (let i = 0; i < 20; i++) {
    const one = process({ breaker });
    twenty.push(one);
    for (let call = 0; call < 2; call++) await codeOf(one.policy.execute(fails()));
    await clock.advance(150);
  }
  let probes = 0;
  let release = () => {};
  const slow = () =>
    new Promise<void>((resolve) => {
      probes++;
      release = resolve;
    });
  const callAll = async () => {
    for (const { policy } of twenty) void codeOf(policy.execute(slow));
    await clock.advance(100);
  };
  const isOpen = () => twenty.every(({ policy }) => policy.breaker?.state === 'open');
  for (let i = 0; i < 25 && !isOpen(); i++) {
    for (const { policy } of twenty) void codeOf(policy.execute(fails()));
    await clock.advance(250);
  }
  assert.ok(isOpen(), 'all know that it is open');
  let { syncs } = store;
  for (let i = 0; i < 200 && probes === 0; i++) {
    syncs = store.syncs;
    await callAll();
  }
  for (let i = 0; i < 4; i++) await callAll();
  assert.ok(store.syncs - syncs <= 12, `${store.syncs - syncs} syncs of 20 processes within half a second`);
  assert.equal(probes, 1, 'one of them has the lease');
  release();
  for (const { fleet } of twenty) await fleet.close();
});

test('the lease of a process that joins a large fleet does not end before its next sync', async () => {
  const { clock, store, process } = world();
  store.inner = crowded(clock, KEY, 3_000);
  const { policy, fleet } = process({ rateLimit: { limit: 1_000, windowMs: 60_000 } });
  await policy.execute(() => 'fine');
  for (let i = 0; i < 7; i++) {
    await clock.advance(1_000);
    await policy.execute(() => 'fine');
  }
  // The first one, and one before the ten seconds that it was granted a share for are over.
  assert.equal(store.syncs, 2);
  await fleet.close();
});
