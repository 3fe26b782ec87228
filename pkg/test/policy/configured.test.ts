// The options in `policy.configured`: a fleet. merged-defaults.test.ts has the defaults.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, type PolicyOptions } from 'halfopen';
import { fleet, memoryStore } from 'halfopen/fleet';
import { recordEvents, VirtualClock } from 'halfopen/testing';

/** Returns the options in the first event of a policy with these options. */
async function configured(options: PolicyOptions): Promise<Record<string, unknown>> {
  const policy = createPolicy({ clock: new VirtualClock(), ...options });
  const { events } = recordEvents(policy);
  await policy.execute(() => 1);
  const [first] = events;
  policy.dispose();
  assert.ok(first?.type === 'policy.configured');
  return first.options;
}

test('a fleet is described by its name and its quota; without one, nothing is said of it', async () => {
  const clock = new VirtualClock();
  const joined = fleet({ store: memoryStore({ clock }), name: 'shop', quotaScope: 'org-1' });
  const options = await configured({ clock, name: 'p', fleet: joined });
  await joined.close();
  assert.deepEqual(options.fleet, { name: 'shop', quotaScope: 'org-1', shared: true });
  assert.equal('fleet' in (await configured({})), false);
});
