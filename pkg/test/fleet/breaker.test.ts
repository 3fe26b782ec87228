import assert from 'node:assert/strict';
import test from 'node:test';
import { isolate, lift } from 'halfopen/fleet';
import { recordEvents, script, VirtualClock } from 'halfopen/testing';
import { codeOf, overloaded, world } from './processes.js';

const fails = () => script(overloaded());

test('two processes that fail open the breaker of a third, and one probe of all closes it', async () => {
  const { clock, process } = world();
  const [a, b, c] = [process(), process(), process()];
  for (const { policy } of [a, b, c]) await policy.execute(() => 'fine');
  await clock.advance(1000);
  for (let i = 0; i < 3; i++) {
    assert.equal(await codeOf(a.policy.execute(fails())), 'SERVER_ERROR');
    assert.equal(await codeOf(b.policy.execute(fails())), 'SERVER_ERROR');
  }
  await clock.advance(400);
  await codeOf(c.policy.execute(() => 'fine'));
  await clock.advance(400);
  assert.deepEqual(
    [a, b, c].map(({ policy }) => policy.breaker?.state),
    ['open', 'open', 'open'],
  );
  assert.equal(await codeOf(c.policy.execute(() => 'fine')), 'CIRCUIT_OPEN');

  await clock.advance(60_000);
  let probes = 0;
  let release = () => {};
  const slow = () =>
    new Promise<string>((resolve) => {
      probes++;
      release = () => resolve('fine');
    });
  const calls = [a, b, c].map(({ policy }) => codeOf(policy.execute(slow)));
  await clock.advance(1000);
  assert.equal(probes, 1);
  release();
  await clock.advance(1000);
  assert.deepEqual((await Promise.all(calls)).sort(), ['CIRCUIT_OPEN', 'CIRCUIT_OPEN', 'ok']);
  for (const { policy } of [a, b, c]) await codeOf(policy.execute(() => 'fine'));
  await clock.advance(10_000);
  for (const { policy } of [a, b, c]) {
    assert.equal(policy.breaker?.state, 'closed');
    assert.equal(await codeOf(policy.execute(() => 'fine')), 'ok');
  }
  for (const { fleet } of [a, b, c]) await fleet.close();
});

test('a probe that runs across an isolation stays the only one of its lease', async () => {
  const { clock, store, process } = world();
  const [a, b] = [process(), process()];
  for (const { policy } of [a, b]) await policy.execute(() => 'fine');
  await clock.advance(1000);
  for (let i = 0; i < 3; i++) for (const { policy } of [a, b]) await codeOf(policy.execute(fails()));
  await clock.advance(61_000);
  let probes = 0;
  let release = () => {};
  const slow = () =>
    new Promise<string>((resolve) => {
      probes++;
      release = () => resolve('fine');
    });
  const probe = a.policy.execute(slow);
  await clock.advance(1000);
  assert.equal(probes, 1);
  await isolate(store, 'test', 'p');
  for (const { policy } of [a, b]) await codeOf(policy.execute(slow));
  await clock.advance(1000);
  assert.equal(a.policy.breaker?.state, 'isolated');
  await lift(store, 'test', 'p');
  const calls = [];
  for (let i = 0; i < 3; i++) {
    for (const { policy } of [a, b]) calls.push(codeOf(policy.execute(slow)));
    await clock.advance(500);
  }
  assert.equal(probes, 1);
  release();
  assert.equal(await probe, 'fine');
  await clock.advance(61_000);
  for (let i = 0; i < 3; i++) {
    for (const { policy } of [a, b]) await codeOf(policy.execute(() => 'fine'));
    await clock.advance(10_000);
  }
  for (const { policy } of [a, b]) assert.equal(policy.breaker?.state, 'closed');
  await Promise.all(calls);
  for (const { fleet } of [a, b]) await fleet.close();
});

test("a lease that is free is another process's while the first one probes", async () => {
  const { clock, process } = world();
  const breaker = { halfOpenMaxCalls: 2 };
  const [a, b, c] = [process({ breaker }), process({ breaker }), process({ breaker })];
  for (const { policy } of [a, b, c]) await policy.execute(() => 'fine');
  await clock.advance(1000);
  for (let i = 0; i < 3; i++) for (const { policy } of [a, b]) await codeOf(policy.execute(fails()));
  await clock.advance(400);
  await codeOf(c.policy.execute(() => 'fine'));
  await clock.advance(400);
  assert.equal(c.policy.breaker?.state, 'open');
  await clock.advance(60_000);
  const running: (() => void)[] = [];
  const who: string[] = [];
  const slowOf = (name: string) => () =>
    new Promise<string>((resolve) => {
      who.push(`${name} ${clock.now()}`);
      running.push(() => resolve('fine'));
    });
  const calls = [codeOf(a.policy.execute(slowOf('a')))];
  await clock.advance(1000);
  assert.equal(running.length, 1);
  for (const { policy } of [b, c]) {
    // The first call may be refused while the process hears that the breaker is half-open.
    for (let tries = 0; tries < 3; tries++) {
      calls.push(codeOf(policy.execute(slowOf(policy === b.policy ? 'b' : 'c'))));
      await clock.advance(1000);
    }
  }
  assert.equal(running.length, 2, who.join());
  for (const end of running) end();
  await clock.advance(1000);
  const codes = await Promise.all(calls);
  assert.equal(codes.filter((code) => code === 'ok').length, 2, codes.join());
  for (const { fleet } of [a, b, c]) await fleet.close();
});

test('a probe has its part of an exact limit, and one that the limit refuses is not spent', async () => {
  const { clock, process } = world();
  const options = {
    breaker: { failureThreshold: 2, resetTimeoutMs: 2_000 },
    rateLimit: { limit: 4, windowMs: 1_000, maxWaitMs: 0 },
  };
  const exact = { exact: ['probe', 'rateLimit'] as const };
  const [a, b] = [process(options, exact), process(options, exact)];
  const next = async (process: typeof a, operation: () => unknown = () => 'fine') => {
    const code = codeOf(process.policy.execute(operation));
    await clock.advance(100);
    return code;
  };
  for (const one of [a, b]) assert.equal(await next(one), 'ok');
  await clock.advance(1_000);
  for (const one of [a, b]) assert.equal(await next(one, fails()), 'SERVER_ERROR');
  await clock.advance(500);
  assert.equal(await next(a), 'CIRCUIT_OPEN');
  await clock.advance(2_000);
  assert.equal(await next(a), 'ok');
  assert.equal(a.policy.breaker?.state, 'closed');
  for (const { fleet } of [a, b]) await fleet.close();
});

test('a probe lease that has ended before its answer comes is not used', async () => {
  const { clock, store, process } = world();
  const breaker = { failureThreshold: 2, resetTimeoutMs: 5_000, probeTimeoutMs: 30 };
  const [a, b] = [process({ breaker }), process({ breaker })];
  for (const { policy } of [a, b]) await policy.execute(() => 'fine');
  await clock.advance(1_000);
  for (const { policy } of [a, b, a, b]) await codeOf(policy.execute(fails()));
  await clock.advance(5_500);
  store.delayMs = 40;
  const late = codeOf(a.policy.execute(() => 'fine'));
  await clock.advance(100);
  assert.equal(await late, 'CIRCUIT_OPEN');
  store.delayMs = 0;
  await clock.advance(500);
  const next = codeOf(a.policy.execute(() => 'fine'));
  await clock.advance(100);
  assert.equal(await next, 'ok');
  for (const { fleet } of [a, b]) await fleet.close();
});

test('a process that stood still for longer than its probe lease lasts asks again before it probes', async () => {
  const { clock, process } = world();
  const breaker = { failureThreshold: 2, resetTimeoutMs: 5_000, probeTimeoutMs: 3_000 };
  // How much later it is than its timers know: a process that was frozen looks at the time before they fire.
  let frozenMs = 0;
  const own = {
    now: () => clock.now() + frozenMs,
    wall: () => clock.wall(),
    setTimeout: clock.setTimeout.bind(clock),
    clearTimeout: clock.clearTimeout.bind(clock),
  };
  const [a, b] = [process({ breaker, clock: own }, { exact: [] }), process({ breaker })];
  for (const { policy } of [a, b]) await policy.execute(() => 'fine');
  await clock.advance(1_000);
  for (const { policy } of [a, b, a, b]) await codeOf(policy.execute(fails()));
  await clock.advance(5_500);
  // It requests a lease and gets one, and is suspended before its next call.
  assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'CIRCUIT_OPEN');
  await clock.advance(100);
  frozenMs = 4_000;
  assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'CIRCUIT_OPEN');
  await clock.advance(1_000);
  assert.equal(await codeOf(a.policy.execute(() => 'fine')), 'ok');
  for (const { fleet } of [a, b]) await fleet.close();
});

test('failures that a process has not sent when it stands still say nothing about a breaker that has opened and closed meanwhile', async () => {
  const { clock, process } = world();
  const breaker = {
    window: { kind: 'time', durationMs: 10_000, failureRate: 0.5, minimumCalls: 4 },
    resetTimeoutMs: 3_000,
  } as const;
  const [a, b] = [process({ breaker }), process({ breaker })];
  // Two suspended processes: their own clock stops.
  const still = new VirtualClock(clock.now());
  const late = [1, 2].map(() => process({ breaker, clock: still }));
  for (const { policy } of [a, b, ...late]) await policy.execute(() => 'fine');
  await Promise.all([clock.advance(2_000), still.advance(2_000)]);
  for (let i = 0; i < 4; i++) for (const { policy } of late) await codeOf(policy.execute(fails()));

  const openings: string[] = [];
  a.policy.breaker?.onStateChange((change) => {
    if (change.to === 'open') openings.push(change.from);
  });
  for (let i = 0; i < 4; i++) for (const { policy } of [a, b]) await codeOf(policy.execute(fails()));
  await clock.advance(1_000);
  for (let i = 0; i < 8; i++) {
    await clock.advance(500);
    await codeOf(a.policy.execute(() => 'fine'));
  }
  assert.equal(a.policy.breaker?.state, 'closed');

  await Promise.all([clock.advance(2_000), still.advance(2_000)]);
  for (const { policy } of [a, b]) await codeOf(policy.execute(() => 'fine'));
  await clock.advance(2_000);
  assert.deepEqual(
    [a, b].map(({ policy }) => policy.breaker?.state),
    ['closed', 'closed'],
    'it was opened again',
  );
  assert.deepEqual(openings, ['closed'], 'it was opened again');
  for (const { fleet } of [a, b, ...late]) await fleet.close();
});

test('failures that are counted while an answer is on its way say nothing about a breaker that has opened and closed meanwhile', async () => {
  const { clock, store, process } = world();
  const breaker = {
    window: { kind: 'time', durationMs: 10_000, failureRate: 0.5, minimumCalls: 4 },
    resetTimeoutMs: 3_000,
  } as const;
  const [a, b] = [process({ breaker }), process({ breaker })];
  // Two suspended processes: their own clock stops, and their messages are in flight.
  const still = new VirtualClock(clock.now());
  let release = () => {};
  let held: Promise<void> | undefined;
  const slow = {
    sync: async (...[resources, signal]: Parameters<typeof store.sync>) => {
      await held;
      return store.sync(resources, signal);
    },
    close: async () => {},
  };
  const late = [1, 2].map(() => process({ breaker, clock: still }, { store: slow }));
  const pass = (ms: number) => Promise.all([clock.advance(ms), still.advance(ms)]);
  for (const { policy } of [a, b, ...late]) await policy.execute(() => 'fine');
  await pass(2_000);
  held = new Promise((resolve) => {
    release = resolve;
  });
  for (const { policy } of late) await policy.execute(() => 'fine');
  await still.advance(1_500); // their syncs are sent
  for (let i = 0; i < 4; i++) for (const { policy } of [a, b]) await codeOf(policy.execute(fails()));
  await clock.advance(1_000);
  assert.equal(a.policy.breaker?.state, 'open');
  for (let i = 0; i < 10; i++) {
    await clock.advance(500);
    await codeOf(a.policy.execute(() => 'fine'));
  }
  assert.equal(a.policy.breaker?.state, 'closed');

  for (let i = 0; i < 4; i++) for (const { policy } of late) await codeOf(policy.execute(fails()));
  release();
  await pass(0);
  for (const { policy } of late) await codeOf(policy.execute(() => 'fine'));
  await pass(3_000);
  for (const { policy } of [a, b, ...late]) await codeOf(policy.execute(() => 'fine'));
  await pass(1_000);
  assert.deepEqual(
    [a, b, ...late].map(({ policy }) => policy.breaker?.state),
    ['closed', 'closed', 'closed', 'closed'],
  );
  for (const { fleet } of [a, b, ...late]) await fleet.close();
});

test('a process that alone fails opens only its own breaker', async () => {
  const { clock, process } = world();
  const [a, b] = [process(), process()];
  for (const { policy } of [a, b]) await policy.execute(() => 'fine');
  await clock.advance(500);
  for (let i = 0; i < 5; i++) await codeOf(a.policy.execute(fails()));
  await b.policy.execute(() => 'fine');
  await clock.advance(1000);
  assert.equal(a.policy.breaker?.state, 'open');
  assert.equal(await codeOf(b.policy.execute(() => 'fine')), 'ok');
  assert.equal(b.policy.breaker?.state, 'closed');
  assert.equal(a.fleet.nodes, 2);
});

test('no call waits for a store that is frozen, and the fleet says so once', async () => {
  const { clock, store, process } = world();
  const { policy, fleet } = process();
  const { events } = recordEvents(policy);
  await policy.execute(() => 'fine');
  await clock.advance(1000);
  assert.equal(fleet.status, 'joined');
  store.mode = 'frozen';
  for (let i = 0; i < 20; i++) {
    assert.equal(await codeOf(policy.execute(() => 'fine')), 'ok');
    await clock.advance(500);
  }
  assert.equal(fleet.status, 'degraded');
  assert.ok(fleet.stalenessMs > 8000);
  store.mode = 'fine';
  for (let i = 0; i < 40; i++) {
    await policy.execute(() => 'fine');
    await clock.advance(500);
  }
  assert.equal(fleet.status, 'joined');
  await fleet.close();
  const changes = events.filter((event) => event.type === 'fleet.changed');
  assert.deepEqual(
    changes.map((event) => 'status' in event && event.status),
    ['joined', 'degraded', 'joined', 'left'],
  );
  const [, lost] = changes;
  assert.ok(lost !== undefined && 'reason' in lost);
  assert.equal(lost.reason, 'the store did not answer within 50 ms');
});

test('who is idle sends nothing', async () => {
  const { clock, store, process } = world();
  const { policy } = process();
  await policy.execute(() => 'fine');
  await clock.advance(30_000);
  const { syncs } = store;
  assert.ok(syncs < 10, `${syncs}`);
  await clock.advance(600_000);
  assert.equal(store.syncs, syncs);
  assert.equal(clock.pending, 0);
});

test('what a policy says of its options names its fleet', async () => {
  const { process } = world();
  const { policy } = process({}, { quotaScope: 'org-1/gpt-5' });
  const { events } = recordEvents(policy);
  await policy.execute(() => 'fine');
  const [configured] = events.filter((event) => event.type === 'policy.configured');
  assert.deepEqual(configured?.options.fleet, { name: 'test', quotaScope: 'org-1/gpt-5', shared: true });
});
