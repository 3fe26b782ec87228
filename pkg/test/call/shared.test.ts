// A call's requests to the state that processes share, and its reports. The shared state is a double: the real one is
// tested in test/fleet.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AgentError, type PolicyOptions } from 'halfopen';
import { deaf, fatal, isPending, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

interface Double {
  admitted: (number | undefined)[];
  wanted: (number | undefined)[];
  hints: [code: string, waitMs: number][];
  /** The next calls wait for this. */
  wait: Promise<void> | undefined;
}

function inFleet(options: PolicyOptions = {}) {
  const double: Double = { admitted: [], wanted: [], hints: [], wait: undefined };
  const fleet = {
    join: () => ({
      admit(tokens?: number) {
        double.admitted.push(tokens);
        return double.wait;
      },
      wanting: (tokens?: number) => void double.wanted.push(tokens),
      hinted: (code: string, waitMs: number) => void double.hints.push([code, waitMs]),
      leave: async () => {},
    }),
  };
  return { double, ...onVirtualClock({ retry: false, ...options, fleet }) };
}

test('a call that begins says what it will take, where that is known', async () => {
  const { double, policy } = inFleet();
  assert.equal(await policy.execute(() => 1), 1);
  assert.equal(await policy.execute(() => 2, { estimatedTokens: 50 }), 2);
  assert.deepEqual(double.admitted, [undefined, 50]);
});

describe('a call that has to wait for the others', () => {
  function waiting() {
    const all = inFleet();
    let admit: () => void = () => {};
    all.double.wait = new Promise<void>((resolve) => (admit = resolve));
    const controller = new AbortController();
    let runs = 0;
    const call = all.policy.execute(() => ++runs, { signal: controller.signal });
    call.catch(() => {});
    return { ...all, call, controller, admit: () => admit(), runs: () => runs };
  }

  test('begins when it may', async () => {
    const { call, admit, runs } = waiting();
    assert.ok(await isPending(call));
    assert.equal(runs(), 0);
    admit();
    assert.equal(await call, 1);
  });

  test('does not begin where it was aborted meanwhile', async () => {
    const { policy, call, controller, admit, runs } = waiting();
    controller.abort();
    await rejectsWith(call, 'CANCELLED');
    admit();
    await isPending(call);
    assert.equal(runs(), 0);
    assert.deepEqual([policy.stats().attempts, policy.stats().cancelled], [0, 1]);
  });
});

test('a call that waits for a slot says what it wants', async () => {
  const { double, policy } = inFleet({ bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
  let end: (value: string) => void = () => {};
  const first = policy.execute(() => new Promise<string>((resolve) => (end = resolve)));
  const others = [policy.execute(() => 'b'), policy.execute(() => 'c', { estimatedTokens: 7 })];
  assert.deepEqual(double.wanted, [undefined, 7]);
  end('a');
  assert.deepEqual(await Promise.all([first, ...others]), ['a', 'b', 'c']);
});

test('a call that a limit refuses says what it wanted', async () => {
  const { double, policy } = inFleet({ bulkhead: { maxConcurrent: 1 } });
  void policy.execute(deaf).catch(() => {});
  await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  await rejectsWith(
    policy.execute(() => 1, { estimatedTokens: 9 }),
    'CAPACITY_EXCEEDED',
  );
  assert.deepEqual(double.wanted, [undefined, 9]);
});

test('a call that an open breaker refuses wants nothing: the others cannot help', async () => {
  const { double, policy } = inFleet({ breaker: {} });
  policy.breaker?.isolate();
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  assert.deepEqual(double.wanted, []);
});

describe('a wait that the provider asks for', () => {
  const limited = () => new AgentError('RATE_LIMITED', 'slow down', { retryAfterMs: 3000 });

  test('is said to the others, once', async () => {
    const { double, policy } = inFleet();
    await rejectsWith(
      policy.execute(() => Promise.reject(limited())),
      'RATE_LIMITED',
    );
    assert.deepEqual(double.hints, [['RATE_LIMITED', 3000]]);
  });

  test('is none where the error names no wait', async () => {
    const { double, policy } = inFleet();
    await rejectsWith(
      policy.execute(() => Promise.reject(retryable())),
      'SERVER_ERROR',
    );
    await rejectsWith(
      policy.execute(() => Promise.reject(fatal())),
      'AUTHENTICATION_ERROR',
    );
    assert.deepEqual(double.hints, []);
  });

  test('is not said again by a policy around the one that gave up', async () => {
    const { double, policy } = inFleet();
    const inner = onVirtualClock({ retry: { maxRetries: 1 } });
    const call = rejectsWith(
      policy.execute(() => inner.policy.execute(() => Promise.reject(limited()))),
      'RATE_LIMITED',
    );
    await inner.clock.advance(60_000);
    await call;
    assert.deepEqual(double.hints, []);
  });
});
