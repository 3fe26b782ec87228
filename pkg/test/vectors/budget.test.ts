// budget.json: what a retry budget grants.
import assert from 'node:assert/strict';
import test from 'node:test';
import { RetryBudget } from 'halfopen';
import { cases } from './cases.js';

interface Case {
  name: string;
  options: { ratio?: number; minPerSecond?: number; windowMs?: number };
  steps: [at: number, action: 'deposit' | 'withdraw' | 'available', count: number, answer: number | null][];
}

for (const { name, options, steps } of cases<Case>('budget')) {
  test(name, () => {
    let now = 0;
    const clock = { now: () => now, setTimeout: assert.fail, clearTimeout: assert.fail };
    const budget = new RetryBudget({ ...options, clock });
    const actions = {
      deposit(count: number) {
        for (let made = 0; made < count; made++) budget.deposit();
        return null;
      },
      withdraw: (count: number) =>
        Array.from({ length: count }, () => budget.withdraw()).filter(Boolean).length,
      available: () => budget.available,
    };
    for (const [time, action, count, answer] of steps) {
      now = time;
      assert.equal(actions[action](count), answer, `${action} at ${time}`);
    }
  });
}
