// The checker finds bugs that are planted into the package: a checker that finds nothing in them would prove nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bounds, check } from './checker.js';
import { type FleetPlan, type Mutant, TestFleet } from './harness.js';
import { of } from './history.js';
import { startSingle } from './redis-servers.js';
import { fewCalls, pausedWithAProbeLease } from './scenarios.js';

const policy = {
  name: 'chat',
  timeout: { attemptMs: 2_000 },
  retry: false,
  breaker: { failureThreshold: 5, resetTimeoutMs: 500, halfOpenMaxCalls: 1, successThreshold: 1 },
} satisfies FleetPlan['policy'];

/**
 * Opens on half of that number of results of all processes. A true count takes some seconds; half of it is far from it,
 * even if a busy machine syncs late and some hundred results arrive at once.
 */
const MINIMUM_CALLS = 1000;
const byRate = {
  ...policy,
  breaker: {
    window: { kind: 'time', durationMs: 60_000, failureRate: 0.5, minimumCalls: MINIMUM_CALLS },
    resetTimeoutMs: 500,
    halfOpenMaxCalls: 1,
    probeTimeoutMs: 500,
  },
} satisfies FleetPlan['policy'];

interface Planted extends Mutant {
  readonly plan: Omit<FleetPlan, 'redis'>;
  /** The scenario. Default: an outage. */
  readonly scenario?: (fleet: TestFleet) => Promise<void>;
  readonly bounds: Bounds;
  /** The checks of which at least one must find it. */
  readonly found: readonly string[];
}

const MUTANTS: readonly Planted[] = [
  {
    name: 'who has no lease probes too',
    file: 'fleet/member.ts',
    from: 'this.apply({ ...given, openUntil }, isAnew);',
    to: 'this.apply({ ...given, probes: 1 }, isAnew);',
    plan: { policy },
    bounds: { maxProbes: 1 },
    found: ['probing'],
  },
  {
    name: 'what others have sent and nobody has merged yet is lost',
    file: 'fleet/redis.ts',
    from: 'for (const entry of entries) {',
    to: 'for (const entry of entries.slice(-1)) {',
    plan: {
      policy: { ...policy, rateLimit: { limit: 40, windowMs: 2_000, maxWaitMs: 0 } } as FleetPlan['policy'],
    },
    bounds: { maxProbes: 1 },
    found: ['parts', 'probes', 'generations', 'lease held twice'],
  },
  {
    name: 'each result is counted twice',
    file: 'fleet/shared-numbers.ts',
    from: 'return { counts, streak,',
    to: 'return { counts: { total: 2 * counts.total, failed: 2 * counts.failed, slow }, streak,',
    plan: { policy: byRate },
    bounds: { evidence: { failures: 0.8 * MINIMUM_CALLS, processes: 2 } },
    found: ['evidence'],
  },
  {
    name: 'a probe lease does not end where nobody says so',
    file: 'fleet/member.ts',
    from: "if (this.breaker.kind === 'probing' && now >= this.breaker.until) this.dropProbe(this.breaker.openUntil);",
    to: '',
    plan: fewCalls,
    scenario: (fleet) => pausedWithAProbeLease(fleet, 6),
    bounds: {},
    found: ['probing'],
  },
];

async function outage(fleet: TestFleet): Promise<void> {
  await sleep(500);
  fleet.isFailing = true;
  // However slow the machine is: until the breaker has opened, and some probes have run.
  await fleet.until((history) => of(history, 'state').some(({ state }) => state === 'open'));
  await sleep(2_500);
}

for (const mutant of MUTANTS) {
  test(`the checker finds it when ${mutant.name}`, async (t) => {
    const redis = await startSingle();
    t.after(() => redis.end());
    const fleet = await TestFleet.start(t, { ...mutant.plan, redis, mutant });
    await (mutant.scenario ?? outage)(fleet);
    const checks = check(await fleet.history(), mutant.bounds).map((violation) => violation.check);
    t.diagnostic(`${checks.length} violations: ${[...new Set(checks)].join(', ')}`);
    assert.ok(
      mutant.found.some((name) => checks.includes(name)),
      'nothing was found',
    );
  });
}

test('and finds nothing where nothing is planted', async (t) => {
  const redis = await startSingle();
  t.after(() => redis.end());
  const fleet = await TestFleet.start(t, { redis, policy: byRate });
  await outage(fleet);
  const history = await fleet.history();
  assert.deepEqual(
    check(history, { maxProbes: 1, evidence: { failures: 0.8 * MINIMUM_CALLS, processes: 2 } }),
    [],
  );
});
