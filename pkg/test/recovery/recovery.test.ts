// Where a graph goes after an error, what it reports, and the error step that never rejects.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AgentError,
  type AgentErrorResponse,
  type AgentState,
  buildExplanationPrompt,
  type Classifier,
  type ClassifyContext,
  createErrorContext,
  createPolicy,
  type ErrorInfo,
  ErrorNode,
  formatErrorMessage,
  type HalfopenEvent,
  iterationLimit,
  onEvent,
  renderReport,
  route,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { cases } from '../vectors/cases.js';

interface Case {
  name: string;
  route?: {
    severity: string;
    retryCount?: number;
    retryPolicy?: object;
    retryAfterMs?: number;
    capabilityName?: string | null;
  };
  goes?: { next: string; delayMs?: number; attempt?: number };
  context?: AgentState;
  /** The code that the context's error is given. Default: UNKNOWN. */
  code?: string;
  comes?: object;
  report?: object;
  now?: number;
  locale?: string;
  reads?: string[];
  prompt?: object;
  capabilities?: string;
  says?: string[];
}

for (const vector of cases<Case>('recovery')) {
  test(vector.name, () => {
    if (vector.route) {
      const { severity, retryCount, retryPolicy, retryAfterMs, capabilityName = 'search' } = vector.route;
      const info = {
        error: new Error('x'),
        capabilityName: capabilityName ?? undefined,
        classification: { severity, retryAfterMs },
        retryPolicy,
      };
      const { next, delayMs, attempt } = route(info as never, { retryCount }) as never as Record<
        string,
        unknown
      >;
      assert.deepEqual(JSON.parse(JSON.stringify({ next, delayMs, attempt })), vector.goes);
    }
    if (vector.context) {
      const { classification, ...facts } = createErrorContext(vector.context);
      assert.equal(classification.code, vector.code ?? 'UNKNOWN');
      assert.deepEqual(facts, vector.comes);
    }
    if (vector.report) {
      const report = renderReport(vector.report as never, { now: vector.now, locale: vector.locale });
      const trimmed = (lines: string[]) => lines.map((line) => line.trimEnd());
      assert.deepEqual(trimmed(report.split('\n')), trimmed(vector.reads ?? []));
    }
    if (vector.prompt) {
      const prompt = buildExplanationPrompt(vector.prompt as never, vector.capabilities);
      for (const part of vector.says ?? []) assert.ok(prompt.includes(part), `${part} in ${prompt}`);
    }
  });
}

test('network timeouts are retried, by what the error itself says', () => {
  const error = new AgentError('TIMEOUT', 'took too long');
  assert.deepEqual(route({ error, capabilityName: 'search' }), {
    next: 'retry',
    capability: 'search',
    delayMs: 1000,
    attempt: 1,
  });
});

test('route waits as long as the provider asked', () => {
  const limited = (seconds: number) =>
    Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': String(seconds) } });
  const routed = route({ error: limited(20), capabilityName: 'search' });
  assert.deepEqual(routed, { next: 'retry', capability: 'search', delayMs: 20_000, attempt: 1 });
  const tooLong = route({ error: limited(300), capabilityName: 'search' });
  assert.ok(tooLong.next === 'error' && /in about 5 minutes/.test(tooLong.reason), JSON.stringify(tooLong));
});

describe('the report', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED' });
  const limited = Object.assign(new Error('429 your prompt about elephants'), {
    status: 429,
    headers: { 'x-request-id': 'req_0123' },
  });
  const sentences: [unknown, string][] = [
    [refused, 'Could not connect to the service. Check that it is running and can be reached.'],
    [limited, 'Too many requests were sent to the service in a short time.'],
    [
      AgentError.from(limited, { provider: 'openai' }),
      'Too many requests were sent to OpenAI in a short time.',
    ],
  ];
  for (const [error, sentence] of sentences) {
    test(`begins with the sentence for the user: ${sentence}`, async () => {
      const state = { errorInfo: { error, capabilityName: 'search' } };
      const { messages } = await new ErrorNode().execute(state);
      const lines = messages[0].content.split('\n');
      assert.match(lines[0] ?? '', /^⚠️ \*\*Error report\*\* - /);
      assert.ok(lines[2]?.startsWith(sentence), lines[2]);
      const beforeDetails = messages[0].content.slice(0, messages[0].content.indexOf('```json'));
      assert.doesNotMatch(beforeDetails, /ECONNREFUSED|127\.0\.0\.1|HTTP|rule|elephants/);
      assert.doesNotMatch(messages[0].content, /elephants|rule /);
      assert.match(buildExplanationPrompt(createErrorContext(state)), new RegExp(sentence));
    });
  }

  test('has the words of the application as its message', () => {
    const error = new Error('Missing required parameter');
    assert.match(
      renderReport(createErrorContext({ errorInfo: { error } })),
      /\*\*Error message:\*\* Missing required parameter/,
    );
  });

  test('is in one language, the sentence too', async () => {
    const { messages } = await new ErrorNode({ locale: 'de' }).execute({ errorInfo: { error: limited } });
    assert.match(
      messages[0].content,
      /Fehlerbericht.*\n\nAn den Dienst wurden in kurzer Zeit zu viele Anfragen gesendet/,
    );
    const own = { error: limited, classification: { userMessage: 'Closed.' } };
    assert.match(renderReport(createErrorContext({ errorInfo: own }), { locale: 'de' }), /\n\nClosed\.\n\n/);
  });
});

test('the error step has a name and a description for its graph', () => {
  const node = new ErrorNode();
  assert.deepEqual([node.name, node.description], ['error', 'Error Response Generation']);
});

test('validation errors are not retried, and say why the run was aborted', () => {
  const classification = {
    severity: 'critical' as const,
    userMessage: 'Configuration error',
    metadata: {
      technicalDetails: 'api_key',
      safetyAbortReason: 'Configuration validation failed: api_key',
      suggestions: ['Check configuration parameters', 'Verify required fields'],
    },
  };
  assert.deepEqual(route({ error: new TypeError('api_key'), capabilityName: 'x', classification }), {
    next: 'error',
    reason: 'Configuration validation failed: api_key',
  });
});

test('a retriable error without a capability goes to the error step, and says so in its event', () => {
  const events: HalfopenEvent[] = [];
  const stop = onEvent((event) => events.push(event));
  const error = new AgentError('TIMEOUT', 'took too long');
  const routed = route({ error });
  stop();
  assert.deepEqual(routed, { next: 'error', reason: error.userMessage() });
  assert.deepEqual(
    events.map((event) => event.type === 'recovery.routed' && event.next),
    ['error'],
  );
  const node = route({ error, nodeName: 'planner' });
  assert.ok(node.next === 'retry' && node.capability === 'planner');
});

test('a capability has its own classifier, which gets the capability, the task and the call of the error', () => {
  const seen: unknown[] = [];
  const classify: Classifier = (error, context) => {
    seen.push([error, context]);
    return { severity: 'replanning', userMessage: 'No such gate', metadata: { replanningReason: 'gone' } };
  };
  const error = new AgentError('NOT_FOUND', 'x', { provider: { provider: 'openai', model: 'gpt-5-mini' } });
  const info: ErrorInfo = { error, capabilityName: 'gates', classify };
  assert.deepEqual(route(info, { currentTask: 'Find the gate' }), {
    next: 'orchestrator',
    reason: 'gone',
    requiredContext: [],
  });
  const { classification } = createErrorContext({ currentTask: 'Find the gate', errorInfo: info });
  assert.deepEqual(
    [classification.code, classification.severity, classification.userMessage],
    ['NOT_FOUND', 'replanning', 'No such gate'],
  );
  const context = { capability: 'gates', task: 'Find the gate', provider: 'openai', model: 'gpt-5-mini' };
  assert.deepEqual(seen, [
    [error, context],
    [error, context],
  ]);
  route({ error: new Error('x'), nodeName: 'planner', classify });
  assert.deepEqual((seen[2] as [unknown, ClassifyContext])[1], { capability: 'planner', task: undefined });
});

test('what the application says of this very error outranks the classifier, field by field', () => {
  const classify = () => ({ code: 'IO_ERROR' as const, severity: 'replanning' as const });
  const { classification } = createErrorContext({
    errorInfo: {
      error: new Error('x'),
      classify,
      classification: { severity: 'fatal', code: undefined as never },
    },
  });
  assert.deepEqual([classification.code, classification.severity], ['IO_ERROR', 'fatal']);
});

test('a classifier that throws passes, an async one is a TypeError; the error step says both and goes on', async () => {
  const thrower = () => {
    throw new Error('classifier broken');
  };
  const error = new AgentError('TIMEOUT', 'took too long');
  assert.equal(route({ error, capabilityName: 'search', classify: thrower }).next, 'retry');
  const wrong = async () => ({ severity: 'fatal' as const });
  for (const classify of [wrong, 'fatal'] as never[]) {
    assert.throws(
      () => route({ error, classify }),
      /TypeError.*'classify' must be a function that is not async/s,
    );
    assert.throws(() => createErrorContext({ errorInfo: { error, classify } }), TypeError);
  }
  for (const [classify, said] of [
    [thrower, /classifier broken/],
    [wrong, /must be a function that is not async/],
    [() => Promise.resolve({}), /must return a classification/],
  ] as [never, RegExp][]) {
    const debug: unknown[][] = [];
    const node = new ErrorNode({
      complete: async () => 'explained',
      onDebug: (message, details) => debug.push([message, details.error]),
    });
    const { context } = await node.execute({ errorInfo: { error, capabilityName: 'search', classify } });
    assert.equal(context.classification.code, 'TIMEOUT');
    assert.equal(debug[0]?.[0], 'The classifier was ignored');
    assert.match(String(debug[0]?.[1]), said);
    assert.equal(debug.length, 1);
  }
});

test("a policy's classifier gets the task of the call and, where the policy has a name, the capability", async () => {
  const seen: unknown[] = [];
  const classify: Classifier = (_, { provider, model, capability, task }) => {
    seen.push({ provider, model, capability, task });
    return undefined;
  };
  const options = { retry: false as const, provider: 'openai', model: 'gpt-5-mini', classify };
  const named = createPolicy({ ...options, name: 'search' });
  const unnamed = createPolicy(options);
  await named.respond(() => Promise.reject(new Error('x')), { task: 'Find papers' });
  await unnamed.respond(() => Promise.reject(new Error('x')));
  named.dispose();
  unnamed.dispose();
  const call = { provider: 'openai', model: 'gpt-5-mini' };
  assert.deepEqual(seen, [
    { ...call, capability: 'search', task: 'Find papers' },
    { ...call, capability: undefined, task: undefined },
  ]);
});

test('technical details hold the text of the exception, without secrets', () => {
  const key = `sk-proj-${'a1B2'.repeat(10)}`;
  const detailsOf = (errorInfo: ErrorInfo) =>
    createErrorContext({ errorInfo }).classification.metadata.technicalDetails;
  assert.match(
    detailsOf({ error: new TypeError(`no field with ${key}`) }) ?? '',
    /^TypeError: no field with \[redacted\]/,
  );
  assert.match(detailsOf({ error: 'took too long' }) ?? '', /took too long/);
  const own = { metadata: { technicalDetails: 'disk full' } };
  assert.equal(detailsOf({ error: new AgentError('IO_ERROR', 'x', own) }), 'disk full');
  // A provider's response may quote the prompt.
  const answered = Object.assign(new Error('429 you said CANARYPROMPT'), { status: 429 });
  assert.ok(!detailsOf({ error: answered })?.includes('CANARY'));
});

test('technical details that the application wrote stay as given, but for secrets, wherever they are read', async () => {
  const key = `sk-proj-${'a1B2'.repeat(10)}`;
  const given = { metadata: { technicalDetails: `shard 7 · Error: torn page · ${key}` } };
  const expected = 'shard 7 · Error: torn page · [redacted]';
  const thrown: Record<string, unknown> = {
    'an AgentError with a cause': new AgentError('IO_ERROR', 'x', {
      ...given,
      cause: new Error('torn page'),
    }),
    'an AgentError': new AgentError('IO_ERROR', 'x', given),
    'an error': new Error('EIO'),
    'an answer of a provider': Object.assign(new Error('429 too many'), { status: 429 }),
  };
  for (const [name, error] of Object.entries(thrown)) {
    const isOwn = AgentError.is(error);
    const events: HalfopenEvent[] = [];
    const debugged: unknown[] = [];
    const policy = createPolicy({
      retry: false,
      ...(!isOwn && { classify: () => ({ code: 'IO_ERROR', ...given }) }),
      onEvent: (event) => void events.push(event),
      onDebug: (_message, details) => void debugged.push(details.technicalDetails),
    });
    const failed = await policy.execute(() => Promise.reject(error)).catch((final: unknown) => final);
    assert.ok(AgentError.is(failed), name);
    const inReport = isOwn ? { error } : { error, classification: { code: 'IO_ERROR' as const, ...given } };
    const context = createErrorContext({ errorInfo: inReport });
    const attempt = events.find(({ type }) => type === 'attempt.failed') as { technicalDetails?: string };
    const read: Record<string, unknown> = {
      toJSON: (failed.toJSON().metadata as { technicalDetails?: string }).technicalDetails,
      event: attempt.technicalDetails,
      onDebug: debugged[0],
      formatErrorMessage: formatErrorMessage(failed, { technicalDetails: true }).split(
        'Technical details: ',
      )[1],
      context: context.classification.metadata.technicalDetails,
      'context of what the policy threw': createErrorContext({ errorInfo: { error: failed } }).classification
        .metadata.technicalDetails,
      report: /"technicalDetails": "(.*)"/.exec(renderReport(context))?.[1],
    };
    for (const [where, text] of Object.entries(read)) assert.equal(text, expected, `${name}, ${where}`);
  }
});

test('one suggestion may be a plain string', () => {
  const error = new AgentError('NOT_FOUND', 'x', { metadata: { suggestions: 'Ask the user' } });
  assert.deepEqual(error.metadata.suggestions, ['Ask the user']);
  const metadata = { suggestions: 'Ask the user' } as never;
  const context = createErrorContext({ errorInfo: { error: new Error('x'), classification: { metadata } } });
  assert.deepEqual(context.classification.metadata.suggestions, ['Ask the user']);
  const list = new AgentError('NOT_FOUND', 'x', { metadata: { suggestions: ['a', 'b'] } });
  assert.deepEqual(list.metadata.suggestions, ['a', 'b']);
});

test('a context and its report are what they were as JSON: numbers, order, absence', () => {
  const context = createErrorContext({ retryCount: 2, errorInfo: { error: 'x', executionTime: 2.5 } });
  assert.deepEqual(Object.keys(context), [
    'classification',
    'errorMessage',
    'currentTask',
    'failedOperation',
    'totalOperations',
    'executionTime',
    'retryCount',
    'successfulSteps',
    'failedSteps',
  ]);
  assert.equal(Object.getPrototypeOf(context), Object.prototype);
  const metadata = {
    z: 3,
    y: 2.5,
    x: -0,
    w: 2 ** 53 + 2,
    v: 1e19,
    u: -(2 ** 60),
    t: 1e300,
    s: null,
    r: undefined,
    q: [true, { p: '\ud800' }],
    o: Number.NaN,
  };
  const report = renderReport({ ...context, classification: { ...context.classification, metadata } });
  const json = report.slice(report.indexOf('{'), report.lastIndexOf('}') + 1);
  assert.deepEqual(
    json.replaceAll(/\s/g, ''),
    [
      '{"o":"NaN","q":[true,{"p":"\ufffd"}],"s":null,"t":1e+300,"u":-1152921504606847000,',
      '"v":10000000000000000000,"w":9007199254740994,"x":0,"y":2.5,"z":3}',
    ].join(''),
  );
});

test('the orchestrator learns the reason and the context that a new plan needs', () => {
  const classification = {
    severity: 'replanning' as const,
    metadata: {
      replanningReason: 'Missing required input data',
      requiredContext: ['SENSOR_DATA', 'TIME_RANGE'],
    },
  };
  assert.deepEqual(
    route({ error: new Error("Step expected 'SENSOR_DATA' but found None"), classification }),
    {
      next: 'orchestrator',
      reason: 'Missing required input data',
      requiredContext: ['SENSOR_DATA', 'TIME_RANGE'],
    },
  );
});

test('a fatal error ends the run with the error itself', () => {
  const error = new AgentError('INITIALIZATION_ERROR', 'no configuration');
  assert.deepEqual(route({ error }), { next: 'abort', error });
  const cause = new Error('boom');
  const routed = route({ error: cause, classification: { severity: 'fatal' } });
  assert.ok(routed.next === 'abort' && routed.error.severity === 'fatal' && routed.error.cause === cause);
});

test('where it went is told as an event', () => {
  const events: HalfopenEvent[] = [];
  const stop = onEvent((event) => events.push(event));
  route({ error: new AgentError('TIMEOUT', 'x'), capabilityName: 'a' }, { retryCount: 3 });
  route({ error: new AgentError('TIMEOUT', 'x'), capabilityName: 'a' });
  stop();
  assert.deepEqual(
    events.map((event) => event.type === 'recovery.routed' && [event.severity, event.next]),
    [
      ['retriable', 'error'],
      ['retriable', 'retry'],
    ],
  );
});

test('a wrong number is a TypeError that names it', () => {
  const error = new Error('x');
  assert.throws(() => route({ error, retryPolicy: { delaySeconds: -1 } }), /TypeError.*delaySeconds/s);
  assert.throws(() => route({ error, retryPolicy: { maxAttempts: Number.NaN } }), TypeError);
  assert.throws(() => route({ error, retryPolicy: { attempts: 3 } as never }), /maxAttempts|attempts/);
  assert.throws(() => route({ error }, { retryCount: -1 }), /retryCount/);
  assert.throws(() => renderReport(createErrorContext({}), { now: Number.NaN }), /now/);
  assert.throws(() => new ErrorNode({ timeoutMs: -5 }), /timeoutMs/);
  assert.throws(() => new ErrorNode({ complete: 'gpt' as never }), /complete/);
});

test('causes are kept through model and agent, and shown once', () => {
  const cause = Object.assign(new Error('429 slow down'), { status: 429 });
  const model = AgentError.from(cause, { layer: 'model', provider: 'openai' });
  const context = createErrorContext({ errorInfo: { error: model, capabilityName: 'answer' } });
  assert.equal(context.classification.code, 'RATE_LIMITED');
  assert.equal(model.cause, cause);
  assert.match(renderReport(context), /LLM_FAILED \(RATE_LIMITED, retriable\)/);
});

test('several tools that failed at once are one error in the report', () => {
  const all = AgentError.aggregate([
    new AgentError('TIMEOUT', 'a'),
    new AgentError('PERMISSION_DENIED', 'b'),
  ]);
  const context = createErrorContext({ errorInfo: { error: all, nodeName: 'tools' } });
  assert.equal(context.classification.code, 'PERMISSION_DENIED');
  assert.match(context.errorMessage, /TIMEOUT: a; PERMISSION_DENIED: b/);
});

test('an iteration limit goes through route, report and message', () => {
  const limit = iterationLimit(1);
  limit.next();
  let error: unknown;
  try {
    limit.next();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(AgentError.is(error));
  assert.equal(route({ error }).next, 'error');
  const context = createErrorContext({ errorInfo: { error, nodeName: 'agent' } });
  assert.match(renderReport(context), /MAX_ITERATIONS_EXCEEDED/);
  assert.ok(context.classification.userMessage.length > 10);
});

test('no secret gets into a report or a prompt', () => {
  const key = `sk-proj-${'a1B2'.repeat(10)}`;
  const context = createErrorContext({
    currentTask: `use ${key}`,
    errorInfo: {
      error: new Error(`Incorrect API key provided: ${key}`),
      capabilityName: 'x',
      classification: { metadata: { technicalDetails: key, apiKey: key, suggestions: [key] } },
    },
    stepResults: { a: { taskObjective: `call with ${key}` } },
  });
  for (const text of [renderReport(context), buildExplanationPrompt(context)]) {
    assert.ok(!text.includes(key), text);
  }
});

const state: AgentState = {
  currentTask: 'Find papers',
  errorInfo: { error: new AgentError('TIMEOUT', 'took too long'), capabilityName: 'search' },
};
const ALONE = /\n\n\*\*Analysis:\*\* No explanation could be made this time; the report above/;

test('the error step reports, and has it explained in 500 tokens', async () => {
  const asked: unknown[] = [];
  const node = new ErrorNode({
    capabilities: 'search: finds papers',
    complete: async (prompt, { maxTokens, signal }) => {
      asked.push(maxTokens, signal.aborted, prompt.includes('search: finds papers'));
      return '  The search took too long. Try a narrower question.  ';
    },
  });
  const { messages, context } = await node.execute(state);
  assert.deepEqual(asked, [500, false, true]);
  assert.equal(messages.length, 1);
  assert.equal(messages[0].role, 'assistant');
  assert.match(messages[0].content, /^⚠️ \*\*Error report\*\* - /);
  assert.ok(
    messages[0].content.endsWith('\n\n**Analysis:** The search took too long. Try a narrower question.'),
  );
  assert.equal(context.currentTask, 'Find papers');
});

for (const [name, complete] of Object.entries({
  rejects: () => Promise.reject(new Error('model down')),
  throws: () => {
    throw new Error('model down');
  },
  'says nothing': () => Promise.resolve('  \n'),
  'gives no text': () => Promise.resolve(undefined as never),
})) {
  test(`the report stands alone when the model ${name}`, async () => {
    const told: unknown[] = [];
    const onDebug = (message: string, details: Record<string, unknown>) =>
      told.push(message, typeof details.error);
    const { messages } = await new ErrorNode({ complete, onDebug }).execute(state);
    assert.match(messages[0].content, ALONE);
    assert.deepEqual(told, ['No explanation', 'string']);
  });
}

test('the report stands alone without a model, in the language that was asked for', async () => {
  assert.match((await new ErrorNode().execute(state)).messages[0].content, ALONE);
  const german = await new ErrorNode({ locale: 'de' }).execute(state);
  assert.match(german.messages[0].content, /\*\*Analyse:\*\* Eine Erklärung war diesmal nicht möglich/);
});

test('a model that never answers is aborted after the timeout', async () => {
  const clock = new VirtualClock(0);
  let signal: AbortSignal | undefined;
  const node = new ErrorNode({
    clock,
    timeoutMs: 5000,
    complete: (_, options) => {
      signal = options.signal;
      return new Promise(() => {});
    },
  });
  const executed = node.execute(state);
  await clock.advance(4999);
  assert.equal(signal?.aborted, false);
  await clock.advance(1);
  assert.match((await executed).messages[0].content, ALONE);
  assert.equal(signal?.aborted, true);
  assert.equal(clock.pending, 0);
});

test('whatever the state, the error step never rejects', async () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );
  for (const wrong of [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    hostile,
    { errorInfo: hostile },
    { errorInfo: { error: hostile } },
    { stepResults: hostile },
    { stepResults: { a: null } },
  ]) {
    const { messages, context } = await new ErrorNode().execute(wrong as never);
    assert.match(messages[0].content, /Error report/);
    assert.equal(typeof context.errorMessage, 'string');
  }
});

test('an error in the error step is fatal, so that it cannot loop', () => {
  for (const error of [new AgentError('TIMEOUT', 'x'), new Error('x'), null]) {
    const classification = ErrorNode.classifyError(error);
    assert.equal(classification.severity, 'fatal');
    assert.equal(classification.retryable, false);
    assert.equal(route({ error, classification }).next, 'abort');
  }
});

test('errors that are told at the same time are each whole, and each of its own call', async () => {
  const told: [string, AgentErrorResponse][] = [];
  const policy = createPolicy({
    retry: false,
    breaker: false,
    onError: (span, error) => told.push([span.traceId, error]),
  });
  const statuses = Array.from({ length: 30 }, (_, n) => [429, 500, 503][n % 3]);
  await Promise.allSettled(
    statuses.map((status) =>
      policy.execute(async () => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        throw Object.assign(new Error(`status ${status}`), { status });
      }),
    ),
  );
  assert.equal(new Set(told.map(([traceId]) => traceId)).size, statuses.length);
  assert.deepEqual(told.map(([, error]) => error.metadata?.statusCode).sort(), [...statuses].sort());
  for (const [, error] of told) {
    assert.deepEqual([error.success, error.retryable], [false, true], error.error);
    assert.match(error.message, /^\w.{10}/);
  }
});

test('an error without a message has a report all the same', () => {
  const context = createErrorContext({ errorInfo: { error: new Error(''), capabilityName: 'search' } });
  assert.equal(context.errorMessage, 'Unknown error occurred');
  assert.match(renderReport(context), /Unknown error occurred/);
});
