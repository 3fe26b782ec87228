// Each event goes to the listeners of the policy whose call it is about, whichever calls the application's functions make meanwhile.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { createPolicy, type HalfopenEvent, type PolicyOptions } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { deaf, fatal, rejectsWith, retryable } from '../policy/given.js';

/** Two policies that are listened to; `inside` makes a call under the second. */
function observed<F = never>(
  options: (inside: () => Promise<string>, clock: VirtualClock) => PolicyOptions<F>,
) {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const hears = (name: string) => (event: HalfopenEvent) => {
    assert.equal(event.policy, name);
    if (/^(?:call|attempt|stream|fallback)\./.test(event.type)) heard.push(`${name} ${event.type}`);
  };
  const second = createPolicy({ clock, name: 'second', onEvent: hears('second') });
  const inside = () => second.execute(() => 'inside');
  const policy = createPolicy<F>({ clock, name: 'first', ...options(inside, clock) });
  policy.onEvent(hears('first'));
  return { clock, policy, of: (name: string) => heard.filter((line) => line.startsWith(name)) };
}

const INSIDE = ['call.started', 'attempt.started', 'attempt.succeeded', 'call.succeeded'].map(
  (type) => `second ${type}`,
);

describe('a call within', () => {
  test('onError of a call that is cancelled', async () => {
    const { policy, of } = observed((inside) => ({ onError: () => void inside() }));
    const controller = new AbortController();
    const call = rejectsWith(policy.execute(deaf, { signal: controller.signal }), 'CANCELLED');
    controller.abort();
    await call;
    assert.deepEqual(of('second'), INSIDE);
    assert.deepEqual(of('first'), ['first call.started', 'first attempt.started', 'first call.failed']);
  });

  test('the fallback of a call whose deadline passes as it waits for a retry', async () => {
    const { clock, policy, of } = observed<string>((inside, time) => ({
      retry: { enableJitter: false, baseDelayMs: 1000, onRetry: () => time.advance(300) },
      timeout: { totalMs: 1200 },
      fallback: inside,
    }));
    const call = policy.execute(() => Promise.reject(retryable()));
    await clock.advance(1300);
    assert.equal(await call, 'inside');
    assert.deepEqual(of('second'), INSIDE);
    assert.deepEqual(of('first').slice(-2), ['first call.failed', 'first fallback.used']);
  });

  test('the fallback of a call whose deadline passes in the queue', async () => {
    const { clock, policy, of } = observed<string>((inside) => ({
      bulkhead: { maxConcurrent: 1, maxQueued: 1 },
      fallback: inside,
    }));
    void policy.execute(deaf).catch(() => {});
    const call = policy.execute(() => 'never', { timeout: { totalMs: 100 } });
    await clock.advance(100);
    assert.equal(await call, 'inside');
    assert.deepEqual(of('second'), INSIDE);
    assert.deepEqual(of('first').slice(-2), ['first call.failed', 'first fallback.used']);
  });

  test('a listener that hears that a stream has broken', async () => {
    const { policy, of } = observed((inside) => ({
      retry: false,
      onEvent: ({ type }) => void (type === 'stream.broken' && inside()),
    }));
    const stream = policy.stream(async function* () {
      yield 1;
      throw fatal();
    });
    await rejectsWith(
      (async () => {
        for await (const _ of stream);
      })(),
      'AUTHENTICATION_ERROR',
    );
    assert.deepEqual(of('second'), INSIDE);
    assert.deepEqual(of('first').slice(-3), [
      'first stream.broken',
      'first attempt.failed',
      'first call.failed',
    ]);
  });

  test('backoff', async () => {
    const { clock, policy, of } = observed((inside) => ({
      retry: {
        maxRetries: 1,
        backoff: () => {
          void inside();
          return 10;
        },
      },
    }));
    const call = rejectsWith(
      policy.execute(() => Promise.reject(retryable())),
      'SERVER_ERROR',
    );
    await clock.advance(10);
    await call;
    assert.deepEqual(of('second'), INSIDE);
    assert.deepEqual(of('first'), [
      'first call.started',
      'first attempt.started',
      'first attempt.failed',
      'first attempt.started',
      'first attempt.failed',
      'first call.failed',
    ]);
  });
});

test('onError that isolates the breaker: the end of its call is still heard of', async () => {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const policy = createPolicy({
    clock,
    breaker: {},
    onError: () => policy.breaker?.isolate(),
    onEvent: ({ type }) => void heard.push(type),
  });
  const controller = new AbortController();
  const call = rejectsWith(policy.execute(deaf, { signal: controller.signal }), 'CANCELLED');
  controller.abort();
  await call;
  assert.ok(heard.includes('call.failed'), String(heard));
});
