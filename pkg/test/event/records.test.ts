// The engine's records come out complete and in order, whatever their number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as engine from '../../src/core/engine.js';

test('more records than the core writes at once: each of them once, oldest first', () => {
  const breaker = engine.breakerNew([]);
  const changes = 100;
  for (let count = 0; count < changes; count += 1) {
    engine.breakerControl(breaker, count % 2 === 0 ? engine.ISOLATE : engine.LIFT_ISOLATION, count);
  }
  const numbers = engine.takeRecords();
  const states: (string | undefined)[] = [];
  for (let next = 0; next < numbers.length; next += 2 + (numbers[next + 1] ?? 0)) {
    assert.equal(numbers[next], 10, 'a change of a breaker');
    assert.equal(numbers[next + 2], breaker);
    states.push(engine.STATES[numbers[next + 4] ?? -1]);
  }
  assert.deepEqual(
    states,
    Array.from({ length: changes }, (_, count) => (count % 2 === 0 ? 'isolated' : 'closed')),
  );
  assert.deepEqual(engine.takeRecords(), []);
});
