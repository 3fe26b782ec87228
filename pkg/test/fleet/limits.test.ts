import assert from 'node:assert/strict';
import test from 'node:test';
import { failover } from 'halfopen';
import { inspect, isolate, lift } from 'halfopen/fleet';
import { recordEvents, script } from 'halfopen/testing';
import { deltaOf, REPORT } from '../../src/fleet/protocol.js';
import { codeOf, overloaded, world } from './processes.js';

const rateLimit = { limit: 20, windowMs: 1000 };
type World = ReturnType<typeof world>;

/** Two processes that share the limit and know of each other. */
async function two(clock: World['clock'], process: World['process']) {
  const both = [process({ rateLimit }), process({ rateLimit })] as const;
  for (let i = 0; i < 10; i++) {
    for (const { policy } of both) await codeOf(policy.execute(() => 'fine'));
    await clock.advance(300);
  }
  assert.equal(both[0].fleet.nodes, 2);
  return both;
}

test('processes share a limit: no window sees more than it, and most of it is used', async () => {
  const { clock, process } = world();
  const processes = Array.from({ length: 4 }, () => process({ rateLimit }));
  const starts: number[] = [];
  // One after the other: what a process begins before the store knows it is its own.
  for (const { policy } of processes) {
    await policy.execute(() => 'fine').catch(() => {});
    await clock.advance(600);
  }
  await clock.advance(3000);
  for (let i = 0; i < 1000; i++) {
    for (const { policy } of processes) await codeOf(policy.execute(() => void starts.push(clock.now())));
    await clock.advance(10);
  }
  for (const at of starts) {
    const inWindow = starts.filter((other) => other > at - 1000 && other <= at).length;
    assert.ok(inWindow <= 20, `${inWindow} at ${at}`);
  }
  assert.ok(starts.length > 150, `${starts.length} of 200`);
  for (const { fleet } of processes) await fleet.close();
});

test('with the store lost, a process goes on at its safe share', async () => {
  const { clock, store, process } = world();
  const [a, b] = await two(clock, process);
  store.mode = 'refuses';
  let calls = 0;
  for (let i = 0; i < 300; i++) {
    // Four times as often as its share allows.
    for (let call = 0; i >= 200 && call < 4; call++)
      if ((await codeOf(a.policy.execute(() => 'fine'))) === 'ok') calls++;
    if (i < 200) await codeOf(b.policy.execute(() => 'fine'));
    await clock.advance(100);
  }
  // Ten seconds of half the limit.
  assert.ok(calls >= 80 && calls <= 110, `${calls} calls in ten seconds`);
});

test('onStoreLost: allow and deny', async () => {
  const { clock, store, process } = world();
  const allow = process({ rateLimit, name: 'allow' }, { onStoreLost: 'allow' });
  const deny = process({ name: 'deny' }, { onStoreLost: 'deny' });
  for (const { policy } of [allow, deny]) await codeOf(policy.execute(() => 'fine'));
  await clock.advance(1000);
  store.mode = 'frozen';
  for (let i = 0; i < 150; i++) {
    for (const { policy } of [allow, deny]) await codeOf(policy.execute(() => 'fine'));
    await clock.advance(100);
  }
  await clock.advance(1000);
  let allowed = 0;
  for (let i = 0; i < 25; i++) if ((await codeOf(allow.policy.execute(() => 'fine'))) === 'ok') allowed++;
  assert.equal(allowed, 20);
  assert.equal(await codeOf(deny.policy.execute(() => 'fine')), 'CAPACITY_EXCEEDED');
});

test('a store that was flushed is noticed, and the fleet comes back', async () => {
  const { clock, store, process } = world();
  const { policy, fleet } = process({ rateLimit });
  const { events } = recordEvents(policy);
  for (let i = 0; i < 30; i++) {
    if (i === 10) store.flush();
    await codeOf(policy.execute(() => 'fine'));
    await clock.advance(200);
  }
  assert.equal(fleet.status, 'joined');
  const changes = events.filter((event) => event.type === 'fleet.changed');
  assert.deepEqual(
    changes.map((event) => 'reason' in event && event.reason),
    [false, 'the store has lost its state', false],
  );
});

test('a flush refuses no call of those that share no limit', async () => {
  const { clock, store, process } = world();
  const processes = [process(), process()];
  for (let i = 0; i < 60; i++) {
    if (i === 20) store.flush();
    for (const { policy } of processes) assert.equal(await codeOf(policy.execute(() => 'fine')), 'ok');
    await clock.advance(200);
  }
});

for (const mode of ['fine', 'frozen'] as const)
  test(`a process that has left takes no part from a sync that was running (${mode})`, async () => {
    const { clock, store, process } = world();
    const [a, b] = await two(clock, process);
    const before = store.syncs;
    store.delayMs = 30;
    store.mode = mode;
    while (store.syncs === before) {
      await codeOf(a.policy.execute(() => 'fine'));
      await clock.advance(1);
    }
    const closed = a.fleet.close();
    await clock.advance(2000);
    await closed;
    store.mode = 'fine';
    store.delayMs = 0;
    for (let i = 0; i < 20; i++)
      assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'ok', `call ${i}`);
    await b.fleet.close();
  });

test('a process that leaves gives its part of a limit back', async () => {
  const { clock, process } = world();
  const [a, b] = [process({ rateLimit }), process({ rateLimit })];
  const use = async (of: typeof a) => {
    let done = 0;
    for (let i = 0; i < 30; i++) if ((await codeOf(of.policy.execute(() => 'fine'))) === 'ok') done++;
    return done;
  };
  for (let i = 0; i < 8; i++) {
    await use(a);
    await use(b);
    await clock.advance(1100);
  }
  await a.fleet.close();
  for (let i = 0; i < 4; i++) {
    await use(b);
    await clock.advance(1100);
  }
  assert.equal(await use(b), 20);
  assert.equal(a.fleet.status, 'left');
});

test('an exact limit is used to the last, one round trip each', async () => {
  const { clock, process } = world();
  const processes = Array.from({ length: 3 }, () => process({ rateLimit }, { exact: ['rateLimit'] }));
  const codes: string[] = [];
  for (let i = 0; i < 10; i++)
    for (const { policy } of processes) codes.push(await codeOf(policy.execute(() => 'fine')));
  assert.equal(codes.filter((code) => code === 'ok').length, 20, codes.join(' '));
  assert.equal(clock.pending < 10, true);
});

test('processes share slots', async () => {
  const { clock, process } = world();
  const bulkhead = { maxConcurrent: 4 };
  const processes = Array.from({ length: 2 }, () => process({ bulkhead }, { exact: ['bulkhead'] }));
  let running = 0;
  let most = 0;
  const work = async () => {
    running++;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 50));
    running--;
  };
  const codes: Promise<string>[] = [];
  for (let i = 0; i < 200; i++) {
    for (const { policy } of processes) codes.push(codeOf(policy.execute(work)));
    await clock.advance(10);
  }
  await clock.advance(1000);
  assert.equal(most, 4);
  const done = (await Promise.all(codes)).filter((code) => code === 'ok').length;
  assert.ok(done > 100, `${done}`);
});

test('each process learns an adaptive limit of its own, beside the slots that all share', async () => {
  const { clock, process } = world();
  const policies = Array.from({ length: 2 }, () =>
    process(
      { adaptive: { initial: 10 }, breaker: false, bulkhead: { maxConcurrent: 12, maxQueued: 100 } },
      { quotaScope: 'org-1' },
    ),
  ).map(({ policy }) => policy);
  const [a, b] = policies;
  assert.ok(a && b);
  for (const policy of policies) await codeOf(policy.execute(() => 'fine'));
  await clock.advance(1000);
  const busy = Object.assign(new Error('overloaded'), { status: 529 });
  await Promise.all(Array.from({ length: 6 }, () => codeOf(a.execute(() => Promise.reject(busy)))));
  for (let i = 0; i < 10; i++) {
    await codeOf(b.execute(() => 'fine'));
    await clock.advance(300);
  }
  const [limitOfA = 0, limitOfB] = [a.stats().limit, b.stats().limit];
  assert.ok(limitOfA < 10, `${limitOfA}`);
  assert.equal(limitOfB, 10);
  let [running, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 2000));
    running--;
  };
  const codes = policies.flatMap((policy) => Array.from({ length: 20 }, () => codeOf(policy.execute(work))));
  await clock.advance(30_000);
  assert.ok((await Promise.all(codes)).every((code) => code === 'ok'));
  assert.ok(most > 4 && most <= 12, `${most} at once`);
});

test('a wait that the provider asked one process for holds for its scope, and failover passes over it', async () => {
  const { clock, process } = world();
  const own = { quotaScope: 'org-1/gpt-5' };
  const [a, b] = [process({ name: 'a' }, own), process({ name: 'b' }, own)];
  const other = process({ name: 'c' }, { quotaScope: 'org-2' });
  for (const { policy } of [a, b, other]) await policy.execute(() => 'fine');
  await clock.advance(1000);
  const limited = Object.assign(new Error('429'), { status: 429, headers: { 'retry-after': '30' } });
  assert.equal(await codeOf(a.policy.execute(script(limited))), 'RATE_LIMITED');
  assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'CAPACITY_EXCEEDED');
  await codeOf(b.policy.execute(() => 'fine'));
  await clock.advance(1000);
  assert.equal(await codeOf(b.policy.execute(() => 'fine')), 'CAPACITY_EXCEEDED');
  const { events } = recordEvents(b.policy);
  const answer = await failover([
    { policy: b.policy, run: () => 'b' },
    { policy: other.policy, run: () => 'c' },
  ]);
  assert.equal(answer, 'c');
  assert.ok(events.some((event) => event.type === 'failover.switched' && event.code === 'CAPACITY_EXCEEDED'));
  await clock.advance(30_000);
  assert.equal(await codeOf(b.policy.execute(() => 'fine')), 'ok');
});

test('a wait of years holds for the scope for a day', async () => {
  const { clock, process } = world();
  const own = { quotaScope: 'org-1/gpt-5' };
  const [a, b] = [process({ name: 'a' }, own), process({ name: 'b' }, own)];
  for (const { policy } of [a, b]) await policy.execute(() => 'fine');
  await clock.advance(1000);
  const headers = { 'retry-after': '999999999' };
  await codeOf(a.policy.execute(script(Object.assign(new Error('429'), { status: 429, headers }))));
  await clock.advance(1000);
  await codeOf(b.policy.execute(() => 'fine'));
  await clock.advance(1000);
  assert.equal(await codeOf(b.policy.execute(() => 'fine')), 'CAPACITY_EXCEEDED');
  await clock.advance(86_400_000);
  for (const { policy } of [a, b]) assert.equal(await codeOf(policy.execute(() => 'fine')), 'ok');
});

test('an operator isolates a policy in every process, and sees what they share', async () => {
  const { clock, store, process } = world();
  const [a, b] = [process({ rateLimit }), process({ rateLimit })];
  for (const { policy } of [a, b]) await policy.execute(() => 'fine');
  await clock.advance(1000);
  await isolate(store, 'test', 'p');
  for (const { policy } of [a, b]) await codeOf(policy.execute(() => 'fine'));
  await clock.advance(1000);
  for (const { policy } of [a, b]) {
    assert.equal(policy.breaker?.state, 'isolated');
    assert.equal(await codeOf(policy.execute(() => 'fine')), 'CIRCUIT_OPEN');
  }
  const [status] = await inspect(store, 'test');
  assert.equal(status?.policy, 'p');
  assert.equal(status?.state, 'isolated');
  assert.equal(status?.nodes, 2);
  assert.equal(status?.limits[0]?.limit, 20);
  await lift(store, 'test', 'p');
  for (const { policy } of [a, b]) await codeOf(policy.execute(() => 'fine'));
  await clock.advance(1000);
  assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'ok');
});

test('options that differ are reported once', async () => {
  const { clock, process } = world();
  const [a, b] = [process({ breaker: { failureThreshold: 3 } }), process()];
  const { events } = recordEvents(a.policy);
  for (let i = 0; i < 10; i++) {
    for (const { policy } of [a, b]) await policy.execute(() => 'fine');
    await clock.advance(300);
  }
  assert.equal(events.filter((event) => event.type === 'fleet.mismatch').length, 1);
});

test('a retry budget is what it is for all processes together', async () => {
  const { clock, process } = world();
  const retry = { maxRetries: 1, baseDelayMs: 1, enableJitter: false, budget: { ratio: 0, minPerSecond: 1 } };
  const processes = Array.from({ length: 5 }, () => process({ retry, breaker: false }));
  for (const { policy } of processes) await policy.execute(() => 'fine');
  await clock.advance(600);
  for (const { policy } of processes) await policy.execute(() => 'fine');
  await clock.advance(600);
  let attempts = 0;
  const fails = () => {
    attempts++;
    throw overloaded();
  };
  let calls = 0;
  for (let i = 0; i < 20; i++) {
    for (const { policy } of processes) {
      calls++;
      const call = codeOf(policy.execute(fails));
      await clock.advance(2);
      await call;
    }
  }
  assert.equal(attempts - calls, 10);
});

test('a process of a large fleet that is refused syncs as often as the store says, not with every refused call', async () => {
  const { clock, store, process } = world();
  const rateLimit = { limit: 1_000, windowMs: 60_000 };
  // A thousand others hold all of it.
  for (let node = 1; node <= 1_000; node++) {
    const wants = { limit: 1_000, windowMs: 60_000, ofTokens: 0, exact: 1, wants: 1, used: 1, has: 1 };
    const delta = deltaOf({ kind: REPORT, node: node * 1_000_003, number: 1, leaseMs: 120_000 }, [wants]);
    await store.inner.sync([{ key: 'test/policy/p', delta }], new AbortController().signal);
  }
  const { fleet, policy } = process({ rateLimit });
  const refused = new Set<string>();
  for (let call = 0; call < 200; call++) {
    refused.add(await codeOf(policy.execute(() => 'fine')));
    await clock.advance(50);
  }
  assert.equal(fleet.nodes, 1_001);
  assert.ok(refused.has('RATE_LIMITED') || refused.has('CAPACITY_EXCEEDED'), [...refused].join());
  // Ten seconds: 1.3 s between two syncs, give or take a quarter.
  assert.ok(store.syncs <= 12, `${store.syncs} syncs`);
  await fleet.close();
});
