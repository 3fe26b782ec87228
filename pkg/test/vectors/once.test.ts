// once.json: what a process does with each record of an act, and what each input makes of it, as in Rust.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ActRecord, type Input, next, type Refusal, type Step, step } from '../../src/once/protocol.js';
import { cases } from './cases.js';

interface Case {
  record: ActRecord | null;
  now: number;
  step: Step;
  inputs: [Input, ActRecord | Refusal][];
}

test('records of acts change as the core says', () => {
  for (const { record, now, step: expected, inputs } of cases<Case>('once')) {
    const given = record ?? undefined;
    assert.deepEqual(step(given, '1', now), expected, `${JSON.stringify(record)} at ${now}`);
    for (const [input, after] of inputs)
      assert.deepEqual(next(given, input, now), after, `${JSON.stringify({ record, input, now })}`);
  }
});
