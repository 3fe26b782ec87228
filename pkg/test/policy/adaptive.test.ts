// The adaptive limit: what it learns, who waits, who is refused, and what is said of it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, type AgentErrorCode, createPolicy, type Policy, type PolicyOptions } from 'halfopen';
import { recordEvents, type VirtualClock } from 'halfopen/testing';
import { onVirtualClock, rejection, rejectsWith } from './given.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const settled = (promise: Promise<unknown>): void => void promise.catch(() => {});

/** Operations that the test ends, in the order in which they began. */
function manual() {
  const running: { end(): void; fail(code: AgentErrorCode, retryAfterMs?: number): void }[] = [];
  const operation = (): Promise<number> =>
    new Promise((resolve, reject) => {
      running.push({
        end: () => resolve(1),
        fail: (code, retryAfterMs) => reject(new AgentError(code, 'no', { retryAfterMs })),
      });
    });
  return { running, operation };
}

/** A policy without retries, and the given number of operations that begin at once. */
async function given(options: PolicyOptions, calls: number) {
  const { clock, policy } = onVirtualClock({ retry: false, breaker: false, ...options });
  const { events } = recordEvents(policy);
  const { running, operation } = manual();
  const results = Array.from({ length: calls }, () => policy.execute(operation));
  results.forEach(settled);
  await turn();
  return { clock, policy, events, running, operation, results };
}

const limitOf = (policy: Policy<unknown>): number | undefined => policy.stats().limit;

test('calls beyond the limit wait, and good answers raise it', async () => {
  const { policy, running, results, events } = await given({ adaptive: { initial: 2 } }, 5);
  assert.equal(running.length, 2);
  assert.equal(policy.stats().waiting, 3);
  const queued = events.filter((event) => event.type === 'call.queued');
  assert.deepEqual(
    queued.map(({ by, position }) => [by, position]),
    [
      ['adaptive', 1],
      ['adaptive', 2],
      ['adaptive', 3],
    ],
  );
  running[0]?.end();
  await turn();
  assert.equal(limitOf(policy), 3);
  assert.equal(running.length, 4);
  for (let at = 0; at < 5; at += 1) {
    running[at]?.end();
    await turn();
  }
  assert.deepEqual(await Promise.all(results), [1, 1, 1, 1, 1]);
});

test('overload lowers it once for the attempts that ran together; other errors, and a long wait, do not', async () => {
  const limitAfter = async (code: AgentErrorCode, retryAfterMs?: number): Promise<number | undefined> => {
    const { policy, running } = await given({ adaptive: { initial: 10 } }, 10);
    for (const one of running) one.fail(code, retryAfterMs);
    await turn();
    return limitOf(policy);
  };
  assert.equal(await limitAfter('PROVIDER_OVERLOADED'), 7);
  assert.equal(await limitAfter('RATE_LIMITED'), 7);
  assert.equal(await limitAfter('RATE_LIMITED', 1000), 7);
  assert.equal(await limitAfter('RATE_LIMITED', 20_000), 10);
  assert.equal(await limitAfter('SERVER_ERROR', 20_000), 7);
  assert.equal(await limitAfter('SERVER_ERROR'), 10);
  assert.equal(await limitAfter('NETWORK_ERROR'), 10);
});

test('the timeout of an attempt is overload', async () => {
  const { clock, policy } = await given({ adaptive: true, timeout: { attemptMs: 1000 } }, 20);
  assert.equal(limitOf(policy), 20);
  await clock.advance(1000);
  assert.equal(limitOf(policy), 14);
});

/** One operation ends each 100 ms. */
async function pass(clock: VirtualClock, running: readonly { end(): void }[], from: number, count: number) {
  for (let at = from; at < from + count; at += 1) {
    await clock.advance(100);
    running[at]?.end();
    await turn();
  }
}

test('a call that would not be served before its deadline is refused at once, and says when to come back', async () => {
  const options = { adaptive: { initial: 1, max: 1 }, timeout: { totalMs: 1000 } };
  const { clock, policy, running, operation, events } = await given(options, 6);
  await pass(clock, running, 0, 4);
  // One waits, one runs, and one ends each 100 ms: with room for answers that take longer, six more are served in time.
  for (let more = 0; more < 6; more += 1) settled(policy.execute(operation));
  const error = await rejectsWith(policy.execute(operation), 'CAPACITY_EXCEEDED');
  assert.equal(error.retryAfterMs, 800);
  assert.equal(error.attempts, 0);
  assert.match(
    error.message,
    /Adaptive limit is reached, and the deadline is too near: policy 'default'; try again in 800 ms/,
  );
  const rejected = events.find((event) => event.type === 'call.rejected');
  assert.deepEqual(
    [rejected?.by, rejected?.code, rejected?.retryAfterMs],
    ['adaptive', 'CAPACITY_EXCEEDED', 800],
  );
});

test('without a deadline, and without evidence, a call waits', async () => {
  const { clock, policy, running, operation } = await given({ adaptive: { initial: 1, max: 1 } }, 6);
  await pass(clock, running, 0, 4);
  for (let more = 0; more < 100; more += 1) settled(policy.execute(operation));
  assert.equal(policy.stats().rejected, 0);
  const burst = await given({ adaptive: { initial: 1 }, timeout: { totalMs: 10 } }, 100);
  assert.equal(burst.policy.stats().rejected, 0);
});

test('a call leaves the queue when its deadline passes', async () => {
  const options = { adaptive: { initial: 1 }, timeout: { totalMs: 50 } };
  const { clock, policy, results } = await given(options, 2);
  const waiting = rejection(results[1] ?? Promise.resolve());
  await clock.advance(50);
  assert.equal((await waiting).code, 'TIMEOUT');
  assert.equal(policy.stats().waiting, 0);
});

test('limit.changed: at most one a second, with the cause', async () => {
  const { clock, policy, running, events, operation } = await given({ adaptive: { initial: 10 } }, 10);
  const changes = () => events.flatMap((event) => (event.type === 'limit.changed' ? [event] : []));
  running[0]?.fail('PROVIDER_OVERLOADED');
  await turn();
  assert.deepEqual(
    changes().map(({ limit, because, code }) => [limit, because, code]),
    [[7, 'overload', 'PROVIDER_OVERLOADED']],
  );
  for (const one of running) one.fail('NETWORK_ERROR');
  await turn();
  for (let more = 0; more < 7; more += 1) settled(policy.execute(operation));
  await turn();
  running[10]?.fail('TIMEOUT');
  await turn();
  assert.equal(limitOf(policy), 4);
  assert.equal(changes().length, 1);
  await clock.advance(1000);
  running[11]?.end();
  await turn();
  assert.deepEqual(
    changes().map(({ limit }) => limit),
    [7, 4],
  );
});

test('update changes its bounds, takes it away and brings it back', async () => {
  const { policy, running, operation } = await given({ adaptive: { initial: 2 } }, 4);
  assert.equal(running.length, 2);
  policy.update({ adaptive: { min: 3 } });
  await turn();
  assert.deepEqual([limitOf(policy), running.length], [3, 3]);
  policy.update({ adaptive: false });
  await turn();
  assert.deepEqual([limitOf(policy), running.length], [undefined, 4]);
  policy.update({ adaptive: true });
  assert.equal(limitOf(policy), 20);
  policy.update({ adaptive: { max: 5, initial: 5 } });
  settled(policy.execute(operation));
  settled(policy.execute(operation));
  await turn();
  // Four run already.
  assert.equal(running.length, 5);
});

test('it holds beside a bulkhead', async () => {
  const options = { adaptive: { initial: 2 }, bulkhead: { maxConcurrent: 3, maxQueued: 1 } };
  const { policy, running, results } = await given(options, 5);
  assert.equal((await rejection(results[4] ?? Promise.resolve())).code, 'CAPACITY_EXCEEDED');
  assert.deepEqual([running.length, policy.stats().waiting], [2, 2]);
});

test('options that make no sense are named', () => {
  const misuse = (adaptive: unknown) => {
    try {
      createPolicy({ adaptive } as PolicyOptions);
    } catch (error) {
      return (error as TypeError).message;
    }
    return assert.fail('no error');
  };
  assert.match(misuse('on'), /option 'adaptive' .*a boolean, or an object/);
  assert.match(misuse({ minimum: 2 }), /unknown option 'adaptive.minimum'/);
  assert.match(misuse({ decrease: 0 }), /'adaptive.decrease' .*a number above 0, at most 1/);
  assert.match(misuse({ min: 9, max: 3 }), /'adaptive.max' .*adaptive.min \(9\) or more/);
  assert.equal(createPolicy({ adaptive: { min: 5, max: 8 } }).stats().limit, 8);
  assert.equal(createPolicy({ adaptive: { min: 50 } }).stats().limit, 50);
  assert.equal(createPolicy({ adaptive: false }).stats().limit, undefined);
});
