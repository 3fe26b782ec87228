// Two copies of the package in one process: what is given to the wrong one is a TypeError that says so.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { failover } from 'halfopen';
import { answerFetch, guard } from 'halfopen/guard';

const other = createRequire(import.meta.url)('halfopen') as typeof import('halfopen');

test('a policy that require made, given to what import brought', () => {
  const policy = other.createPolicy() as never;
  const message =
    /must be a Policy, got one of another copy of halfopen \(require and import make two, and so do two versions\)/;
  assert.throws(() => answerFetch(policy), { name: 'TypeError', message });
  assert.throws(() => guard({}, policy), { name: 'TypeError', message });
  assert.throws(() => failover([{ policy, run: () => 1 }]), { name: 'TypeError', message });
});

test('an object that is no policy is an object', () => {
  for (const wrong of [{}, { execute: 1 }, new Proxy({}, { get: () => assert.fail('no') })])
    assert.throws(() => answerFetch(wrong as never), /must be a Policy, got an object/);
});
