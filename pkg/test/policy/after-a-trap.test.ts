// A policy's behaviour once the core has trapped: in its own call, or in another's while its calls run. It uses the
// sources, because only they can make the core trap.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CircuitBreaker } from '../../src/breaker/breaker.js';
import { core as errorsCore } from '../../src/core/errors.js';
import { type CoreModule, type Glue, trap } from '../../src/core/instance.js';
import { core } from '../../src/core/policy.js';
import { AgentError } from '../../src/error/agent-error.js';
import type { HalfopenEvent } from '../../src/event/events.js';
import type { PolicyOptions } from '../../src/policy/options.js';
import { createPolicy, type Policy } from '../../src/policy/policy.js';

/** The next call of that function traps; a fresh instance has the function again. */
function trapIn(name: string, module: CoreModule<Glue & Record<string, unknown>>): Error {
  const error = trap('unreachable');
  (module.glue as unknown as Record<string, unknown>)[name] = () => {
    throw error;
  };
  return error;
}

const trapNext = (name: string): Error => trapIn(name, core as never);

/** The core traps in somebody else's hands. */
function lose(): void {
  const breaker = new CircuitBreaker();
  assert.equal(breaker.state, 'closed');
  const before = core.instanceNumber;
  trapNext('breakerState');
  assert.equal(breaker.state, 'closed');
  assert.equal(core.instanceNumber, before + 1);
}

/** Two policies that have the same number, each in an instance of the core of its own: the second is the present one's. */
async function namesakes(options: PolicyOptions): Promise<{ old: Policy; present: Policy }> {
  lose();
  const old = createPolicy({ breaker: false, ...options });
  await old.execute(() => 1);
  lose();
  const present = createPolicy({ breaker: false, ...options });
  return { old, present };
}

const isRefusal = (error: unknown): boolean => AgentError.is(error) && error.code === 'CAPACITY_EXCEEDED';
const deaf = (): Promise<never> => new Promise(() => {});
const MESSAGE = 'The core failed; a fresh one was started and the call let through unguarded';
const LIMITS = { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '1s' };

for (const [during, run] of [
  ['drainEvents', (policy: Policy) => policy.execute(() => 7)],
  [
    'policyUpdate',
    async (policy: Policy) => {
      policy.update({ timeout: { attemptMs: 5 } });
      return 7;
    },
  ],
  [
    'policyObserveLimit',
    (policy: Policy) =>
      policy.execute(({ observe }) => {
        observe({ headers: LIMITS });
        return 7;
      }),
  ],
] as const) {
  test(`a trap in ${during}: the policy's listeners and onDebug say so, and its options are said again`, async () => {
    const events: HalfopenEvent[] = [];
    const debug: unknown[] = [];
    const policy = createPolicy({
      name: 'mine',
      rateLimit: { limit: 5, windowMs: 1000 },
      onEvent: (event) => events.push(event),
      onDebug: (...said) => debug.push(said),
    });
    await policy.execute(() => 1);
    events.length = 0;
    const error = trapNext(during);
    assert.equal(await run(policy), 7);
    const restarted = events.filter((event) => event.type === 'core.restarted');
    assert.deepEqual(
      restarted.map((event) => [event.policy, event.during]),
      [['mine', during]],
    );
    assert.deepEqual(debug, [[MESSAGE, { error: 'unreachable', stack: error.stack }]]);
    assert.equal(await policy.execute(() => 8), 8);
    assert.equal(events.filter(({ type }) => type === 'policy.configured').length, 1);
  });
}

test('an update after a trap changes neither the options nor the listeners of another policy', async () => {
  const { old, present } = await namesakes({});
  const heard: string[] = [];
  present.update({ bulkhead: { maxConcurrent: 1 } });
  present.onEvent(({ type }) => heard.push(type));
  void present.execute(deaf).catch(() => {});
  assert.equal(old.host.handle, present.host.handle);
  old.update({ timeout: { attemptMs: 5 } });
  await assert.rejects(
    present.execute(() => 'beyond'),
    isRefusal,
  );
  assert.equal(heard.at(-1), 'call.rejected');
  present.dispose();
});

test('a call that ends after a trap does not end the call of another policy', async () => {
  const debug: string[] = [];
  lose();
  const old = createPolicy({ breaker: false, onDebug: (message) => debug.push(message) });
  let end: ((value: string) => void) | undefined;
  const running = old.execute(() => new Promise<string>((resolve) => (end = resolve)));
  lose();
  const present = createPolicy({ breaker: false, bulkhead: { maxConcurrent: 1 } });
  void present.execute(deaf).catch(() => {});
  assert.equal(old.host.handle, present.host.handle);
  end?.('value');
  assert.equal(await running, 'value');
  assert.deepEqual(debug, [MESSAGE]);
  await assert.rejects(
    present.execute(() => 'beyond'),
    isRefusal,
  );
  present.dispose();
});

test('a core that traps while a thrown value is read: the call ends with that error, and onDebug says so once', async () => {
  const debug: string[] = [];
  const policy = createPolicy({ onDebug: (message) => debug.push(message) });
  const thrown = {
    get status() {
      lose();
      return 503;
    },
  };
  await assert.rejects(
    policy.execute(() => Promise.reject(thrown)),
    (error) => AgentError.is(error) && error.code === 'SERVER_ERROR' && error.attempts === 1,
  );
  assert.deepEqual(
    debug.filter((message) => message === MESSAGE),
    [MESSAGE],
  );
});

test('a call that is refused stays refused where a listener makes the core trap', async () => {
  const policy = createPolicy({ breaker: false, bulkhead: { maxConcurrent: 1 } });
  policy.onEvent(({ type }) => type === 'call.rejected' && lose());
  void policy.execute(deaf).catch(() => {});
  let calls = 0;
  await assert.rejects(
    policy.execute(() => ++calls),
    isRefusal,
  );
  assert.equal(calls, 0);
  policy.dispose();
});

test('limits whose reading makes the core trap are not those of another policy', async () => {
  const { old, present } = await namesakes({ rateLimit: { limit: 5, windowMs: 1000 } });
  // The old one is known again, by the number that the next has in the instance after it.
  await present.execute(() => 1);
  lose();
  await old.execute(() => 1);
  const next = createPolicy({ breaker: false, rateLimit: { limit: 5, windowMs: 1000 } });
  const value = await old.execute(async ({ observe }) => {
    observe({
      headers: {
        get 'x-ratelimit-remaining-requests'() {
          lose();
          void next.execute(() => 1);
          return '0';
        },
        'x-ratelimit-reset-requests': '60s',
      },
    });
    return 7;
  });
  assert.equal(value, 7);
  assert.equal(old.host.handle, next.host.handle);
  assert.equal(await next.execute(() => 8), 8);
});

test('a trap in another module of the core is no loss of the policy', async () => {
  const debug: string[] = [];
  const restarted: unknown[] = [];
  const policy = createPolicy({
    name: 'mine',
    onDebug: (message) => debug.push(message),
    onEvent: (event) => event.type === 'core.restarted' && restarted.push([event.policy, event.module]),
  });
  await policy.execute(() => 1);
  const again = (): void => {
    errorsCore.replaced.delete(again);
    trapIn('redactText', errorsCore as never);
  };
  errorsCore.replaced.add(again);
  trapIn('redactText', errorsCore as never);
  assert.equal(await policy.execute(() => 7, { task: 'a text that was not seen before' }), 7);
  assert.deepEqual(restarted.at(-1), ['mine', 'errors']);
  assert.deepEqual(debug, []);
});
