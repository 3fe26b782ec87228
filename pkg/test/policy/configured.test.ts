// The options in `policy.configured`: the preset's values, a shared breaker, a fleet.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CircuitBreaker, createPolicy, type PolicyOptions, retryPresets } from 'halfopen';
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

test("without a preset and retries of its own, the retries are those of 'agent', from its quota", async () => {
  const { retry, breaker } = await configured({});
  assert.deepEqual(retry, { ...retryPresets.agent, budget: 'default' });
  assert.deepEqual(breaker, {
    failureThreshold: 5,
    resetTimeoutMs: 1000,
    halfOpenMaxCalls: 3,
    probeTimeoutMs: 3000,
  });
  const given = await configured({ retry: {}, breaker: {} });
  assert.deepEqual([given.retry, given.breaker], [{ ...retryPresets.agent }, {}]);
  for (const preset of ['service', 'capability'] as const) {
    const { retry, breaker } = await configured({ preset });
    const { maxDelayMs, ...others } = retryPresets[preset];
    const cap = maxDelayMs === Number.POSITIVE_INFINITY ? 'Infinity' : maxDelayMs;
    assert.deepEqual([retry, breaker], [{ ...others, maxDelayMs: cap }, {}]);
  }
});

test('a shared breaker is described where it stands, by its own name and options', async () => {
  const breaker = new CircuitBreaker({ name: 'provider', failureThreshold: 7 });
  assert.deepEqual((await configured({ name: 'p', breaker })).breaker, {
    name: 'provider',
    failureThreshold: 7,
    shared: true,
  });
  const own = await configured({ name: 'p', breaker: { failureThreshold: 7 } });
  assert.deepEqual(own.breaker, { failureThreshold: 7 });
});

test('a fleet is described by its name and its quota; without one, nothing is said of it', async () => {
  const clock = new VirtualClock();
  const joined = fleet({ store: memoryStore({ clock }), name: 'shop', quotaScope: 'org-1' });
  const options = await configured({ clock, name: 'p', fleet: joined });
  await joined.close();
  assert.deepEqual(options.fleet, { name: 'shop', quotaScope: 'org-1', shared: true });
  assert.equal('fleet' in (await configured({})), false);
});
