// `halfopen/otel` by OpenTelemetry's exporters to a receiver of OTLP/HTTP with JSON: what arrives, and whether it is as the
// semantic conventions have it (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createPolicy } from 'halfopen';
import { instrument } from 'halfopen/otel';

/** The parts of https://github.com/open-telemetry/opentelemetry-proto in JSON that are looked at. */
interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
type Attributes = { key: string; value: Value }[];
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attributes;
  events: { name: string }[];
  status: { code?: number; message?: string };
}
interface Point {
  attributes: Attributes;
  explicitBounds?: number[];
  sum?: number;
  count?: number | string;
}
interface Metric {
  name: string;
  unit: string;
  sum?: { dataPoints: Point[] };
  histogram?: { dataPoints: Point[] };
}

const spans: Span[] = [];
const metrics: Metric[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const body = JSON.parse(text);
  for (const { scopeSpans } of body.resourceSpans ?? [])
    for (const scope of scopeSpans) spans.push(...scope.spans);
  for (const { scopeMetrics } of body.resourceMetrics ?? [])
    for (const scope of scopeMetrics) metrics.push(...scope.metrics);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}/v1`;
  const tracing = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/traces` }))],
  });
  const exporter = new OTLPMetricExporter({ url: `${url}/metrics` });
  const metering = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 })],
  });
  await calls(tracing.getTracer('test'), metering.getMeter('test'));
  await Promise.all([tracing.shutdown(), metering.shutdown()]);
});
after(() => {
  server.close();
  server.closeAllConnections();
});

/** A call of a model that is retried, a call that fails, and one that is no model's. */
async function calls(tracer: unknown, meter: unknown): Promise<void> {
  const model = createPolicy({
    name: 'answers',
    provider: 'openai',
    model: 'gpt-5',
    retry: { baseDelayMs: 1 },
  });
  const stop = instrument(model, { tracer, meter });
  await model.execute((context) => {
    if (context.attempt === 1) throw Object.assign(new Error('slow down'), { status: 429 });
    context.observe({ usage: { inputTokens: 900, outputTokens: 20 } });
    return { id: 'resp_1', output: [] };
  });
  await model.execute(() => Promise.reject(Object.assign(new Error('no'), { status: 401 }))).catch(() => {});
  stop();
  const tool = createPolicy({ name: 'search' });
  const stopTool = instrument(tool, { tracer, meter });
  await tool.execute(() => 'rivers');
  stopTool();
}

const plain = ({ stringValue, intValue, doubleValue, boolValue }: Value) =>
  stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
const read = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
const points = (name: string) => {
  const metric = metrics.find((one) => one.name === name);
  return (metric?.sum ?? metric?.histogram)?.dataPoints ?? [];
};

test('a span for each call, and one below it for each attempt', () => {
  const calls = spans.filter(({ name }) => name.startsWith('halfopen '));
  assert.deepEqual(calls.map(({ name }) => name).sort(), [
    'halfopen answers',
    'halfopen answers',
    'halfopen search',
  ]);
  for (const call of calls) {
    const attempts = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId);
    assert.ok(attempts.length > 0);
    for (const attempt of attempts) {
      assert.equal(attempt.traceId, call.traceId);
      assert.ok(BigInt(attempt.startTimeUnixNano) >= BigInt(call.startTimeUnixNano));
      assert.ok(BigInt(attempt.endTimeUnixNano) <= BigInt(call.endTimeUnixNano));
    }
  }
  const now = BigInt(Date.now()) * 1_000_000n;
  for (const { startTimeUnixNano } of spans) {
    assert.ok(now - BigInt(startTimeUnixNano) < 3_600_000_000_000n, 'spans have times of the wall clock');
  }
});

test('calls of a model have the attributes of the GenAI conventions, others none', () => {
  for (const span of spans) {
    const attributes = read(span.attributes);
    const genAi = Object.keys(attributes).filter((name) => name.startsWith('gen_ai.'));
    if (attributes['halfopen.policy'] === 'search') {
      assert.deepEqual(genAi, []);
      continue;
    }
    assert.equal(attributes['gen_ai.operation.name'], 'chat');
    assert.equal(attributes['gen_ai.provider.name'], 'openai');
    assert.equal(attributes['gen_ai.request.model'], 'gpt-5');
    // The names that the conventions have; `gen_ai.system` and `gen_ai.usage.prompt_tokens` are gone from them.
    const known = [
      'operation.name',
      'provider.name',
      'request.model',
      'response.id',
      'usage.input_tokens',
      'usage.output_tokens',
    ];
    assert.deepEqual(
      genAi.filter((name) => !known.includes(name.slice('gen_ai.'.length))),
      [],
    );
  }
  const answered = spans.map(({ attributes }) => read(attributes)).find((one) => 'gen_ai.response.id' in one);
  assert.deepEqual(
    [
      answered?.['gen_ai.response.id'],
      answered?.['gen_ai.usage.input_tokens'],
      answered?.['gen_ai.usage.output_tokens'],
    ],
    ['resp_1', 900, 20],
  );
});

test('failures have error.type and the status ERROR; what succeeded has neither', () => {
  for (const span of spans) {
    const { 'error.type': type } = read(span.attributes);
    assert.equal(type !== undefined, span.status.code === 2, span.name);
  }
  const types = spans.map(({ attributes }) => read(attributes)['error.type']).filter(Boolean);
  assert.deepEqual(types.sort(), ['AUTHENTICATION_ERROR', 'AUTHENTICATION_ERROR', 'RATE_LIMITED']);
});

test('metrics arrive with their units, and the buckets that the conventions advise', () => {
  const units = Object.fromEntries(metrics.map(({ name, unit }) => [name, unit]));
  assert.deepEqual(units, {
    'halfopen.calls': '{call}',
    'halfopen.attempts': '{attempt}',
    'halfopen.retries': '{retry}',
    'halfopen.call.duration': 's',
    'gen_ai.client.operation.duration': 's',
    'gen_ai.client.token.usage': '{token}',
  });
  const [duration] = points('halfopen.call.duration');
  assert.equal(duration?.explicitBounds?.[0], 0.01);
  const usage = points('gen_ai.client.token.usage').map(({ attributes, sum, explicitBounds }) => ({
    type: read(attributes)['gen_ai.token.type'],
    operation: read(attributes)['gen_ai.operation.name'],
    sum,
    last: explicitBounds?.at(-1),
  }));
  assert.deepEqual(usage, [
    { type: 'input', operation: 'chat', sum: 900, last: 67108864 },
    { type: 'output', operation: 'chat', sum: 20, last: 67108864 },
  ]);
});
