// `traceRuns` of `halfopen/otel` under OpenTelemetry's own SDK: a run, its steps, and the calls and tools within them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createPolicy } from 'halfopen';
import { createLedger, memoryStore } from 'halfopen/once';
import { instrument, traceRuns } from 'halfopen/otel';
import { createRun } from 'halfopen/run';

function collect() {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer('t');
  const parents = () => {
    const all = spans.getFinishedSpans();
    const nameOf = (id: string | undefined) => all.find((one) => one.spanContext().spanId === id)?.name;
    return all.map((span) => [span.name, nameOf(span.parentSpanContext?.spanId)]);
  };
  const named = (name: string): ReadableSpan =>
    spans.getFinishedSpans().find((span) => span.name === name) ?? assert.fail(`no span ${name}`);
  return { tracer, parents, named, count: () => spans.getFinishedSpans().length };
}

test('a run is a span, its steps are children, and calls within are children of their step', async () => {
  const { tracer, parents, named } = collect();
  const policy = createPolicy({ name: 'model' });
  const stops = [traceRuns({ tracer }), instrument(policy, { tracer })];
  const run = createRun({ name: 'fixer' });
  const search = run.tool('search', async (_: object) => 'nothing');
  await run.within(async () => {
    for (let step = 1; step <= 2; step++) {
      run.step();
      await policy.execute(() => ({ text: 'x', usage: { input_tokens: 12, output_tokens: 3 } }));
      await search({});
    }
  });
  run.finish();
  for (const stop of stops) stop();
  const below = parents();
  assert.deepEqual(
    below.filter(([name]) => name !== 'attempt 1'),
    [
      ['halfopen model', 'step 1'],
      ['execute_tool search', 'step 1'],
      ['step 1', 'invoke_agent fixer'],
      ['halfopen model', 'step 2'],
      ['execute_tool search', 'step 2'],
      ['step 2', 'invoke_agent fixer'],
      ['invoke_agent fixer', undefined],
    ],
  );
  const { attributes, status } = named('invoke_agent fixer');
  assert.deepEqual(attributes, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'fixer',
    'halfopen.run': run.id,
    'halfopen.run.end': 'completed',
    'gen_ai.usage.input_tokens': 24,
    'gen_ai.usage.output_tokens': 6,
  });
  assert.equal(status.code, 0);
  const [tool] = named('step 1').events;
  assert.deepEqual(tool?.attributes, {
    'gen_ai.tool.name': 'search',
    'halfopen.run.outcome': 'ok',
    'halfopen.run.repeated': 1,
  });
});

test('a stop is an error, its advice stands on the steps, and a sub-agent is below the step of its parent', async () => {
  const { tracer, parents, named } = collect();
  const stop = traceRuns({ tracer });
  const run = createRun({ name: 'lead', ladder: ['steer', 'stop'] });
  const search = run.tool('search', async (_: object) => 'nothing');
  run.step();
  createRun({ name: 'helper', parent: run }).finish();
  await search({});
  while (run.end === undefined) {
    if (run.step().do !== 'stop') await search({});
  }
  stop();
  assert.ok(parents().some(([name, parent]) => name === 'invoke_agent helper' && parent === 'step 1'));
  const { attributes, status } = named('invoke_agent lead');
  assert.deepEqual([attributes['error.type'], status.code], ['MAX_ITERATIONS_EXCEEDED', 2]);
  const advised = named('step 4').events.filter(({ name }) => name === 'run.advised');
  assert.deepEqual(advised[0]?.attributes, {
    'halfopen.run.advice': 'steer',
    'halfopen.run.because': 'loop repeats',
  });
});

test('what is open ends when tracing stops, and a wrong tracer is a TypeError', () => {
  const { tracer, count } = collect();
  const stop = traceRuns({ tracer });
  createRun().step();
  assert.equal(count(), 0);
  stop();
  assert.equal(count(), 2);
  assert.throws(() => traceRuns({ tracer: {} }), /tracer/);
});

test('two tracers of runs each make all spans of a run, and one that stops leaves the other alone', async () => {
  const [first, second] = [collect(), collect()];
  const stops = [traceRuns({ tracer: first.tracer }), traceRuns({ tracer: second.tracer })];
  const run = createRun({ name: 'fixer' });
  const search = run.tool('search', async (_: object) => 'nothing');
  run.step();
  await search({});
  stops[0]?.();
  assert.deepEqual(first.parents(), [
    ['step 1', 'invoke_agent fixer'],
    ['invoke_agent fixer', undefined],
  ]);
  assert.equal(second.count(), 0);
  run.step();
  run.finish();
  stops[1]?.();
  assert.deepEqual(second.parents(), [
    ['step 1', 'invoke_agent fixer'],
    ['step 2', 'invoke_agent fixer'],
    ['invoke_agent fixer', undefined],
  ]);
  const outcomes = (all: ReturnType<typeof collect>) => all.named('step 1').events.map(({ name }) => name);
  assert.deepEqual([outcomes(first), outcomes(second)], [['run.tool'], ['run.tool']]);
});

test('acts that happen once are events on the step in which they are called', async () => {
  const { tracer, named } = collect();
  const stop = traceRuns({ tracer });
  const ledger = createLedger({ store: memoryStore(), secret: 's' });
  const key = () => 'a';
  const verify = () => ({ happened: false as const });
  const pay = ledger.once('pay', async () => 're_1', { key });
  const send = ledger.once('send', async () => Promise.reject(new Error('socket hang up')), { key, verify });
  const run = createRun({ name: 'biller' });
  await run.within(async () => {
    run.step();
    await pay();
    run.step();
    await pay();
    await assert.rejects(send());
  });
  run.finish();
  stop();
  const eventsOf = (step: string) =>
    named(step).events.map(({ name, attributes = {} }) => {
      const { 'halfopen.effect.key': hashed, ...rest } = attributes;
      assert.match(String(hashed), /^[\da-f]{64}$/);
      return [name, ...Object.values(rest)];
    });
  assert.deepEqual(eventsOf('step 1'), [
    ['effect.claimed', 'pay', 1],
    ['effect.done', 'pay', 1],
  ]);
  assert.deepEqual(eventsOf('step 2'), [
    ['effect.reused', 'pay'],
    ['effect.claimed', 'send', 1],
    ['effect.verified', 'send', false],
  ]);
});
