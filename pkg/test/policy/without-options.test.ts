// A call without options of its own, which most are: its values, failures, context, and that nothing of it stays behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, type AttemptContext, CircuitBreaker, createPolicy, type HalfopenEvent } from 'halfopen';
import { rejection, retryable } from './given.js';

/** A policy that has made a call before: what its first call makes is there. */
async function warm(): Promise<ReturnType<typeof createPolicy<never>>> {
  const policy = createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 }, seed: 1 });
  await policy.execute(() => 1);
  return policy;
}

test('values, promises, thenables and thrown values come out unchanged', async () => {
  const policy = await warm();
  assert.equal(await policy.execute(() => 1), 1);
  assert.equal(await policy.execute(async () => 2), 2);
  // biome-ignore lint/suspicious/noThenProperty: a thenable of another promise library.
  const thenable = { then: (resolve: (value: number) => void) => resolve(3) };
  assert.equal(await policy.execute(() => thenable as PromiseLike<number>), 3);
  assert.equal(await policy.execute(() => undefined), undefined);
  const sync = await rejection(
    policy.execute(() => {
      throw new AgentError('AUTHENTICATION_ERROR', 'no');
    }),
  );
  assert.deepEqual([sync.code, sync.attempts], ['AUTHENTICATION_ERROR', 1]);
});

test('a failure goes over to retries: each attempt has its own context, the call is one', async () => {
  const policy = await warm();
  const seen: AttemptContext[] = [];
  const value = await policy.execute(async (context) => {
    seen.push(context);
    if (context.attempt === 1) throw retryable();
    return 'second';
  });
  assert.equal(value, 'second');
  const [first, second] = seen;
  assert.ok(first && second);
  assert.deepEqual([first.attempt, second.attempt], [1, 2]);
  assert.equal(second.lastError?.code, 'SERVER_ERROR');
  assert.equal(first.callId, second.callId);
  assert.notEqual(first.signal, second.signal);
});

test('the context has all that a context has', async () => {
  const policy = await warm();
  await policy.execute(async (context) => {
    assert.equal(context.attempt, 1);
    assert.equal(context.lastError, undefined);
    assert.equal(context.remainingMs, Number.POSITIVE_INFINITY);
    assert.equal(context.signal, context.signal);
    assert.equal(context.signal.aborted, false);
    assert.equal(context.callId, context.callId);
    assert.notEqual(context.callId, '');
    context.observe({ usage: { inputTokens: 1 } });
    assert.throws(() => context.observe(1 as never), TypeError);
  });
});

test('a disposal ends it at once, also one that never reads its signal, and drops its late result', async () => {
  const policy = await warm();
  let finish: (value: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const deaf = policy.execute(() => new Promise<string>((resolve) => (finish = resolve)));
  const failing = policy.execute(() => new Promise<string>((_, reject) => (fail = reject)));
  let signal: AbortSignal | undefined;
  const listening = policy.execute((context) => {
    signal = context.signal;
    return new Promise<string>(() => {});
  });
  let late: AttemptContext | undefined;
  const unread = policy.execute((context) => {
    late = context;
    return new Promise<string>(() => {});
  });
  policy.dispose();
  for (const call of [deaf, failing, listening, unread]) {
    assert.equal((await rejection(call)).code, 'CANCELLED');
  }
  assert.equal(signal?.aborted, true);
  assert.equal(late?.signal.aborted, true, 'a signal that is read late is aborted already');
  finish('late');
  fail(new Error('late'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await rejection(policy.execute(() => 1))).code, 'CANCELLED');
});

test('its breaker counts it, and its place is given back: a thousand at once leave none behind', async () => {
  const breaker = new CircuitBreaker({ failureThreshold: 2 });
  const policy = createPolicy({ retry: false, breaker });
  await policy.execute(() => 1);
  const fail = () => policy.execute(() => Promise.reject(retryable())).catch(() => {});
  await fail();
  await policy.execute(async () => 1);
  await fail();
  assert.equal(breaker.state, 'closed', 'a success between them');
  await Promise.all(Array.from({ length: 1000 }, (_, index) => policy.execute(async () => index)));
  await fail();
  await fail();
  assert.equal(breaker.state, 'open');
  assert.equal((await rejection(policy.execute(() => 1))).code, 'CIRCUIT_OPEN');
});

test('an update, a listener and a trip meanwhile: the call ends under what it began with', async () => {
  const breaker = new CircuitBreaker({ failureThreshold: 1 });
  const policy = createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 }, breaker });
  await policy.execute(() => 1);
  let finish: (value: string) => void = () => {};
  const pending = policy.execute(() => new Promise<string>((resolve) => (finish = resolve)));
  let fail: (error: Error) => void = () => {};
  let runs = 0;
  const retried = policy.execute(() => {
    runs++;
    return runs === 1 ? new Promise<string>((_, reject) => (fail = reject)) : 'again';
  });
  policy.update({ retry: false });
  const events: HalfopenEvent[] = [];
  policy.onEvent((event) => events.push(event));
  breaker.isolate().dispose();
  finish('value');
  fail(retryable());
  assert.equal(await pending, 'value');
  assert.equal(await retried, 'again', 'it had begun with two attempts');
  await policy.execute(() => 1);
  assert.ok(events.some((event) => event.type === 'call.succeeded'));
});

test('calls within a call: the inner one of an observed policy names its parent, whoever that is', async () => {
  const outer = await warm();
  const inner = createPolicy();
  const events: HalfopenEvent[] = [];
  inner.onEvent((event) => events.push(event));
  let id: string | undefined;
  await outer.execute((context) => {
    id = context.callId;
    return inner.execute(async () => 1);
  });
  assert.equal(events.find((event) => event.type === 'call.started')?.parentCall, id);
});
