// Every function of a call runs in the async context of that call, also after a wait in a queue: four tenants share a
// policy, and each has a store of its own.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { createPolicy, type Policy, type PolicyOptions } from 'halfopen';
import { fleet, memoryStore } from 'halfopen/fleet';
import { VirtualClock } from 'halfopen/testing';

const TENANTS = ['ann', 'bob', 'cho', 'dan'];

/** The limits that make calls wait. */
const LIMITS: Record<string, () => PolicyOptions<never>> = {
  'no limit': () => ({}),
  bulkhead: () => ({ bulkhead: { maxConcurrent: 1, maxQueued: 10 } }),
  adaptive: () => ({ adaptive: { min: 1, max: 1, initial: 1 } }),
  rateLimit: () => ({ rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 60_000 } }),
  'bulkhead, adaptive and rateLimit': () => ({
    bulkhead: { maxConcurrent: 1, maxQueued: 10 },
    adaptive: { min: 1, max: 1, initial: 1 },
    rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 60_000 },
  }),
  'a bulkhead that a fleet shares': () => ({
    bulkhead: { maxConcurrent: 1, maxQueued: 10 },
    fleet: fleet({ store: memoryStore(), name: 'tenants', exact: ['bulkhead'] }),
  }),
};

/** An error whose remedy a repair can apply. */
const UNKNOWN_PARAMETER = {
  status: 400,
  message: "Unsupported parameter: 'temperature' is not supported with this model.",
  code: 'unsupported_parameter',
  param: 'temperature',
};

const OVERLOADED = { status: 503, message: 'overloaded' };

/** Advances the clock until the promise has settled. */
async function settledBy<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  promise.then(settled, settled);
  while (!isSettled) await clock.advance(100);
  return promise;
}

for (const [name, limits] of Object.entries(LIMITS)) {
  test(`${name}: operation, onRetry, repair and fallback see the store of the tenant that made the call`, async () => {
    const clock = new VirtualClock();
    const tenant = new AsyncLocalStorage<string>();
    const seen: Record<string, string[]> = Object.fromEntries(TENANTS.map((who) => [who, []]));
    const note = (who: string, what: string): void => {
      seen[who]?.push(`${what} as ${tenant.getStore()}`);
    };
    const policy: Policy<string> = createPolicy<string>({
      clock,
      seed: 1,
      breaker: false,
      ...limits(),
    });
    const call = (who: string): Promise<string> =>
      policy.execute(
        async ({ attempt }) => {
          note(who, `attempt ${attempt}`);
          await null;
          throw attempt === 1 ? UNKNOWN_PARAMETER : OVERLOADED;
        },
        {
          retry: { maxRetries: 1, onRetry: () => note(who, 'onRetry') },
          repair: () => {
            note(who, 'repair');
            return true;
          },
          fallback: (error) => {
            note(who, `fallback for ${error.code}`);
            return who;
          },
        },
      );
    const calls = TENANTS.map((who) => tenant.run(who, () => call(who)));
    assert.deepEqual(await settledBy(clock, Promise.all(calls)), TENANTS);
    for (const who of TENANTS) {
      const all = [
        'attempt 1',
        'repair',
        'attempt 2',
        'onRetry',
        'attempt 3',
        'fallback for PROVIDER_OVERLOADED',
      ];
      assert.deepEqual(
        seen[who],
        all.map((what) => `${what} as ${who}`),
      );
    }
    policy.dispose();
  });
}

test('a call that its limit refuses after a wait falls back in its own context', async () => {
  const clock = new VirtualClock();
  const tenant = new AsyncLocalStorage<string>();
  const policy = createPolicy({ clock, rateLimit: { limit: 1, windowMs: 1000, maxWaitMs: 60_000 } });
  const seen: string[] = [];
  const call = (who: string): Promise<unknown> =>
    tenant.run(who, () =>
      policy.execute(() => who, {
        fallback: ({ code }) => {
          seen.push(`${code} of ${who} as ${tenant.getStore()}`);
        },
      }),
    );
  const calls = Promise.all(TENANTS.map(call));
  tenant.run('the operator', () =>
    policy.update({ rateLimit: { limit: 1, windowMs: 3_600_000, maxWaitMs: 1 } }),
  );
  await settledBy(clock, calls);
  assert.deepEqual(
    seen,
    TENANTS.slice(1).map((who) => `CAPACITY_EXCEEDED of ${who} as ${who}`),
  );
});

test('a call that is past its deadline in the queue falls back in its own context', async () => {
  const tenant = new AsyncLocalStorage<string>();
  const policy = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 10 } });
  let end: ((value: string) => void) | undefined;
  const first = tenant.run('ann', () =>
    policy.execute(() => new Promise<string>((resolve) => (end = resolve))),
  );
  const second = tenant.run('bob', () =>
    policy.execute(() => 'too late', {
      timeout: { totalMs: 1 },
      fallback: ({ code }) => `${code} as ${tenant.getStore()}`,
    }),
  );
  assert.equal(await second, 'TIMEOUT as bob');
  end?.('done');
  assert.equal(await first, 'done');
});
