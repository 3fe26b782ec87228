// No call is left unsettled, whatever user code throws, and wherever it does.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  AgentError,
  type AgentErrorCode,
  createPolicy,
  degrade,
  type ExecuteOptions,
  failover,
  formatErrorMessage,
  type HalfopenEvent,
  type Operation,
  type Policy,
  type PolicyOptions,
  RetryHandler,
  toModelResponse,
  toolResult,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

const trap = (): never => {
  throw new Error('trap');
};

function trapped(error: object, ...names: PropertyKey[]): unknown {
  for (const name of names) Object.defineProperty(error, name, { get: trap, configurable: true });
  return error;
}

const allTraps: ProxyHandler<object> = {
  get: trap,
  set: trap,
  has: trap,
  ownKeys: trap,
  getPrototypeOf: trap,
  getOwnPropertyDescriptor: trap,
  defineProperty: trap,
  isExtensible: trap,
};

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const own = (code: AgentErrorCode = 'SERVER_ERROR'): AgentError => new AgentError(code, 'x');
const brand = Symbol.for('halfopen.AgentError');
const branded = (fields: object): unknown => ({ [brand]: true, ...fields });

/** An AgentError of a subclass with a method that throws. */
const withMethod = (name: string): AgentError =>
  Object.assign(
    Object.create(Object.defineProperty({ __proto__: AgentError.prototype }, name, { value: trap })),
    {
      ...own(),
      message: 'x',
    },
  );

/** Values that may be thrown. Each is made again for each use. */
const VALUES: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  'a number': () => 7,
  'a bigint': () => 7n,
  'a text': () => 'boom',
  'a symbol': () => Symbol('boom'),
  'a function': () => trap,
  'a null prototype': () => Object.create(null),
  'a toString that throws': () => ({ toString: trap, [Symbol.toPrimitive]: trap, toJSON: trap }),
  'a revoked proxy': revoked,
  'a proxy that throws': () => new Proxy({}, allTraps),
  'a proxy of an error that throws': () => new Proxy(new Error('x'), allTraps),
  'a proxy of an AgentError that throws but for its brand': () =>
    new Proxy(own(), { ...allTraps, get: (_, name) => name === brand || trap() }),
  'a retryable error': () => Object.assign(new Error('x'), { status: 503 }),
  'an abort': () => new DOMException('x', 'AbortError'),
  'a frozen error': () => Object.freeze(new TypeError('x')),
  'an error caused by itself': () => {
    const error: Error = new Error('x');
    error.cause = error;
    return error;
  },
  'an error without a stack': () => trapped(new Error('x'), 'stack'),
  'an error that cannot be read': () => trapped(new Error('x'), 'stack', 'message', 'name', 'cause', 'code'),
  'an AgentError': () => own(),
  'an AgentError that is not retried': () => own('AUTHENTICATION_ERROR'),
  'an AgentError of cancellation': () => own('CANCELLED'),
  'a frozen AgentError': () => Object.freeze(own()),
  'a sealed AgentError': () => Object.seal(own()),
  'an AgentError that cannot be extended': () => Object.preventExtensions(own()),
  ...Object.fromEntries(
    [
      'message',
      'stack',
      'code',
      'name',
      'cause',
      'severity',
      'retryable',
      'provider',
      'metadata',
      'retryAfterMs',
      'attempts',
      'errors',
    ].map((name) => [`an AgentError whose ${name} throws`, () => trapped(own(), name)]),
  ),
  'an AgentError whose fields are something else': () =>
    Object.assign(own(), {
      severity: 7,
      retryable: 'yes',
      provider: 1,
      metadata: null,
      retryAfterMs: -1,
      attempts: 'x',
      errors: 3,
    }),
  'an AgentError with metadata that cannot be read': () =>
    Object.defineProperty(own(), 'metadata', { value: new Proxy({}, allTraps) }),
  ...Object.fromEntries(
    ['userMessage', 'toResponse', 'toJSON', 'toString'].map((name) => [
      `an AgentError whose ${name}() throws`,
      () => withMethod(name),
    ]),
  ),
  'an error of a later version': () => branded({ code: 'CODE_OF_A_LATER_VERSION', message: 'x' }),
  'an error of a later version that is retried': () =>
    branded({ code: 'CODE_OF_A_LATER_VERSION', message: 'x', retryable: true, severity: 'retriable' }),
  'an error of another copy without methods': () =>
    branded({ code: 'SERVER_ERROR', message: 'x', retryable: true }),
  'an error with nothing but the brand': () => branded({}),
};

/** Where user code may throw. */
const PLACES = [
  'operation',
  'fallback',
  'onRetry',
  'retryOn',
  'countsAsFailure',
  'classify',
  'validate',
  'onError',
  'onEvent',
  'onDebug',
] as const;
type Place = (typeof PLACES)[number];

/** How it does. */
const WAYS = {
  'in a promise': (value: unknown) => Promise.reject(value),
  'at once': (value: unknown): never => {
    throw value;
  },
  'after a while': async (value: unknown) => {
    await undefined;
    throw value;
  },
} as const;
type Way = keyof typeof WAYS;

interface Scenario {
  readonly throws: Partial<Record<Place, { value: keyof typeof VALUES; way: Way }>>;
  readonly api: keyof typeof APIS;
}

function make(throws: Scenario['throws']): {
  policy: Policy<never>;
  operation: Operation<unknown>;
  options: ExecuteOptions<unknown>;
  ended: () => number;
} {
  const events: HalfopenEvent[] = [];
  const at =
    <V>(place: Place, otherwise: V) =>
    (): V => {
      const one = throws[place];
      if (one === undefined) return otherwise;
      return WAYS[one.way](VALUES[one.value]?.()) as V;
    };
  const onEvent = at('onEvent', undefined);
  const options: PolicyOptions<never> = {
    clock: new VirtualClock(),
    retry: {
      maxRetries: 2,
      baseDelayMs: 0,
      onRetry: at('onRetry', undefined),
      retryOn: at('retryOn', undefined),
    },
    breaker: { failureThreshold: 50, countsAsFailure: at('countsAsFailure', true) },
    onError: at('onError', undefined),
    onEvent: (event) => {
      events.push(event);
      return onEvent();
    },
  };
  if (throws.classify !== undefined) options.classify = at('classify', undefined);
  if (throws.onDebug !== undefined) options.onDebug = at('onDebug', undefined);
  return {
    policy: createPolicy<never>(options),
    operation: at('operation', 'value'),
    options: {
      ...(throws.validate !== undefined && { validate: at('validate', undefined) }),
      ...(throws.fallback !== undefined && { fallback: at('fallback', 'less') as () => string }),
    },
    ended: () =>
      events.filter(
        ({ type }) => type === 'call.succeeded' || type === 'call.failed' || type === 'call.rejected',
      ).length,
  };
}
type Made = ReturnType<typeof make>;

const isAgentError = (error: unknown): void =>
  assert.ok(AgentError.is(error), 'it rejects with an AgentError');

/** Each begins one call, and resolves when that has settled. */
const APIS = {
  execute: ({ policy, operation, options }: Made) => policy.execute(operation, options).catch(isAgentError),
  // Without options of its own.
  'execute, bare': ({ policy, operation }: Made) => policy.execute(operation).catch(isAgentError),
  wrap: ({ policy, operation, options }: Made) =>
    policy
      .wrap(operation as () => unknown, options)()
      .catch(isAgentError),
  respond: async ({ policy, operation, options }: Made) => {
    assert.equal(typeof (await policy.respond(operation, options)).success, 'boolean');
  },
  stream: async ({ policy, operation, options: { fallback: _, ...options } }: Made) => {
    async function* source(): AsyncGenerator<unknown> {
      yield await operation({} as never);
    }
    try {
      for await (const _ of policy.stream(source, options));
    } catch (error) {
      isAgentError(error);
    }
  },
  failover: ({ policy, operation }: Made) => failover([{ policy, run: operation }]).catch(isAgentError),
  toolResult: async ({ policy, operation, options }: Made) => {
    const tool = toolResult(async () => String(await policy.execute(operation, options)), { onError: trap });
    assert.equal(typeof (await tool()).output, 'string');
  },
  degrade: ({ policy, operation, options }: Made) =>
    degrade(() => policy.execute(operation, options), { name: 'x', fallback: 'less', onDebug: trap }).catch(
      isAgentError,
    ),
  fetch: async ({ policy, operation }: Made) => {
    const real = globalThis.fetch;
    globalThis.fetch = operation as never;
    try {
      await policy.fetch('http://127.0.0.1/').catch(() => {});
    } finally {
      globalThis.fetch = real;
    }
  },
} satisfies Record<string, (made: Made) => Promise<unknown>>;

/** Runs until the promise has settled, or nothing that could settle it is left. */
async function settles(promise: Promise<unknown>): Promise<void> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  for (let turn = 0; turn < 50 && !settled; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(settled, 'the promise is still pending');
  await promise;
}

async function check({ throws, api }: Scenario): Promise<void> {
  const made = make(throws);
  const begun = APIS[api](made);
  await settles(begun);
  assert.equal(made.ended(), 1, 'the call ended once');
  made.policy.dispose();
}

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
before(() => void process.on('unhandledRejection', note));
after(() => void process.off('unhandledRejection', note));

/** Mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

async function checkAll(scenarios: Iterable<Scenario>): Promise<void> {
  const broken: string[] = [];
  for (const scenario of scenarios) {
    unhandled.length = 0;
    try {
      await check(scenario);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(unhandled.length, 0, 'a rejection was not handled');
    } catch (error) {
      broken.push(`${JSON.stringify(scenario)}: ${error instanceof Error ? error.message : typeof error}`);
    }
  }
  assert.deepEqual(broken, []);
}

const apis = Object.keys(APIS) as (keyof typeof APIS)[];
const ways = Object.keys(WAYS) as Way[];

describe('whatever an operation throws, the call settles', () => {
  for (const api of apis) {
    test(api, () =>
      checkAll(
        Object.keys(VALUES).flatMap((value) =>
          ways.map((way) => ({ api, throws: { operation: { value, way } } })),
        ),
      ),
    );
  }
});

test('whatever is thrown in whichever places, the call settles once', async () => {
  const next = random(Number(process.env.SEED ?? 20260101));
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T;
  const values = Object.keys(VALUES);
  const scenarios = Array.from({ length: Number(process.env.CASES ?? 600) }, (): Scenario => {
    const throws: Scenario['throws'] = {};
    for (const place of PLACES) {
      if (next() < (place === 'operation' ? 0.8 : 0.35))
        throws[place] = { value: one(values), way: one(ways) };
    }
    return { api: one(apis), throws };
  });
  await checkAll(scenarios);
});

test('whatever an operation throws, a RetryHandler settles', async () => {
  for (const make of Object.values(VALUES)) {
    for (const way of Object.values(WAYS)) {
      const handler = new RetryHandler({ maxRetries: 0 });
      const settled = handler.executeWithRetry(() => way(make()), { taskId: 'x' }).catch(isAgentError);
      await settles(settled);
    }
  }
});

test('an error whose field can be read so many times and then throws settles everything', async () => {
  const fields = ['code', 'message', 'severity', 'retryable', 'provider', 'metadata', 'attempts', 'errors'];
  const readable = (field: string, times: number): AgentError => {
    const error = own('AUTHENTICATION_ERROR');
    const value = error[field as keyof AgentError];
    let reads = 0;
    const get = () => (reads++ < times ? value : trap());
    return Object.defineProperty(error, field, { get, configurable: true });
  };
  for (const field of fields) {
    for (let times = 0; times < 8; times++) {
      const what = `${field}, ${times} times`;
      const fail = () => Promise.reject(readable(field, times));
      const observed = { onDebug: () => {} };
      assert.match((await toolResult(fail, { onError: () => {} })()).output, /^Error: /, what);
      assert.equal(await degrade(fail, { name: 'x', fallback: 'less', ...observed }), 'less', what);
      await degrade(fail, { name: 'x', fallback: fail, ...observed }).then(assert.fail, isAgentError);
      await createPolicy(observed).execute(fail).then(assert.fail, isAgentError);
      assert.equal((await createPolicy(observed).respond(fail)).success, false, what);
      assert.equal(toModelResponse(readable(field, times)).success, false, what);
      assert.ok(formatErrorMessage(readable(field, times), { technicalDetails: true }).length > 10, what);
    }
  }
});

test('an error of a later version, whose code is not known here, is UNKNOWN', async () => {
  const later = branded({ code: 'CODE_OF_A_LATER_VERSION', message: 'what it says' });
  assert.equal(AgentError.from(later).code, 'UNKNOWN');
  assert.equal(AgentError.from(later).message, 'what it says');
  const response = await createPolicy().respond(() => Promise.reject(later));
  assert.equal(!response.success && response.error, 'UNKNOWN');
});

test('a frozen error rejects as a copy of its class, and a fallback answers it', async () => {
  class Mine extends AgentError {}
  const thrown = Object.freeze(new Mine('AUTHENTICATION_ERROR', 'x'));
  const policy = createPolicy();
  await assert.rejects(
    policy.execute(() => Promise.reject(thrown)),
    (error: AgentError) => error instanceof Mine && error.attempts === 1 && error.errors[0] === thrown,
  );
  assert.equal(await policy.execute(() => Promise.reject(thrown), { fallback: () => 'less' }), 'less');
});

test('a clock that throws ends the call, and gives its place in the bulkhead back', async () => {
  let broken = true;
  class BrokenClock extends VirtualClock {
    override setTimeout(callback: () => void, ms: number): unknown {
      if (broken) throw new Error('no timers');
      return super.setTimeout(callback, ms);
    }
  }
  const policy = createPolicy({
    clock: new BrokenClock(),
    retry: { maxRetries: 1 },
    bulkhead: { maxConcurrent: 1 },
  });
  for (const options of [{ timeout: { totalMs: 10 } }, { timeout: { attemptMs: 10 } }, {}]) {
    const failing = policy.execute(() => Promise.reject(own()), options);
    await settles(failing.catch(isAgentError));
  }
  broken = false;
  assert.equal(await policy.execute(() => 'the next call'), 'the next call');
});
