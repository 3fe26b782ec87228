// A policy within itself: the call within takes no second slot, the innermost call retries, and a breaker counts a failure
// once. So a tool between two requests acts once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AgentError,
  CircuitBreaker,
  createPolicy,
  type HalfopenEvent,
  type Policy,
  type PolicyOptions,
} from 'halfopen';
import { fleet, memoryStore } from 'halfopen/fleet';
import { VirtualClock } from 'halfopen/testing';
import { fatal, isPending, rejection, retryable } from '../policy/given.js';

const BULKHEADS: Record<string, PolicyOptions> = {
  '': {},
  'a bulkhead': { bulkhead: { maxConcurrent: 1, maxQueued: 5 } },
  'a bulkhead without a queue': { bulkhead: { maxConcurrent: 1 } },
};
const ADAPTIVE: Record<string, PolicyOptions> = {
  '': {},
  'an adaptive limit': { adaptive: { min: 1, max: 1, initial: 1 } },
};
const RATES: Record<string, PolicyOptions> = {
  '': {},
  'a rate limit': { rateLimit: { limit: 1, windowMs: 60_000 } },
  'a rate limit that waits': { rateLimit: { limit: 1, windowMs: 60_000, maxWaitMs: 60_000 } },
  'a rate limit on tokens': { rateLimit: { limit: 1, windowMs: 60_000, unit: 'tokens', maxWaitMs: 60_000 } },
};
const FLEETS: Record<string, () => PolicyOptions> = {
  '': () => ({}),
  'a fleet': () => ({
    fleet: fleet({ store: memoryStore(), name: 'agents', exact: ['bulkhead', 'rateLimit', 'probe'] }),
  }),
};

/** Every combination of the limits that has one. */
function* combinations(): Generator<[string, () => PolicyOptions]> {
  for (const [fleetName, shared] of Object.entries(FLEETS))
    for (const [bulkheadName, bulkhead] of Object.entries(BULKHEADS))
      for (const [adaptiveName, adaptive] of Object.entries(ADAPTIVE))
        for (const [rateName, rate] of Object.entries(RATES)) {
          const names = [bulkheadName, adaptiveName, rateName].filter((name) => name !== '');
          if (names.length === 0) continue;
          if (fleetName !== '') names.push(fleetName);
          yield [names.join(', '), () => ({ ...bulkhead, ...adaptive, ...rate, ...shared() })];
        }
}

/** An agent that asks a model, calls a tool and asks again, all under one policy. */
function agent(policy: Policy, tool: () => void): (request: (n: number) => string) => Promise<string> {
  return (request) =>
    policy.execute(async () => {
      const first = await policy.execute(() => request(1));
      tool();
      await null;
      return `${first} ${await policy.execute(async () => request(2))}`;
    });
}

for (const [name, options] of combinations()) {
  test(`${name}: the calls within take no second slot, and give the one of the call around back`, async () => {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, ...options() });
    let acts = 0;
    const run = agent(policy, () => acts++);
    assert.equal(await run((n) => `answer ${n}`), 'answer 1 answer 2');
    assert.deepEqual([clock.now(), acts, policy.stats().calls, policy.stats().inFlight], [0, 1, 3, 0]);
    // A rate limit has counted one attempt, and no more: in the next minute there is room for one again.
    await clock.advance(60_001);
    assert.equal(await run((n) => `answer ${n}`), 'answer 1 answer 2');
    // The slots were taken all the same: one that is not within waits, or is refused.
    let end: (() => void) | undefined;
    await clock.advance(60_001);
    const holds = policy.execute(() => new Promise<void>((resolve) => (end = resolve)));
    let ran = false;
    const other = policy.execute(() => {
      ran = true;
    });
    other.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(ran, false);
    end?.();
    await holds;
    policy.dispose();
  });
}

test('the innermost call retries: what comes before the request that fails happens once', async () => {
  for (const [options, within, sent] of [
    [{}, {}, 4],
    [{ bulkhead: { maxConcurrent: 1 } }, {}, 4],
    // An error that only the list retries has no mark of its own.
    [{ retry: { retryOn: ['UNKNOWN'] } }, {}, 4],
    [{ retry: { retryOn: () => true } }, {}, 4],
    // Nor has one that the call within does not retry.
    [{}, { retry: false }, 1],
    [{ retry: { retryOn: ['INVALID_RESPONSE'] } }, { validate: () => false }, 4],
  ] as const) {
    const clock = new VirtualClock();
    const policy = createPolicy({ clock, breaker: false, retry: {}, ...options } as PolicyOptions);
    let acts = 0;
    let requests = 0;
    const failing = options === undefined ? fatal() : 'retry' in options ? new Error('odd') : retryable();
    const call = policy.execute(async () => {
      await policy.execute(() => 'asked');
      acts++;
      await policy.execute(() => {
        requests++;
        if ('validate' in within) return 'invalid';
        throw failing;
      }, within as never);
    });
    call.catch(() => {});
    await clock.advance(100_000);
    await rejection(call);
    assert.deepEqual([acts, requests], [1, sent], JSON.stringify([options, within]));
  }
});

test('a stream that breaks off within a call of its policy is not begun again by that call', async () => {
  const policy = createPolicy({ retry: { baseDelayMs: 0 } });
  let acts = 0;
  const call = policy.execute(async () => {
    acts++;
    const chunks = [];
    for await (const chunk of policy.stream(async function* () {
      yield 'half';
      throw retryable();
    }))
      chunks.push(chunk);
    return chunks;
  });
  await rejection(call);
  assert.equal(acts, 1);
});

test('retryNested retries it all the same', async () => {
  const policy = createPolicy({
    breaker: false,
    retry: { maxRetries: 1, baseDelayMs: 0, retryNested: true },
  });
  let requests = 0;
  await rejection(
    policy.execute(() =>
      policy.execute(() => {
        requests++;
        throw retryable();
      }),
    ),
  );
  assert.equal(requests, 4);
});

test('a breaker counts a failure once, of the call within', async () => {
  const failing = (): never => {
    throw retryable();
  };
  for (const around of [
    (policy: Policy) => policy,
    // Two policies that share one breaker.
    ({ breaker }: Policy) => createPolicy({ retry: false, breaker: breaker as CircuitBreaker }),
  ]) {
    const breaker = new CircuitBreaker({ failureThreshold: 5 });
    const policy = createPolicy({ retry: false, breaker });
    const outer = around(policy);
    for (let call = 1; call <= 5; call++) {
      assert.equal(breaker.state, 'closed');
      const { code } = await rejection(outer.execute(async () => policy.execute(failing)));
      assert.equal(code, 'SERVER_ERROR', `call ${call}`);
    }
    assert.equal(breaker.state, 'open');
  }
});

test('two policies with a breaker each count it once each', async () => {
  const breakers = [1, 2].map(() => new CircuitBreaker({ failureThreshold: 2 }));
  const [outer, inner] = breakers.map((breaker) => createPolicy({ retry: false, breaker })) as [
    Policy,
    Policy,
  ];
  const call = () =>
    rejection(
      outer.execute(() =>
        inner.execute(() => {
          throw retryable();
        }),
      ),
    );
  await call();
  assert.deepEqual(
    breakers.map(({ state }) => state),
    ['closed', 'closed'],
  );
  await call();
  assert.deepEqual(
    breakers.map(({ state }) => state),
    ['open', 'open'],
  );
});

test('in stats and events the call within is a call of its own, and names the one around', async () => {
  const events: HalfopenEvent[] = [];
  const policy = createPolicy({
    bulkhead: { maxConcurrent: 1 },
    onEvent: (event) => void events.push(event),
  });
  await policy.execute(async () => {
    await null;
    await policy.execute(() => 'within');
  });
  const started = events.filter((event) => event.type === 'call.started');
  assert.equal(started.length, 2);
  assert.equal(started[0]?.parentCall, undefined);
  assert.equal(started[1]?.parentCall, started[0]?.call);
  const { calls, succeeded, attempts } = policy.stats();
  assert.deepEqual([calls, succeeded, attempts], [2, 2, 2]);
});

test('a call that an operation has started, and that begins when the operation is over, takes a slot', async () => {
  const policy = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  let begin: (() => void) | undefined;
  const later = new Promise<void>((resolve) => (begin = resolve));
  let ran = false;
  const left: Promise<unknown>[] = [];
  await policy.execute(() => {
    left.push(later.then(() => policy.execute(() => (ran = true))));
  });
  let end: (() => void) | undefined;
  const holds = policy.execute(() => new Promise<void>((resolve) => (end = resolve)));
  begin?.();
  assert.ok(await isPending(left[0] as Promise<unknown>));
  assert.equal(ran, false);
  end?.();
  await holds;
  await left[0];
  assert.equal(ran, true);
});

test('a stream of the policy: its chunks are made within it, whoever made the stream reads it', async () => {
  const policy = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  const chunks = policy.stream(async function* () {
    yield 1;
    yield await policy.execute(async () => 2);
    yield* policy.stream(async function* () {
      yield 3;
      yield await policy.execute(async () => 4);
    });
  });
  const read: number[] = [];
  await policy.execute(async () => {
    for await (const chunk of chunks) read.push(chunk);
  });
  assert.deepEqual(read, [1, 2, 3, 4]);
  for await (const chunk of policy.stream(async function* () {
    yield 5;
    yield await policy.execute(async () => 6);
  }))
    read.push(chunk);
  assert.deepEqual(read, [1, 2, 3, 4, 5, 6]);
});

test('another policy between the two changes nothing', async () => {
  const policy = createPolicy({ name: 'agents', bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  const tools = createPolicy({ name: 'tools', bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  const plain = createPolicy({ name: 'plain' });
  const deep = await policy.execute(async () => {
    await null;
    return tools.execute(async () => {
      await null;
      return plain.execute(async () => {
        await null;
        return policy.execute(() => tools.execute(() => 'deep'));
      });
    });
  });
  assert.equal(deep, 'deep');
});

test('tokens of the calls within count as those of the attempt that holds their turn', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, rateLimit: { limit: 100, windowMs: 1000, unit: 'tokens' } });
  const using = (inputTokens: number) =>
    policy.execute(({ observe }) => {
      observe({ usage: { inputTokens } });
    });
  await policy.execute(
    async () => {
      await using(60);
      await using(50);
    },
    { estimatedTokens: 10 },
  );
  const { code } = await rejection(using(1));
  assert.equal(code, 'CAPACITY_EXCEEDED');
  await clock.advance(1001);
  await using(1);
});

/** Runs with another console.warn, and returns what it was given. */
async function warnings(run: () => Promise<unknown>): Promise<string[]> {
  const { warn } = console;
  const said: string[] = [];
  console.warn = (text: string) => void said.push(text);
  try {
    await run();
  } finally {
    console.warn = warn;
  }
  return said;
}

test('two policies of one name are two, and a warning says so once', async () => {
  const named = () => createPolicy({ name: 'twins', bulkhead: { maxConcurrent: 1, maxQueued: 5 } });
  const [one, other] = [named(), named()];
  const both = () => one.execute(async () => other.execute(() => other.stats().inFlight));
  const said = await warnings(async () => {
    assert.equal(await both(), 1);
    assert.equal(await both(), 1);
  });
  assert.deepEqual(said, [
    "halfopen: a call of a policy named 'twins' is made within a call of another policy of that name: they are two, and each has limits and a breaker of its own. Make the policy once and share it, or give the two different names",
  ]);
});

test('policies without a name are not warned of', async () => {
  const unnamed = () => createPolicy({ bulkhead: { maxConcurrent: 1 } });
  const [one, other] = [unnamed(), unnamed()];
  assert.deepEqual(await warnings(() => one.execute(async () => other.execute(() => 1))), []);
});

type Package = typeof import('halfopen');
let copies = 0;

/** The package, as a process has it that has just begun. */
async function anew(): Promise<Package> {
  const shared = new URL(`halfopen.js?layers${++copies}`, import.meta.resolve('halfopen'));
  return (await import(shared.href)) as Package;
}

/** Runs with a `process` that has this `getBuiltinModule`. */
function withModules<T>(getBuiltinModule: unknown, run: () => T): T {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'process') as PropertyDescriptor;
  Object.defineProperty(globalThis, 'process', { value: { getBuiltinModule }, configurable: true });
  try {
    return run();
  } finally {
    Object.defineProperty(globalThis, 'process', before);
  }
}

test('without an AsyncLocalStorage the law holds for calls begun before the first await, of every attempt', async () => {
  const { createPolicy } = await anew();
  const clock = new VirtualClock();
  const policy = withModules(undefined, () =>
    createPolicy({ clock, bulkhead: { maxConcurrent: 1, maxQueued: 5 }, retry: { maxRetries: 1 } }),
  );
  const answers: string[] = [];
  const call = withModules(undefined, () =>
    policy.execute(({ attempt }) => {
      const answer = policy.execute(() => `answer ${attempt}`);
      return answer.then((text) => {
        answers.push(text);
        if (attempt === 1) throw retryable();
        return text;
      });
    }),
  );
  await clock.advance(10_000);
  assert.equal(await call, 'answer 2');
  assert.deepEqual(answers, ['answer 1', 'answer 2']);
});

test("without an AsyncLocalStorage a call with its caller's signal is within it, also after an await", async () => {
  const { createPolicy } = await anew();
  const policy = withModules(undefined, () => createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 5 } }));
  const call = withModules(undefined, () =>
    policy.execute(async ({ signal }) => {
      await null;
      return policy.execute(() => 'answer', { signal });
    }),
  );
  assert.equal(await call, 'answer');
});

/** Counts what a package makes of `node:async_hooks`. */
function counting(): { getBuiltinModule: () => unknown; made: string[] } {
  const made: string[] = [];
  class AsyncLocalStorage {
    static snapshot() {
      made.push('snapshot');
      return (step: () => void) => step();
    }
    constructor() {
      made.push('AsyncLocalStorage');
    }
    getStore() {
      return undefined;
    }
    run(_store: unknown, operation: (context: unknown) => unknown, context: unknown) {
      made.push('run');
      return operation(context);
    }
  }
  return { getBuiltinModule: () => ({ AsyncLocalStorage }), made };
}

test('createPolicy() alone makes no AsyncLocalStorage and no snapshot, also when it retries, fails and falls back', async () => {
  const { createPolicy } = await anew();
  const { getBuiltinModule, made } = counting();
  const clock = new VirtualClock();
  const policy = createPolicy({ clock });
  const plain = async (): Promise<void> => {
    const nested = policy.execute(() => policy.execute(() => 1));
    const retried = policy.execute(({ attempt }) => {
      if (attempt < 3) throw retryable();
    });
    const failed = policy.execute(() => Promise.reject(fatal()), { fallback: () => 1 });
    await clock.advance(100_000);
    await Promise.all([nested, retried, failed]);
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, 'process') as PropertyDescriptor;
  const { process } = globalThis;
  // The whole process, except for the way to async contexts.
  const counted = Object.create(process, { getBuiltinModule: { value: getBuiltinModule } });
  Object.defineProperty(globalThis, 'process', { value: counted, configurable: true });
  try {
    await plain();
    assert.deepEqual(made, []);
    // The same count sees what a limit needs: one storage, one run an attempt, one snapshot for each call that waits.
    const limited = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
    await Promise.all([limited.execute(async () => 1), limited.execute(async () => 2)]);
    assert.deepEqual(made, ['AsyncLocalStorage', 'run', 'snapshot', 'run']);
    // And beside it, createPolicy() still pays nothing.
    made.length = 0;
    await plain();
    assert.deepEqual(made, []);
  } finally {
    Object.defineProperty(globalThis, 'process', before);
  }
});

test('an error of a call says nothing of what policies have done with it to those who print it', async () => {
  const policy = createPolicy({ retry: false });
  const error = await rejection(policy.execute(() => Promise.reject(retryable('no'))));
  assert.ok(error instanceof AgentError);
  assert.doesNotMatch(JSON.stringify(error), /past/);
  assert.deepEqual(
    Object.keys(error).filter((key) => /past|failed/.test(key)),
    [],
  );
});
