// breaker.json and window.json: a breaker's answers, step by step.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, type BreakerOptions, type BreakerPermit, CircuitBreaker } from 'halfopen';
import { cases } from './cases.js';

interface Case {
  name: string;
  options: BreakerOptions;
  steps: [at: number, action: string, answer: unknown][];
}

function timed(options: BreakerOptions): { breaker: CircuitBreaker; at(time: number): void } {
  let now = 0;
  const clock = { now: () => now, setTimeout: assert.fail, clearTimeout: assert.fail };
  return {
    breaker: new CircuitBreaker({ ...options, clock }),
    at(time) {
      now = time;
    },
  };
}

for (const { name, options, steps } of cases<Case>('breaker')) {
  test(name, () => {
    const { breaker, at } = timed(options);
    const permits = new Map<string, BreakerPermit>();
    const isolations: ReturnType<CircuitBreaker['isolate']>[] = [];
    const permit = (key: string): BreakerPermit => permits.get(key) ?? assert.fail(`no permit ${key}`);
    const actions: Record<string, (key: string, hint?: string) => unknown> = {
      state: () => breaker.state,
      retryAfter: () => breaker.retryAfterMs ?? null,
      can: () => breaker.canExecute(),
      rate: () => breaker.refusalRate,
      acquire(key) {
        const taken = breaker.acquire();
        if (taken !== undefined) permits.set(key, taken);
        return taken !== undefined;
      },
      success: (key) => permit(key).success() ?? null,
      failure(key, hint) {
        if (hint === undefined) permit(key).failure();
        else permit(key).failure(new AgentError('RATE_LIMITED', 'slow down', { retryAfterMs: Number(hint) }));
        return null;
      },
      release: (key) => permit(key).release() ?? null,
      recordSuccess: () => breaker.recordSuccess() ?? null,
      recordFailure: () => breaker.recordFailure() ?? null,
      isolate: () => isolations.push(breaker.isolate()) && null,
      lift: () => isolations.pop()?.dispose() ?? null,
      disable: () => breaker.disable() ?? null,
      reset: () => breaker.reset() ?? null,
    };
    for (const [index, [time, action, answer]] of steps.entries()) {
      const [verb = '', key = '', hint] = action.split(' ');
      at(time);
      assert.equal(actions[verb]?.(key, hint), answer, `step ${index}, ${action} at ${time}`);
    }
  });
}

interface WindowCase {
  name: string;
  options: BreakerOptions;
  results: [at: number, result: 'ok' | 'failed', durationMs: number][];
  opensAfter: number | null;
}

for (const { name, options, results, opensAfter } of cases<WindowCase>('window')) {
  test(name, () => {
    const { breaker, at } = timed(options);
    const opened = results.findIndex(([time, result, durationMs]) => {
      at(time);
      if (result === 'ok') breaker.recordSuccess(durationMs);
      else breaker.recordFailure(durationMs);
      return breaker.state === 'open';
    });
    assert.equal(opened < 0 ? null : opened + 1, opensAfter);
  });
}
