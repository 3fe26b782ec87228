// The key by which a provider knows a request that it has had before: one for all attempts of a call.
import assert from 'node:assert/strict';
import test from 'node:test';
import { failover } from 'halfopen';
import { onVirtualClock, rejection, retryable } from '../policy/given.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The keys that the attempts of one call see; all fail but the last. */
async function keysOf(options?: { idempotencyKey?: string }): Promise<string[]> {
  const { clock, policy } = onVirtualClock();
  const keys: string[] = [];
  const result = policy.execute(async (context) => {
    keys.push(context.idempotencyKey);
    assert.equal(context.idempotencyKey, keys.at(-1), 'the same however often it is read');
    if (keys.length < 3) throw retryable();
  }, options);
  await clock.advance(60_000);
  await result;
  return keys;
}

test('it is the same in all attempts of a call: a random UUID', async () => {
  const [first, ...others] = await keysOf();
  assert.match(String(first), UUID);
  assert.deepEqual(others, [first, first]);
});

test('every call has another one', async () => {
  assert.notEqual((await keysOf())[0], (await keysOf())[0]);
});

test('the application may give its own', async () => {
  assert.deepEqual(await keysOf({ idempotencyKey: 'job-7' }), ['job-7', 'job-7', 'job-7']);
});

test('a stream that begins again keeps its own', async () => {
  const { clock, policy } = onVirtualClock();
  const keys: string[] = [];
  async function* source({ idempotencyKey }: { idempotencyKey: string }): AsyncGenerator<number> {
    keys.push(idempotencyKey);
    yield 1;
    if (keys.length === 1) throw retryable();
  }
  const reader = policy.stream(source, { onBreak: 'restart' });
  const read = (async () => {
    for await (const _ of reader);
  })();
  await clock.advance(60_000);
  await read;
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test('a wrapped function can take it from its context', async () => {
  const { policy } = onVirtualClock();
  const charge = policy.wrap(async (_amount: number, key?: string) => key, {
    args: ([amount], { idempotencyKey }) => [amount, idempotencyKey],
  });
  assert.match(String(await charge(7)), UUID);
});

test('another target of a failover is another call', async () => {
  const { policy } = onVirtualClock({ retry: false });
  const keys: string[] = [];
  const run = ({ idempotencyKey }: { idempotencyKey: string }): never => {
    keys.push(idempotencyKey);
    throw retryable();
  };
  await rejection(
    failover([
      { policy, run },
      { policy, run },
    ]),
  );
  assert.equal(new Set(keys).size, 2);
});

test('an empty one is a TypeError', () => {
  const { policy } = onVirtualClock();
  for (const idempotencyKey of ['', 7]) {
    assert.throws(
      () => policy.execute(() => 1, { idempotencyKey: idempotencyKey as string }),
      /^TypeError: halfopen: option 'idempotencyKey' must be a string that is not empty, got/,
    );
  }
});
