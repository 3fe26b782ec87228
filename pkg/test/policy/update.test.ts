// `update`: given keys replace, the others stay; calls in flight finish under the old ones; breaker state is kept.
import assert from 'node:assert/strict';
import test from 'node:test';
import { recordEvents, script } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejection, rejectsWith, retryable } from './given.js';

test('calls in flight finish under the old options, new ones under the new', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1, baseDelayMs: 100 } });
  const before = script<string>(retryable());
  const inFlight = rejection(policy.execute(before));
  await clock.advance(10);
  policy.update({ retry: { maxRetries: 3 } });
  const after = script<string>(retryable());
  const next = rejection(policy.execute(after));
  await clock.advance(10_000);
  await inFlight;
  await next;
  assert.deepEqual([before.calls, after.calls], [2, 4]);
});

test('the others stay, and breaker state is kept', async () => {
  const { clock, policy } = onVirtualClock<string>({
    breaker: { failureThreshold: 1 },
    retry: false,
    fallback: () => 'spare',
  });
  await policy.execute(script<string>(retryable()));
  policy.update({ timeout: { attemptMs: 50 }, breaker: { resetTimeoutMs: 60_000, successThreshold: 2 } });
  assert.equal(policy.breaker?.state, 'open');
  assert.equal(await policy.execute(() => 'x'), 'spare');
  await clock.advance(60_000);
  const hung = policy.execute<string>(deaf);
  await clock.advance(50);
  assert.equal(await hung, 'spare');
  policy.update({ fallback: () => 'other' });
  assert.equal(await policy.execute(script<string>(fatal())), 'other');
});

test('a breaker can be taken away and given', async () => {
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 }, retry: false });
  await rejection(policy.execute(script<string>(retryable())));
  policy.update({ breaker: false });
  assert.equal(policy.breaker, undefined);
  assert.equal(await policy.execute(() => 1), 1);
  policy.update({ breaker: { failureThreshold: 1 } });
  await rejection(policy.execute(script<string>(retryable())));
  await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
});

test('a wider bulkhead starts the queue', async () => {
  const { policy } = onVirtualClock({ bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  void policy.execute(deaf).catch(() => {});
  const next = policy.execute(() => 'next');
  policy.update({ bulkhead: { maxConcurrent: 2 } });
  assert.equal(await next, 'next');
});

test('listeners get the new options', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  await policy.execute(() => 1);
  policy.update({ timeout: { attemptMs: 5 } });
  const configured = events.filter((event) => event.type === 'policy.configured');
  assert.equal(configured.length, 2);
  assert.match(JSON.stringify(configured[1]), /"attemptMs":5/);
});

test('a wrong update changes nothing', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
  assert.throws(() => policy.update({ retry: { maxRetries: 5 }, timeout: { attemptMs: -1 } }), TypeError);
  assert.throws(() => policy.update({ retry: { maxRetries: 5 }, bulkhead: {} as never }), TypeError);
  const operation = script<string>(retryable());
  const result = rejection(policy.execute(operation));
  await clock.advance(1e5);
  await result;
  assert.equal(operation.calls, 2);
});

test('another preset brings its own defaults, under what was given', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
  policy.update({ preset: 'capability' });
  const configured = recordEvents(policy);
  const result = rejection(policy.execute(script<string>(retryable())));
  await clock.advance(100_000);
  await result;
  const [first] = configured.events;
  assert.ok(first?.type === 'policy.configured');
  const { retry } = first.options as { retry: { maxRetries: number; backoffFactor: number } };
  assert.deepEqual([retry.maxRetries, retry.backoffFactor], [1, 1.5]);
});

test('another onEvent takes the place of the one before, and leaves the other listeners', async () => {
  const heard: string[] = [];
  const { policy } = onVirtualClock({ onEvent: ({ type }) => heard.push(`before ${type}`) });
  policy.onEvent(({ type }) => heard.push(`beside ${type}`));
  policy.update({ onEvent: ({ type }) => heard.push(`after ${type}`) });
  await policy.execute(() => 1);
  const of = (who: string) => heard.filter((text) => text.startsWith(`${who} `) && text.includes('call.'));
  assert.deepEqual([of('before').length, of('after').length > 0], [0, true]);
  assert.equal(of('beside').length, of('after').length);
});

test('an option that is given as undefined is taken back', async () => {
  const events: string[] = [];
  const { clock, policy } = onVirtualClock<string>({
    retry: { maxRetries: 0 },
    breaker: { failureThreshold: 1, resetTimeoutMs: 10 },
    bulkhead: { maxConcurrent: 1 },
    rateLimit: { limit: 1, windowMs: 1e6 },
    timeout: { attemptMs: 10 },
    fallback: () => 'spare',
    classify: () => ({ code: 'PROVIDER_OVERLOADED' }),
    onEvent: ({ type }) => void events.push(type),
  });
  assert.equal(await policy.execute(() => Promise.reject(fatal())), 'spare');
  const before = events.length;
  policy.update({
    ...{
      retry: undefined,
      breaker: undefined,
      bulkhead: undefined,
      rateLimit: undefined,
      timeout: undefined,
    },
    ...{ fallback: undefined, classify: undefined, onEvent: undefined },
  });
  // Its defaults have other numbers, its state is kept: it is open, for the old time.
  assert.equal(policy.breaker?.state, 'open');
  policy.breaker?.reset();
  const calls = [1, 2].map(() => policy.execute(deaf));
  assert.equal(policy.stats().inFlight, 2);
  await clock.advance(1000);
  const failed = rejectsWith(
    policy.execute<string>(() => Promise.reject(retryable())),
    'SERVER_ERROR',
  );
  await clock.advance(10_000);
  assert.equal((await failed).attempts, 4);
  assert.equal(policy.breaker?.state, 'closed');
  assert.equal(events.length, before);
  policy.dispose();
  await Promise.allSettled(calls);
});
