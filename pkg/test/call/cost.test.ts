// The costs of a call that no other program can change: its crossings into the core, its readings of the clock, its
// timers, its allocated bytes. `make bench` has the times, which depend on the machine.
// In a process of its own: it counts what the core's modules do from their first use on.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock, PolicyOptions } from 'halfopen';

/** Calls of functions of the core's modules since it was last set to 0. */
let crossings = 0;
const memories: WebAssembly.Memory[] = [];

const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, [module, imports]) {
    if (imports === undefined) return new target(module); // makes bytes of the modules' texts: no module of the core
    const real = new target(module, imports).exports as Record<string, (...args: unknown[]) => unknown>;
    memories.push(real.memory as unknown as WebAssembly.Memory);
    const counted = Object.entries(real).map(([name, value]) => {
      if (typeof value !== 'function' || name.startsWith('__')) return [name, value];
      return [
        name,
        (...args: unknown[]) => {
          crossings += 1;
          return value(...args);
        },
      ];
    });
    return { exports: Object.fromEntries(counted) };
  },
});

const { createPolicy } = await import('halfopen');

/** A clock that counts what is wanted of it. */
class CountedClock implements Clock {
  reads = 0;
  timers = 0;
  now(): number {
    this.reads += 1;
    return performance.now();
  }
  wall(): number {
    this.reads += 1;
    return Date.now();
  }
  setTimeout(callback: () => void, ms: number): unknown {
    this.timers += 1;
    return setTimeout(callback, ms);
  }
  clearTimeout(handle: unknown): void {
    clearTimeout(handle as NodeJS.Timeout);
  }
}

const succeeds = async (): Promise<number> => 1;
const fails = async (): Promise<never> => {
  throw Object.assign(new Error('x'), { status: 400 });
};

interface Case {
  options: PolicyOptions<number>;
  operation?: () => Promise<number>;
  costs: { crossings: number; reads: number; timers: number };
}

const CASES: Record<string, Case> = {
  'the defaults': { options: {}, costs: { crossings: 2, reads: 0, timers: 0 } },
  'fallback, retry and breaker': {
    options: { fallback: () => 0, retry: { maxRetries: 3 }, breaker: { failureThreshold: 5 } },
    costs: { crossings: 2, reads: 0, timers: 0 },
  },
  'no retry and no breaker': {
    options: { retry: false, breaker: false },
    costs: { crossings: 2, reads: 0, timers: 0 },
  },
  'a bulkhead': { options: { bulkhead: { maxConcurrent: 2 } }, costs: { crossings: 2, reads: 0, timers: 0 } },
  'a timeout of attempts': {
    options: { timeout: { attemptMs: 10_000 } },
    costs: { crossings: 2, reads: 1, timers: 1 },
  },
  'a timeout of the whole call': {
    options: { timeout: { totalMs: 10_000 } },
    costs: { crossings: 2, reads: 4, timers: 1 },
  },
  'a refusal': {
    options: { retry: false, breaker: { failureThreshold: 1 } },
    operation: fails,
    // One of them for the words of the message.
    costs: { crossings: 4, reads: 2, timers: 0 },
  },
  'a failure that is not tried again': {
    options: { breaker: false },
    operation: fails,
    // One of them for the words of the message.
    costs: { crossings: 4, reads: 2, timers: 0 },
  },
};

for (const [name, { options, operation = succeeds, costs }] of Object.entries(CASES))
  test(`crossings, readings of the clock and timers: ${name}`, async () => {
    const clock = new CountedClock();
    const policy = createPolicy<number>({ ...options, clock });
    for (let call = 0; call < 3; call += 1) await policy.execute(operation).catch(() => {});
    crossings = clock.reads = clock.timers = 0;
    await policy.execute(operation).catch(() => {});
    const { reads, timers } = clock;
    assert.deepEqual({ crossings, reads, timers }, costs);
    policy.dispose();
  });

/**
 * Bytes that the heap grows by for each of many calls, without a collection in between. A process of its own, in which nothing
 * compiles code beside it: what an optimised call does not allocate would depend on when it was optimised.
 */
const ALLOCATED = `
const { createPolicy } = await import('halfopen');
const calls = 2000;
const succeeds = async () => 1;
const policy = createPolicy({ fallback: () => 0 });
const bytes = async (run) => {
  for (let i = 0; i < calls; i++) await run();
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < calls; i++) await run();
  return (process.memoryUsage().heapUsed - before) / calls;
};
const bare = await bytes(succeeds);
const guarded = await bytes(() => policy.execute(succeeds));
const keep = [];
const held = async (count, make) => {
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < count; i++) keep.push(await make());
  gc();
  return (process.memoryUsage().heapUsed - before) / count;
};
const used = async () => {
  const policy = createPolicy();
  await policy.execute(succeeds);
  return policy;
};
// Code that is compiled late and tables that double would count as the first policies': up to 250 kB at once.
await held(1000, used);
console.log(JSON.stringify({
  call: guarded - bare,
  policy: await held(2000, used), // with 1000, a table that doubles there is counted in one run and not in the next
  flight: await held(1000, () => void policy.execute(() => new Promise(() => {}))),
}));`;

/** Measured with Node 20, with a tenth on top; what another engine takes is its own. */
const BYTES = { call: 1_460, policy: 2_500, flight: 700 };
const SLACK = process.version.startsWith('v20.') ? 1.1 : 1.6;

test('bytes of the heap for each call, each policy, and each call in flight', (t) => {
  const heap = ['--max-semi-space-size=64', '--min-semi-space-size=64'];
  const flags = ['--no-opt', '--single-threaded', '--expose-gc', ...heap, '--input-type=module'];
  const printed = execFileSync(process.execPath, [...flags, '--eval', ALLOCATED], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  t.diagnostic(printed.trim());
  const measured = JSON.parse(printed) as typeof BYTES;
  for (const what of ['call', 'policy', 'flight'] as const)
    assert.ok(
      measured[what] > 0 && measured[what] <= BYTES[what] * SLACK,
      `${what}: ${measured[what].toFixed(0)} bytes, at most ${(BYTES[what] * SLACK).toFixed(0)}`,
    );
});

test('the memory of the core does not grow with calls, nor with policies that come and go', async () => {
  const bytes = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  const calls = async (count: number) => {
    const policy = createPolicy<number>({ retry: false, breaker: { failureThreshold: 1_000_000 } });
    for (let call = 0; call < count; call += 1)
      await policy.execute(call % 10 === 0 ? fails : succeeds).catch(() => {});
    policy.dispose();
  };
  // A policy's breaker may outlive it: it is freed when it has been collected.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const round = async () => {
    for (let policy = 0; policy < 250; policy += 1) await calls(2);
    for (let again = 0; again < 3; again += 1) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 0)); // finalisers run between
    }
  };
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await round();
  const before = bytes();
  await calls(20_000);
  for (let rounds = 0; rounds < 12; rounds += 1) await round();
  assert.equal(bytes(), before);
});
