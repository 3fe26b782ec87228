// Scenarios of a fleet for more than one test: on the real package, and on mutants of it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetPlan, TestFleet } from './harness.js';
import { type Entry, of } from './history.js';

/** A breaker, and a limit that all share. */
export const limitedPolicy = {
  name: 'chat',
  timeout: { attemptMs: 2_000 },
  retry: false,
  breaker: { failureThreshold: 5, resetTimeoutMs: 1_500, halfOpenMaxCalls: 1, successThreshold: 1 },
  rateLimit: { limit: 40, windowMs: 2_000, maxWaitMs: 0 },
} satisfies FleetPlan['policy'];

/**
 * Opens by the share of failures within a second, and syncs at the same interval, so at any time there are unsent
 * results. Two processes whose own breakers are open still have four failed probes a second, which are enough.
 */
export const byRecentRate = {
  policy: {
    name: 'chat',
    timeout: { attemptMs: 2_000 },
    retry: false,
    breaker: {
      window: { kind: 'time', durationMs: 1_000, failureRate: 0.5, minimumCalls: 3 },
      resetTimeoutMs: 500,
      halfOpenMaxCalls: 1,
      probeTimeoutMs: 500,
    },
  },
  fleet: { syncMs: { min: 1_000 } },
  callsPerSecond: 40,
} satisfies Omit<FleetPlan, 'redis'>;

/** Of {@link byRecentRate}: a failure of each of two processes at least. */
export const RECENT_EVIDENCE = { failures: 2, processes: 2 };

/**
 * Six of eight processes are paused when the provider has just begun to fail, with failures that they have not sent. The others
 * open the breaker of all, and close it. Then the six come back, and report what they had counted.
 */
export async function failuresThatComeLate(fleet: TestFleet): Promise<void> {
  await sleep(2_000);
  fleet.isFailing = true;
  // Until the six have some failures each, however slow the machine is.
  const late = fleet.names.slice(0, 6);
  const hasFailed = (history: readonly Entry[], name: string) =>
    of(history, 'call').filter(({ failed, process }) => failed && process === name).length >= 4;
  await fleet.until((history) => late.every((name) => hasFailed(history, name)), 20, 5_000);
  const opened = fleet.until((history) => of(history, 'state').some(({ state }) => state === 'open'));
  const closed = opened.then(async () => {
    fleet.isFailing = false;
    await fleet.until((history) => of(history, 'state').at(-1)?.state === 'closed', 50);
  });
  await Promise.all(late.map((name) => fleet.pause(name, closed)));
  await sleep(1_500);
}

/** A lease of a second, and few calls, so that time passes between a lease and the call that uses it. */
export const fewCalls = {
  policy: {
    name: 'chat',
    timeout: { attemptMs: 2_000 },
    retry: false,
    breaker: { failureThreshold: 2, resetTimeoutMs: 500, halfOpenMaxCalls: 1, probeTimeoutMs: 1_000 },
  },
  // A lease is requested in the background: the call that wanted it does not wait for it.
  fleet: { exact: [] },
  callsPerSecond: 2,
} satisfies Omit<FleetPlan, 'redis'>;

/** Each process that gets a probe lease is paused at once, for longer than the lease. */
export async function pausedWithAProbeLease(fleet: TestFleet, times: number): Promise<void> {
  await sleep(1_000);
  fleet.isFailing = true;
  for (let time = 0; time < times; time += 1) {
    const from = Date.now();
    let holder: string | undefined;
    const isGranted = () =>
      fleet.until((history) => {
        holder = of(history, 'probe').find(({ at }) => at > from)?.process;
        return holder !== undefined;
      }, 10);
    await isGranted();
    if (holder !== undefined) await fleet.pause(holder, 1_500);
  }
  await sleep(500);
}
