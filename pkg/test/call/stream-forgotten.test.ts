// A stream that its reader forgets, or that ends with the block that it was made in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPolicy, type Policy } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { deaf } from '../policy/given.js';

/** Runs the garbage collector, and the finalizers behind it, until this holds. */
async function collected(until: () => boolean): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 20 && !until(); turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return until();
}

/** Reads one chunk of a stream, and forgets it. */
async function forget(policy: Policy, closed: (() => void)[]): Promise<void> {
  const stream = policy.stream(async function* ({ signal }) {
    signal.addEventListener('abort', () => closed.at(-1)?.());
    yield 1;
    await deaf();
  });
  assert.equal((await stream.next()).value, 1);
}

test('a stream that is forgotten gives its slot back when it is collected, and counts as closed', async () => {
  const policy = createPolicy({ clock: new VirtualClock(), bulkhead: { maxConcurrent: 1 } });
  let aborted = 0;
  await forget(policy, [() => aborted++]);
  assert.equal(policy.stats().inFlight, 1);
  assert.ok(await collected(() => policy.stats().inFlight === 0));
  assert.deepEqual([policy.stats().succeeded, policy.stats().failed, aborted], [1, 0, 1]);
  assert.equal(await policy.execute(() => 'free'), 'free');
});

test('a stream whose chunk is awaited is not forgotten', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock });
  const next = (() =>
    policy
      .stream(async function* () {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
        yield 'late';
      })
      .next())();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(policy.stats().inFlight, 1);
  assert.equal(await collected(() => policy.stats().inFlight === 0), false);
  await clock.advance(100);
  assert.equal((await next).value, 'late');
});

test('its dispose closes it, as leaving a loop over it does', async () => {
  const policy = createPolicy();
  let clean = false;
  const stream = policy.stream(async function* () {
    try {
      yield 1;
    } finally {
      clean = true;
    }
  });
  await stream.next();
  await (stream as unknown as AsyncDisposable)[Symbol.asyncDispose]();
  assert.deepEqual([clean, policy.stats().inFlight, (await stream.next()).done], [true, 0, true]);
});
