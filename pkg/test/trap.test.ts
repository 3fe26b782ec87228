// A trap in the core (there should be none): whatever function it happens in, nothing of it reaches the application but an
// event and a debug message. Every export of the module is made to trap once, by a call that runs out of its memory, while
// errors are classified, texts made and calls guarded.
import assert from 'node:assert/strict';
import { test } from 'node:test';

/** The export that traps when it is called next, and whether it did. */
const trap = { at: '', sprung: 0 };
const names = new Set<string>();

/** Traps here still come out of a policy; breakers and budgets that stand alone have no second try either. */
const NOT_CAUGHT = new Set<string>();

const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, [module, imports]) {
    const real = new target(module, imports).exports as Record<string, (...args: unknown[]) => unknown>;
    const armed = Object.entries(real).map(([name, value]) => {
      if (typeof value !== 'function' || name.startsWith('__')) return [name, value];
      names.add(name);
      const guarded = (...args: unknown[]) => {
        if (trap.at !== name) return value(...args);
        trap.at = '';
        trap.sprung++;
        return real.__wbindgen_free?.(0xffff_fff0, 64, 8); // a RuntimeError of the engine's own
      };
      return [name, guarded];
    });
    return { exports: Object.fromEntries(armed) };
  },
});

const halfopen = await import('halfopen');
const { VirtualClock } = await import('halfopen/testing');
const { AgentError, createPolicy } = halfopen;

/** Each thing that the package does, and what must come of it even so. */
const SCENARIOS: Record<string, () => unknown> = {
  classify: () => assert.ok(halfopen.classify({ status: 429, headers: { 'retry-after': '2' } }).code),
  message: () => assert.ok(halfopen.getUserFriendlyMessage('TIMEOUT', {}, { locale: 'de' }).length > 0),
  redact: () => assert.ok(!halfopen.redact('Bearer abcdefghijklmnopqrstuvwxyz0123').includes('abcdefghij')),
  'retry-after': () => halfopen.parseRetryAfter({ 'retry-after': '2' }),
  error: () => new AgentError('TIMEOUT', 'x').toJSON(),
  backoff: () => assert.ok(halfopen.calculateExponentialBackoff(2) >= 0),
  'a call that succeeds': async () => {
    const policy = createPolicy({ rateLimit: { limit: 5, windowMs: 1000 }, onEvent() {} });
    assert.equal(await policy.execute(() => 7), 7);
    policy.dispose();
  },
  'calls that succeed and nobody hears of': async () => {
    const policy = createPolicy();
    for (const value of [1, 2, 3]) assert.equal(await policy.execute(async () => value), value);
    policy.dispose();
  },
  'a call that fails': async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({
      clock,
      retry: { maxRetries: 1, budget: {} },
      timeout: { totalMs: 30_000 },
      onEvent() {},
    });
    const call = policy.execute(() => Promise.reject(Object.assign(new Error('down'), { status: 503 })));
    const failure = call.catch((error: unknown) => error);
    for (let i = 0; i < 5; i++) await clock.advance(10_000);
    assert.ok(AgentError.is(await settled(failure)));
    policy.dispose();
  },
  'calls that queue': async () => {
    const policy = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 2 }, onEvent() {} });
    const calls = [1, 2, 3].map((n) => policy.execute(() => Promise.resolve(n)));
    assert.deepEqual(await settled(Promise.all(calls)), [1, 2, 3]);
    policy.dispose();
  },
};

function settled<T>(promise: Promise<T>): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('it never settles')), 1000).unref()),
  ]);
}

for (const [what, scenario] of Object.entries(SCENARIOS)) {
  test(`${what}: nothing throws, whichever function traps`, async () => {
    const wrong: string[] = [];
    for (const name of names) {
      if (NOT_CAUGHT.has(name)) continue;
      trap.at = name;
      try {
        await settled(Promise.resolve(scenario()));
      } catch (error) {
        wrong.push(`${name}: ${String(error).slice(0, 120)}`);
      }
    }
    trap.at = '';
    assert.deepEqual(wrong, []);
  });
}

test('traps were sprung', () => {
  assert.ok(names.size > 30 && trap.sprung > 20, `${trap.sprung} traps in ${names.size} exports`);
});
