// `halfopen/otel` under OpenTelemetry's own SDK: spans for calls and attempts, metrics.
import assert from 'node:assert/strict';
import test from 'node:test';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { AgentError } from 'halfopen';
import { instrument } from 'halfopen/otel';
import { script } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, retryable } from './policy/given.js';

function collect() {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
    'test',
  );
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 });
  const provider = new MeterProvider({ readers: [reader] });
  const sum = async (name: string): Promise<number> => {
    await provider.forceFlush();
    const all =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const found = all.find((metric) => metric.descriptor.name === name);
    return (found?.dataPoints ?? []).reduce(
      (total, { value }) => total + (typeof value === 'number' ? value : (value as { count: number }).count),
      0,
    );
  };
  return { spans, tracer, meter: provider.getMeter('test'), sum, close: () => provider.shutdown() };
}

test('a call with a retry: one span for it, one for each attempt, and what they cost', async () => {
  const { spans, tracer, meter, sum, close } = collect();
  const { clock, policy } = onVirtualClock({ name: 'p', provider: 'openai', model: 'gpt' });
  const stop = instrument(policy, { tracer, meter });
  let calls = 0;
  const result = policy.execute((context) => {
    if (++calls === 1) throw retryable();
    context.observe({ usage: { inputTokens: 10, outputTokens: 2 } });
    return 'fine';
  });
  await clock.advance(1000);
  await result;
  const [first, second, call] = spans.getFinishedSpans();
  assert.deepEqual([first?.name, second?.name, call?.name], ['attempt 1', 'attempt 2', 'halfopen p']);
  assert.equal(first?.status.code, SpanStatusCode.ERROR);
  assert.equal(first?.attributes['error.type'], 'SERVER_ERROR');
  assert.equal(second?.attributes['gen_ai.provider.name'], 'openai');
  assert.equal(second?.attributes['gen_ai.usage.input_tokens'], 10);
  for (const attempt of [first, second]) {
    assert.equal(attempt?.parentSpanContext?.spanId, call?.spanContext().spanId);
    assert.equal(attempt?.spanContext().traceId, call?.spanContext().traceId);
  }
  assert.deepEqual(call?.endTime, [1, 0]);
  assert.deepEqual(
    call?.events.map(({ name }) => name),
    ['retry.scheduled'],
  );
  assert.equal(await sum('halfopen.calls'), 1);
  assert.equal(await sum('halfopen.attempts'), 2);
  assert.equal(await sum('halfopen.retries'), 1);
  assert.equal(await sum('gen_ai.client.token.usage'), 2);
  stop();
  await policy.execute(() => 1);
  assert.equal(spans.getFinishedSpans().length, 3);
  await close();
});

test('failures, refusals and changes of the breaker', async () => {
  const { spans, tracer, meter, sum, close } = collect();
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 1 } });
  instrument(policy, { tracer, meter });
  await policy.execute(script(fatal())).catch(() => {});
  await policy.execute(script(retryable())).catch(() => {});
  await policy.execute(() => 1).catch(() => {});
  const calls = spans.getFinishedSpans().filter(({ name }) => name.startsWith('halfopen'));
  assert.deepEqual(
    calls.map(({ attributes }) => attributes['error.type']),
    ['AUTHENTICATION_ERROR', 'SERVER_ERROR', 'CIRCUIT_OPEN'],
  );
  assert.equal(await sum('halfopen.breaker.changes'), 1);
  await close();
});

test('the span of a call that a closed breaker refused says which share of them it refuses', async () => {
  const { spans, tracer, meter, close } = collect();
  const breaker = { failureThreshold: 1, resetTimeoutMs: 1000, rampMs: 1000 };
  const { clock, policy } = onVirtualClock({ retry: false, breaker });
  instrument(policy, { tracer, meter });
  await policy.execute(script(retryable())).catch(() => {});
  await clock.advance(1000);
  for (const _ of ['probe', 'first']) await policy.execute(() => 1);
  await clock.advance(250);
  await policy.execute(() => 1).catch(() => {});
  const refused = spans.getFinishedSpans().at(-1);
  assert.deepEqual(
    refused?.events.map(({ name, attributes }) => [name, attributes]),
    [['breaker.throttled', { 'halfopen.refusal_rate': 0.75 }]],
  );
  await close();
});

test('spans follow the GenAI conventions: operation, provider and model of the call too, the id of the response', async () => {
  const { spans, tracer, meter, close } = collect();
  const { clock, policy } = onVirtualClock({ name: 'p', provider: 'openai', model: 'gpt' });
  instrument(policy, { tracer, meter });
  let calls = 0;
  const result = policy.execute(
    () => {
      const headers = { 'x-request-id': 'req_0000000001' };
      if (++calls === 1) throw Object.assign(new Error('busy'), { status: 503, headers });
      return { id: 'chatcmpl-1', choices: [] };
    },
    { model: 'gpt-mini' },
  );
  await clock.advance(5000);
  await result;
  const [first, second, call] = spans.getFinishedSpans();
  for (const span of [first, second, call]) {
    assert.equal(span?.attributes['gen_ai.operation.name'], 'chat');
    assert.equal(span?.attributes['gen_ai.provider.name'], 'openai');
    assert.equal(span?.attributes['gen_ai.request.model'], 'gpt-mini');
  }
  assert.equal(first?.attributes['gen_ai.response.id'], undefined);
  assert.equal(first?.attributes['halfopen.request_id'], 'req_0000000001');
  assert.equal(second?.attributes['gen_ai.response.id'], 'chatcmpl-1');
  await close();
});

test('the id of a response is found in whole answers and in chunks, and in nothing else', async () => {
  const { spans, tracer, meter, close } = collect();
  const { policy } = onVirtualClock();
  instrument(policy, { tracer, meter });
  const answers: [value: unknown, id: string | undefined][] = [
    [{ id: 'resp_1', output: [] }, 'resp_1'],
    [{ responseId: 'g-1', candidates: [] }, 'g-1'],
    [{ text: 'x', response: { id: 'ai-1', modelId: 'm' } }, 'ai-1'],
    [{ id: 'user-7', name: 'Jane' }, undefined],
    [{ id: 'a b\n', model: 'm' }, undefined],
    ['text', undefined],
    [
      new Proxy(
        {},
        {
          get: (_, name) => {
            if (name === 'then') return undefined;
            throw new Error('trap');
          },
        },
      ),
      undefined,
    ],
  ];
  for (const [value] of answers) await policy.execute(() => value);
  for await (const _ of policy.stream(async function* () {
    yield { type: 'message_start', message: { id: 'msg_1', model: 'm' } };
    yield { type: 'message_stop' };
  }));
  const attempts = spans.getFinishedSpans().filter(({ name }) => name === 'attempt 1');
  assert.deepEqual(
    attempts.map(({ attributes }) => attributes['gen_ai.response.id']),
    [...answers.map(([, id]) => id), 'msg_1'],
  );
  for (const { attributes } of attempts) assert.equal(attributes['gen_ai.operation.name'], undefined);
  await close();
});

test('a stream that is closed early is no error', async () => {
  const { spans, tracer, meter, sum, close } = collect();
  const { policy } = onVirtualClock();
  instrument(policy, { tracer, meter });
  for await (const _ of policy.stream(async function* () {
    yield 'a';
    yield 'b';
  }))
    break;
  const [attempt, call] = spans.getFinishedSpans();
  for (const span of [attempt, call]) {
    assert.equal(span?.status.code, SpanStatusCode.UNSET);
    assert.equal(span?.attributes['error.type'], undefined);
  }
  assert.equal(call?.attributes['halfopen.closed_early'], true);
  assert.equal(await sum('halfopen.calls'), 1);
  await close();
});

test('to stop ends what is open; without an SDK nothing happens; a misuse is a TypeError', async () => {
  const { spans, tracer, meter, close } = collect();
  const { policy } = onVirtualClock();
  const stop = instrument(policy, { tracer, meter });
  void policy.execute(deaf).catch(() => {});
  stop();
  assert.equal(spans.getFinishedSpans().length, 2);
  const plain = onVirtualClock().policy;
  instrument(plain);
  assert.equal(await plain.execute(() => trace.getActiveSpan()), undefined);
  assert.throws(() => instrument({} as never), TypeError);
  assert.throws(() => instrument(policy, { tracer: {} }), /'tracer'/);
  assert.ok(AgentError);
  await close();
});

test('attempts beside one another have a span each, and all of them end', async () => {
  const { spans, tracer, meter, close } = collect();
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 100 } });
  const stop = instrument(policy, { tracer, meter });
  const result = policy.execute(({ attempt }) => (attempt === 1 ? deaf() : 'fine'));
  await clock.advance(100);
  await result;
  const ended = spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes['error.type']]);
  assert.deepEqual(ended, [
    ['attempt 1', 'CANCELLED'],
    ['attempt 2', undefined],
    ['halfopen default', undefined],
  ]);
  stop();
  await close();
});
