// Bulkhead and rate limit (rule 11).
import assert from 'node:assert/strict';
import test from 'node:test';
import { recordEvents, script } from 'halfopen/testing';
import { deaf, onVirtualClock, rejection, rejectsWith, retryable } from './given.js';

/** An operation that notes its start and ends when told. */
function manual(): {
  start(name: string): () => Promise<string>;
  started: string[];
  end(name: string): void;
} {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    start: (name) => () => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    },
    end: (name) => ends.get(name)?.(),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('at most maxConcurrent attempts run, maxQueued wait, more are refused', async () => {
  const { policy } = onVirtualClock({ bulkhead: { maxConcurrent: 2, maxQueued: 1 } });
  const work = manual();
  const results = ['a', 'b', 'c'].map((name) => policy.execute(work.start(name)));
  const error = await rejectsWith(policy.execute(work.start('d')), 'CAPACITY_EXCEEDED');
  assert.equal(error.attempts, 0);
  assert.deepEqual(work.started, ['a', 'b']);
  work.end('b');
  await turn();
  assert.deepEqual(work.started, ['a', 'b', 'c']);
  work.end('a');
  work.end('c');
  assert.deepEqual(await Promise.all(results), ['a', 'b', 'c']);
});

test('without a queue the next one is refused at once', async () => {
  const { policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1 } });
  void policy.execute(deaf).catch(() => {});
  await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
});

test('first in, first out; an aborted call leaves the queue at once and starves no other', async () => {
  const { clock, policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: 10 } });
  const work = manual();
  const first = policy.execute(work.start('first'));
  const controller = new AbortController();
  const gone = rejection(policy.execute(work.start('gone'), { signal: controller.signal }));
  const second = policy.execute(work.start('second'));
  const third = policy.execute(work.start('third'));
  controller.abort();
  assert.equal((await gone).code, 'CANCELLED');
  work.end('first');
  await turn();
  work.end('second');
  await turn();
  work.end('third');
  assert.deepEqual(await Promise.all([first, second, third]), ['first', 'second', 'third']);
  assert.deepEqual(work.started, ['first', 'second', 'third']);
  assert.equal(clock.pending, 0);
});

test('a call that waits to retry holds no place', async () => {
  const { clock, policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1 } });
  const retrying = policy.execute(script<string>(retryable(), 'later'));
  await clock.advance(10);
  assert.equal(await policy.execute(() => 'meanwhile'), 'meanwhile');
  await clock.advance(1000);
  assert.equal(await retrying, 'later');
});

test('a refusal on a retry ends the call, with the attempts before it', async () => {
  const { clock, policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1 } });
  const { events } = recordEvents(policy);
  const operation = script<string>(retryable());
  const result = rejection(policy.execute(operation));
  await clock.advance(10);
  void policy.execute(deaf).catch(() => {});
  await clock.advance(1000);
  const error = await result;
  assert.equal(error.code, 'CAPACITY_EXCEEDED');
  assert.deepEqual([error.attempts, error.errors.length], [1, 1]);
  const rejected = events.find((event) => event.type === 'call.rejected');
  assert.ok(rejected?.type === 'call.rejected' && rejected.by === 'bulkhead');
  assert.equal(
    policy.breaker?.snapshot().consecutiveFailures,
    1,
    'the breaker is told of the attempt before',
  );
});

test('attempts that time out give their place back', async () => {
  const { clock, policy } = onVirtualClock({
    bulkhead: { maxConcurrent: 1, maxQueued: 1 },
    timeout: { attemptMs: 100 },
    retry: false,
  });
  const slow = rejection(policy.execute(deaf));
  const next = policy.execute(() => 'next');
  await clock.advance(100);
  assert.equal((await slow).code, 'TIMEOUT');
  assert.equal(await next, 'next');
});

test('at most limit attempts begin in any span of windowMs; one waits at most maxWaitMs', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 2, windowMs: 1000, maxWaitMs: 1000 } });
  const begun: number[] = [];
  const note = (): void => {
    begun.push(clock.now());
  };
  const results = [1, 2, 3, 4].map(() => policy.execute(note));
  await clock.advance(400);
  const refused = await rejectsWith(policy.execute(note), 'CAPACITY_EXCEEDED');
  assert.equal(refused.retryAfterMs, 1600);
  await clock.advance(5000);
  await Promise.all(results);
  assert.deepEqual(begun, [0, 0, 1000, 1000]);
  assert.equal(clock.pending, 0);
});

test('without maxWaitMs the rate limit refuses at once, and says when it would not', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 1, windowMs: 1000 } });
  await policy.execute(() => 1);
  await clock.advance(300);
  const error = await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(error.retryAfterMs, 700);
  await clock.advance(700);
  assert.equal(await policy.execute(() => 2), 2);
});

test('a queued call past its deadline is a TIMEOUT, and leaves no timer', async () => {
  const { clock, policy } = onVirtualClock({
    bulkhead: { maxConcurrent: 1, maxQueued: 5 },
    retry: false,
  });
  void policy.execute(deaf).catch(() => {});
  const result = rejection(policy.execute(() => 1, { timeout: { totalMs: 500 } }));
  await clock.advance(500);
  const error = await result;
  assert.deepEqual([error.code, error.attempts], ['TIMEOUT', 0]);
  assert.equal(clock.pending, 0);
});

test('a call that is aborted while it waits for its turn leaves no timer', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 5000 } });
  await policy.execute(() => 1);
  const controller = new AbortController();
  const waiting = rejection(policy.execute(() => 2, { signal: controller.signal }));
  assert.equal(clock.pending, 1);
  controller.abort();
  assert.equal((await waiting).code, 'CANCELLED');
  assert.equal(clock.pending, 0);
});

test('dispose empties the queue', async () => {
  const { clock, policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  const all = [deaf, deaf, deaf].map((operation) => rejection(policy.execute(operation)));
  policy.dispose();
  for (const error of await Promise.all(all)) assert.equal(error.code, 'CANCELLED');
  assert.equal(clock.pending, 0);
});

test('dispose starts nothing that waits', async () => {
  const { clock, policy } = onVirtualClock({
    retry: { maxRetries: 1, baseDelayMs: 10, jitter: 0 },
    bulkhead: { maxConcurrent: 1, maxQueued: 5 },
  });
  const first = script<string>(retryable(), 'answered');
  const failed = rejection(policy.execute(first));
  const running = rejection(policy.execute(deaf));
  await clock.advance(20); // the retry waits for the second call, which began later and so ends first
  policy.dispose();
  for (const error of await Promise.all([failed, running])) assert.equal(error.code, 'CANCELLED');
  assert.equal(first.calls, 1);
});

test('queued calls have an event, with their place', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 5000 } });
  const { events } = recordEvents(policy);
  const all = [1, 2, 3].map((value) => policy.execute(() => value));
  await clock.advance(5000);
  assert.deepEqual(await Promise.all(all), [1, 2, 3]);
  const queued = events.flatMap((event) =>
    event.type === 'call.queued' ? [[event.by, event.position, event.dueAt]] : [],
  );
  assert.deepEqual(queued, [
    ['rate-limit', 1, 1000],
    ['rate-limit', 2, 2000],
  ]);
  assert.equal(events.filter((event) => event.type === 'call.dequeued').length, 2);
});

test('a refusal says whose it is, and when to try again', async () => {
  const full = onVirtualClock({ name: 'search', bulkhead: { maxConcurrent: 1 } }).policy;
  void full.execute(deaf).catch(() => {});
  const limited = onVirtualClock({ name: 'mail', rateLimit: { limit: 1, windowMs: 1000 } }).policy;
  await limited.execute(() => 1);
  const open = onVirtualClock({ name: 'llm', retry: false, breaker: { failureThreshold: 1 } }).policy;
  await rejection(open.execute(() => Promise.reject(retryable())));
  const message = async (policy: { execute(run: () => number): Promise<number> }): Promise<string> =>
    (await rejection(policy.execute(() => 1))).message;
  assert.equal(await message(full), "Bulkhead is full: policy 'search'");
  assert.equal(await message(limited), "Rate limit is reached: policy 'mail'; try again in 1000 ms");
  assert.match(await message(open), /^Circuit 'llm' is open; try again in \d+ ms$/);
});

test('a timeout names the provider and the model, as far as they are known', async () => {
  for (const provider of [{}, { provider: 'openai' }, { provider: 'openai', model: 'gpt-5' }]) {
    const { clock, policy } = onVirtualClock({ ...provider, retry: false, timeout: { attemptMs: 10 } });
    const { events } = recordEvents(policy);
    const result = rejection(policy.execute(deaf));
    await clock.advance(10);
    assert.deepEqual((await result).provider, provider);
    const failed = events.find(({ type }) => type === 'attempt.failed');
    assert.ok(failed?.type === 'attempt.failed');
    assert.equal(failed.rule, 'policy.timeout');
  }
});
