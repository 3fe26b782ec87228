// Every call leaves a trace, one that must not begin too; and what events say is what was done.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type AgentError,
  CircuitBreaker,
  createPolicy,
  type HalfopenEvent,
  iterationLimit,
  onEvent,
  type Policy,
  STREAM_RESET,
} from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { fatal, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

async function* source<C>(...items: readonly (C | Error)[]): AsyncGenerator<C> {
  for (const item of items) {
    if (item instanceof Error) throw item;
    yield item as C;
  }
}

const typesOf = (events: readonly HalfopenEvent[]): string[] => events.map((event) => event.type);

/** Returns the events of one call that never began. */
function refused(events: readonly HalfopenEvent[]): unknown {
  assert.deepEqual(typesOf(events), ['policy.configured', 'call.started', 'call.failed']);
  const [, started, failed] = events;
  assert.ok(started?.type === 'call.started' && failed?.type === 'call.failed');
  assert.ok(started.call !== undefined && started.call === failed.call);
  return [started.task, failed.code, failed.why, failed.attempts, failed.durationMs];
}

test('a call whose signal has aborted before it starts begins and fails in the events', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const signal = AbortSignal.abort();
  await rejectsWith(
    policy.execute(() => 1, { signal, task: 'plan' }),
    'CANCELLED',
  );
  assert.deepEqual(refused(events), ['plan', 'CANCELLED', 'cancelled', 0, 0]);
});

test('so do a call, a response and a stream of a policy that is disposed, and the next is configured no more', async () => {
  const begin: Record<string, (policy: Policy) => Promise<unknown>> = {
    execute: (policy) =>
      rejectsWith(
        policy.execute(() => 1),
        'CANCELLED',
      ),
    respond: (policy) => policy.respond(() => 1),
    stream: (policy) => rejectsWith(policy.stream(() => source(1)).next(), 'CANCELLED'),
  };
  for (const [name, call] of Object.entries(begin)) {
    const { policy } = onVirtualClock();
    policy.dispose();
    const { events } = recordEvents(policy);
    await call(policy);
    assert.deepEqual(refused(events), [undefined, 'CANCELLED', 'cancelled', 0, 0], name);
    await call(policy);
    assert.deepEqual(typesOf(events).slice(3), ['call.started', 'call.failed'], name);
  }
});

test('without a listener, a call that must not begin emits nothing', async () => {
  const { policy } = onVirtualClock();
  const signal = AbortSignal.abort();
  await rejectsWith(
    policy.execute(() => 1, { signal }),
    'CANCELLED',
  );
  const { events } = recordEvents(policy);
  await policy.execute(() => 1);
  assert.deepEqual(typesOf(events).slice(0, 2), ['policy.configured', 'call.started']);
});

test('a stream that its consumer closes has succeeded, is closed early, and is no result for the breaker', async () => {
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 2 } });
  await rejectsWith(
    policy.execute(() => Promise.reject(retryable())),
    'SERVER_ERROR',
  );
  const { events } = recordEvents(policy);
  for await (const chunk of policy.stream(() => source('a', 'b'))) {
    assert.equal(chunk, 'a');
    break;
  }
  const ended = events.at(-1);
  assert.ok(ended?.type === 'call.succeeded');
  assert.deepEqual([ended.attempts, ended.closedEarly], [1, true]);
  assert.equal(typesOf(events).includes('call.failed'), false);
  // Had it counted as a success, the failure before would be forgotten, and this one the first.
  await rejectsWith(
    policy.execute(() => Promise.reject(retryable())),
    'SERVER_ERROR',
  );
  assert.equal(policy.breaker?.state, 'open');
});

test('a stream that is read to its end is not closed early', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  for await (const _ of policy.stream(() => source('a')));
  const ended = events.at(-1);
  assert.ok(ended?.type === 'call.succeeded' && !('closedEarly' in ended));
});

test('a broken stream says what is done about it, not what was configured', async () => {
  const cases: [onBreak: 'restart' | 'resume', error: AgentError, actions: string[]][] = [
    ['restart', retryable(), ['restart', 'fail']],
    ['resume', retryable(), ['resume', 'fail']],
    ['restart', fatal(), ['fail']],
    ['resume', fatal(), ['fail']],
  ];
  for (const [onBreak, error, expected] of cases) {
    const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
    const { events } = recordEvents(policy);
    const got: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of policy.stream(() => source('a', error), { onBreak })) got.push(chunk);
    })().catch(() => {});
    await clock.advance(5000);
    await reading;
    const actions = events.flatMap((event) => (event.type === 'stream.broken' ? [event.action] : []));
    assert.deepEqual(actions, expected, `${onBreak} ${error.code}`);
    const order = typesOf(events).filter((type) => type === 'stream.broken' || type === 'attempt.failed');
    assert.deepEqual(
      order,
      expected.flatMap(() => ['stream.broken', 'attempt.failed']),
    );
    assert.equal(got.includes(STREAM_RESET), onBreak === 'restart' && expected.length > 1);
  }
});

test("an agent's loop that exceeds its limit says so, once", () => {
  const events: HalfopenEvent[] = [];
  const stop = onEvent((event) => events.push(event));
  const limit = iterationLimit(2);
  limit.next();
  limit.next();
  for (const _ of [1, 2]) assert.throws(() => limit.next(), { code: 'MAX_ITERATIONS_EXCEEDED' });
  stop();
  assert.deepEqual(
    events.map((event) => [event.type, event.type === 'iterations.exceeded' && event.max]),
    [['iterations.exceeded', 2]],
  );
});

test('a call within a call belongs to the same trace, in its events and for onError', async () => {
  const traceId = 'a'.repeat(32);
  const spans: string[] = [];
  const inner = onVirtualClock({
    name: 'inner',
    retry: false,
    onError: (span) => spans.push(span.traceId),
  }).policy;
  const { events } = recordEvents(inner);
  const outer = onVirtualClock({ retry: false }).policy;
  const operation = async () => {
    await Promise.resolve();
    await inner.execute(() => Promise.reject(fatal())).catch(() => {});
  };
  await outer.execute(operation, { span: { traceId, spanId: 'b'.repeat(16) } });
  const calls = events.filter((event) => event.call !== undefined);
  assert.ok(calls.length > 0);
  for (const event of calls) assert.equal(event.traceId, traceId);
  assert.deepEqual(spans, [traceId]);
  // A trace of its own comes first.
  const own = 'c'.repeat(32);
  const named = () => inner.execute(() => 1, { span: { traceId: own, spanId: 'd'.repeat(16) } });
  await outer.execute(named, { span: { traceId, spanId: 'b'.repeat(16) } });
  assert.equal(events.at(-1)?.traceId, own);
  // Beside it there is no other call.
  await inner.execute(() => 1);
  assert.equal(events.at(-1)?.traceId, undefined);
});

test('a shared breaker holds a policy no longer than somebody listens to it', async () => {
  const breaker = new CircuitBreaker({ failureThreshold: 1 });
  const policy = createPolicy({ breaker, retry: false });
  const heard: string[] = [];
  const stops = [1, 2].map(() => policy.onEvent((event) => heard.push(event.type)));
  const sinks = (): number => (breaker as unknown as { sinks: Set<unknown> }).sinks.size;
  assert.equal(sinks(), 1);
  stops[0]?.();
  assert.equal(sinks(), 1);
  stops[1]?.();
  assert.equal(sinks(), 0);
  policy.onEvent((event) => heard.push(event.type));
  assert.equal(sinks(), 1);
  breaker.recordFailure();
  assert.deepEqual(heard, ['breaker.changed']);
  policy.dispose();
  policy.onEvent(() => {});
  assert.equal(sinks(), 0);
});

test("a listener that calls another policy changes nothing of a call's wait and refusal", async () => {
  const { clock, policy: other } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 7777 },
  });
  await other.execute(() => Promise.reject(retryable())).catch(() => {});
  const meddling = (event: HalfopenEvent): void => {
    if (event.type === 'call.rejected' || event.type === 'retry.scheduled')
      void other.execute(() => 1).catch(() => {});
  };
  const breaker = { failureThreshold: 1, resetTimeoutMs: 1111 };
  const policy = createPolicy({ clock, retry: false, breaker, onEvent: meddling });
  await policy.execute(() => Promise.reject(retryable())).catch(() => {});
  const error = await rejectsWith(
    policy.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  assert.equal(error.retryAfterMs, 1111);
});
