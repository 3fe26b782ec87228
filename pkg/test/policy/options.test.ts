// Wrong options are TypeErrors at once that name the option, what was expected and what came.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CircuitBreaker, createPolicy, RetryBudget } from 'halfopen';

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
    /execute expects a function, got a promise, which runs already: give it \(\) => …$/,
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

test('what is wrong is named, with what was expected and what came', () => {
  // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose.
  const cases: [any, RegExp, RegExp][] = [
    [{ retry: { baseDelayMs: -1 } }, /'retry\.baseDelayMs'/, /got -1/],
    [{ retry: { maxRetries: Number.NaN } }, /'retry\.maxRetries'/, /got NaN/],
    [{ retry: { maxRetries: 1.5 } }, /'retry\.maxRetries'/, /whole number.*got 1\.5/],
    [{ retry: { jitter: 2 } }, /'retry\.jitter'/, /got 2/],
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
    [{ breaker: { slowCall: { durationMs: 5, rate: 0.5 } } }, /'breaker\.slowCall'/, /window/],
    [{ bulkhead: {} }, /'bulkhead\.maxConcurrent'/, /got undefined/],
    [{ rateLimit: { limit: 5 } }, /'rateLimit\.windowMs'/, /got undefined/],
    [{ fallback: 'sorry' }, /'fallback'/, /a function, got 'sorry'/],
    [{ clock: {} }, /'clock'/, /a clock/],
    [{ name: 5 }, /'name'/, /a string, got 5/],
    [{ seed: '1' }, /'seed'/, /got '1'/],
    [{ preset: 'agents' }, /'preset'/, /got 'agents'/],
    [{ retries: 3 }, /'retries'/, /did you mean 'retry'/],
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
