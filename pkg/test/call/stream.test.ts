// Streams: retried until the first chunk, then as `onBreak` says (rule 13).
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AgentError, createPolicy, STREAM_RESET } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import {
  CountingClock,
  countingSignal,
  deaf,
  onVirtualClock,
  rejection,
  rejectsWith,
  retryable,
} from '../policy/given.js';

/** Chunks in turn; an Error is thrown, `deaf` never comes. */
async function* source<C>(...items: readonly (C | Error | typeof deaf)[]): AsyncGenerator<C> {
  for (const item of items) {
    if (item instanceof Error) throw item;
    if (item === deaf) await deaf();
    yield item as C;
  }
}

async function collect<C>(stream: AsyncIterable<C>): Promise<C[]> {
  const chunks: C[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test('chunks come through, from an iterable and from the promise of one', async () => {
  const policy = createPolicy();
  assert.deepEqual(await collect(policy.stream(() => source(1, 2, 3))), [1, 2, 3]);
  assert.deepEqual(await collect(policy.stream(async () => source('a'))), ['a']);
  assert.deepEqual(await collect(policy.stream(() => source())), []);
  assert.deepEqual(await collect(policy.stream(() => source(undefined, null, 0))), [undefined, null, 0]);
});

test('nothing begins before the first chunk is asked for, and no chunk is pulled before it is', async () => {
  let opened = 0;
  let pulled = 0;
  const stream = createPolicy().stream(() => {
    opened++;
    return (async function* () {
      for (;;) yield ++pulled;
    })();
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([opened, pulled], [0, 0]);
  assert.deepEqual(await stream.next(), { done: false, value: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([opened, pulled], [1, 1]);
  assert.deepEqual(await Promise.all([stream.next(), stream.next()]), [
    { done: false, value: 2 },
    { done: false, value: 3 },
  ]);
  assert.equal(pulled, 3);
  await stream.return?.();
});

test('it is retried until the first chunk', async () => {
  const { clock, policy } = onVirtualClock();
  let calls = 0;
  const result = collect(
    policy.stream(() => {
      calls++;
      if (calls === 1) throw retryable();
      return calls === 2 ? source<string>(retryable()) : source('a', 'b');
    }),
  );
  await clock.advance(5000);
  assert.deepEqual(await result, ['a', 'b']);
});

test("'fail': after the first chunk nothing is retried, and the error counts what was received", async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  let calls = 0;
  const got: string[] = [];
  const error = await rejection(
    (async () => {
      for await (const chunk of policy.stream(() => {
        calls++;
        return source('a', 'b', retryable('broken'));
      }))
        got.push(chunk);
    })(),
  );
  assert.deepEqual(got, ['a', 'b']);
  assert.equal(calls, 1);
  assert.deepEqual([error.code, error.metadata.received, error.attempts], ['SERVER_ERROR', 2, 1]);
  const broken = events.find((event) => event.type === 'stream.broken');
  assert.ok(broken?.type === 'stream.broken');
  assert.deepEqual([broken.received, broken.action], [2, 'fail']);
  const failed = events.find((event) => event.type === 'call.failed');
  assert.ok(failed?.type === 'call.failed' && failed.why === 'broken-stream');
});

test("'restart': the operation runs again, and STREAM_RESET comes first", async () => {
  const { clock, policy } = onVirtualClock();
  let calls = 0;
  const result = collect(
    policy.stream(() => (++calls === 1 ? source('a', retryable()) : source('x', 'y')), {
      onBreak: 'restart',
    }),
  );
  await clock.advance(1000);
  assert.deepEqual(await result, ['a', STREAM_RESET, 'x', 'y']);
});

test("'resume': the operation learns what was received, and goes on behind it", async () => {
  const { clock, policy } = onVirtualClock();
  const text = ['a', 'b', 'c', 'd'];
  const learned: unknown[] = [];
  const result = collect(
    policy.stream<string>(
      ({ received }) => {
        learned.push([...received]);
        const rest = text.slice(received.length);
        return received.length === 0 ? source<string>(...rest.slice(0, 2), retryable()) : source(...rest);
      },
      { onBreak: 'resume' },
    ),
  );
  await clock.advance(1000);
  assert.deepEqual(await result, text);
  assert.deepEqual(learned, [[], ['a', 'b']]);
});

test('when retries are used up the error counts what was received', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
  const result = rejection(
    collect(
      policy.stream<string>(({ received }) => source<string>(`${received.length}`, retryable()), {
        onBreak: 'resume',
      }),
    ),
  );
  await clock.advance(5000);
  const error = await result;
  assert.deepEqual([error.attempts, error.metadata.received], [2, 2]);
});

test('closing the iterator early aborts the attempt and is no failure', async () => {
  const told: unknown[] = [];
  const { clock, policy } = onVirtualClock({
    breaker: { failureThreshold: 1 },
    timeout: { attemptMs: 1000, totalMs: 5000 },
    onError: () => told.push('error'),
  });
  const { signal, listeners } = countingSignal();
  let aborted = false;
  let closed = false;
  for await (const chunk of policy.stream(
    (context) => {
      context.signal.addEventListener('abort', () => {
        aborted = true;
      });
      return (async function* () {
        try {
          yield 1;
          yield 2;
        } finally {
          closed = true;
        }
      })();
    },
    { signal, stallTimeoutMs: 100 },
  )) {
    assert.equal(chunk, 1);
    break;
  }
  assert.deepEqual([aborted, closed, told.length, clock.pending, listeners()], [true, true, 0, 0, 0]);
  assert.equal(policy.breaker?.state, 'closed');
});

test('firstChunkTimeoutMs and stallTimeoutMs fail the attempt with TIMEOUT', async () => {
  const { clock, policy } = onVirtualClock();
  const late = rejection(
    collect(policy.stream(() => source<string>(deaf), { firstChunkTimeoutMs: 100, retry: false })),
  );
  await clock.advance(100);
  assert.equal((await late).code, 'TIMEOUT');
  const stalled = rejection(collect(policy.stream(() => source<string>('a', deaf), { stallTimeoutMs: 100 })));
  await clock.advance(100);
  const error = await stalled;
  assert.deepEqual([error.code, error.metadata.received], ['TIMEOUT', 1]);
  assert.equal(clock.pending, 0);
});

test("the consumer's own time does not count", async () => {
  const { clock, policy } = onVirtualClock();
  const stream = policy.stream(() => source(1, 2, 3), { stallTimeoutMs: 100 });
  const got: number[] = [];
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
    got.push(next.value);
    await clock.advance(10_000);
  }
  assert.deepEqual(got, [1, 2, 3]);
});

test('an abort between chunks rejects the next one', async () => {
  const clock = new CountingClock();
  const { policy } = onVirtualClock({ clock });
  const { controller, signal, listeners } = countingSignal();
  const stream = policy.stream(() => source(1, deaf), { signal });
  await stream.next();
  const next = rejection(stream.next() as Promise<unknown>);
  await clock.advance(1);
  controller.abort();
  assert.equal((await next).code, 'CANCELLED');
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  assert.equal(listeners(), 0);
});

test('a break counts against the breaker, an end is a success', async () => {
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 } });
  await collect(policy.stream(() => source(1)));
  assert.equal(policy.breaker?.state, 'closed');
  await rejection(collect(policy.stream(() => source(1, retryable()))));
  assert.equal(policy.breaker?.state, 'open');
  await rejectsWith(collect(policy.stream(() => source(1))), 'CIRCUIT_OPEN');
});

test('a policy with a fallback still rejects a broken stream', async () => {
  const policy = createPolicy({ fallback: (error: AgentError) => error.code, retry: false });
  await rejectsWith(collect(policy.stream(() => source(retryable()))), 'SERVER_ERROR');
});

test('what is no stream is an invalid response', async () => {
  await rejectsWith(collect(createPolicy().stream(() => 42 as never)), 'INVALID_RESPONSE');
  await rejectsWith(collect(createPolicy().stream(() => undefined as never)), 'INVALID_RESPONSE');
});

test('chunks are told at most ten times a second', async () => {
  const { clock, policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const result = collect(
    policy.stream(async function* () {
      for (let i = 0; i < 100; i++) {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
        yield 'abc';
      }
    }),
  );
  await clock.advance(2000);
  await result;
  const chunks = events.filter((event) => event.type === 'stream.chunk');
  assert.ok(chunks.length >= 9 && chunks.length <= 11, String(chunks.length));
  const succeeded = events.find((event) => event.type === 'attempt.succeeded');
  assert.ok(succeeded?.type === 'attempt.succeeded' && succeeded.firstChunkMs === 10);
});

test('closed before it begins: nothing runs, then or later, and no call is counted', async () => {
  const { policy } = onVirtualClock();
  let runs = 0;
  const stream = policy.stream(() => {
    runs++;
    return source(1);
  });
  const over = { done: true, value: undefined };
  assert.deepEqual(await stream.return?.(undefined), over);
  assert.deepEqual(await stream.next(), over);
  assert.equal(runs, 0);
  assert.equal(policy.stats().calls, 0);
});

test('closed early: the reason that its attempt hears is an AbortError', async () => {
  let reason: unknown;
  const chunks = createPolicy().stream((context) => {
    context.signal.addEventListener('abort', () => (reason = context.signal.reason));
    return source(1, 2);
  });
  for await (const _ of chunks) break;
  assert.ok(reason instanceof DOMException);
  assert.deepEqual([reason.name, reason.message], ['AbortError', 'The iterator was closed']);
});

test('a failure before the first chunk breaks nothing off: no event, and nothing was received', async () => {
  const { policy } = onVirtualClock({ retry: false });
  const { events } = recordEvents(policy);
  const error = await rejection(collect(policy.stream(() => source<number>(retryable()))));
  assert.equal('received' in error.metadata, false);
  assert.equal(events.filter(({ type }) => type === 'stream.broken').length, 0);
});

test('the characters of a chunk: of a text, and of the deltas of OpenAI and Anthropic', async () => {
  const hostile = {
    get choices(): never {
      throw new Error('no');
    },
  };
  for (const [chunk, characters] of [
    ['abc', 3],
    [{ choices: [{ delta: { content: 'four' } }] }, 4],
    [{ choices: [{ delta: {} }] }, 0],
    [{ choices: [{}] }, 0],
    [{ choices: [] }, 0],
    [{ type: 'content_block_delta', delta: { type: 'text_delta', text: 'fives' } }, 5],
    [{ type: 'response.output_text.delta', delta: 'sixsix' }, 6],
    [{ text: 'sevenxx' }, 7],
    [{ length: 9 }, 0],
    [{ text: { length: 9 } }, 0],
    [null, 0],
    [17, 0],
    [hostile, 0],
  ] as const) {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    await collect(policy.stream(() => source<unknown>(chunk)));
    const told = events.find((event) => event.type === 'stream.chunk');
    assert.ok(told?.type === 'stream.chunk');
    assert.equal(told.characters, characters, chunk === hostile ? 'hostile' : JSON.stringify(chunk));
  }
});

test('concurrent requests are answered in order', async () => {
  const stream = createPolicy().stream(() => source(1, 2));
  const all = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
  assert.deepEqual(
    all.map(({ value }) => value),
    [1, 2, undefined, undefined],
  );
});

/** A source that counts what was pulled. */
function counted(log: string[], name: string, items: readonly string[]): AsyncIterable<string> {
  let at = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        log.push(`${name}${at}`);
        const value = items[at++];
        return value === undefined ? { done: true as const, value } : { done: false as const, value };
      },
    }),
  };
}

test("'restart': nothing is pulled of the new source while the consumer is busy", async () => {
  const { clock, policy } = onVirtualClock();
  const log: string[] = [];
  let opened = 0;
  const stream = policy.stream<string>(
    () => (++opened === 1 ? source<string>('a', deaf) : counted(log, `${opened}.`, ['a', 'b'])),
    { onBreak: 'restart', stallTimeoutMs: 1000 },
  );
  assert.deepEqual(await stream.next(), { done: false, value: 'a' });
  const reset = stream.next();
  await clock.advance(60_000); // The attempt stalls, and the next one does not begin without a reader.
  assert.equal((await reset).value, STREAM_RESET);
  assert.deepEqual([opened, log, clock.pending], [1, [], 0]);
  assert.deepEqual(await stream.next(), { done: false, value: 'a' });
  assert.deepEqual(log, ['2.0']);
  await stream.return?.();
  assert.equal(clock.pending, 0);
});

test("'restart': one request for one item, the reset is one", async () => {
  const { clock, policy } = onVirtualClock();
  const log: string[] = [];
  let calls = 0;
  const stream = policy.stream(
    () => (++calls === 1 ? source('a', retryable()) : counted(log, '', ['x', 'y'])),
    { onBreak: 'restart' },
  );
  assert.equal((await stream.next()).value, 'a');
  const next = stream.next();
  await clock.advance(1000);
  assert.equal((await next).value, STREAM_RESET);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(log, []);
  assert.equal((await stream.next()).value, 'x');
  assert.deepEqual(log, ['0']);
});

test('firstChunkTimeoutMs counts from when the consumer asks', async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1, baseDelayMs: 0 } });
  let opened = 0;
  const stream = policy.stream<string>(
    async () => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, opened++ === 0 ? 0 : 60));
      return opened === 1 ? source<string>('a', deaf) : source<string>(deaf);
    },
    { onBreak: 'restart', firstChunkTimeoutMs: 100, stallTimeoutMs: 10_000 },
  );
  const first = stream.next();
  await clock.advance(0);
  assert.equal((await first).value, 'a');
  const reset = stream.next();
  await clock.advance(15_000); // It stalls after ten seconds, and is read after fifteen.
  assert.equal((await reset).value, STREAM_RESET);
  assert.equal(opened, 1);
  const next = rejection(stream.next() as Promise<unknown>);
  await clock.advance(99);
  assert.equal(clock.pending > 0, true);
  await clock.advance(1);
  assert.equal((await next).code, 'TIMEOUT');
  assert.equal(clock.pending, 0);
});

test("'restart': a call that cannot begin again says how much of it was delivered", async () => {
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 2 } });
  let calls = 0;
  const got: unknown[] = [];
  const result = rejection(
    (async () => {
      for await (const item of policy.stream(
        () => (++calls === 1 ? source('a', retryable()) : source<string>(retryable())),
        { onBreak: 'restart' },
      ))
        got.push(item);
    })(),
  );
  await clock.advance(10_000);
  const error = await result;
  assert.deepEqual([got, error.attempts, error.metadata.received], [['a', STREAM_RESET], 3, 0]);
});

test('a deadline that passes while the consumer is busy ends the stream, and no source is opened after it', async () => {
  const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 100, totalMs: 5000 } });
  let opened = 0;
  const stream = policy.stream<string>(
    () => {
      opened++;
      return source<string>('a', deaf);
    },
    { onBreak: 'resume' },
  );
  assert.equal((await stream.next()).value, 'a');
  await clock.advance(60_000);
  assert.equal((await rejection(stream.next() as Promise<unknown>)).code, 'TIMEOUT');
  assert.deepEqual([opened, clock.pending], [1, 0]);
});

test('a stream that is cut after two chunks says that the connection broke while the answer was arriving', async () => {
  const { policy } = onVirtualClock({ provider: 'openai', retry: false });
  const { events } = recordEvents(policy);
  const cut = policy.stream(async function* () {
    yield 'a';
    yield 'b';
    throw Object.assign(new TypeError('terminated'), {
      cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }),
    });
  });
  const got: string[] = [];
  const error = await rejection(
    (async () => {
      for await (const chunk of cut) got.push(chunk);
    })(),
  );
  assert.deepEqual([got, error.code, error.metadata.received], [['a', 'b'], 'NETWORK_ERROR', 2]);
  assert.match(error.userMessage(), /^The connection to OpenAI broke while the answer was arriving\./);
  assert.match(error.userMessage('de'), /abgebrochen, während die Antwort übertragen wurde/);
  const failed = events.find((event) => event.type === 'call.failed');
  assert.ok(failed?.type === 'call.failed');
  assert.match(failed.userMessage, /broke while the answer was arriving/);
});

/** A stream as Safari has them: it can be read, and not iterated. */
function unlistable(chunks: string[], onCancel: () => void = () => {}) {
  const stream = new ReadableStream<string>({
    pull(controller) {
      const next = chunks.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
    cancel: onCancel,
  });
  return { getReader: () => stream.getReader() } as unknown as AsyncIterable<string>;
}

test('a stream that cannot be iterated is read, and cancelled when its reader leaves', async () => {
  const { policy } = onVirtualClock();
  assert.deepEqual(await collect(policy.stream(() => unlistable(['a', 'b']))), ['a', 'b']);
  let cancelled = 0;
  const endless = () =>
    unlistable(Array<string>(100).fill('a'), () => {
      cancelled += 1;
    });
  for await (const _ of policy.stream(endless)) break;
  assert.equal(cancelled, 1);
});

test('an iterator that throws at once, and one whose return throws, are failures of the stream alone', async () => {
  const { policy } = onVirtualClock({ retry: false });
  const iterable = (iterator: object) =>
    ({ [Symbol.asyncIterator]: () => iterator }) as AsyncIterable<string>;
  const refusing = iterable({
    next() {
      throw new Error('not now');
    },
  });
  assert.match((await rejection(collect(policy.stream(() => refusing)))).message, /not now|error/i);
  const stubborn = iterable({
    next: async () => ({ done: false, value: 'a' }),
    return() {
      throw new Error('not now');
    },
  });
  const read: string[] = [];
  for await (const chunk of policy.stream(() => stubborn)) {
    read.push(chunk as string);
    break;
  }
  assert.deepEqual(read, ['a']);
});
