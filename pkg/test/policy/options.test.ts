// Wrong options are TypeErrors at once that name the option, what was expected and what came.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AgentError,
  CircuitBreaker,
  calculateExponentialBackoff,
  createPolicies,
  createPolicy,
  failover,
  RetryBudget,
  RetryHandler,
} from 'halfopen';
import { rejection, rejectsWith } from './given.js';

const policy = createPolicy();
const throws = (run: () => unknown, ...parts: RegExp[]): void => {
  assert.throws(run, (error) => {
    assert.ok(error instanceof TypeError, String(error));
    for (const part of parts) assert.match(error.message, part);
    return true;
  });
};

test('a function that is none is named, with what came; a promise, with how to write it', () => {
  throws(() => policy.execute(undefined as never), /^halfopen: execute expects a function, got undefined$/);
  throws(
    () => policy.execute(Promise.resolve(1) as never),
    /execute expects a function, got a promise \(already running\): pass a function, \(\) => yourPromise\(\)$/,
  );
  throws(() => policy.respond({} as never), /respond expects a function, got an object$/);
  throws(() => policy.stream([] as never), /stream expects a function, got an array$/);
  throws(() => policy.wrap('x' as never), /wrap expects a function, got 'x'$/);
  throws(() => policy.onEvent(1 as never), /onEvent expects a function, got 1$/);
});

test('options that are no object are named by whose they are', () => {
  throws(
    () => createPolicy('openai' as never),
    /^halfopen: createPolicy expects an object of options, got 'openai'$/,
  );
});

test('a wrong option is named, with the expected and the actual value', () => {
  // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose.
  const cases: [any, RegExp, RegExp][] = [
    [{ retry: { baseDelayMs: -1 } }, /'retry\.baseDelayMs'/, /got -1/],
    [{ retry: { maxRetries: Number.NaN } }, /'retry\.maxRetries'/, /got NaN/],
    [{ retry: { maxRetries: 1.5 } }, /'retry\.maxRetries'/, /whole number.*got 1\.5/],
    [{ retry: { jitter: 2 } }, /'retry\.jitter'/, /got 2/],
    [
      { retry: { enabled: false, maxRetries: 3, enableJitter: false, jitter: 'full' } },
      /'retry\.jitter'/,
      /left out where retry\.enableJitter is false, got 'full'/,
    ],
    [{ retry: { jitter: 'half' } }, /'retry\.jitter'/, /'full', 'equal', 'decorrelated'.*got 'half'/],
    [{ retry: { retryOn: ['TIMEOUTS'] } }, /'retry\.retryOn\[0\]'/, /did you mean 'TIMEOUT'/],
    [{ retry: true }, /'retry'/, /got true/],
    [{ retry: { maxRetry: 1 } }, /'retry\.maxRetry'/, /did you mean 'maxRetries'/],
    [{ timeout: { attemptMs: 0 } }, /'timeout\.attemptMs'/, /above 0, got 0/],
    [{ timeout: { attempMs: 5 } }, /'timeout\.attempMs'/, /did you mean 'attemptMs'/],
    [{ timeout: 5000 }, /'timeout'/, /an object, got 5000/],
    [{ breaker: { failureThreshold: 0 } }, /'breaker\.failureThreshold'/, /1 or more, got 0/],
    [{ breaker: { window: { kind: 'count' } } }, /'breaker\.window\.size'/, /got undefined/],
    [
      { breaker: { window: { kind: 'time', size: 5, failureRate: 0.5 } } },
      /window\.durationMs/,
      /kind 'time'/,
    ],
    [{ breaker: { window: { kind: 'count', size: 5, failureRate: 50 } } }, /window\.failureRate/, /got 50/],
    [
      { breaker: { window: { kind: 'count', size: 5, durationMs: 9, failureRate: 0.5 } } },
      /'breaker\.window\.durationMs'/,
      /left out for kind 'count', got 9/,
    ],
    [{ breaker: { window: { kind: 'count', size: 5 } } }, /'breaker\.window\.failureRate'/, /got undefined/],
    [{ breaker: { slowCall: { durationMs: 5, rate: 0.5 } } }, /'breaker\.slowCall'/, /window/],
    [
      { breaker: { window: { kind: 'count', size: 5, failureRate: 0.5 }, slowCall: { durationMs: 5 } } },
      /'breaker\.slowCall'/,
      /\{ durationMs, rate \}/,
    ],
    [{ breaker: { throttle: 2 } }, /'breaker\.throttle'/, /an object, got 2/],
    [{ breaker: { throttle: { k: 0.5 } } }, /'breaker\.throttle\.k'/, /1 or more, got 0\.5/],
    [{ breaker: { throttle: { windowMs: 0 } } }, /'breaker\.throttle\.windowMs'/, /above 0, got 0/],
    [{ breaker: { throttle: { minimumCalls: 1.5 } } }, /'breaker\.throttle\.minimumCalls'/, /got 1\.5/],
    [{ breaker: { throttle: { K: 2 } } }, /'breaker\.throttle\.K'/, /did you mean 'k'/],
    [
      { breaker: { throttle: {}, failureThreshold: 3 } },
      /'breaker\.failureThreshold'/,
      /left out together with breaker\.throttle, got 3/,
    ],
    [
      { breaker: { throttle: {}, window: { kind: 'count', size: 5, failureRate: 0.5 } } },
      /'breaker\.window'/,
      /left out together with/,
    ],
    [
      { breaker: { throttle: {}, slowCall: { durationMs: 5, rate: 0.5 } } },
      /'breaker\.slowCall'/,
      /left out together with/,
    ],
    [{ breaker: { throttle: {}, rampMs: 0 } }, /'breaker\.rampMs'/, /left out together with/],
    [{ breaker: { rampMs: -1 } }, /'breaker\.rampMs'/, /0 or more, got -1/],
    [{ breaker: { seed: Number.NaN } }, /'breaker\.seed'/, /got NaN/],
    [{ bulkhead: {} }, /'bulkhead\.maxConcurrent'/, /got undefined/],
    [{ rateLimit: { limit: 5 } }, /'rateLimit\.windowMs'/, /got undefined/],
    [
      { rateLimit: { limit: 5, windowMs: 1000, unit: 'bytes' } },
      /'rateLimit\.unit'/,
      /'tokens'.*got 'bytes'/,
    ],
    [{ rateLimit: 5 }, /'rateLimit'/, /got 5/],
    [{ rateLimit: [5] }, /'rateLimit\[0\]'/, /an object, got 5/],
    [
      { rateLimit: [{ limit: 5, windowMs: 1000 }, { windowMs: 5 }] },
      /'rateLimit\[1\]\.limit'/,
      /got undefined/,
    ],
    [{ rateLimit: [{ limit: 0, windowMs: 1000 }] }, /'rateLimit\[0\]\.limit'/, /1 or more, got 0/],
    [{ fallback: 'sorry' }, /'fallback'/, /a function, got 'sorry'/],
    [{ clock: {} }, /'clock'/, /a clock/],
    [{ name: 5 }, /'name'/, /a string, got 5/],
    [{ seed: '1' }, /'seed'/, /got '1'/],
    [{ preset: 'agents' }, /'preset'/, /got 'agents'/],
    [{ retries: 3 }, /'retries'/, /did you mean 'retry'/],
    [{ retry: { max: 3 } }, /'retry\.max'/, /did you mean 'maxRetries'/],
    [{ retry: { delay: 3 } }, /'retry\.delay'/, /did you mean 'baseDelayMs'/],
    [{ maxRetries: 3 }, /'maxRetries'/, /did you mean 'retry\.maxRetries'/],
    [{ attemptMs: 3 }, /'attemptMs'/, /did you mean 'timeout\.attemptMs'/],
    [
      { breaker: { failureRate: 0.5 } },
      /'breaker\.failureRate'/,
      /did you mean 'breaker\.window\.failureRate'/,
    ],
    [{ onEvents: () => {} }, /'onEvents'/, /did you mean 'onEvent'/],
    [null, /createPolicy/, /got null/],
    [[], /createPolicy/, /an array/],
  ];
  for (const [options, ...parts] of cases) throws(() => createPolicy(options), ...parts);
});

test('calls, breakers, budgets and updates are checked in the same way', () => {
  throws(
    () => policy.execute(() => 1, { singal: new AbortController().signal } as never),
    /'singal'/,
    /'signal'/,
  );
  throws(() => policy.execute(() => 1, { estimatedTokens: -1 }), /'estimatedTokens'/, /got -1/);
  throws(() => new CircuitBreaker({ throttle: {}, failureThreshold: 1 }), /'failureThreshold'/, /throttle/);
  throws(() => policy.execute(() => 1, { signal: {} as never }), /'signal'/, /an AbortSignal/);
  throws(() => policy.stream(async function* () {}, { stallTimeoutMs: -5 }), /'stallTimeoutMs'/);
  throws(() => policy.stream(async function* () {}, { onBreak: 'again' as never }), /'onBreak'/, /'restart'/);
  throws(() => policy.wrap(() => 1, { arg: 1 } as never), /'arg'/, /'args'/);
  throws(() => policy.wrap(5 as never), /function/);
  throws(() => policy.update({ name: 'x' } as never), /'name'/);
  throws(() => policy.update({ retry: { maxRetries: -1 } }), /'retry\.maxRetries'/);
  throws(() => new CircuitBreaker({ resetTimeoutMs: -1 }), /'resetTimeoutMs'/);
  throws(() => new CircuitBreaker().recordFailure(-1), /'durationMs'/);
  throws(() => new RetryBudget({ ratio: 2 }), /'ratio'/);
  throws(() => policy.onEvent(5 as never), /function/);
});

test('undefined is as good as absent, and nothing inherited from a prototype is an option', () => {
  assert.doesNotThrow(() =>
    createPolicy({ retry: undefined, timeout: { attemptMs: undefined }, fallback: undefined }),
  );
  throws(
    () => createPolicy(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}')),
    /constructor|__proto__/,
  );
});

test('making a policy draws no randomness, sets no timer and touches no global', () => {
  const random = Math.random;
  const timeout = globalThis.setTimeout;
  const now = performance.now;
  const broken = (): never => assert.fail('touched');
  Math.random = broken;
  globalThis.setTimeout = broken as never;
  performance.now = broken;
  try {
    createPolicy({
      timeout: { attemptMs: 1 },
      rateLimit: { limit: 1, windowMs: 1 },
      retry: { budget: { ratio: 0.1 } },
    });
    new CircuitBreaker();
    new RetryBudget();
  } finally {
    Math.random = random;
    globalThis.setTimeout = timeout;
    performance.now = now;
  }
});

test("retryOn: the types 'unknown' and 'validation' name nothing that is retried, and say so", () => {
  const list = (name: string) => ({ retryOn: ['network', name] as never });
  const unknown = /'retry\.retryOn\[1\]' is 'unknown': a type stands for the retryable errors.*'UNKNOWN'/;
  throws(() => createPolicy({ retry: list('unknown') }), unknown);
  throws(() => policy.update({ retry: list('unknown') }), unknown);
  throws(() => policy.execute(() => 1, { retry: list('unknown') }), unknown);
  throws(
    () => createPolicy({ retry: list('validation') }),
    /'retry\.retryOn\[1\]' is 'validation': .*'VALIDATION_ERROR'/,
  );
  throws(() => new RetryHandler(list('unknown')), /'retryOn\[1\]' is 'unknown'/);
  throws(() => createPolicy({ retry: list('unknwn') }), /must be one of the error codes and types/);
});

test('a bound below what it bounds, both given, is a TypeError: in a policy, an update, a call, and across them', () => {
  const base = { retry: { baseDelayMs: 500, maxDelayMs: 100 } };
  const delays = /^halfopen: option 'retry\.baseDelayMs' must be at most retry\.maxDelayMs \(100\), got 500$/;
  throws(() => createPolicy(base), delays);
  throws(() => createPolicies(base), delays);
  throws(() => policy.update(base), delays);
  for (const call of [
    () => policy.execute(() => 1, base),
    () => policy.respond(() => 1, base),
    () => policy.stream(async function* () {}, base),
    () => policy.wrap(() => 1, base),
  ])
    throws(call, delays);
  const timeout = { attemptMs: 5000, totalMs: 1000 };
  const times = /'timeout\.attemptMs' must be at most timeout\.totalMs \(1000\), got 5000/;
  throws(() => createPolicy({ timeout }), times);
  const bounded = createPolicy({ timeout: { totalMs: 1000 }, retry: { maxDelayMs: 100 } });
  throws(() => bounded.execute(() => 1, { timeout: { attemptMs: 5000 } }), times);
  throws(() => bounded.execute(() => 1, { retry: { baseDelayMs: 500 } }), delays);
  throws(() => bounded.update({ timeout }), times);
});

test('defaults are no bounds that were given, nor is Infinity; the backoff alone goes on capping', () => {
  // The preset's maxDelayMs is 10000, its baseDelayMs 1000.
  createPolicy({ retry: { baseDelayMs: 20_000 } });
  createPolicy({ retry: { maxDelayMs: 10 } });
  createPolicy({ timeout: { attemptMs: Number.POSITIVE_INFINITY, totalMs: 10 } });
  assert.equal(
    calculateExponentialBackoff(1, { baseDelayMs: 500, maxDelayMs: 100, enableJitter: false }),
    100,
  );
  assert.equal(new RetryHandler({ baseDelayMs: 500, maxDelayMs: 100 }).getDelay('x'), 100);
});

test("a typo in a call's options names the method; a policy is not made by new; a method needs its policy", async () => {
  throws(
    () => policy.respond(() => 1, { sigal: 1 } as never),
    /unknown option 'sigal' of respond; did you mean 'signal'/,
  );
  throws(() => policy.execute(() => 1, { sigal: 1 } as never), /of execute/);
  const Made = policy.constructor as new () => unknown;
  throws(() => new Made(), /make a Policy with createPolicy\(options\), not with new Policy\(\)/);
  const { execute, respond, stream, wrap, update, onEvent } = policy;
  for (const [name, method] of Object.entries({ execute, respond, stream, wrap, update, onEvent })) {
    const detached = method as (operation: () => number) => unknown;
    throws(
      () => detached(() => 1),
      new RegExp(`^halfopen: ${name} was called without its policy: call policy\\.${name}`),
    );
    throws(() => ({ detached }).detached(() => 1), /without its policy/);
  }
});

test('after dispose, respond tells users that the assistant was shut down, in their language', async () => {
  const disposed = createPolicy({ name: 'shop' });
  const waiting = disposed.execute(() => new Promise(() => {}));
  disposed.dispose();
  const response = await disposed.respond(() => 1);
  assert.ok(!response.success);
  assert.equal(response.error, 'CANCELLED');
  assert.match(response.message, /was shut down\. Start it again/);
  const error = await rejection(waiting);
  assert.equal(error.message, "Policy 'shop' is disposed");
  assert.match(error.userMessage('de'), /weil der Assistent beendet wurde/);
});

test('CIRCUIT_OPEN names the provider that it knows', async () => {
  const options = {
    retry: false,
    breaker: { failureThreshold: 1 },
    provider: 'openai',
    model: 'gpt-4o',
  } as const;
  const guarded = createPolicy(options);
  await rejection(guarded.execute(() => Promise.reject(new AgentError('SERVER_ERROR', 'down'))));
  const refused = await rejectsWith(
    guarded.execute(() => 1),
    'CIRCUIT_OPEN',
  );
  assert.deepEqual({ ...refused.provider }, { provider: 'openai', model: 'gpt-4o' });
  assert.match(refused.userMessage(), /^OpenAI has failed several times/);
  const other = await rejection(guarded.execute(() => 1, { provider: 'anthropic' }));
  assert.match(other.userMessage(), /^Anthropic has failed several times/);
  const passedOver = await rejection(failover([{ policy: guarded, run: () => 1 }]));
  assert.match(passedOver.userMessage(), /^OpenAI has failed several times/);
});
