// How calls of `policy.fetch` end: which response or error the client gets, what is counted, and what is left of a body.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { AgentError, createPolicy, type HalfopenEvent } from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';
import { onVirtualClock } from '../policy/given.js';

type Answer = (init: RequestInit) => Response | Promise<Response>;

/** Replaces fetch: its answers come in turn, and the last one repeats. */
function answering(t: TestContext, ...answers: readonly Answer[]): { readonly requests: RequestInit[] } {
  const requests: RequestInit[] = [];
  t.mock.method(globalThis, 'fetch', async (_input: unknown, init: RequestInit) => {
    requests.push(init);
    return (answers[Math.min(requests.length, answers.length) - 1] as Answer)(init);
  });
  return { requests };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A body that its test feeds, and its outcome. */
function fed(type?: 'bytes') {
  let controller!: ReadableStreamController<Uint8Array>;
  const seen: { pulls: number; cancelled: unknown[] } = { pulls: 0, cancelled: [] };
  const source = {
    type,
    start(given: ReadableStreamController<Uint8Array>) {
      controller = given;
    },
    pull() {
      seen.pulls++;
    },
    cancel(reason: unknown) {
      seen.cancelled.push(reason);
    },
  };
  const body = new ReadableStream<Uint8Array>(source as UnderlyingDefaultSource<Uint8Array>, {
    highWaterMark: 0,
  });
  return {
    body,
    seen,
    send: (chunk: Uint8Array): void => controller.enqueue(chunk as never),
    end: (): void => controller.close(),
    breakOff: (error: unknown): void => controller.error(error),
  };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const failing = (text = '', status = 503): Response => new Response(text, { status });
const of = <Type extends HalfopenEvent['type']>(events: readonly HalfopenEvent[], type: Type) =>
  events.filter((event): event is HalfopenEvent & { type: Type } => event.type === type);
const cut = (): Error => Object.assign(new TypeError('terminated'), { cause: { code: 'ECONNRESET' } });

/** Returns the cause of a fetch call's rejection, which is fetch's own TypeError. */
async function causeOf(call: Promise<unknown>): Promise<AgentError> {
  const error: unknown = await call.then(
    () => assert.fail('expected a rejection'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof TypeError, String(error));
  assert.equal(error.message, 'fetch failed');
  assert.ok(AgentError.is(error.cause), String(error.cause));
  return error.cause;
}

test('nobody counts or watches: the very response of fetch is returned', async (t) => {
  const response = new Response('all of it');
  answering(t, () => response);
  const { policy } = onVirtualClock({ breaker: false });
  assert.equal(await policy.fetch('http://stand-in/'), response);
});

test('a response without a body is returned as it is, watched or not', async (t) => {
  const response = new Response(null, { status: 204 });
  answering(t, () => response);
  const { policy } = onVirtualClock();
  recordEvents(policy);
  assert.equal(await policy.fetch('http://stand-in/'), response);
});

test('a fallback is no response: fetch rejects, or resolves with the last response, all the same', async (t) => {
  const gone = failing('down', 404);
  answering(
    t,
    () => Promise.reject(new TypeError('no route')),
    () => gone,
  );
  const { policy } = onVirtualClock({ retry: false, fallback: () => 'instead' });
  await causeOf(policy.fetch('http://stand-in/'));
  assert.equal(await policy.fetch('http://stand-in/'), gone);
});

test('without a breaker a body that breaks off is not counted, and its events say so', async (t) => {
  const one = fed();
  answering(t, () => new Response(one.body));
  const { clock, policy } = onVirtualClock({ breaker: false });
  const { events } = recordEvents(policy);
  await clock.advance(1000);
  const text = (await policy.fetch('http://stand-in/')).text();
  one.send(bytes('a'));
  await clock.advance(250);
  const why = cut();
  one.breakOff(why);
  await assert.rejects(text, (error) => error === why);
  const [failed, ...others] = of(events, 'attempt.failed');
  assert.deepEqual(others, []);
  assert.deepEqual([failed?.code, failed?.counted, failed?.durationMs], ['NETWORK_ERROR', false, 0]);
  assert.deepEqual(
    of(events, 'stream.broken').map(({ attempt, received, action }) => [attempt, received, action]),
    [[1, 1, 'fail']],
  );
});

test('without a breaker a body that comes whole is whole', async (t) => {
  answering(t, () => new Response('all of it'));
  const { policy } = onVirtualClock({ breaker: false });
  recordEvents(policy);
  assert.equal(await (await policy.fetch('http://stand-in/')).text(), 'all of it');
});

test('a breaker that was reset while the response was on its way counts no body of that time', async (t) => {
  const one = fed();
  answering(t, () => {
    policy.breaker?.reset();
    return new Response(one.body);
  });
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 } });
  const { events } = recordEvents(policy);
  const text = (await policy.fetch('http://stand-in/')).text();
  one.breakOff(cut());
  await assert.rejects(text);
  assert.deepEqual(
    of(events, 'attempt.failed').map(({ counted }) => counted),
    [false],
  );
  assert.equal(policy.breaker?.state, 'closed');
});

test('what does not count as a failure does not count when the body breaks off either', async (t) => {
  const one = fed();
  answering(t, () => new Response(one.body));
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1, countsAsFailure: () => false } });
  const { events } = recordEvents(policy);
  const text = (await policy.fetch('http://stand-in/')).text();
  one.breakOff(cut());
  await assert.rejects(text);
  assert.deepEqual(
    of(events, 'attempt.failed').map(({ counted }) => counted),
    [false],
  );
  assert.equal(policy.breaker?.state, 'closed');
});

test('a body that breaks off: when its response came, how long after, and the breaker that opens', async (t) => {
  const one = fed();
  answering(t, async () => {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 40));
    return new Response(one.body);
  });
  const { clock, policy } = onVirtualClock({ breaker: { failureThreshold: 1 } });
  const { events } = recordEvents(policy);
  await clock.advance(1000);
  const call = policy.fetch('http://stand-in/');
  await clock.advance(40);
  const text = (await call).text();
  await clock.advance(250);
  one.breakOff(cut());
  await assert.rejects(text);
  assert.deepEqual(
    of(events, 'attempt.succeeded').map(({ durationMs }) => durationMs),
    [40],
  );
  assert.deepEqual(
    of(events, 'attempt.failed').map(({ counted, durationMs }) => [counted, durationMs]),
    [[true, 250]],
  );
  // At once, and not with the next call.
  assert.deepEqual(
    of(events, 'breaker.changed').map(({ to }) => to),
    ['open'],
  );
});

test('a response without a body is a success that nothing takes back', async (t) => {
  const one = fed();
  answering(
    t,
    () => failing(),
    () => failing(),
    () => new Response(null, { status: 204 }),
    () => failing(),
    () => new Response(one.body),
  );
  const { policy } = onVirtualClock({ retry: false, breaker: { failureThreshold: 4 } });
  for (const status of [503, 503, 204, 503]) {
    assert.equal((await policy.fetch('http://stand-in/')).status, status);
  }
  const text = (await policy.fetch('http://stand-in/')).text();
  one.breakOff(cut());
  await assert.rejects(text);
  // The last two are in a row.
  assert.equal(policy.breaker?.snapshot().consecutiveFailures, 2);
});

test('a body that says itself that it was aborted has not failed', async (t) => {
  const one = fed();
  answering(t, () => new Response(one.body));
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1, countsAsFailure: () => true } });
  const { events } = recordEvents(policy);
  const text = (await policy.fetch('http://stand-in/')).text();
  one.breakOff(new DOMException('enough', 'AbortError'));
  await assert.rejects(text, { name: 'AbortError' });
  assert.deepEqual([...of(events, 'attempt.failed'), ...of(events, 'stream.broken')], []);
  assert.equal(policy.breaker?.state, 'closed');
});

test('a call that ends while it waits to try again rejects with that end, not with the response before it', async (t) => {
  answering(t, () => failing('down'));
  const { clock, policy } = onVirtualClock({ name: 'mail' });
  const call = causeOf(policy.fetch('http://stand-in/'));
  await clock.advance(1);
  policy.dispose();
  const cause = await call;
  assert.deepEqual([cause.code, cause.errors.map(({ code }) => code)], ['CANCELLED', ['SERVER_ERROR']]);
});

test('a call that ends before its failure is known has no response to return', async (t) => {
  answering(t, () => failing('down'));
  const { policy } = onVirtualClock({
    classify: () => {
      policy.dispose();
      return undefined;
    },
  });
  const cause = await causeOf(policy.fetch('http://stand-in/'));
  assert.deepEqual([cause.code, cause.errors], ['CANCELLED', []]);
});

test('of two attempts side by side the last to fail decides: its error is no response', async (t) => {
  const clock = new VirtualClock();
  const after = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimeout(resolve, ms));
  answering(
    t,
    () => after(50).then(() => failing('down')),
    () => after(90).then(() => Promise.reject(Object.assign(new Error('down too'), { status: 503 }))),
  );
  const policy = createPolicy({ clock, retry: false, hedge: { afterMs: 10 } });
  const call = causeOf(policy.fetch('http://stand-in/'));
  await clock.advance(200);
  const { errors } = await call;
  assert.deepEqual(
    errors.map(({ code }) => code),
    ['SERVER_ERROR', 'SERVER_ERROR'],
  );
});

test('what a limit in the headers leaves is what the rate limit leaves', async (t) => {
  const { requests } = answering(
    t,
    () =>
      new Response('{}', {
        headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '10s' },
      }),
  );
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 5, windowMs: 1000 } });
  await policy.fetch('http://stand-in/');
  const second = policy.fetch('http://stand-in/').catch((error: unknown) => error);
  await clock.advance(9000);
  assert.equal(requests.length, 1);
  await clock.advance(2000);
  await second;
});

test('a response that comes too late leaves the one that the client got alone', async (t) => {
  const late = fed();
  answering(
    t,
    () => new Response(late.body, { status: 503 }),
    () => failing('the second'),
  );
  const { clock, policy } = onVirtualClock({
    retry: { maxRetries: 1, backoff: () => 0 },
    timeout: { attemptMs: 100 },
  });
  const call = policy.fetch('http://stand-in/');
  await clock.advance(100);
  const response = await call;
  late.end();
  await turns();
  assert.equal(await response.text(), 'the second');
});

test('the body of a response that is not the last is cancelled', async (t) => {
  const long = fed();
  answering(
    t,
    () => new Response(long.body, { status: 503 }),
    () => new Response('fine'),
  );
  const { clock, policy } = onVirtualClock();
  const call = policy.fetch('http://stand-in/');
  long.send(bytes('x'.repeat(5000)));
  await clock.advance(5000);
  assert.equal(await (await call).text(), 'fine');
  assert.equal(long.seen.cancelled.length, 1);
});

test('without AbortSignal.any, as on Node 18, what aborts just before a request is sent aborts it too', async (t) => {
  const { any } = AbortSignal;
  t.after(() => Object.assign(AbortSignal, { any }));
  Reflect.deleteProperty(AbortSignal, 'any');
  const caller = new AbortController();
  const why = new Error('enough');
  // Cancelled when the next attempt begins.
  const long = new ReadableStream({
    start: (controller) => controller.enqueue(bytes('x'.repeat(5000))),
    cancel: () => caller.abort(why),
  });
  const { requests } = answering(
    t,
    () => new Response(long, { status: 503 }),
    () => new Response('for nobody'),
  );
  const { clock, policy } = onVirtualClock();
  const call = assert.rejects(
    policy.fetch('http://stand-in/', { signal: caller.signal }),
    (error) => error === why,
  );
  await clock.advance(5000);
  await call;
  assert.deepEqual(
    requests.map(({ signal }) => signal?.reason),
    [why, why],
  );
});

test('a stream that cannot be iterated, as in Safari, is not sent twice', async (t) => {
  const { requests } = answering(t, () => failing());
  const body = new ReadableStream();
  const { clock, policy } = onVirtualClock();
  const saved = Reflect.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator);
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
  t.after(() =>
    Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, saved as PropertyDescriptor),
  );
  const call = policy.fetch('http://stand-in/', { method: 'POST', body });
  await clock.advance(60_000);
  await call;
  assert.equal(requests.length, 1);
});

test('where there is no ReadableStream, as in React Native, bytes are sent again', async (t) => {
  const { requests } = answering(t, () => new Response(null, { status: 503 }));
  const { clock, policy } = onVirtualClock({ retry: { maxRetries: 1 } });
  const { ReadableStream: real } = globalThis;
  t.after(() => Object.assign(globalThis, { ReadableStream: real }));
  Reflect.deleteProperty(globalThis, 'ReadableStream');
  const call = policy.fetch('http://stand-in/', { method: 'POST', body: new Uint8Array(3) });
  await clock.advance(60_000);
  assert.equal((await call).status, 503);
  assert.equal(requests.length, 2);
});

for (const type of [undefined, 'bytes'] as const) {
  const kind = type === undefined ? 'chunks' : 'bytes';
  test(`a body of ${kind} that its reader cancels is cancelled at its source, read before or not`, async (t) => {
    const bodies = [fed(type), fed(type)] as const;
    answering(
      t,
      () => new Response(bodies[0].body),
      () => new Response(bodies[1].body),
    );
    const { policy } = onVirtualClock();
    for (const one of bodies) {
      const reader = (await policy.fetch('http://stand-in/')).body?.getReader();
      const isRead = one === bodies[1];
      if (isRead) {
        one.send(bytes('a'));
        await reader?.read();
      }
      await reader?.cancel('enough');
      assert.deepEqual(one.seen.cancelled, ['enough'], String(isRead));
    }
  });

  test(`a body of ${kind} is not pulled before it is read`, async (t) => {
    const one = fed(type);
    answering(t, () => new Response(one.body));
    const { policy } = onVirtualClock();
    const response = await policy.fetch('http://stand-in/');
    await turns();
    assert.equal(one.seen.pulls, 0);
    await response.body?.cancel();
  });
}

test('an empty chunk is nothing that was received', async (t) => {
  const one = fed();
  answering(t, () => new Response(one.body));
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const reader = (await policy.fetch('http://stand-in/')).body?.getReader();
  one.send(bytes(''));
  one.send(bytes('a'));
  assert.deepEqual(await reader?.read(), { done: false, value: bytes('a') });
  one.breakOff(cut());
  await assert.rejects(async () => reader?.read());
  assert.deepEqual(
    of(events, 'stream.broken').map(({ received }) => received),
    [1],
  );
});
