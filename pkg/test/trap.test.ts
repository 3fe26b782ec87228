// A trap in the core (there should be none): whatever function it happens in, nothing of it reaches the application but an
// event and a debug message. Every export of every module is made to trap once, by a call that runs out of its memory, in
// everything that the package does. An export that no scenario reaches fails the last test: give it a scenario.
// In a process of its own: it changes what the core's modules export, before they are first used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HalfopenEvent } from 'halfopen';
import { changeExports, guarded, trap } from './instances.js';

/** The exports that trap, and how many calls from now. */
const armed = new Map<string, number>();
/** The export that returns 1 for ever, in the instance that is called first. */
const endless: { name: string; instance?: object | undefined } = { name: '' };
/** All exports, and those that did trap. */
const names = new Set<string>();
const sprung = new Set<string>();
/** How many instances each module has had. */
const instances = new Map<string, number>();

/** The functions that run when an object of the package is collected. */
const ON_COLLECTION = ['breakerFree', 'budgetFree', 'policyFree', 'responseFree', 'runFree'];

changeExports((module, real) => {
  instances.set(module, (instances.get(module) ?? 0) + 1);
  return guarded(real, (name, value) => {
    names.add(name);
    return (...args) => {
      if (name === endless.name) endless.instance ??= real;
      if (name === endless.name && endless.instance === real) return 1;
      const calls = armed.get(name);
      if (calls === undefined) return value(...args);
      armed.set(name, calls - 1);
      if (calls > 1) return value(...args);
      armed.delete(name);
      sprung.add(name);
      return trap(real);
    };
  });
});

const halfopen = await import('halfopen');
const { VirtualClock } = await import('halfopen/testing');
const { fleet, inspect, memoryStore, mergeResource } = await import('halfopen/fleet');
const { createRun, restoreRun } = await import('halfopen/run');
const { AgentError, CircuitBreaker, createPolicy, ErrorNode, ResponseHandler, RetryBudget } = halfopen;

test('the package loads without any module of the core', () => {
  assert.deepEqual([...instances.keys()], []);
  assert.ok(halfopen.LOCALES.includes('en'));
  assert.deepEqual([...instances.keys()], []);
  armed.set('thrownBuffer', 1); // called once for each instance
  assert.equal(halfopen.classify({ status: 429 }).code, 'RATE_LIMITED');
  assert.deepEqual([...instances], [['errors', 2]]);
});

const failing = () => Promise.reject(Object.assign(new Error('down'), { status: 503 }));
const COMPLETION = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
const CHUNKS = [
  { choices: [{ delta: { content: 'Hel' } }], novelty: 1 },
  { choices: [{ delta: { content: 'lo' } }] },
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
];

async function* streamed(chunks: readonly unknown[] = CHUNKS): AsyncGenerator<unknown> {
  yield* chunks;
}

/** Each function of the package, and its required result even so. */
const SCENARIOS: Record<string, () => unknown> = {
  classify: () => assert.ok(halfopen.classify({ status: 429, headers: { 'retry-after': '2' } }).code),
  explain: () => assert.ok(halfopen.explainClassification({ status: 429 }).tried.length > 0),
  message: () => assert.ok(halfopen.getUserFriendlyMessage('TIMEOUT', {}, { locale: 'de' }).length > 0),
  'messages of errors': () => {
    const errors = [
      new halfopen.EmptyResponseError('nothing came'),
      new halfopen.UnexpectedTypeError('text', 'number'),
      new AgentError('TIMEOUT', 'x'),
    ];
    for (const error of errors) {
      assert.ok(halfopen.formatErrorMessage(error, { technicalDetails: true }).length > 0);
    }
  },
  redact: () => assert.ok(!halfopen.redact('Bearer abcdefghijklmnopqrstuvwxyz0123').includes('abcdefghij')),
  'retry-after': () => assert.equal(halfopen.parseRetryAfter({ 'retry-after': '2' }), 2000),
  error: () => new AgentError('TIMEOUT', 'x', { metadata: { apiKey: 'x' } as never }).toJSON(),
  'what the provider said': () => {
    const error = AgentError.from({ status: 400, message: 'no such field' }, { messages: 'provider' });
    assert.ok(error.message.includes('no such field'));
  },
  'limits that an operation observes': async () => {
    const policy = createPolicy({ rateLimit: { limit: 5, windowMs: 1000 }, onEvent() {} });
    const headers = { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '1s' };
    const call = policy.execute((attempt) => {
      attempt.observe({ headers });
      return 7;
    });
    assert.equal(await call, 7);
    policy.dispose();
  },
  'errors of responses': () => {
    assert.equal(new halfopen.ToolFailedError('search', 'down').message, "Tool 'search' failed: down");
  },
  backoff: () => assert.ok(halfopen.calculateExponentialBackoff(2) >= 0),
  'a call that succeeds': async () => {
    const policy = createPolicy({ rateLimit: { limit: 5, windowMs: 1000 }, onEvent() {} });
    assert.equal(await policy.execute(() => 7), 7);
    policy.dispose();
  },
  'a call with options of its own': async () => {
    const policy = createPolicy();
    assert.equal(await policy.execute(() => 7, { retry: { maxRetries: 1 } }), 7);
  },
  'a call that fails': async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({
      clock,
      retry: { maxRetries: 1, budget: {} },
      timeout: { totalMs: 30_000 },
      onEvent() {},
    });
    const failure = policy.execute(failing).catch((error: unknown) => error);
    for (let i = 0; i < 5; i++) await clock.advance(10_000);
    assert.ok(AgentError.is(await settled(failure)));
    policy.dispose();
  },
  'a call that the breaker refuses': async () => {
    const policy = createPolicy({ retry: false, breaker: { failureThreshold: 1 } });
    for (const _ of [1, 2]) {
      assert.ok(AgentError.is(await settled(policy.execute(failing).catch((error: unknown) => error))));
    }
  },
  'a call that is cancelled while it waits': async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock });
    const aborter = new AbortController();
    const failure = policy
      .execute(failing, { signal: aborter.signal })
      .catch((error: { code?: string }) => error.code);
    await clock.advance(0);
    aborter.abort();
    assert.ok(['CANCELLED', 'SERVER_ERROR'].includes((await settled(failure)) as string));
  },
  'a call that is hedged': async () => {
    for (const first of [1, 2]) {
      const clock = new VirtualClock();
      const policy = createPolicy({ clock, hedge: { afterMs: 10 } });
      const call = policy.execute(
        ({ attempt }) =>
          new Promise((resolve) => clock.setTimeout(() => resolve(attempt), attempt === first ? 20 : 200)),
      );
      await clock.advance(200);
      assert.ok([1, 2].includes((await settled(call)) as number));
      policy.dispose();
    }
  },
  'a call under a limit on tokens': async () => {
    const policy = createPolicy({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' } });
    const answer = { usage: { prompt_tokens: 5, completion_tokens: 5 } };
    assert.equal(await policy.execute(() => answer, { estimatedTokens: 1000 }), answer);
    // A fresh core has counted nothing; otherwise the usage replaces the estimate.
    assert.equal(await policy.execute(() => 'more', { estimatedTokens: 990 }), 'more');
    policy.dispose();
  },
  'a call with a backoff of its own': async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, retry: { backoff: () => 10 } });
    const failure = policy.execute(failing).catch((error: unknown) => error);
    await clock.advance(100);
    assert.ok(AgentError.is(await settled(failure)));
  },
  'a call that onRetry ends': async () => {
    const onRetry = () => {
      throw new Error('no more');
    };
    const policy = createPolicy({ retry: { onRetry } });
    assert.ok(AgentError.is(await settled(policy.execute(failing).catch((error: unknown) => error))));
  },
  'calls that queue': async () => {
    const policy = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 2 }, onEvent() {} });
    const calls = [1, 2, 3].map((n) => policy.execute(() => Promise.resolve(n)));
    assert.deepEqual(await settled(Promise.all(calls)), [1, 2, 3]);
    policy.dispose();
  },
  'calls that wait for their turn': async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 5000 } });
    const calls = [1, 2].map((n) => policy.execute(() => Promise.resolve(n)));
    await clock.advance(2000);
    assert.deepEqual(await settled(Promise.all(calls)), [1, 2]);
  },
  'a policy that is updated': async () => {
    const policy = createPolicy({ onEvent() {} });
    await policy.execute(() => 1);
    policy.update({ retry: { maxRetries: 1 } });
    assert.equal(await policy.execute(() => 7), 7);
  },
  'a stream that is closed early': async () => {
    const policy = createPolicy();
    for await (const chunk of policy.stream(() => streamed([1, 2]))) {
      assert.equal(chunk, 1);
      break;
    }
  },
  'a fetch': async () => {
    const policy = createPolicy();
    const { fetch } = globalThis;
    globalThis.fetch = async () => new Response('fine');
    try {
      assert.equal(await (await policy.fetch('http://127.0.0.1/')).text(), 'fine');
    } finally {
      globalThis.fetch = fetch;
    }
  },
  'a call in a fleet': async () => {
    const clock = new VirtualClock(1_000_000);
    const store = memoryStore({ clock });
    const joined = [1, 2].map(() => fleet({ store: { ...store, close: async () => {} }, name: 'traps' }));
    const policies = joined.map((fleet) =>
      createPolicy({
        name: 'shared',
        clock,
        fleet,
        retry: { maxRetries: 1, budget: {} },
        breaker: { failureThreshold: 3 },
        rateLimit: { limit: 100, windowMs: 1000 },
      }),
    );
    for (const policy of policies) {
      assert.equal(await policy.execute(() => 7), 7);
      const failure = policy.execute(failing).catch((error: unknown) => error);
      for (let i = 0; i < 4; i++) await clock.advance(1000);
      assert.ok(AgentError.is(await settled(failure)));
    }
    assert.equal((await inspect(store, 'traps'))[0]?.policy, 'shared');
    assert.throws(() => mergeResource(new Uint8Array([1, 2]), new Uint8Array([3]), 0), /no state of a fleet/);
    for (const policy of policies) policy.dispose();
    for (const fleet of joined) {
      const closed = fleet.close();
      await clock.advance(1000);
      await settled(closed);
    }
  },
  'a run of an agent': () => {
    const run = createRun({ limits: { steps: 9, cost: 9 }, costOf: () => 1 });
    const child = createRun({ parent: run });
    const call = { name: 'read', arguments: {} };
    assert.equal(child.step().do, 'go');
    assert.equal(child.toolCall(call).do, 'go');
    child.toolResult(call, { result: 'text' });
    child.text('well');
    child.used({ inputTokens: 5 });
    assert.deepEqual([run.spent.steps, run.spent.inputTokens, run.spent.cost], [1, 5, 1]);
    assert.equal(restoreRun(child.snapshot()).id, child.id);
    const over = createRun({ limits: { toolCalls: 1 } });
    over.step();
    assert.equal(over.toolCall(call).do, 'go');
    assert.equal(over.toolCall(call).do, 'refuse');
    assert.equal(child.finish().kind, 'completed');
  },
  'a breaker on its own': () => {
    const breaker = new CircuitBreaker({ failureThreshold: 2 });
    assert.equal(breaker.state, 'closed');
    assert.equal(breaker.canExecute(), true);
    assert.equal(breaker.retryAfterMs, 0);
    assert.equal(breaker.refusalRate, 0);
    breaker.acquire()?.success();
    breaker.recordFailure();
    breaker.restore(breaker.snapshot());
    breaker.isolate().dispose();
    breaker.disable();
    breaker.reset();
    assert.equal(breaker.state, 'closed');
  },
  'a breaker that policies update': async () => {
    const policy = createPolicy({ breaker: { failureThreshold: 2 } });
    await policy.execute(() => 1);
    policy.update({ breaker: { failureThreshold: 3 } });
    assert.equal(policy.breaker?.state, 'closed');
  },
  'an adaptive limit': async () => {
    const policy = createPolicy({ adaptive: true });
    assert.equal(await policy.execute(() => 7), 7);
    const { limit } = policy.stats();
    assert.ok(limit === undefined || limit > 0);
  },
  'a budget on its own': () => {
    const budget = new RetryBudget();
    budget.deposit();
    assert.equal(budget.withdraw(), true);
    assert.ok(budget.available > 0);
  },
  'where to go after an error': () => {
    const error = new AgentError('TIMEOUT', 'x');
    assert.equal(halfopen.route({ error, capabilityName: 'search' }).next, 'retry');
    const context = halfopen.createErrorContext({ currentTask: 'plan', errorInfo: { error } });
    assert.equal(context.currentTask, 'plan');
    assert.match(halfopen.renderReport(context), /plan/);
    assert.match(halfopen.buildExplanationPrompt(context), /plan/);
    assert.equal(ErrorNode.classifyError(error).severity, 'fatal');
  },
  'an error step with a model': async () => {
    const node = new ErrorNode({ complete: async (_prompt, { maxTokens }) => `within ${maxTokens}` });
    const { messages } = await node.execute({ errorInfo: { error: new AgentError('TIMEOUT', 'x') } });
    assert.match(messages[0].content, /within 500/);
  },
  'a whole response': () => {
    const handler = new ResponseHandler();
    assert.equal(handler.processResponse(COMPLETION).text, 'Hi');
    assert.equal(handler.getFinalResponse(), 'Hi');
    assert.deepEqual(handler.toolCalls, []);
    assert.ok([undefined, 'openai-chat'].includes(handler.format));
  },
  'a streamed response': async () => {
    const statuses: string[] = [];
    const handler = new ResponseHandler({ statusCallback: (status) => statuses.push(status), onDebug() {} });
    assert.equal(await handler.collect(() => streamed()), 'Hello');
    assert.ok(statuses.length > 1);
  },
  'a streamed response that calls a tool': async () => {
    const handler = new ResponseHandler({ statusCallback() {} });
    const call = { id: 'c1', function: { name: 'search', arguments: '{}' } };
    handler.processChunk({ choices: [{ delta: { tool_calls: [call] } }] });
    assert.equal(handler.lastToolName, 'search');
  },
  'an exchange that fails': async () => {
    const handler = new ResponseHandler({ statusCallback() {} });
    await assert.rejects(handler.collect(failing), { code: 'SERVER_ERROR' });
  },
};

/** These take another path until there is a listener. */
const UNHEARD: Record<string, () => unknown> = {
  'calls that succeed': async () => {
    const policy = createPolicy();
    for (const value of [1, 2, 3]) assert.equal(await policy.execute(async () => value), value);
    policy.dispose();
  },
};

async function settled<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  // In turns of this process, which a busy machine gives it late.
  const never = async () => {
    for (let turn = 0; turn < 1000 && !isOver; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    throw new Error('it never settles');
  };
  return Promise.race([promise, never()]).finally(() => {
    isOver = true;
  });
}

/** Makes new instances of all modules, so that cached values are read again. */
function renewInstances(): void {
  armed.set('backoffDelay', 1);
  halfopen.calculateExponentialBackoff(1);
  armed.set('recoveryPrompt', 1);
  halfopen.buildExplanationPrompt(halfopen.createErrorContext({}));
  // Last: what the others classify reads the buffer's address.
  armed.set('redactText', 1);
  halfopen.redact('');
}

async function springEach(scenario: () => unknown, hears: boolean): Promise<string[]> {
  const wrong: string[] = [];
  for (const name of names) {
    for (let nth = 1; nth <= 4 && (await springAt(name, nth, scenario, hears, wrong)); nth++);
  }
  return wrong;
}

/** The scenario with a trap in the nth call of a function. Returns whether there was one. */
async function springAt(
  name: string,
  nth: number,
  scenario: () => unknown,
  hears: boolean,
  wrong: string[],
): Promise<boolean> {
  renewInstances();
  const restarted: HalfopenEvent[] = [];
  const stop = hears
    ? halfopen.onEvent((event) => event.type === 'core.restarted' && restarted.push(event))
    : () => {};
  armed.clear();
  armed.set(name, nth);
  try {
    await settled(Promise.resolve(scenario()));
    const during = restarted.map((event) => event.type === 'core.restarted' && event.during);
    if (hears) assert.deepEqual(during, armed.has(name) ? [] : [name]);
  } catch (error) {
    wrong.push(`${name}, call ${nth}: ${String(error).slice(0, 200)}`);
  }
  const isSprung = !armed.has(name);
  armed.clear();
  stop();
  return isSprung;
}

// First of all: from the first listener on, calls know whose children they are.
for (const [what, scenario] of Object.entries(UNHEARD)) {
  test(`${what}, and nobody listens: nothing throws, whichever function traps`, async () => {
    assert.deepEqual(await springEach(scenario, false), []);
  });
}

for (const [what, scenario] of Object.entries(SCENARIOS)) {
  test(`${what}: nothing throws and one event says so, whichever function traps`, async () => {
    assert.deepEqual(await springEach(scenario, true), []);
  });
}

test('objects that are collected: nothing throws, whichever function traps', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (const name of ON_COLLECTION) armed.set(name, 1);
  while (ON_COLLECTION.some((name) => armed.has(name))) {
    await createPolicy({ retry: { budget: new RetryBudget() }, breaker: {} }).execute(() => 1);
    new ResponseHandler().processChunk(CHUNKS[0]);
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  assert.equal(await createPolicy().execute(() => 7), 7);
});

for (const [module, name, use] of [
  ['policy', 'backoffDelay', () => halfopen.calculateExponentialBackoff(1)],
  ['errors', 'classifyCopy', () => halfopen.classify({ status: 429 })],
  ['agent', 'recoveryReport', () => new ErrorNode().execute({ errorInfo: { error: new Error('x') } })],
] as const) {
  test(`a trap in the module '${module}' replaces that module's instance, and the event names it`, async () => {
    renewInstances();
    const restarted: string[] = [];
    const stop = halfopen.onEvent((event) => event.type === 'core.restarted' && restarted.push(event.module));
    const before = new Map(instances);
    armed.set(name, 1);
    await use();
    stop();
    assert.deepEqual(restarted, [module]);
    assert.deepEqual(instances, before.set(module, (before.get(module) ?? 0) + 1));
  });
}

for (const end of ['abort', 'deadline', 'dispose'] as const) {
  test(`a call that waits for a slot and ends by its ${end} while the core traps is not let through`, async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, bulkhead: { maxConcurrent: 1, maxQueued: 2 } });
    const controller = new AbortController();
    const options = {
      signal: controller.signal,
      timeout: end === 'deadline' ? { totalMs: 1000 } : undefined,
    };
    let calls = 0;
    const running = policy.execute(() => new Promise(() => {}));
    const waiting = (end === 'dispose' ? [1, 2] : [1]).map(() => policy.execute(() => ++calls, options));
    const settling = Promise.allSettled([...waiting, running]);
    armed.set(end === 'deadline' ? 'abandon' : 'cancel', 1);
    if (end === 'abort') controller.abort();
    else if (end === 'deadline') await clock.advance(1000);
    else policy.dispose();
    assert.equal(armed.size, 0, 'nothing has trapped');
    policy.dispose();
    const settled = await settling;
    assert.ok(settled.every(({ status }) => status === 'rejected'));
    assert.equal(calls, 0);
  });
}

test('records without an end are a trap: the call that meets them is let through', async () => {
  endless.name = 'hasEvents';
  const policy = createPolicy({ onEvent() {} });
  assert.equal(await settled(policy.execute(() => 7)), 7);
  assert.ok(endless.instance !== undefined);
  endless.name = '';
  assert.equal(await policy.execute(() => 8), 8);
});

test('every function of the core has trapped', () => {
  assert.deepEqual(
    [...names].filter((name) => !sprung.has(name)),
    [],
  );
});
