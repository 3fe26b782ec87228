// Arbitrary values as arguments of every exported function: it returns, or throws a TypeError that says what was
// expected (or an AgentError, if that is its job). It never traps the core, fails with an accidental error of the
// engine, or hangs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as halfopen from 'halfopen';
import * as aiSdk from 'halfopen/ai-sdk';
import * as devtools from 'halfopen/devtools';
import * as effect from 'halfopen/effect';
import * as fleet from 'halfopen/fleet';
import * as fleetDurableObject from 'halfopen/fleet/durable-object';
import * as fleetKv from 'halfopen/fleet/kv';
import * as fleetRedis from 'halfopen/fleet/redis';
import * as guard from 'halfopen/guard';
import * as lab from 'halfopen/lab';
import * as langchain from 'halfopen/langchain';
import * as langgraph from 'halfopen/langgraph';
import * as log from 'halfopen/log';
import * as matchers from 'halfopen/matchers';
import * as mcp from 'halfopen/mcp';
import * as once from 'halfopen/once';
import * as onceKv from 'halfopen/once/kv';
import * as oncePostgres from 'halfopen/once/postgres';
import * as onceRedis from 'halfopen/once/redis';
import * as openaiAgents from 'halfopen/openai-agents';
import * as otel from 'halfopen/otel';
import * as rehearse from 'halfopen/rehearse';
import * as repair from 'halfopen/repair';
import * as run from 'halfopen/run';
import * as testing from 'halfopen/testing';
import * as undici from 'halfopen/undici';
import { WAIT } from '../../scripts/patience.mjs';

/** Else fast-check keeps what was thrown in `cause`, which no reporter prints. */
const SETTINGS = { numRuns: Number(process.env.ANYTHING_RUNS ?? 200), includeErrorInReport: true };

const trap = (): never => {
  throw new RangeError('of the value itself');
};

/** A value that is made for each call, because the package may change it by reading it. */
class Made {
  constructor(readonly make: () => unknown) {}
  toString(): string {
    return String(this.make);
  }
}
const made = (args: readonly unknown[]): unknown[] =>
  args.map((one) => (one instanceof Made ? one.make() : one));

const hostile = fc.constantFrom<(() => unknown)[]>(
  () =>
    new Proxy(
      {},
      { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap },
    ),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => Object.defineProperty(new Error('x'), 'message', { get: trap }),
  // biome-ignore lint/suspicious/noThenProperty: that is what it is for
  () => ({ toString: trap, valueOf: trap, toJSON: trap, [Symbol.iterator]: trap, then: trap }),
  () => {
    const circle: Record<string, unknown> = {};
    circle.cause = circle;
    circle.errors = [circle];
    return circle;
  },
  () => Symbol('s'),
  () => 10n ** 40n,
  () => new halfopen.AgentError('TIMEOUT', 'late'),
  () => trap,
  () => () => undefined,
  () => new AbortController().signal,
);

/** The words that functions look for, so that chance comes further than their first look. */
const key = fc.constantFrom(
  ...[
    'status',
    'headers',
    'retry-after',
    'code',
    'message',
    'cause',
    'errors',
    'name',
    'response',
    'error',
    'type',
    'stack',
  ],
  ...[
    'success',
    'metadata',
    'provider',
    'classification',
    'severity',
    'retryable',
    'locale',
    'now',
    'signal',
    'options',
  ],
  ...[
    'choices',
    'candidates',
    'content',
    'parts',
    'text',
    'delta',
    'output',
    'finish_reason',
    'tool_calls',
    'policy',
    'run',
  ],
  ...[
    'retry',
    'maxRetries',
    'breaker',
    'timeout',
    'totalMs',
    'rateLimit',
    'limit',
    'windowMs',
    'bulkhead',
    'fallback',
  ],
  ...[
    'stepResults',
    'stepIndex',
    'currentTask',
    'errorInfo',
    'capabilityName',
    'retryCount',
    'retryPolicy',
    'executionTime',
  ],
);
const plain = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withTypedArray: true,
  maxDepth: 3,
  key,
});
const value = fc.oneof(
  { arbitrary: plain, weight: 4 },
  { arbitrary: hostile.map((make) => new Made(make)), weight: 1 },
);
const values = fc.array(value, { maxLength: 4 });

/** Returns `true` if a function may throw this error at its caller. */
const expected = (thrown: unknown): boolean =>
  thrown instanceof TypeError ||
  halfopen.AgentError.is(thrown) ||
  (thrown as Error)?.message === 'of the value itself';

async function call(run: () => unknown, opens = false): Promise<void> {
  try {
    const answer = run();
    // A policy that was made holds timers and listeners, and so do a connection and a member of a fleet.
    if (answer instanceof halfopen.Policy) answer.dispose();
    if (opens) await ((await answer) as { close(): unknown }).close();
    if (!(answer instanceof Promise)) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('hangs')), WAIT);
    });
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  } catch (thrown) {
    if (!expected(thrown)) throw thrown;
  }
}

/** The results of these must be closed. */
const OPENS = new Set(['connectDevtools', 'fleet', 'startRehearsal']);

/**
 * Left out: the first may run for as long as its arguments say, the second opens a port and writes a log in the working
 * directory.
 */
const LEFT_OUT = new Set(['VirtualClock', 'startDevtoolsServer']);

for (const [door, exported] of Object.entries({
  halfopen,
  'halfopen/ai-sdk': aiSdk,
  'halfopen/devtools': devtools,
  'halfopen/effect': effect,
  'halfopen/fleet': fleet,
  'halfopen/fleet/durable-object': fleetDurableObject,
  'halfopen/fleet/kv': fleetKv,
  'halfopen/fleet/redis': fleetRedis,
  'halfopen/guard': guard,
  'halfopen/lab': lab,
  'halfopen/langchain': langchain,
  'halfopen/langgraph': langgraph,
  'halfopen/log': log,
  'halfopen/matchers': matchers,
  'halfopen/mcp': mcp,
  'halfopen/once': once,
  'halfopen/once/kv': onceKv,
  'halfopen/once/postgres': oncePostgres,
  'halfopen/once/redis': onceRedis,
  'halfopen/openai-agents': openaiAgents,
  'halfopen/otel': otel,
  'halfopen/rehearse': rehearse,
  'halfopen/repair': repair,
  'halfopen/run': run,
  'halfopen/testing': testing,
  'halfopen/undici': undici,
}))
  describe(door, () => {
    for (const [name, member] of Object.entries(exported)) {
      if (typeof member !== 'function' || LEFT_OUT.has(name)) continue;
      const isClass = /^class\b/.test(Function.prototype.toString.call(member));
      test(`${isClass ? 'new ' : ''}${name}`, async () => {
        await fc.assert(
          fc.asyncProperty(values, async (args) => {
            await call(
              () =>
                isClass
                  ? Reflect.construct(member, made(args))
                  : Reflect.apply(member, undefined, made(args)),
              OPENS.has(name),
            );
          }),
          SETTINGS,
        );
      });
    }
  });

describe('methods', () => {
  const policy = halfopen.createPolicy({
    name: 'anything',
    retry: false,
    breaker: { failureThreshold: 1_000_000 },
    timeout: { totalMs: 50 },
  });
  const METHODS: [string, () => object, string][] = [
    ['policy', () => policy, 'execute respond stream wrap fetch update onEvent stats snapshot restore'],
    [
      'breaker',
      () => new halfopen.CircuitBreaker(),
      'canExecute acquire recordSuccess recordFailure isolate disable reset snapshot restore onStateChange',
    ],
    ['permit', () => new halfopen.CircuitBreaker().acquire() as object, 'success failure release'],
    ['budget', () => new halfopen.RetryBudget(), 'deposit withdraw'],
    ['error', () => new halfopen.AgentError('TIMEOUT', 'late'), 'userMessage toResponse toJSON'],
    ['AgentError', () => halfopen.AgentError, 'is from aggregate'],
    [
      'responseHandler',
      () => new halfopen.ResponseHandler(),
      'validateResponse processChunk processResponse getFinalResponse watch collect reset',
    ],
    [
      'retryHandler',
      () => new halfopen.RetryHandler({ maxRetries: 0 }),
      'shouldRetry getDelay recordAttempt reset executeWithRetry',
    ],
    ['errorNode', () => new halfopen.ErrorNode({ timeoutMs: 50 }), 'execute'],
    ['ErrorNode', () => halfopen.ErrorNode, 'classifyError'],
    ['clock', () => new testing.VirtualClock(), 'setTimeout clearTimeout advance'],
  ];
  for (const [about, make, methods] of METHODS)
    for (const method of methods.split(' '))
      test(`${about}.${method}`, async () => {
        await fc.assert(
          fc.asyncProperty(values, async (args) => {
            const thing = make() as Record<string, (...args: unknown[]) => unknown>;
            await call(() => thing[method]?.(...made(args)));
          }),
          SETTINGS,
        );
      });
  test('the policy still works', async () => {
    assert.equal(await policy.execute(() => 'still'), 'still');
    policy.dispose();
  });
});
