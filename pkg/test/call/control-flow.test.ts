// A host's control flow passes as it was thrown: no failure, no retry, no event of a failure, no result for a breaker.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AgentError,
  createPolicy,
  degrade,
  failover,
  type HalfopenEvent,
  onEvent,
  type Policy,
  RetryHandler,
  toolResult,
} from 'halfopen';
import { answerFetch } from 'halfopen/guard';
import { deaf, onVirtualClock } from '../policy/given.js';

const digest = (value: string) => Object.assign(new Error(value), { digest: value });

/** By shape, as https://github.com/langchain-ai/langgraphjs, Next 13 to 16 and React 18 and 19 throw them. */
const SIGNALS: Readonly<Record<string, unknown>> = {
  'an interrupt of LangGraph': Object.assign(new Error('[]'), { name: 'GraphInterrupt', is_bubble_up: true }),
  'a command to a parent graph': Object.assign(new Error(''), { name: 'ParentCommand', is_bubble_up: true }),
  'a Command': { lg_name: 'Command', goto: ['next'] },
  redirect: digest('NEXT_REDIRECT;replace;/login;307;'),
  notFound: digest('NEXT_HTTP_ERROR_FALLBACK;404'),
  'notFound of Next 14': digest('NEXT_NOT_FOUND'),
  'a dynamic page': digest('DYNAMIC_SERVER_USAGE'),
  'a page for clients': digest('BAILOUT_TO_CLIENT_SIDE_RENDERING'),
  'a prerender that ends': digest('HANGING_PROMISE_REJECTION'),
  'an interrupted prerender': digest('NEXT_PRERENDER_INTERRUPTED'),
  'a promise, for Suspense': new Promise(() => {}),
  // biome-ignore lint/suspicious/noThenProperty: it is what is tested.
  'a thenable, for Suspense': { then() {} },
  'what use() throws': new Error(
    "Suspense Exception: This is not a real error! It's an implementation detail of `use`",
  ),
  'what use() throws in production': new Error(
    'Minified React error #460; visit https://react.dev/errors/460',
  ),
  'a postponed state': { $$typeof: Symbol.for('react.postpone') },
};

/** Not control flow, though they look a little like it. */
const FAILURES: Readonly<Record<string, unknown>> = {
  'a digest of an error in production': digest('2338103942'),
  'another error of React': new Error('Minified React error #418; visit https://react.dev/errors/418'),
  // biome-ignore lint/suspicious/noThenProperty: it is what is tested.
  'a promise that is a value': Object.assign(new Error('x'), { then: 1 }),
  'a getter that throws': Object.defineProperty(new Error('x'), 'digest', {
    get() {
      throw new Error('no');
    },
  }),
};

/** Returns the promise's rejection, in an array: an async function that returns a promise waits for it. */
async function thrownBy(run: () => PromiseLike<unknown>): Promise<[unknown]> {
  try {
    await run();
  } catch (thrown) {
    return [thrown];
  }
  assert.fail('it resolved');
}

/** Returns `true` if the promise rejects with the very same value. */
async function passes(run: () => PromiseLike<unknown>, signal: unknown): Promise<void> {
  assert.ok(Object.is((await thrownBy(run))[0], signal));
}

const read = async (stream: AsyncIterable<unknown>) => {
  for await (const _ of stream);
};

/** Ways to run something that throws under a policy. */
const WAYS: Readonly<
  Record<string, (policy: Policy<unknown>, run: () => Promise<never>) => PromiseLike<unknown>>
> = {
  execute: (policy, run) => policy.execute(run),
  'execute, thrown at once': (policy, run) =>
    policy.execute(() => Object.assign(run(), { constructor: Promise })),
  respond: (policy, run) => policy.respond(run),
  wrap: (policy, run) => policy.wrap(run)(),
  'stream, before its first chunk': (policy, run) => read(policy.stream(run)),
  'stream, after a chunk': (policy, run) =>
    read(
      policy.stream(
        async function* () {
          yield 1;
          await run();
        },
        { onBreak: 'restart' },
      ),
    ),
  validate: (policy, run) => policy.execute(() => 1, { validate: run }),
  'validate, of a chunk': (policy, run) =>
    read(
      policy.stream(
        async function* () {
          yield 1;
          await deaf();
        },
        { validate: run },
      ),
    ),
  hedge: (policy, run) => policy.execute(run, { hedge: { afterMs: 0 } }),
  failover: (policy, run) =>
    failover([
      { policy: policy as Policy, run },
      { policy: createPolicy(), run: () => assert.fail('the next') },
    ]),
  toolResult: (policy, run) => toolResult(policy.wrap(run) as never)(),
  degrade: (policy, run) => degrade(() => policy.execute(run), { name: 'x', fallback: 1 }),
  answerFetch: (policy, run) => answerFetch(policy, {}, run)('http://localhost/'),
};

for (const [way, under] of Object.entries(WAYS)) {
  test(`${way}: control flow passes as it was thrown`, async () => {
    for (const [name, signal] of Object.entries(SIGNALS)) {
      const events: HalfopenEvent[] = [];
      const policy = createPolicy({
        breaker: { failureThreshold: 1 },
        fallback: way === 'failover' ? undefined : () => 'fallback',
        onEvent: (event) => void events.push(event),
        onError: () => assert.fail('onError was called'),
        onDebug: (message) => assert.fail(`onDebug was called: ${message}`),
        classify: () => assert.fail('classify was called'),
      });
      let calls = 0;
      const [thrown] = await thrownBy(() =>
        under(policy, async () => {
          calls++;
          throw signal;
        }),
      );
      assert.ok(Object.is(thrown, signal), `${name}: ${String(thrown)}`);
      assert.equal(calls, 1, name);
      const types = events.map(({ type }) => type);
      assert.ok(
        !types.some((type) => /failed|rejected|broken|retry|fallback|switched/.test(type)),
        `${name}: ${types}`,
      );
      const { inFlight, failed, cancelled, succeeded } = policy.stats();
      assert.deepEqual([inFlight, failed, cancelled, succeeded], [0, 0, 0, 1], name);
      assert.equal(policy.breaker?.snapshot().consecutiveFailures, 0);
    }
  });
}

test('what only looks like it is a failure', async () => {
  for (const [name, failure] of Object.entries(FAILURES)) {
    const [thrown] = await thrownBy(() =>
      createPolicy({ retry: false }).execute(() => Promise.reject(failure)),
    );
    assert.ok(AgentError.is(thrown), name);
  }
});

test('a probe that ends so has shown nothing: the breaker stays half-open, and the next call is the probe', async () => {
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1, resetTimeoutMs: 100 },
  });
  await policy.execute(() => Promise.reject(new AgentError('SERVER_ERROR', 'down'))).catch(() => {});
  await clock.advance(100);
  const signal = SIGNALS.redirect;
  await passes(() => policy.execute(() => Promise.reject(signal)), signal);
  assert.equal(policy.breaker?.state, 'half_open');
  assert.equal(await policy.execute(() => 'well'), 'well');
  assert.equal(policy.breaker?.state, 'closed');
});

test('it gives back what the call held: the next in the queue begins', async () => {
  const policy = createPolicy({ bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
  const signal = SIGNALS.notFound;
  const first = thrownBy(() => policy.execute(async () => Promise.reject(signal)));
  const second = policy.execute(() => 'second');
  assert.deepEqual([await first, await second], [[signal], 'second']);
});

test('an attempt beside the one that throws it is aborted', async () => {
  const { clock, policy } = onVirtualClock({ hedge: { afterMs: 10 } });
  const signals: AbortSignal[] = [];
  const result = thrownBy(() =>
    policy.execute((context) => {
      signals.push(context.signal);
      return context.attempt === 1 ? deaf() : Promise.reject(SIGNALS.redirect);
    }),
  );
  await clock.advance(10);
  assert.deepEqual(await result, [SIGNALS.redirect]);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
});

test('a fallback may redirect, and onRetry too', async () => {
  const signal = SIGNALS.redirect;
  const failing = () => Promise.reject(new AgentError('SERVER_ERROR', 'down'));
  const events: string[] = [];
  const falling = createPolicy({
    retry: false,
    fallback: () => Promise.reject(signal),
    onEvent: ({ type }) => void events.push(type),
  });
  await passes(() => falling.execute(failing), signal);
  await passes(() => falling.respond(failing), signal);
  assert.ok(events.includes('fallback.used'));
  const retrying = createPolicy({ retry: { onRetry: () => Promise.reject(signal) } });
  await passes(() => retrying.execute(failing), signal);
  assert.equal(retrying.stats().failed, 0);
  const degraded = degrade(failing, { name: 'x', fallback: () => Promise.reject(signal) });
  await passes(() => degraded, signal);
});

test('degrade, toolResult and RetryHandler pass it on where there is no policy', async () => {
  const signal = SIGNALS['a promise, for Suspense'];
  const run = () => Promise.reject(signal);
  const events: string[] = [];
  const stop = onEvent(({ type }) => events.push(type));
  await passes(() => degrade(run, { name: 'x', fallback: 1 }), signal);
  await passes(() => toolResult(run)(), signal);
  await passes(() => new RetryHandler().executeWithRetry(run, { taskId: 'x' }), signal);
  stop();
  assert.deepEqual(events, []);
});

test('policy.fetch passes on what fetch throws in a page that is rendered ahead', async (t) => {
  const signal = SIGNALS['a dynamic page'];
  t.mock.method(globalThis, 'fetch', () => Promise.reject(signal));
  const policy = createPolicy();
  await passes(() => policy.fetch('http://localhost/'), signal);
});
