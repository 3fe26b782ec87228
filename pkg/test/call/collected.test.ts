// Policies and their answers are collected when nothing refers to them any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPolicy, type Policy } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

/** Returns `true` if the object is collected: within some turns, because finalizers run between them. */
async function isCollected(object: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    if (object.deref() === undefined) return true;
  }
  return false;
}

/** A function that a policy got, one of whose calls has waited for the other. */
async function ofWaited(): Promise<WeakRef<object>> {
  const classify = () => undefined;
  const policy = createPolicy({
    clock: new VirtualClock(),
    bulkhead: { maxConcurrent: 1, maxQueued: 1 },
    classify,
  });
  let end = (): void => {};
  const first = policy.execute(() => new Promise<void>((resolve) => (end = resolve)));
  const second = policy.execute(() => 'second');
  end();
  await first;
  assert.equal(await second, 'second');
  return new WeakRef(classify);
}

test('a policy whose calls have waited goes when nobody holds it', async () => {
  assert.equal(await isCollected(await ofWaited()), true);
});

/** An answer that a policy keeps for `staleIfError`. */
async function answerOf(policy: Policy): Promise<WeakRef<object>> {
  class Greeting {} // Of a plain object, it keeps a copy.
  const answer = await policy.execute(() => new Greeting(), { cacheKey: 'greeting' });
  return new WeakRef(answer);
}

test('a policy keeps an earlier answer until it is disposed', async () => {
  const policy = createPolicy({ clock: new VirtualClock(), staleIfError: { maxAgeMs: 1000 } });
  const answer = await answerOf(policy);
  assert.equal(await isCollected(answer), false);
  policy.dispose();
  assert.equal(await isCollected(answer), true);
  assert.equal(policy.stats().succeeded, 1);
});
