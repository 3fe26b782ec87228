// The results and rejections of one call.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy, isAgentError } from 'halfopen';
import { script } from 'halfopen/testing';
import { fatal, onVirtualClock, rejection, rejectsWith, retryable } from '../policy/given.js';

test('the value of a promise, of a plain function and of a thenable', async () => {
  const policy = createPolicy();
  assert.equal(await policy.execute(async () => 1), 1);
  assert.equal(await policy.execute(() => 2), 2);
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested.
  const thenable = { then: (done: (value: number) => void) => done(3) } as PromiseLike<number>;
  assert.equal(await policy.execute(() => thenable), 3);
  assert.equal(await policy.execute(() => undefined), undefined);
  assert.equal(await policy.execute(() => null), null);
});

test('the operation is called at once', () => {
  let called = false;
  void createPolicy().execute(() => {
    called = true;
  });
  assert.equal(called, true);
});

test('a synchronous throw is a failed attempt like any other', async () => {
  const { clock, policy } = onVirtualClock();
  let calls = 0;
  const result = policy.execute(() => {
    calls++;
    if (calls < 3) throw retryable();
    return 'fine';
  });
  await clock.advance(3000);
  assert.equal(await result, 'fine');
});

test('a thenable that throws while it is asked is a failed attempt', async () => {
  const policy = createPolicy({ retry: false });
  const bad = {
    // biome-ignore lint/suspicious/noThenProperty: a getter that throws is what is tested.
    get then(): never {
      throw fatal();
    },
  };
  await rejectsWith(
    policy.execute(() => bad as PromiseLike<never>),
    'AUTHENTICATION_ERROR',
  );
});

test('a thenable that rejects is a failed attempt, and is retried; it may be a function', async () => {
  const { clock, policy } = onVirtualClock();
  const rejecting = (_: unknown, rejected: (error: unknown) => void): void => rejected(retryable());
  // biome-ignore lint/suspicious/noThenProperty: thenables of another promise library.
  for (const thenable of [{ then: rejecting }, Object.assign(() => {}, { then: rejecting })]) {
    const result = policy.execute(({ attempt }) =>
      attempt === 1 ? (thenable as unknown as PromiseLike<string>) : 'second',
    );
    await clock.advance(1000);
    assert.equal(await result, 'second');
  }
});

test('an error tells of all attempts, oldest first', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 2 } });
  const result = rejection(
    policy.execute(script<string>(retryable('a'), new AgentError('TIMEOUT', 'b'), retryable('c'))),
  );
  await clock.advance(3000);
  const error = await result;
  assert.equal(error.attempts, 3);
  assert.deepEqual(
    error.errors.map((one) => [one.code, one.message]),
    [
      ['SERVER_ERROR', 'a'],
      ['TIMEOUT', 'b'],
      ['SERVER_ERROR', 'c'],
    ],
  );
  assert.equal(error.message, 'c');
  assert.doesNotThrow(() => JSON.stringify(error));
});

test('the error is of the thrown class, and the thrown object stays as it was', async () => {
  const policy = createPolicy();
  const thrown = new AgentError('NOT_FOUND', 'nothing here');
  const error = await rejection(policy.execute(() => Promise.reject(thrown)));
  assert.equal(error.code, 'NOT_FOUND');
  assert.equal(error.attempts, 1);
  assert.equal(thrown.attempts, 0);
  assert.deepEqual(thrown.errors, []);
  assert.equal(error.errors[0], thrown);
  class Mine extends AgentError {
    readonly extra = 42;
  }
  const mine = await rejection(policy.execute(() => Promise.reject(new Mine('IO_ERROR', 'disk'))));
  assert.ok(mine instanceof Mine);
  assert.equal(mine.extra, 42);
  assert.ok(mine instanceof Error);
  assert.match(String(mine.stack), /execute\.test/);
});

test('whatever is thrown becomes an AgentError', async () => {
  const policy = createPolicy({ retry: false });
  for (const thrown of [
    null,
    undefined,
    'x',
    42,
    {},
    Symbol('s'),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    ),
  ]) {
    const error = await rejection(policy.execute(() => Promise.reject(thrown)));
    assert.equal(error.attempts, 1);
  }
});

test('respond never rejects, and says what a person may read', async () => {
  const { clock, policy } = onVirtualClock<string>({ retry: { maxRetries: 1 } });
  assert.deepEqual(await policy.respond(() => 'x'), { success: true, result: 'x', message: 'OK' });
  const failed = await policy.respond(() => Promise.reject(fatal('sk-verysecretverysecretverysecret')));
  assert.ok(isAgentError(failed));
  assert.equal(failed.error, 'AUTHENTICATION_ERROR');
  assert.doesNotMatch(failed.message, /sk-|AUTHENTICATION/);
  const controller = new AbortController();
  const cancelled = policy.respond(() => Promise.reject(retryable()), { signal: controller.signal });
  await clock.advance(5);
  controller.abort();
  const response = await cancelled;
  assert.ok(isAgentError(response));
  assert.equal(response.error, 'CANCELLED');
  const answered = await policy.respond(() => Promise.reject(fatal()), { fallback: () => 'spare' });
  assert.deepEqual(answered, {
    success: true,
    result: 'spare',
    message: 'OK',
    degraded: 'AUTHENTICATION_ERROR',
  });
});

test('respond throws a TypeError at once for a misuse', () => {
  const policy = createPolicy();
  assert.throws(() => policy.respond(() => 1, { timeout: { attemptMs: -1 } }), /timeout\.attemptMs/);
  assert.throws(() => policy.execute(undefined as never), TypeError);
});

test('wrap keeps this and the parameters, and args may put the signal in', async () => {
  const policy = createPolicy();
  class Model {
    prefix = '>';
    async ask(text: string, options?: { signal?: AbortSignal }): Promise<string> {
      return `${this.prefix} ${text} ${options?.signal instanceof AbortSignal}`;
    }
  }
  const model = new Model();
  const ask = policy.wrap(model.ask);
  assert.equal(await ask.call(model, 'hi'), '> hi false');
  const withSignal = policy.wrap(model.ask, {
    args: ([text], { signal }) => [text, { signal }],
  });
  assert.equal(await withSignal.call(model, 'hi'), '> hi true');
});

test('the context counts attempts and knows the last error', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { totalMs: 10_000 } });
  const seen: unknown[] = [];
  const result = policy.execute(({ attempt, lastError, remainingMs, callId }) => {
    seen.push([attempt, lastError?.message, remainingMs, typeof callId]);
    if (attempt < 3) throw retryable(`number ${attempt}`);
    return 'done';
  });
  await clock.advance(3000);
  await result;
  assert.deepEqual(seen, [
    [1, undefined, 10_000, 'string'],
    [2, 'number 1', 9000, 'string'],
    [3, 'number 2', 7000, 'string'],
  ]);
  await createPolicy().execute(({ remainingMs }) => assert.equal(remainingMs, Number.POSITIVE_INFINITY));
});

test('validate makes a value a failure of its attempt', async () => {
  const { clock, policy } = onVirtualClock({ retry: { retryOn: ['INVALID_RESPONSE'] } });
  const result = policy.execute(script('', 'full'), {
    validate: (value: string) => {
      if (value === '') throw new AgentError('INVALID_RESPONSE', 'no text in response');
    },
  });
  await clock.advance(1000);
  assert.equal(await result, 'full');
  const late = policy.execute(script('bad', 'good'), {
    validate: async (value: string) => {
      if (value === 'bad') throw new Error('schema does not match');
    },
  });
  await clock.advance(1000);
  assert.equal(await late, 'good');
});

test('calls of one policy have ids that differ, also across processes', async () => {
  const policy = createPolicy();
  const ids = new Set<string>();
  for (let i = 0; i < 10; i++) await policy.execute(({ callId }) => ids.add(callId));
  assert.equal(ids.size, 10);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-/);
});
