// Thrown values that throw when they are looked at, through everything that looks at them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, createPolicy, degrade, formatErrorMessage, toModelResponse, toolResult } from 'halfopen';

const trap = (): never => {
  throw new Error('trap');
};

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

function trapped(...names: string[]): Error {
  const error = new Error('x');
  for (const name of names) Object.defineProperty(error, name, { get: trap });
  return error;
}

const thrown: Record<string, () => unknown> = {
  'getters that throw': () => trapped('status', 'code', 'headers', 'cause', 'message', 'name'),
  'a stack that throws': () => trapped('stack'),
  'a proxy that throws': () =>
    new Proxy(
      {},
      { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
    ),
  'a revoked proxy': revoked,
  'an error caused by a revoked proxy': () => new Error('x', { cause: revoked() }),
  'a message that is an object': () => Object.assign(new Error('x'), { message: { toString: trap } }),
  'a null prototype': () => Object.assign(Object.create(null), { message: 'x' }),
  'a symbol': () => Symbol('x'),
  'ten megabytes': () => new Error('x'.repeat(10_000_000)),
};

for (const [name, make] of Object.entries(thrown)) {
  describe(name, () => {
    const fail = (): Promise<never> => Promise.reject(make());

    test('is wrapped, reported and serialised', () => {
      const error = AgentError.from(make());
      assert.ok(JSON.stringify(error).length < 20_000);
      assert.ok(error.userMessage('ja').length > 0 && error.toResponse().message.length > 0);
      assert.ok(formatErrorMessage(make(), { technicalDetails: true }).length < 3_000);
      assert.equal(toModelResponse(make()).success, false);
    });

    test('is a failure of a policy like any other, also for its observers', async () => {
      const told: unknown[] = [];
      const policy = createPolicy({
        retry: false,
        onDebug: (message, details) => told.push(message, JSON.stringify(details)),
        onEvent: (event) => told.push(JSON.stringify(event)),
        onError: (_, error) => told.push(JSON.stringify(error)),
      });
      const response = await policy.respond(fail);
      policy.dispose();
      assert.equal(response.success, false);
      assert.ok(told.length >= 5, 'observers were told');
    });

    test('can be done without, and is a result of a tool', async () => {
      const told: string[] = [];
      const onDebug = (_: string, details: Record<string, unknown>): void =>
        void told.push(JSON.stringify(details));
      assert.equal(await degrade(fail, { name: 'x', fallback: 'less', onDebug }), 'less');
      assert.equal(told.length, 1);
      assert.match((await toolResult(fail)()).output, /^Error: ./);
    });
  });
}
