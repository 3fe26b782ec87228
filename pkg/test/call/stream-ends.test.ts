// Streams that meet an end in the middle: a close while a chunk is awaited, an abort, a source that answers with nonsense.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPolicy } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { CountingClock, deaf, isPending, onVirtualClock, rejection } from '../policy/given.js';

/** Chunks in turn; then it hangs. */
async function* hanging<C>(...chunks: readonly C[]): AsyncGenerator<C> {
  yield* chunks;
  await deaf();
}

const iterable = (iterator: object): AsyncIterable<string> =>
  ({ [Symbol.asyncIterator]: () => iterator }) as AsyncIterable<string>;
const OVER = { done: true, value: undefined };

test('closed while a chunk is awaited: it is over at once, though its source hangs', async () => {
  const { policy } = onVirtualClock();
  for (const chunks of [['a'], []]) {
    const stream = policy.stream(() => hanging(...chunks));
    for (const value of chunks) assert.deepEqual(await stream.next(), { done: false, value });
    const next = stream.next();
    assert.equal(await isPending(next), true);
    const closed = stream.return?.(undefined) as Promise<unknown>;
    assert.equal(await isPending(closed), false);
    assert.deepEqual([await closed, await next, await stream.next()], [OVER, OVER, OVER]);
  }
});

test('closed between two chunks: its source has cleaned up by then', async () => {
  const { policy } = onVirtualClock();
  let clean = false;
  const stream = policy.stream(async function* () {
    try {
      yield 1;
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
      clean = true;
    }
  });
  await stream.next();
  await stream.return?.(undefined);
  assert.equal(clean, true);
});

test('closed before it begins, it counts for nothing', async () => {
  const { policy } = onVirtualClock();
  const before = policy.stats();
  await policy.stream(() => hanging()).return?.(undefined);
  assert.deepEqual(policy.stats(), before);
});

test('closed where there is no DOMException, as in React Native: the reason is an AbortError all the same', async (t) => {
  const { DOMException: real } = globalThis;
  t.after(() => Object.assign(globalThis, { DOMException: real }));
  let signal: AbortSignal | undefined;
  const stream = createPolicy().stream((context) => {
    signal = context.signal;
    return hanging(1);
  });
  await stream.next();
  Reflect.deleteProperty(globalThis, 'DOMException');
  assert.deepEqual(await stream.return?.(undefined), OVER);
  const { reason } = signal as AbortSignal;
  assert.ok(reason instanceof Error);
  assert.deepEqual([reason.name, reason.message], ['AbortError', 'The iterator was closed']);
});

test('aborted after a chunk, its error says how much came, and its source is not pulled any more', async () => {
  const { policy } = onVirtualClock();
  const controller = new AbortController();
  let pulls = 0;
  const stream = policy.stream(
    () => iterable({ next: async () => ({ done: false, value: String(++pulls) }) }),
    {
      signal: controller.signal,
    },
  );
  assert.deepEqual(await stream.next(), { done: false, value: '1' });
  // Requested in time, but it reaches the source after the abort.
  const next = stream.next();
  controller.abort();
  const error = await rejection(next);
  assert.deepEqual([error.code, error.metadata.received, pulls], ['CANCELLED', 1, 1]);
});

test('a source that comes too late, or whose chunk does, is closed, and its chunk is dropped', async () => {
  for (const late of ['source', 'chunk']) {
    const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1, backoff: () => 0 } });
    let attempts = 0;
    let closed = 0;
    const after100 = <T>(value: T): Promise<T> =>
      new Promise((resolve) => clock.setTimeout(() => resolve(value), 100));
    const first = iterable({
      next: () => after100({ done: false, value: 'too late' }),
      return: async () => {
        closed++;
        return OVER;
      },
    });
    const stream = policy.stream<string>(
      () => {
        if (++attempts === 2) return hanging('a', 'b');
        return late === 'source' ? after100(first) : first;
      },
      { firstChunkTimeoutMs: 50 },
    );
    const next = stream.next();
    await clock.advance(50);
    assert.equal((await next).value, 'a');
    await clock.advance(200);
    assert.equal((await stream.next()).value, 'b', late);
    assert.equal(await isPending(stream.next()), true);
    assert.deepEqual([attempts, closed], [2, 1], late);
  }
});

test('a timeout says what was waited for', async () => {
  const { clock, policy } = onVirtualClock({ retry: false });
  const options = { firstChunkTimeoutMs: 100, stallTimeoutMs: 70 };
  for (const [chunks, message] of [
    [[], 'First chunk timed out after 100 ms'],
    [['a'], 'Stream timed out after 70 ms'],
  ] as const) {
    const stream = policy.stream<string>(() => hanging(...chunks), options);
    for (const _ of chunks) await stream.next();
    const late = rejection(stream.next());
    await clock.advance(100);
    const { code, message: said } = await late;
    assert.deepEqual([code, said], ['TIMEOUT', message]);
  }
});

test('a source that answers with nonsense fails with words that say so', async () => {
  const { policy } = onVirtualClock({ retry: false });
  for (const nonsense of [null, 42, undefined]) {
    const stream = policy.stream(() => iterable({ next: async () => nonsense }));
    const { provider } = await rejection(stream.next());
    const thrown = provider.originalError;
    assert.ok(thrown instanceof TypeError);
    assert.equal(thrown.message, 'The stream did not return an iterator result');
  }
  const none = await rejection(policy.stream(() => 42 as never).next());
  assert.equal(none.code, 'INVALID_RESPONSE');
  assert.equal(none.message, 'Invalid response structure: expected async iterable, got number');
});

test('the time to the first chunk is that from the beginning of its attempt', async () => {
  const { clock, policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  await clock.advance(1000);
  const stream = policy.stream(async function* () {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 30));
    yield 'a';
  });
  const first = stream.next();
  await clock.advance(30);
  await first;
  await stream.next();
  const succeeded = events.find((event) => event.type === 'attempt.succeeded');
  assert.ok(succeeded?.type === 'attempt.succeeded');
  assert.equal(succeeded.firstChunkMs, 30);
});

test('a listener from the middle of an attempt on gets no time to the first chunk, which was not measured', async () => {
  const { clock, policy } = onVirtualClock();
  const stream = policy.stream(async function* () {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 30));
    yield 'a';
  });
  const first = stream.next();
  assert.equal(await isPending(first), true);
  const { events } = recordEvents(policy);
  // The next call brings the engine to record.
  await policy.execute(() => undefined);
  await clock.advance(30);
  await first;
  await stream.next();
  const [, succeeded] = events.filter((event) => event.type === 'attempt.succeeded');
  assert.ok(succeeded !== undefined && !('firstChunkMs' in succeeded), JSON.stringify(succeeded));
});

test('without a listener nothing of a chunk is read', async () => {
  const { policy } = onVirtualClock();
  const read: (string | symbol)[] = [];
  const value = new Proxy(
    {},
    {
      get: (_, key) => {
        read.push(key);
      },
    },
  ) as string;
  const stream = policy.stream(() => iterable({ next: async () => ({ done: false, value }) }));
  const { value: given } = await stream.next();
  assert.ok(given === value);
  assert.deepEqual(read, []);
});

test('a stream that is not to resume keeps none of its chunks', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { policy } = onVirtualClock();
  const chunks: WeakRef<object>[] = [];
  const stream = policy.stream(() =>
    iterable({
      next: async () => {
        const value = {};
        chunks.push(new WeakRef(value));
        return { done: false, value };
      },
    }),
  );
  for (let i = 0; i < 3; i++) await stream.next();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.deepEqual(chunks[0]?.deref(), undefined);
  await stream.return?.(undefined);
});

test('timeouts that are infinite set no timer', async () => {
  const clock = new CountingClock();
  const stream = createPolicy({ clock }).stream(() => hanging('a'), {
    firstChunkTimeoutMs: Number.POSITIVE_INFINITY,
    stallTimeoutMs: Number.POSITIVE_INFINITY,
  });
  await stream.next();
  const next = stream.next();
  assert.equal(await isPending(next), true);
  assert.equal(clock.set, 0);
  await stream.return?.(undefined);
});

test('chunks are counted in an event once in 100 ms, and the hundredth is in time', async () => {
  const { clock, policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const stream = policy.stream(() => hanging('a', 'b', 'c', 'd'));
  for (const waitMs of [99, 1, 100, 0]) {
    await stream.next();
    await clock.advance(waitMs);
  }
  const chunks = events.flatMap((event) => (event.type === 'stream.chunk' ? [event.chunks] : []));
  assert.deepEqual(chunks, [1, 3, 4]);
});

test('a chunk with an empty list of choices still has its own text', async () => {
  for (const chunk of [
    { choices: [], text: 'abc' },
    { choices: [{}], text: 'abc' },
  ]) {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    await policy.stream(() => hanging(chunk)).next();
    const counted = events.find((event) => event.type === 'stream.chunk');
    assert.ok(counted?.type === 'stream.chunk');
    assert.equal(counted.characters, 3);
  }
});
