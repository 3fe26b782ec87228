// Events and their listeners: a listener cannot change an outcome (rule 6).
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AgentError,
  CircuitBreaker,
  createPolicy,
  type HalfopenEvent,
  onEvent,
  type SpanContext,
} from 'halfopen';
import { recordEvents, script } from 'halfopen/testing';
import { fatal, onVirtualClock, rejection, retryable } from '../policy/given.js';

test('the story of a call that is retried', async () => {
  const { clock, policy } = onVirtualClock({ name: 'story', provider: 'openai', model: 'gpt' });
  const { events } = recordEvents(policy);
  const result = policy.execute(
    script<string>(retryable('sad sk-proj-abcdefghijklmnopqrstuvwxyz123456'), 'fine'),
    {
      task: 'summary',
      span: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
    },
  );
  await clock.advance(1000);
  await result;
  assert.deepEqual(
    events.map((event) => event.type),
    [
      'policy.configured',
      'call.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.succeeded',
      'call.succeeded',
    ],
  );
  const [configured, started, attempt, failed, scheduled] = events as unknown as Record<string, unknown>[];
  assert.equal(configured?.policy, 'story');
  assert.equal(typeof configured?.seed, 'number');
  assert.equal(started?.task, 'summary');
  assert.deepEqual([attempt?.attempt, attempt?.provider, attempt?.model], [1, 'openai', 'gpt']);
  assert.deepEqual(
    [failed?.code, failed?.severity, failed?.retryable, failed?.counted],
    ['SERVER_ERROR', 'retriable', true, true],
  );
  assert.doesNotMatch(JSON.stringify(events), /sk-proj-abc/);
  assert.deepEqual(
    [
      scheduled?.attempt,
      scheduled?.delayMs,
      scheduled?.dueAt,
      scheduled?.minMs,
      scheduled?.maxMs,
      scheduled?.delaySource,
    ],
    [2, 1000, 1000, 1000, 1000, 'backoff'],
  );
  for (const event of events) assert.equal(event.source, started?.source);
  const calls = new Set(events.slice(1).map((event) => event.call));
  assert.equal(calls.size, 1);
  for (const event of events.slice(1)) assert.equal(event.traceId, 'a'.repeat(32));
  for (const event of events) assert.equal(event.v, 1);
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => (events[0] as HalfopenEvent).seq + index),
  );
});

test('why a call failed', async () => {
  const why = async (
    run: (context: ReturnType<typeof onVirtualClock>) => Promise<unknown>,
  ): Promise<unknown> => {
    const context = onVirtualClock();
    const { events } = recordEvents(context.policy);
    const result = run(context).catch(() => {});
    await context.clock.advance(1e6);
    await result;
    const failed = events.filter((event) => event.type === 'call.failed');
    assert.equal(failed.length, 1);
    const [event] = failed;
    assert.ok(event?.type === 'call.failed' && event.userMessage.length > 10);
    return event.why;
  };
  assert.equal(await why(({ policy }) => policy.execute(script(fatal()))), 'not-retryable');
  assert.equal(await why(({ policy }) => policy.execute(script<string>(retryable()))), 'exhausted');
  assert.equal(
    await why(({ policy }) =>
      policy.execute(script<string>(new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 1e6 }))),
    ),
    'hint',
  );
  assert.equal(
    await why(({ policy }) => policy.execute(script<string>(retryable()), { timeout: { totalMs: 500 } })),
    'deadline',
  );
  assert.equal(
    await why(({ policy }) =>
      policy.execute(script<string>(retryable()), { retry: { budget: { ratio: 0, minPerSecond: 0 } } }),
    ),
    'budget',
  );
  assert.equal(
    await why(({ clock, policy }) => {
      const inner = createPolicy({ clock, retry: { maxRetries: 1 } });
      return policy.execute(() => inner.execute(script<string>(retryable())));
    }),
    'nested',
  );
  assert.equal(
    await why(({ clock, policy }) => {
      const controller = new AbortController();
      clock.setTimeout(() => controller.abort(), 10);
      return policy.execute(script<string>(retryable()), { signal: controller.signal });
    }),
    'cancelled',
  );
});

test('a breaker tells of its changes with reason, generation and the last results', async () => {
  const { clock, policy } = onVirtualClock({
    name: 'api',
    breaker: { failureThreshold: 2, resetTimeoutMs: 60_000 },
    retry: false,
  });
  const { events } = recordEvents(policy);
  await policy.execute(() => 'ok');
  for (let i = 0; i < 2; i++) await policy.execute(script<string>(retryable())).catch(() => {});
  await policy.execute(() => 1).catch(() => {});
  await clock.advance(60_000);
  await policy.execute(() => 1);
  const changes = events.flatMap((event) => (event.type === 'breaker.changed' ? [event] : []));
  assert.deepEqual(
    changes.map(({ breaker, from, to, retryAt }) => [breaker, from, to, retryAt]),
    [
      ['api', 'closed', 'open', 60_000],
      ['api', 'open', 'half_open', undefined],
      ['api', 'half_open', 'closed', undefined],
    ],
  );
  assert.match(String(changes[0]?.reason), /2/);
  assert.deepEqual(changes[0]?.window?.last, [0, 1, 1]);
  const rejected = events.find((event) => event.type === 'call.rejected');
  assert.ok(rejected?.type === 'call.rejected');
  assert.deepEqual([rejected.code, rejected.by, rejected.retryAfterMs], ['CIRCUIT_OPEN', 'breaker', 60_000]);
  policy.breaker?.isolate();
  const last = events.at(-1);
  assert.ok(last?.type === 'breaker.changed' && last.to === 'isolated', 'changes by hand are told as well');
});

test('the whole process can be listened to, and be left again', async () => {
  const seen: HalfopenEvent[] = [];
  const stop = onEvent((event) => seen.push(event));
  const { policy } = onVirtualClock({ name: 'anywhere' });
  await policy.execute(() => 1);
  new CircuitBreaker({ name: 'alone', failureThreshold: 1 }).recordFailure();
  stop();
  await policy.execute(() => 1);
  assert.deepEqual(
    seen.map(({ type, policy: name }) => [type, name]),
    [
      ['policy.configured', 'anywhere'],
      ['call.started', 'anywhere'],
      ['attempt.started', 'anywhere'],
      ['attempt.succeeded', 'anywhere'],
      ['call.succeeded', 'anywhere'],
      ['breaker.changed', undefined],
    ],
  );
});

test('an observer that throws, rejects or re-enters never changes an outcome', async () => {
  const observers: ((event: HalfopenEvent) => unknown)[] = [
    () => {
      throw new Error('observer');
    },
    () => Promise.reject(new Error('observer')),
  ];
  for (const observer of observers) {
    const { clock, policy } = onVirtualClock<string>({
      onEvent: observer as () => void,
      onError: observer as () => void,
      onDebug: observer as () => void,
    });
    const result = policy.execute(script<string>(retryable(), 'fine'));
    await clock.advance(1000);
    assert.equal(await result, 'fine');
    assert.equal(await policy.execute(script(fatal()), { fallback: () => 'spare' }), 'spare');
  }
  const { policy } = onVirtualClock();
  const order: number[] = [];
  let nested: Promise<unknown> | undefined;
  policy.onEvent((event) => {
    if (event.type === 'attempt.started') nested ??= policy.execute(() => 'inner');
  });
  policy.onEvent((event) => order.push(event.seq));
  assert.equal(await policy.execute(() => 'outer'), 'outer');
  assert.equal(await nested, 'inner');
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  );
});

test('an observer that disposes of the policy in the middle', async () => {
  for (const type of ['call.started', 'attempt.started', 'attempt.failed', 'retry.scheduled'] as const) {
    const { clock, policy } = onVirtualClock();
    policy.onEvent((event) => {
      if (event.type === type) policy.dispose();
    });
    const result = rejection(policy.execute(script<string>(retryable())));
    await clock.advance(1e5);
    assert.equal((await result).code, 'CANCELLED', type);
    assert.equal(clock.pending, 0, type);
  }
});

test('onError is called once for every call that finally failed, with its span or a fresh one', async () => {
  const told: [SpanContext, string][] = [];
  const { clock, policy } = onVirtualClock<string>({
    onError: (span, { error }) => told.push([span, error]),
  });
  const retried = policy.execute(script<string>(retryable(), 'fine'));
  await clock.advance(1000);
  await retried;
  assert.equal(told.length, 0, 'not for a call that succeeded in the end');
  await policy.execute(script(fatal()), { fallback: () => 'spare' });
  assert.equal(told.length, 1, 'also when a fallback answers');
  const span = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };
  await rejection(policy.execute(script(fatal()), { span }));
  assert.deepEqual(told[1], [span, 'AUTHENTICATION_ERROR']);
  const [fresh] = told[0] as [SpanContext, string];
  assert.match(fresh.traceId, /^[0-9a-f]{32}$/);
  assert.match(fresh.spanId, /^[0-9a-f]{16}$/);
});

test('onDebug gets everything technical, redacted', async () => {
  const told: [string, Record<string, unknown>][] = [];
  const { policy } = onVirtualClock({
    onDebug: (message, details) => told.push([message, details]),
    retry: false,
  });
  await rejection(
    policy.execute(() => {
      throw new Error('failed with Bearer abcdefghijklmnopqrstuvwxyz0123456789');
    }),
  );
  assert.equal(told.length, 1);
  const [message, details] = told[0] as [string, Record<string, unknown>];
  assert.match(message, /Attempt 1 failed/);
  assert.equal(details.attempt, 1);
  assert.match(String(details.stack), /events\.test/);
  assert.doesNotMatch(JSON.stringify(told), /abcdefghijklmnopqrstuvwxyz/);
});

test('no event is longer than 2 KiB, whatever was thrown', async () => {
  const { clock, policy } = onVirtualClock({ name: 'n'.repeat(5000), retry: { maxRetries: 1 } });
  const { events } = recordEvents(policy);
  for (const filler of ['x', '\u0001', '漢', '👩‍👩‍👧'] as const) {
    const text = filler.repeat(5000);
    const result = policy
      .execute(
        () => {
          throw Object.assign(new Error(text), {
            status: 500,
            code: text,
            type: text,
            headers: { 'x-request-id': text },
          });
        },
        { task: text, provider: text, model: text, span: { traceId: text, spanId: text } },
      )
      .catch(() => {});
    await clock.advance(5000);
    await result;
  }
  assert.ok(events.length > 20);
  for (const event of events) {
    const bytes = Buffer.byteLength(JSON.stringify(event));
    assert.ok(bytes <= 2048, `${event.type}: ${bytes}`);
  }
});

test('limits in headers and use of tokens are shown', async () => {
  const { policy } = onVirtualClock({ provider: 'openai' });
  const { events } = recordEvents(policy);
  await policy.execute((context) => {
    context.observe({
      headers: new Headers({
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1m0.5s',
      }),
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });
  const limits = events.find((event) => event.type === 'limits.observed');
  assert.ok(limits?.type === 'limits.observed');
  assert.deepEqual(
    [limits.unit, limits.limit, limits.remaining, limits.resetAt],
    ['requests', 60, 59, 60_500],
  );
  const succeeded = events.find((event) => event.type === 'attempt.succeeded');
  assert.ok(succeeded?.type === 'attempt.succeeded');
  assert.deepEqual(succeeded.usage, { inputTokens: 12, outputTokens: 3, provider: 'openai' });
});

test('a call that begins inside another after an await is its child, one beside it is not', async () => {
  const outer = onVirtualClock({ name: 'outer' }).policy;
  const inner = onVirtualClock({ name: 'inner' }).policy;
  const { events } = recordEvents(inner);
  const ids: string[] = [];
  const nested = (): Promise<number> =>
    outer.execute(async ({ callId }) => {
      ids.push(callId);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return inner.execute(async () => 1);
    });
  await Promise.all([nested(), nested()]);
  await inner.execute(() => 1);
  const parents = events.filter((event) => event.type === 'call.started').map((event) => event.parentCall);
  assert.deepEqual(parents, [...ids, undefined]);
});

test('a call that begins inside another is its child', async () => {
  const outer = onVirtualClock({ name: 'outer' }).policy;
  const inner = onVirtualClock({ name: 'inner' }).policy;
  const { events } = recordEvents(inner);
  let id: string | undefined;
  await outer.execute(({ callId }) => {
    id = callId;
    return inner.execute(() => 1);
  });
  const started = events.find((event) => event.type === 'call.started');
  assert.equal(started?.parentCall, id);
});
