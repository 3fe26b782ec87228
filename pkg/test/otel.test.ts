// `halfopen/otel` under OpenTelemetry's own SDK: spans for calls and attempts, metrics.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import test, { type TestContext } from 'node:test';
import { type Context, context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
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
import { AgentError, createPolicy, failover, toolResult } from 'halfopen';
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
  /** Returns a histogram's contents: the attributes of each of its series, and the sum of its values. */
  const histogram = async (name: string): Promise<[attributes: object, sum: number][]> => {
    await provider.forceFlush();
    const all =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const found = all.find((metric) => metric.descriptor.name === name);
    return (found?.dataPoints ?? []).map(({ attributes, value }) => [
      attributes,
      (value as { sum: number }).sum,
    ]);
  };
  return {
    spans,
    tracer,
    meter: provider.getMeter('test'),
    sum,
    histogram,
    close: () => provider.shutdown(),
  };
}

/** Carries the active span over an `await`, as OpenTelemetry's SDK for Node does. */
function withContexts(t: TestContext): void {
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, fn, thisArg, ...args) => storage.run(active, () => fn.apply(thisArg, args)),
    bind: (_active, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  t.after(() => context.disable());
}

test('an answer: its tokens with those of the cache, its model, why it ended, how long it took', async () => {
  const { spans, tracer, meter, histogram, close } = collect();
  const { clock, policy } = onVirtualClock({ provider: 'openai', model: 'gpt-5' });
  const stop = instrument(policy, { tracer, meter });
  const result = policy.execute(async () => {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 1500));
    return {
      id: 'chatcmpl-1',
      model: 'gpt-5-2025-08-07',
      choices: [{ finish_reason: 'stop' }, { finish_reason: 'length' }],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 30,
        prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 10 },
      },
    };
  });
  await clock.advance(1500);
  await result;
  const attributes = spans.getFinishedSpans()[0]?.attributes ?? {};
  const expected = {
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.cache_read.input_tokens': 64,
    'gen_ai.usage.cache_creation.input_tokens': 8,
    'gen_ai.usage.output_tokens': 30,
    'gen_ai.usage.reasoning.output_tokens': 10,
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.response.model': 'gpt-5-2025-08-07',
    'gen_ai.response.finish_reasons': ['stop', 'length'],
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(attributes[name], value, name);
  const ofCall = {
    'halfopen.policy': 'default',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.response.model': 'gpt-5-2025-08-07',
  };
  assert.deepEqual(await histogram('gen_ai.client.operation.duration'), [[ofCall, 1.5]]);
  assert.deepEqual(await histogram('gen_ai.client.token.usage'), [
    [{ ...ofCall, 'gen_ai.token.type': 'input' }, 100],
    [{ ...ofCall, 'gen_ai.token.type': 'output' }, 30],
  ]);
  stop();
  await close();
});

test('why answers of other formats ended, whole and streamed', async () => {
  const { spans, tracer, meter, close } = collect();
  const { policy } = onVirtualClock();
  const stop = instrument(policy, { tracer, meter });
  const answers: [answer: unknown, model: string | undefined, reasons: string[] | undefined][] = [
    [{ content: [], model: 'claude-opus-4-6', stop_reason: 'end_turn' }, 'claude-opus-4-6', ['end_turn']],
    [{ candidates: [{ finishReason: 'STOP' }], modelVersion: 'gemini-3-flash' }, 'gemini-3-flash', ['STOP']],
    [{ output: {}, stopReason: 'max_tokens', usage: {} }, undefined, ['max_tokens']],
    [{ model: 'llama3', done: true, done_reason: 'stop' }, 'llama3', ['stop']],
    [
      {
        object: 'response',
        output: [],
        model: 'gpt-5',
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      },
      'gpt-5',
      ['max_output_tokens'],
    ],
    [
      { text: 'x', finishReason: 'tool-calls', response: { id: 'r', modelId: 'gpt-5' } },
      'gpt-5',
      ['tool-calls'],
    ],
    [{ content: [], finishReason: { unified: 'stop', raw: 'end_turn' } }, undefined, ['end_turn']],
    [{ brand: 'Volvo', model: '240' }, undefined, undefined],
  ];
  for (const [answer] of answers) await policy.execute(() => answer);
  for await (const _ of policy.stream(async function* () {
    yield {
      type: 'message_start',
      message: { id: 'msg_1', model: 'claude-opus-4-6', content: [], stop_reason: null },
    };
    yield { type: 'message_delta', delta: { stop_reason: 'tool_use' } };
  }));
  const attempts = spans.getFinishedSpans().filter(({ name }) => name === 'attempt 1');
  assert.deepEqual(
    attempts.map(({ attributes }) => [
      attributes['gen_ai.response.model'],
      attributes['gen_ai.response.finish_reasons'],
    ]),
    [...answers.map(([, model, reasons]) => [model, reasons]), ['claude-opus-4-6', ['tool_use']]],
  );
  stop();
  await close();
});

test('providers have the names of the conventions', async () => {
  const { spans, tracer, meter, close } = collect();
  const { policy } = onVirtualClock();
  const stop = instrument(policy, { tracer, meter });
  for (const provider of ['openai', 'azure-openai', 'bedrock', 'google', 'mistral', 'xai', 'constructor'])
    await policy.execute(() => 1, { provider });
  const attempts = spans.getFinishedSpans().filter(({ name }) => name === 'attempt 1');
  assert.deepEqual(
    attempts.map(({ attributes }) => attributes['gen_ai.provider.name']),
    ['openai', 'azure.ai.openai', 'aws.bedrock', 'gcp.gen_ai', 'mistral_ai', 'x_ai', 'constructor'],
  );
  stop();
  await close();
});

test('the tokens of a failed attempt and of a closed stream are counted', async () => {
  const { spans, tracer, meter, histogram, close } = collect();
  const { policy } = onVirtualClock({ retry: false, model: 'm' });
  const stop = instrument(policy, { tracer, meter });
  const usage = { input_tokens: 12, output_tokens: 1 };
  await policy.execute(() => ({ usage }), { validate: () => false }).catch(() => {});
  for await (const _ of policy.stream(async function* () {
    yield { type: 'message_start', message: { usage } };
    yield 'more';
  }))
    break;
  const counted = await histogram('gen_ai.client.token.usage');
  assert.deepEqual(
    counted.map(([, sum]) => sum),
    [24, 2],
  );
  const withTokens = spans
    .getFinishedSpans()
    .filter(({ attributes }) => 'gen_ai.usage.input_tokens' in attributes);
  assert.deepEqual(
    withTokens.map(({ name }) => name),
    ['attempt 1', 'halfopen default'],
  );
  const failed = (await histogram('gen_ai.client.operation.duration')).map(([attributes]) => attributes);
  assert.ok(failed.some((attributes) => 'error.type' in attributes));
  stop();
  await close();
});

test('a tool has a span around its calls, one for a tracer, and says how it failed', async (t) => {
  withContexts(t);
  const { spans, tracer, meter, close } = collect();
  const { policy } = onVirtualClock({ name: 'tools', retry: false });
  const stops = [policy, onVirtualClock().policy].map((one) => instrument(one, { tracer, meter }));
  async function weather({ city }: { city: string }, _options?: { toolCallId: string }): Promise<string> {
    if (city !== 'Bern') throw Object.assign(new Error(`no city is named ${city}`), { status: 404 });
    return 'sunny';
  }
  const tool = toolResult(policy.wrap(weather));
  await tool({ city: 'Bern' }, { toolCallId: 'call_1' });
  await tool({ city: 'Bren' });
  await toolResult(() => 'no name')();
  await toolResult(() => 'sent', { name: 'mail' })();
  for (const stop of stops) stop();
  await tool({ city: 'Bern' });
  const all = spans.getFinishedSpans();
  const tools = all.filter(({ name }) => name.startsWith('execute_tool'));
  assert.deepEqual(
    tools.map(({ name, attributes }) => [
      name,
      attributes['gen_ai.operation.name'],
      attributes['gen_ai.tool.name'],
      attributes['gen_ai.tool.call.id'],
      attributes['error.type'],
    ]),
    [
      ['execute_tool weather', 'execute_tool', 'weather', 'call_1', undefined],
      ['execute_tool weather', 'execute_tool', 'weather', undefined, 'NOT_FOUND'],
      ['execute_tool mail', 'execute_tool', 'mail', undefined, undefined],
    ],
  );
  const calls = all.filter(({ name }) => name === 'halfopen tools');
  assert.deepEqual(
    calls.map(({ parentSpanContext }) => parentSpanContext?.spanId),
    tools.slice(0, 2).map((span) => span.spanContext().spanId),
  );
  assert.equal(all.length, 7);
  await close();
});

test('a failover is an event and an attribute of the call that follows, and an event of the span around both', async (t) => {
  withContexts(t);
  const { spans, tracer, meter, close } = collect();
  const { clock, policy: first } = onVirtualClock({ name: 'first', retry: false });
  const second = createPolicy({ clock, name: 'second' });
  const stops = [first, second].map((policy) => instrument(policy, { tracer, meter }));
  const answer = await tracer.startActiveSpan('task', async (span) => {
    const targets = [
      { policy: first, run: script(retryable()) },
      { policy: second, run: async () => (await first.execute(() => 1)) && 'from second' },
    ];
    const found = await failover(targets);
    span.end();
    return found;
  });
  assert.equal(answer, 'from second');
  const happened = {
    'halfopen.failover.from': 'first',
    'halfopen.failover.to': 'second',
    'error.type': 'SERVER_ERROR',
  };
  const reported = spans
    .getFinishedSpans()
    .filter(({ events }) => events.some(({ name }) => name === 'failover.switched'));
  assert.deepEqual(
    reported.map(({ name, attributes, events }) => [
      name,
      attributes['halfopen.failover.from'],
      events[0]?.attributes,
    ]),
    [
      ['halfopen second', 'first', happened],
      ['task', undefined, happened],
    ],
  );
  for (const stop of stops) stop();
  await close();
});

test('spans of calls whose end never comes are bounded', () => {
  let open = 0;
  const span = {
    setAttribute: () => span,
    setAttributes: () => span,
    end: () => open--,
    spanContext: () => ({}),
  };
  const tracer = { startSpan: () => open++ >= 0 && span };
  const { policy } = onVirtualClock({ breaker: false });
  const stop = instrument(policy, { tracer });
  for (let n = 0; n < 10_010; n++) policy.execute(deaf).catch(() => {});
  // One for the call and one for its attempt.
  assert.equal(open, 20_000);
  stop();
  assert.equal(open, 0);
});

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
