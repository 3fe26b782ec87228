// A policy on the default clock, in tests that use Vitest's fake timers as their users do.
import { AgentError, createPolicy, degrade, type Policy, type PolicyOptions, RetryBudget } from 'halfopen';
import { afterEach, describe, expect, test, vi } from 'vitest';

const down = (): never => {
  throw new AgentError('SERVER_ERROR', 'down');
};
const deaf = (): Promise<never> => new Promise(() => {});
const policyOf = (options: PolicyOptions = {}): Policy => createPolicy({ retry: false, ...options });
const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error) => error.code,
  );

afterEach(() => {
  expect(vi.isFakeTimers() ? vi.getTimerCount() : 0).toBe(0);
  vi.useRealTimers();
});

describe.each([
  ['all of them', undefined],
  ['timers alone: performance.now stays real', ['setTimeout', 'clearTimeout'] as const],
])('fakes %s', (_name, toFake) => {
  const fake = (): void => {
    vi.useFakeTimers(toFake === undefined ? undefined : { toFake: [...toFake] });
  };

  test('retries wait for the fake time, and no longer', async () => {
    fake();
    const operation = vi.fn(down);
    const policy = createPolicy({ retry: { enableJitter: false } });
    const result = code(policy.execute(operation));
    await vi.advanceTimersByTimeAsync(999);
    expect(operation).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(operation).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(2000 + 4000);
    expect(operation).toHaveBeenCalledTimes(4);
    expect(await result).toBe('SERVER_ERROR');
  });

  test('all of it runs in runAllTimersAsync', async () => {
    fake();
    const result = code(createPolicy().execute(down));
    await vi.runAllTimersAsync();
    expect(await result).toBe('SERVER_ERROR');
  });

  test('an attempt is cut off at its timeout, a call at its deadline', async () => {
    fake();
    const attempt = code(policyOf({ timeout: { attemptMs: 1000 } }).execute(deaf));
    const retried = vi.fn(deaf);
    const call = code(
      createPolicy({ timeout: { attemptMs: 1000, totalMs: 3500 }, retry: { enableJitter: false } }).execute(
        retried,
      ),
    );
    const settled = vi.fn();
    attempt.then(settled);
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledExactlyOnceWith('TIMEOUT');
    // 1000 attempt, 1000 wait, 1000 attempt; a wait of 2000 would not end before 3500.
    await vi.advanceTimersByTimeAsync(2000);
    expect(await call).toBe('TIMEOUT');
    expect(retried).toHaveBeenCalledTimes(2);
  });

  test('queued calls get their turn', async () => {
    fake();
    const policy = policyOf({ rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 10_000 } });
    const operation = vi.fn(async () => 'answer');
    const results = [1, 2, 3].map(() => policy.execute(operation));
    await vi.advanceTimersByTimeAsync(0);
    expect(operation).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(operation).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1001);
    expect(await Promise.all(results)).toEqual(['answer', 'answer', 'answer']);
  });

  test('a fallback of degrade answers at its timeout', async () => {
    fake();
    const result = degrade(deaf, { name: 'memory', fallback: 'none', timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(500);
    expect(await result).toBe('none');
  });
});

// Code without timers reads the clock, so that must be faked too, which is Vitest's default.
describe.each([1, 2])('the clock, faked anew (%i)', () => {
  test('a breaker lets a probe through when its reset timeout is over', async () => {
    vi.useFakeTimers();
    const policy = policyOf({ breaker: { failureThreshold: 1, resetTimeoutMs: 60_000 } });
    await code(policy.execute(down));
    vi.advanceTimersByTime(59_999);
    expect(policy.breaker?.state).toBe('open');
    expect(await code(policy.execute(down))).toBe('CIRCUIT_OPEN');
    vi.advanceTimersByTime(1);
    expect(policy.breaker?.state).toBe('half_open');
    expect(await policy.execute(() => 'well')).toBe('well');
    expect(policy.breaker?.state).toBe('closed');
  });

  test('a time window and a budget forget', async () => {
    vi.useFakeTimers();
    const budget = new RetryBudget({ ratio: 0, minPerSecond: 1, windowMs: 1000 });
    const policy = policyOf({
      breaker: { window: { kind: 'time', durationMs: 10_000, failureRate: 1, minimumCalls: 2 } },
    });
    await code(policy.execute(down));
    expect([budget.withdraw(), budget.withdraw()]).toEqual([true, false]);
    vi.advanceTimersByTime(10_000);
    expect(budget.withdraw()).toBe(true);
    await code(policy.execute(down));
    expect(policy.breaker?.state).toBe('closed');
    await code(policy.execute(down));
    expect(policy.breaker?.state).toBe('open');
  });

  test('an hour goes by', () => {
    vi.useFakeTimers();
    policyOf().breaker?.canExecute();
    vi.advanceTimersByTime(3_600_000);
    expect(policyOf().breaker?.canExecute()).toBe(true);
  });

  test('setting the system clock changes nothing', async () => {
    vi.useFakeTimers();
    const policy = policyOf({ breaker: { failureThreshold: 1, resetTimeoutMs: 1000 } });
    await code(policy.execute(down));
    vi.setSystemTime(Date.now() + 86_400_000);
    expect(policy.breaker?.state).toBe('open');
    vi.setSystemTime(0);
    vi.advanceTimersByTime(1000);
    expect(policy.breaker?.state).toBe('half_open');
  });

  test('and real time goes on behind it', async () => {
    vi.useFakeTimers();
    const result = code(
      createPolicy({ retry: { baseDelayMs: 3_600_000, maxDelayMs: 3_600_000 } }).execute(down),
    );
    await vi.runAllTimersAsync();
    await result;
    vi.useRealTimers();
    const policy = policyOf({ breaker: { failureThreshold: 1, resetTimeoutMs: 30 } });
    await code(policy.execute(down));
    expect(policy.breaker?.state).toBe('open');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(policy.breaker?.state).toBe('half_open');
  });
});
