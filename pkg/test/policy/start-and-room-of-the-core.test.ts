// A core that has not begun, and one that has no room for a call: it knows a million at a time. It uses the sources,
// because only they expose the core and can replace it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { core } from '../../src/core/policy.js';
import { DONE } from '../../src/core/wire.js';
import { createPolicy } from '../../src/policy/policy.js';

test('a policy that is made and updated does not start the core: its first call does', () => {
  const before = core.instanceNumber;
  createPolicy({ onEvent: () => {} }).update({ timeout: { attemptMs: 5 } });
  assert.equal(core.instanceNumber, before);
});

test('a call that the core has no room for runs unguarded, and onDebug says so, though nothing has trapped', async () => {
  const debug: unknown[] = [];
  const policy = createPolicy({ onDebug: (...said) => debug.push(said) });
  await policy.execute(() => 1);
  const glue = core.glue as unknown as Record<string, unknown>;
  const { begin } = glue;
  glue.begin = () => DONE;
  core.lastTrap = undefined;
  try {
    assert.equal(await policy.execute(() => 7), 7);
  } finally {
    glue.begin = begin;
  }
  const message = 'The core failed; a fresh one was started and the call let through unguarded';
  assert.deepEqual(debug, [[message, { error: undefined, stack: undefined }]]);
});
