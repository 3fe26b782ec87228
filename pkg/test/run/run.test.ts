// Runs by the built package: advice, events, ends, children, calls within, snapshots. The rules of the ladder are tested in core/tests/run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy, type HalfopenEvent, onEvent } from 'halfopen';
import { createRun, type Run, type RunOptions, restoreRun } from 'halfopen/run';
import { VirtualClock } from 'halfopen/testing';

const read: { name: string; arguments: unknown } = { name: 'read', arguments: { path: 'a.ts' } };

function turn(run: Run, call = read, result: unknown = 'text'): string {
  const step = run.step().do;
  if (step === 'stop') return step;
  const advice = run.toolCall(call).do;
  if (advice === 'go') run.toolResult(call, { result });
  return `${step} ${advice}`;
}

function observed(options: RunOptions = {}): { run: Run; events: HalfopenEvent[] } {
  const events: HalfopenEvent[] = [];
  return { run: createRun({ ...options, onEvent: (event) => events.push(event) }), events };
}

const types = (events: readonly HalfopenEvent[]): string[] => events.map(({ type }) => type);

test('a run climbs the ladder and ends with an error that is not retryable', () => {
  const { run, events } = observed({ name: 'fixer', task: 'fix it' });
  const said = [1, 2, 3, 4, 5, 6, 7].map(() => turn(run));
  assert.deepEqual(said, ['go go', 'go go', 'go go', 'steer go', 'go refuse', 'conclude refuse', 'stop']);
  assert.ok(run.end?.kind === 'stopped');
  const { error, because } = run.end;
  assert.deepEqual(because, { kind: 'loop', loop: 'repeats', tool: 'read', count: 4 });
  assert.equal(error.code, 'MAX_ITERATIONS_EXCEEDED');
  assert.equal(error.retryable, false);
  assert.match(error.userMessage(), /repeated itself/);
  assert.match(error.userMessage('de'), /wiederholt/);
  assert.match(error.toResponse().message, /repeated itself/);
  assert.equal(run.signal.reason, error);
  assert.deepEqual(run.step(), { do: 'stop', end: run.end });
  assert.deepEqual(run.toolCall(read), { do: 'stop', end: run.end });
  assert.equal(types(events).at(-1), 'run.ended');
  const [started] = events;
  assert.ok(started?.type === 'run.started' && started.run === run.id);
  assert.deepEqual(
    events
      .filter((event) => event.type === 'run.step')
      .map((event) => event.type === 'run.step' && event.step),
    [1, 2, 3, 4, 5, 6],
  );
  const tools = events.flatMap((event) =>
    event.type === 'run.tool' ? [[event.outcome, event.repeated]] : [],
  );
  assert.deepEqual(tools, [
    ['ok', 1],
    ['ok', 2],
    ['ok', 3],
    ['ok', 4],
    ['refused', 1],
    ['refused', 2],
  ]);
  const advised = events.flatMap((event) => (event.type === 'run.advised' ? [event.advice] : []));
  assert.deepEqual(advised, ['steer', 'refuse', 'conclude', 'refuse', 'stop']);
});

test('what the model reads names the tool and the count, in six languages, and quotes nothing', () => {
  const seen = new Set<string>();
  for (const locale of ['en', 'de', 'es', 'fr', 'ja', 'zh-CN']) {
    const run = createRun({ locale });
    const secret = { name: 'find_order', arguments: { number: 'SECRET-1' } };
    for (const _ of [1, 2, 3]) turn(run, secret, 'SECRET-2');
    const advice = run.step();
    assert.ok(advice.do === 'steer');
    assert.match(advice.say, /find_order/);
    assert.match(advice.say, /3/);
    assert.doesNotMatch(advice.say, /SECRET|\{/);
    seen.add(advice.say);
  }
  assert.equal(seen.size, 6);
});

test('arguments in another order, as text, and results with another time are the same', () => {
  const run = createRun();
  const ways = ['{"b":2,"a":1}', { a: 1, b: 2 }, { b: 2, a: 1 }];
  for (const [at, way] of ways.entries()) {
    turn(run, { name: 'read', arguments: way }, `at 2026-11-27T10:00:0${at}Z: nothing new`);
  }
  assert.equal(run.step().do, 'steer');
});

test('the application says what counts of arguments and results, and which tool may repeat itself', () => {
  const run = createRun({
    loops: {
      key: { wait: false, search: ({ query }) => query },
      result: { search: ({ hits }) => hits },
    },
  });
  for (const page of [1, 2, 3]) {
    assert.equal(
      turn(run, { name: 'search', arguments: { query: 'x', page } }, { hits: [1], took: page }),
      'go go',
    );
  }
  assert.equal(run.step().do, 'steer');
  const waiting = createRun({ loops: { key: { wait: false } } });
  for (let i = 0; i < 12; i++) assert.equal(turn(waiting, { name: 'wait', arguments: {} }, null), 'go go');
});

test('a result counts for the arguments that were requested, whatever a tool has made of them', () => {
  for (const id of ['call_1', undefined]) {
    const run = createRun();
    const said = [1, 2, 3, 4].map((round) => {
      const call = { id, name: 'read', arguments: { path: 'a.ts', cursor: 0 } };
      const { do: advice } = run.step();
      run.toolCall(call);
      call.arguments.cursor = round;
      run.toolResult(call, { result: 'text' });
      return advice;
    });
    assert.deepEqual(said, ['go', 'go', 'go', 'steer']);
  }
});

test('calls of a step that have one id are told apart by their arguments', () => {
  for (const id of ['call_0', '']) {
    const { run, events } = observed();
    for (let round = 1; round <= 3; round++) {
      run.step();
      const calls = ['a.ts', 'b.ts'].map((path) => ({ id, name: 'read', arguments: { path } }));
      for (const call of calls) run.toolCall(call);
      // They end in another order each time.
      for (const call of round === 2 ? calls : [...calls].reverse())
        run.toolResult(call, { result: call.arguments.path });
    }
    const repeated = events.flatMap((event) => (event.type === 'run.tool' ? [event.repeated] : []));
    assert.deepEqual(repeated, [1, 1, 2, 2, 3, 3]);
  }
});

test('limits have errors and messages of their own', () => {
  const budget = createRun({ limits: { cost: 1 }, costOf: ({ outputTokens = 0 }) => outputTokens / 10 });
  budget.used({ outputTokens: 10 });
  const advice = budget.step();
  assert.ok(advice.do === 'stop' && advice.end.kind === 'stopped');
  assert.equal(advice.end.error.code, 'CAPACITY_EXCEEDED');
  assert.match(advice.end.error.userMessage(), /budget/);
  assert.deepEqual(advice.end.because, { kind: 'limit', limit: 'cost', max: 1, spent: 1 });
  assert.throws(() => createRun({ limits: { cost: 1 } }), /costOf/);

  const steps = createRun({ limits: { steps: 1 } });
  assert.deepEqual([steps.step().do, steps.step().do, steps.step().do], ['go', 'conclude', 'stop']);
  assert.ok(steps.end?.kind === 'stopped');
  assert.match(steps.end.error.userMessage(), /more steps/);
});

test('a run whose time is over aborts its signal and rejects what runs within it', async () => {
  const clock = new VirtualClock();
  const { run, events } = observed({ clock, limits: { ms: 1000 } });
  const { signal } = run;
  const never = run.within(() => new Promise(() => {})).catch((error: unknown) => error);
  const partial = run.within(
    () => new Promise((resolve) => signal.addEventListener('abort', () => resolve('half'))),
    {
      onStop: 'wait',
    },
  );
  await clock.advance(999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.ok(signal.aborted && AgentError.is(signal.reason) && signal.reason.code === 'TIMEOUT');
  assert.equal(signal.reason.retryable, false);
  assert.equal(await never, signal.reason);
  assert.equal(await partial, 'half');
  assert.deepEqual(run.end?.kind, 'stopped');
  assert.deepEqual(types(events), ['run.started', 'run.warned', 'run.ended']);
});

test('guarded calls made within a run belong to it, and their usage is paid once', async () => {
  const answer = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } };
  const inner = createPolicy({ name: 'inner' });
  const outer = createPolicy({ name: 'outer' });
  const events: HalfopenEvent[] = [];
  const stop = onEvent((event) => events.push(event));
  const run = createRun();
  await run.within(async () => {
    await Promise.resolve();
    await outer.execute(() => inner.execute(() => answer));
    await inner.execute(() => answer);
  });
  stop();
  assert.equal(run.spent.inputTokens, 24);
  assert.equal(run.spent.outputTokens, 6);
  const calls = events.filter(({ type }) => type.startsWith('call.'));
  assert.equal(calls.length, 6);
  assert.ok(calls.every((event) => event.run === run.id));
  await inner.execute(() => answer);
  assert.equal(run.spent.inputTokens, 24);
  run.finish();
});

test('runs side by side have calls of their own', async () => {
  const policy = createPolicy();
  const runs = [createRun(), createRun()];
  await Promise.all(
    runs.map((run, at) =>
      run.within(async () => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        await policy.execute(() => ({ usage: { input_tokens: at + 1, output_tokens: 0 } }));
      }),
    ),
  );
  assert.deepEqual(
    runs.map((run) => run.spent.inputTokens),
    [1, 2],
  );
  for (const run of runs) run.finish();
});

test('a tool never throws, answers a refusal with its text, and throws the end', async () => {
  const run = createRun();
  let calls = 0;
  const tool = run.tool('lookup', async (_: { id: number }) => {
    calls += 1;
    return 'found';
  });
  const failing = createRun().tool('broken', () => {
    throw new Error('ENOENT: no such file');
  });
  assert.match((await failing()).output, /^Error: ENOENT/);
  const outputs: string[] = [];
  for (let i = 0; i < 4; i++) {
    run.step();
    outputs.push((await tool({ id: 1 })).output);
  }
  run.step();
  const refused = await tool({ id: 1 });
  assert.deepEqual(outputs, ['found', 'found', 'found', 'found']);
  assert.match(refused.output, /not run.*lookup/s);
  assert.equal(refused.title, 'Error');
  assert.equal(calls, 4);
  run.step();
  run.step();
  await assert.rejects(tool({ id: 2 }), { code: 'MAX_ITERATIONS_EXCEEDED' });
});

test('what a child spends counts for its parent, whose stop is its own', () => {
  const parent = createRun({ limits: { tokens: 10 } });
  const child = createRun({ parent });
  child.step();
  child.toolCall(read);
  child.used({ inputTokens: 6, outputTokens: 4 });
  assert.deepEqual([parent.spent.steps, parent.spent.toolCalls, parent.spent.inputTokens], [1, 1, 6]);
  const advice = child.step();
  assert.ok(advice.do === 'stop' && advice.end.kind === 'stopped' && parent.end?.kind === 'stopped');
  assert.equal(advice.end.error, parent.end.error);
  assert.equal(advice.end.because, parent.end.because);

  const other = createRun();
  const orphan = createRun({ parent: other });
  other.finish();
  assert.deepEqual(orphan.end, { kind: 'cancelled' });
});

test('a run is cancelled by its signal', async () => {
  const aborter = new AbortController();
  const run = createRun({ signal: aborter.signal });
  const within = run.within(() => new Promise(() => {})).catch((error: AgentError) => error.code);
  aborter.abort();
  assert.equal(await within, 'CANCELLED');
  assert.deepEqual(run.end, { kind: 'cancelled' });
  assert.equal(createRun({ signal: aborter.signal }).end?.kind, 'cancelled');
});

test('ends: completed, concluded, failed, cancelled, once', () => {
  assert.deepEqual(createRun().finish(), { kind: 'completed' });
  const concluded = createRun({ limits: { steps: 1 } });
  concluded.step();
  concluded.step();
  assert.deepEqual(concluded.finish(), {
    kind: 'completed',
    concluded: { kind: 'limit', limit: 'steps', max: 1, spent: 1 },
  });
  const failed = createRun();
  const end = failed.finish(Object.assign(new Error('slow down'), { status: 429 }));
  assert.ok(end.kind === 'failed' && end.error.code === 'RATE_LIMITED');
  assert.equal(failed.finish(), end);
  assert.deepEqual(createRun().finish(new AgentError('CANCELLED', 'no more')), { kind: 'cancelled' });
});

test('a snapshot has no content, and the next process goes on where it was', async () => {
  const clock = new VirtualClock();
  const run = createRun({ clock, name: 'fixer' });
  const secret = { name: 'read', arguments: { path: 'SECRET' } };
  for (const _ of [1, 2, 3, 4]) turn(run, secret, 'SECRET');
  await clock.advance(500);
  const snapshot = JSON.parse(JSON.stringify(run.snapshot()));
  assert.doesNotMatch(JSON.stringify(snapshot), /SECRET/);
  await clock.advance(10_000);
  const { events } = observed();
  const next = restoreRun(snapshot, { clock, onEvent: (event) => events.push(event) });
  assert.deepEqual([next.id, next.spent.ms, next.spent.steps], [run.id, 500, 4]);
  assert.equal(turn(next, secret, 'SECRET'), 'go refuse');
  const [, started] = events;
  assert.ok(started?.type === 'run.started' && started.restored === true);
  next.finish(new Error('x'));

  const { events: none } = observed();
  const ended = restoreRun(next.snapshot(), { onEvent: (event) => none.push(event) });
  assert.equal(ended.end?.kind, 'failed');
  assert.equal(ended.step().do, 'stop');
  assert.equal(none.length, 1);
  for (const state of ['x', '{}', JSON.stringify({ core: '!', steps: 1, tools: [] })]) {
    assert.throws(() => restoreRun({ ...snapshot, state }), TypeError);
  }
});

test('a run that observes goes on and emits what the advice would have been', () => {
  const { run, events } = observed({ ladder: [] });
  for (let i = 0; i < 9; i++) assert.equal(turn(run), 'go go');
  const advised = events.flatMap((event) => (event.type === 'run.advised' ? [event.advice] : []));
  assert.deepEqual(advised, ['steer', 'refuse', 'conclude', 'stop']);
  assert.equal(run.end, undefined);
});

test('wrong options are TypeErrors at once', () => {
  const wrong: unknown[] = [
    { loops: { repeats: 1 } },
    { loops: { repeat: 3 } },
    { ladder: ['steer', 'steer'] },
    { ladder: ['shout'] },
    { limits: { steps: 0 } },
    { limits: { ms: Number.NaN } },
    { warnAt: 2 },
    { parent: {} },
    { loops: { key: { read: true } } },
  ];
  for (const options of wrong)
    assert.throws(() => createRun(options as never), TypeError, JSON.stringify(options));
  assert.throws(() => restoreRun(undefined as never), TypeError);
});

test('a result of a call that was not asked for is debugged once', () => {
  const heard: string[] = [];
  const run = createRun({ onDebug: (message) => heard.push(message) });
  run.step();
  run.toolResult(read, { result: 1 });
  run.toolResult(read, { result: 2 });
  assert.equal(heard.length, 1);
  assert.equal(run.spent.toolCalls, 0);
});

test('an observer that throws changes nothing', () => {
  const run = createRun({
    onEvent() {
      throw new Error('observer');
    },
    limits: { cost: 5 },
    costOf() {
      throw new Error('prices');
    },
    loops: {
      key: {
        read() {
          throw new Error('key');
        },
      },
    },
  });
  run.used({ inputTokens: 4 });
  assert.equal(turn(run), 'go go');
  assert.equal(run.spent.cost, 0);
});

test('a name that a model has made up is short in events and snapshots, as in a log', () => {
  const events: HalfopenEvent[] = [];
  const run = createRun({ onEvent: (event) => events.push(event) });
  const call = { name: `password=hunter2hunter2 ${'x'.repeat(100_000)}`, arguments: {} };
  for (let step = 0; step < 4; step++) {
    run.step();
    run.toolCall(call);
    run.toolResult(call, { result: 'the same' });
  }
  const advised = events.flatMap((event) => (event.type === 'run.advised' ? [event.because.tool] : []));
  const tools = events.flatMap((event) => (event.type === 'run.tool' ? [event.tool] : []));
  assert.ok(advised.length > 0);
  assert.equal(advised[0], tools[0]);
  assert.ok(JSON.stringify(run.snapshot()).length < 20_000);
  assert.ok(!JSON.stringify([events, run.snapshot()]).includes('hunter2'));
});
