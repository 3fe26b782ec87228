// Failover of functions: what a guarded client in them does belongs to the failover, also where the client or the target has
// a policy of its own. No request is sent twice for it, and no breaker counts a failure twice.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import test from 'node:test';
import {
  AgentError,
  CircuitBreaker,
  createPolicy,
  type FailoverOptions,
  failover,
  onEvent,
  type Policy,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { deaf, rejection, retryable } from './given.js';

/** A client under a policy, whose provider fails. */
function failingClient(policy: Policy, error: () => unknown = retryable) {
  const client = {
    requests: 0,
    ask: async (): Promise<string> => {
      await null;
      return policy.execute(async () => {
        client.requests++;
        throw error();
      });
    },
  };
  return client;
}

const steady = { enableJitter: false } as const;

async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  await clock.advance(1_000_000);
  return promise;
}

test('a guarded client in a function is left after one retry, and not after its own patience', async () => {
  for (const [options, requests, at] of [
    [{}, 2, 1000],
    [{ retriesBeforeSwitch: 0 }, 1, 0],
    [{ retriesBeforeSwitch: 2 }, 3, 3000],
    [{ retriesBeforeSwitch: 9, maxWaitMs: 100_000 }, 4, 7000],
    [{ maxWaitMs: 500 }, 1, 0],
  ] satisfies [FailoverOptions, number, number][]) {
    const clock = new VirtualClock();
    const client = failingClient(createPolicy({ clock, breaker: false, retry: steady }));
    const answer = failover([() => client.ask(), () => `answered at ${clock.now()}`], options);
    assert.equal(await settled(clock, answer), `answered at ${at}`, JSON.stringify(options));
    assert.equal(client.requests, requests, JSON.stringify(options));
  }
});

test('it is the same where the target has a policy, of its own or that of the client', async () => {
  for (const isOwn of [true, false]) {
    const clock = new VirtualClock();
    const breaker = new CircuitBreaker({ failureThreshold: 2, resetTimeoutMs: 1e9 });
    const policy = createPolicy({ clock, breaker, retry: steady });
    const client = failingClient(policy);
    const first = isOwn ? createPolicy({ clock, breaker: false, retry: steady }) : policy;
    const second = createPolicy({ clock });
    const ask = () =>
      failover([
        { policy: first, run: () => client.ask() },
        { policy: second, run: () => `answered at ${clock.now()}` },
      ]);
    assert.equal(await settled(clock, ask()), 'answered at 1000');
    assert.equal(client.requests, 2);
    // Two policies have a call each; the breaker has counted one failure.
    const calls = new Set([first, policy]);
    assert.deepEqual(
      [...calls].map((one) => one.stats().calls),
      isOwn ? [1, 1] : [2],
    );
    assert.equal(breaker.state, 'closed');
    await settled(clock, ask());
    assert.equal(breaker.state, 'open');
  }
});

test('a timeout of the client leads to the next target at once', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, timeout: { attemptMs: 30_000 } });
  const answer = failover([() => policy.execute(deaf), () => `answered at ${clock.now()}`]);
  assert.equal(await settled(clock, answer), 'answered at 30000');
});

test('the last target is as patient as its own policy', async () => {
  const clock = new VirtualClock();
  const [first, last] = [0, 1].map(() =>
    failingClient(createPolicy({ clock, breaker: false, retry: steady })),
  ) as [ReturnType<typeof failingClient>, ReturnType<typeof failingClient>];
  const error = await rejection(settled(clock, failover([() => first.ask(), () => last.ask()])));
  assert.deepEqual([error.code, first.requests, last.requests], ['SERVER_ERROR', 2, 4]);
});

test('a failover within a target goes by its own bounds, and its last target by those of the one around', async () => {
  const clock = new VirtualClock();
  const clients = [0, 1].map(() => failingClient(createPolicy({ clock, breaker: false, retry: steady })));
  const inner = () =>
    failover(
      clients.map(({ ask }) => ask),
      { retriesBeforeSwitch: 0 },
    );
  await settled(clock, failover([inner, () => 'answered'], { retriesBeforeSwitch: 1 }));
  assert.deepEqual(
    clients.map(({ requests }) => requests),
    [1, 2],
  );
});

test('a call that is made when the failover is over has its own patience', async () => {
  const clock = new VirtualClock();
  const client = failingClient(createPolicy({ clock, breaker: false, retry: steady }));
  assert.equal(await failover([() => 'answered', () => 'never']), 'answered');
  await rejection(settled(clock, client.ask()));
  assert.equal(client.requests, 4);
});

test('functions get a context, keep their own async context, and are named by their names or places', async () => {
  const tenant = new AsyncLocalStorage<string>();
  const switched: string[] = [];
  const stop = onEvent((event) => {
    if (event.type === 'failover.switched') switched.push(`${event.from} to ${event.to}: ${event.code}`);
  });
  const busy = async ({ attempt }: { attempt: number }): Promise<number> => {
    throw new AgentError('PROVIDER_OVERLOADED', `attempt ${attempt}`);
  };
  const answer: string | number = await tenant.run('ann', () =>
    failover([busy, async ({ signal }) => `${tenant.getStore()}, aborted: ${signal.aborted}`]),
  );
  stop();
  assert.equal(answer, 'ann, aborted: false');
  assert.deepEqual(switched, ['busy to target 2: PROVIDER_OVERLOADED']);
});

test('all targets together have a deadline, and the caller can abort', async () => {
  const late = await rejection(failover([deaf, deaf], { totalMs: 1 }));
  assert.equal(late.code, 'TIMEOUT');
  const abort = new AbortController();
  const aborted = rejection(failover([deaf, deaf], { signal: abort.signal }));
  abort.abort();
  assert.equal((await aborted).code, 'CANCELLED');
});

test('anything but a function or a target is a TypeError at once', () => {
  for (const wrong of [undefined, null, 1, 'run', {}, { run: () => 1 }])
    assert.throws(() => failover([() => 1, wrong as never]), /option 'targets\[1\].policy' must be a Policy/);
});
