// Calls that one of the application's own functions ends in the middle of a step: what the rest of the step would do for the call
// is left out, and what it does for others is done.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AgentError, STREAM_RESET } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an abort in a listener that hears of the end: the slot goes to who waits for it', async () => {
  const controller = new AbortController();
  const { policy } = onVirtualClock<string>({
    retry: false,
    bulkhead: { maxConcurrent: 1, maxQueued: 1 },
    onEvent: ({ type }) => void (type === 'attempt.failed' && controller.abort()),
  });
  let fail: (error: unknown) => void = () => {};
  const failing = rejectsWith(
    policy.execute(() => new Promise<string>((_, reject) => (fail = reject)), { signal: controller.signal }),
    'CANCELLED',
  );
  let runs = 0;
  const queued = policy.execute(() => String(++runs));
  fail(fatal());
  await failing;
  await turn();
  assert.equal(runs, 1);
  assert.equal(await queued, '1');
});

test('an abort of the call that runs: the slot goes to who waits for it', async () => {
  const controller = new AbortController();
  const { policy } = onVirtualClock<string>({ bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
  const running = rejectsWith(policy.execute(deaf, { signal: controller.signal }), 'CANCELLED');
  const queued = policy.execute(() => 'next');
  controller.abort();
  await running;
  await turn();
  assert.equal(await Promise.race([queued, 'waits']), 'next');
});

describe('validate is not called with', () => {
  test('an answer that comes after the timeout', async () => {
    const seen: unknown[] = [];
    const { clock, policy } = onVirtualClock({ retry: false });
    let answer: (value: string) => void = () => {};
    const call = rejectsWith(
      policy.execute(() => new Promise<string>((resolve) => (answer = resolve)), {
        timeout: { attemptMs: 100 },
        validate: (value) => void seen.push(value),
      }),
      'TIMEOUT',
    );
    await clock.advance(100);
    await call;
    answer('late');
    await turn();
    assert.deepEqual(seen, []);
  });

  test('an answer that has ended its call as it was read', async () => {
    const seen: unknown[] = [];
    const controller = new AbortController();
    const { policy } = onVirtualClock({ onEvent() {} });
    const answer = {
      get usage(): unknown {
        controller.abort();
        return undefined;
      },
    };
    await rejectsWith(
      policy.execute(() => answer, {
        signal: controller.signal,
        validate: (value) => void seen.push(value),
      }),
      'CANCELLED',
    );
    assert.deepEqual(seen, []);
  });
});

test('an answer whose getter ends the call is no answer: it is not kept for later calls, and no step throws', async () => {
  const controller = new AbortController();
  const debugged: string[] = [];
  const { policy } = onVirtualClock<unknown>({
    retry: false,
    staleIfError: { maxAgeMs: 60_000 },
    onDebug: (message) => debugged.push(message),
  });
  const answer = {
    get ok() {
      controller.abort();
      return true;
    },
  };
  await rejectsWith(
    policy.execute(() => answer, { cacheKey: 'k', signal: controller.signal }),
    'CANCELLED',
  );
  assert.deepEqual(debugged, []);
  await rejectsWith(
    policy.execute(() => Promise.reject(fatal()), { cacheKey: 'k' }),
    'AUTHENTICATION_ERROR',
  );
});

describe('a listener of a signal that ends the other call of that signal', () => {
  test('the other is cancelled once, and no rejection is left unhandled', async () => {
    const controller = new AbortController();
    const { policy } = onVirtualClock({
      onEvent: ({ type }) => void (type === 'call.failed' && policy.dispose()),
    });
    const calls = [1, 2].map(() => policy.execute(deaf, { signal: controller.signal }));
    controller.abort();
    for (const call of calls) await rejectsWith(call, 'CANCELLED');
    await turn();
    assert.equal(policy.stats().cancelled, 2);
  });
});

describe('the usage in an answer is read where somebody wants to know it, and only there', () => {
  for (const observed of [true, false]) {
    for (const throws of [false, true]) {
      test(`${observed ? 'a listener' : 'nobody'}, ${throws ? 'an error' : 'a value'}`, async () => {
        let reads = 0;
        const { policy } = onVirtualClock({ retry: false, ...(observed && { onEvent() {} }) });
        const answer = Object.defineProperty(throws ? new Error('x') : {}, 'usage', {
          get: () => void reads++,
        });
        await policy.execute(() => (throws ? Promise.reject(answer) : answer)).catch(() => {});
        assert.equal(reads > 0, observed);
      });
    }
  }
});

test('a listener that aborts as the slower attempt ends: the answer is not kept for later calls', async () => {
  const controller = new AbortController();
  const { clock, policy } = onVirtualClock<string>({
    retry: false,
    staleIfError: { maxAgeMs: 60_000 },
    onEvent: ({ type }) => void (type === 'attempt.failed' && controller.abort()),
  });
  const call = rejectsWith(
    policy.execute(({ attempt }) => (attempt === 1 ? deaf() : 'answer'), {
      cacheKey: 'k',
      hedge: { afterMs: 100 },
      signal: controller.signal,
    }),
    'CANCELLED',
  );
  await clock.advance(100);
  await call;
  await rejectsWith(
    policy.execute(() => Promise.reject(fatal()), { cacheKey: 'k' }),
    'AUTHENTICATION_ERROR',
  );
});

test('a deadline that cuts two attempts off: countsAsFailure ends the call at the first, and has no word on the other', async () => {
  const controller = new AbortController();
  let verdicts = 0;
  const { clock, policy } = onVirtualClock({
    retry: false,
    breaker: {
      countsAsFailure: () => {
        verdicts++;
        controller.abort();
        return true;
      },
    },
  });
  const call = rejectsWith(
    policy.execute(deaf, { hedge: { afterMs: 100 }, timeout: { totalMs: 500 }, signal: controller.signal }),
    'CANCELLED',
  );
  await clock.advance(500);
  await call;
  assert.equal(policy.stats().attempts, 2);
  assert.equal(verdicts, 1);
});

test('a predicate that aborts: onDebug hears nothing of the failure, whose call is over', async () => {
  const controller = new AbortController();
  const debugged: string[] = [];
  const { policy } = onVirtualClock({
    onDebug: (message) => debugged.push(message),
    retry: {
      retryOn: () => {
        controller.abort();
        return true;
      },
    },
  });
  await rejectsWith(
    policy.execute(() => Promise.reject(retryable()), { signal: controller.signal }),
    'CANCELLED',
  );
  assert.deepEqual(debugged, []);
});

describe('onRetry ends the call', () => {
  test('by an abort, and then throws: what it threw is not classified', async () => {
    const controller = new AbortController();
    const classified: unknown[] = [];
    const { policy } = onVirtualClock({
      classify: (thrown) => void classified.push(String(thrown)),
      retry: {
        onRetry: () => {
          controller.abort();
          throw new Error('too late');
        },
      },
    });
    await rejectsWith(
      policy.execute(() => Promise.reject(retryable()), { signal: controller.signal }),
      'CANCELLED',
    );
    assert.equal(classified.length, 1, String(classified));
  });

  test('by what it throws, whose classifier aborts: onError is called once', async () => {
    const controller = new AbortController();
    const errors: string[] = [];
    const { policy } = onVirtualClock({
      classify: (thrown) => void (thrown instanceof RangeError && controller.abort()),
      onError: (_, { error }) => void errors.push(error),
      retry: {
        onRetry: () => {
          throw new RangeError('no more');
        },
      },
    });
    const { events } = recordEvents(policy);
    await rejectsWith(
      policy.execute(() => Promise.reject(retryable()), { signal: controller.signal }),
      'CANCELLED',
    );
    assert.equal(errors.length, 1, String(errors));
    assert.equal(events.filter(({ type }) => type === 'call.failed').length, 1);
    assert.deepEqual([policy.stats().cancelled, policy.stats().failed], [1, 0]);
  });
});

describe('a fallback that fails', () => {
  test('when its call was cancelled: what it failed with is not classified', async () => {
    const controller = new AbortController();
    const classified: unknown[] = [];
    let fail: (error: unknown) => void = () => {};
    const { policy } = onVirtualClock<string>({
      classify: (thrown) => void classified.push(String(thrown)),
      fallback: () => new Promise<string>((_, reject) => (fail = reject)),
    });
    const call = rejectsWith(
      policy.execute(() => Promise.reject(fatal()), { signal: controller.signal }),
      'CANCELLED',
    );
    await turn();
    controller.abort();
    await call;
    fail(new Error('too late'));
    await turn();
    assert.equal(classified.length, 1, String(classified));
  });

  test('with what aborts as it is classified: the call is cancelled, and no fallback was used', async () => {
    const controller = new AbortController();
    const { policy } = onVirtualClock<string>({
      classify: (thrown) => void (thrown instanceof RangeError && controller.abort()),
      fallback: () => Promise.reject(new RangeError('neither')),
    });
    const { events } = recordEvents(policy);
    await rejectsWith(
      policy.execute(() => Promise.reject(fatal()), { signal: controller.signal }),
      'CANCELLED',
    );
    await turn();
    assert.deepEqual(
      events.filter(({ type }) => type === 'fallback.used'),
      [],
    );
  });
});

describe('a stream', () => {
  test('that breaks, and is aborted before it is known what follows: it is not begun again', async () => {
    const controller = new AbortController();
    const { policy } = onVirtualClock({
      retry: {
        retryOn: () => {
          controller.abort();
          return true;
        },
      },
    });
    const { events } = recordEvents(policy);
    const received: unknown[] = [];
    const stream = policy.stream(
      async function* () {
        yield 1;
        throw retryable();
      },
      { onBreak: 'restart', signal: controller.signal },
    );
    const error = await (async () => {
      for await (const item of stream) received.push(item === STREAM_RESET ? 'reset' : item);
    })().catch((error: unknown) => error);
    assert.ok(AgentError.is(error) && error.code === 'CANCELLED');
    assert.deepEqual(received, [1]);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'stream.broken' ? [event.action] : [])),
      ['fail'],
    );
  });

  test('whose chunk is still being validated at the timeout: the chunk is not delivered among those of the next attempt', async () => {
    const verdicts: (() => void)[] = [];
    const { clock, policy } = onVirtualClock({ retry: { baseDelayMs: 10 } });
    const stream = policy.stream(
      async function* ({ attempt }) {
        yield `of ${attempt}`;
      },
      {
        stallTimeoutMs: 50,
        timeout: { attemptMs: 100 },
        validate: (chunk) =>
          chunk === 'of 1' ? new Promise<void>((resolve) => verdicts.push(resolve)) : undefined,
      },
    );
    const received: unknown[] = [];
    const read = (async () => {
      for await (const chunk of stream) received.push(chunk);
    })();
    await clock.advance(100);
    await turn();
    for (const valid of verdicts) valid();
    await clock.advance(100);
    await read;
    assert.deepEqual(received, ['of 2']);
  });

  test('that is closed after its end is counted once', async () => {
    const { policy } = onVirtualClock({ retry: false });
    const done = policy.stream(async function* () {
      yield 1;
    });
    for await (const _ of done);
    await done[Symbol.asyncIterator]().return?.();
    const broken = policy.stream(() => Promise.reject(fatal()))[Symbol.asyncIterator]();
    await rejectsWith(broken.next(), 'AUTHENTICATION_ERROR');
    await broken.return?.();
    const { calls, succeeded, failed } = policy.stats();
    assert.deepEqual([calls, succeeded, failed], [2, 1, 1]);
  });
});
