// Misbehaving user code in places that are easily forgotten: a call settles, users read a sentence, no secret goes out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy, formatErrorMessage, RetryHandler, route, toModelResponse } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

const KEY = `sk-proj-${'a1B2c3D4'.repeat(6)}`;

/** Throws whenever it is read. */
function trapped(name: string, rest: object = {}): object {
  return Object.defineProperty(rest, name, {
    enumerable: true,
    get() {
      throw new Error(`${name} was read`);
    },
  });
}

async function* once(chunk: unknown): AsyncGenerator<unknown> {
  yield chunk;
}

test('an iterator result whose fields throw ends the stream', async () => {
  for (const result of [trapped('done'), trapped('value', { done: false })]) {
    const source = { [Symbol.asyncIterator]: () => ({ next: async () => result as never }) };
    const policy = createPolicy({ retry: false });
    await assert.rejects(async () => {
      for await (const _ of policy.stream(() => source));
    }, AgentError.is);
  }
});

test('a chunk that cannot be read arrives, and is counted as without text', async () => {
  const chunk = trapped('choices');
  const policy = createPolicy({ onEvent() {} });
  const seen: unknown[] = [];
  for await (const one of policy.stream(() => once(chunk))) seen.push(one);
  assert.equal(seen[0], chunk);
});

test('a failing response that can be read once only fails the attempt', async () => {
  let reads = 0;
  const response = {
    ok: false,
    type: 'basic',
    headers: new Headers(),
    clone: () => assert.fail('cannot be cloned'),
    get status() {
      reads += 1;
      if (reads > 1) throw new Error('read twice');
      return 500;
    },
  };
  await assert.rejects(
    createPolicy({ retry: false }).execute(() => response),
    AgentError.is,
  );
});

test("a subclass's userMessage that throws leaves the call's trace and its code", async () => {
  class Silent extends AgentError {
    override userMessage(): string {
      throw new Error('um');
    }
  }
  const types: string[] = [];
  const policy = createPolicy({ onEvent: ({ type }) => void types.push(type) });
  const signal = AbortSignal.abort(new Silent('CANCELLED', 'no more'));
  await assert.rejects(
    policy.execute(() => 1, { signal }),
    { code: 'CANCELLED' },
  );
  assert.deepEqual(
    types.filter((type) => type.startsWith('call.')),
    ['call.started', 'call.failed'],
  );
  assert.ok(formatErrorMessage(new Silent('TIMEOUT', 'x')).length > 0);
  assert.ok(toModelResponse(new Silent('TIMEOUT', 'x')).message.length > 0);
});

test('metadata that is no text fails nothing and shows no secret', async () => {
  const events: unknown[] = [];
  for (const technicalDetails of [5, { key: KEY }]) {
    const policy = createPolicy({
      retry: false,
      classify: () => ({ code: 'TIMEOUT', metadata: { technicalDetails: technicalDetails as never } }),
      onEvent: (event) => void events.push(event),
    });
    const failing = () => Promise.reject(Object.assign(new Error(''), { status: 500 }));
    await assert.rejects(policy.execute(failing), { code: 'TIMEOUT' });
  }
  assert.equal(events.filter((event) => (event as { type: string }).type === 'attempt.failed').length, 2);
  assert.ok(!JSON.stringify(events).includes(KEY));
});

test("what validate throws keeps its stack and the policy's provider", async () => {
  function checkedHere(): never {
    throw new Error('too short');
  }
  const policy = createPolicy({ provider: 'openai', retry: false });
  const error = await policy.execute(() => 'x', { validate: () => checkedHere() }).catch((thrown) => thrown);
  assert.equal(error.code, 'INVALID_RESPONSE');
  assert.equal(error.provider.provider, 'openai');
  assert.match(error.stack, /checkedHere/);
});

test('an error of another version is routed', () => {
  const foreign = Object.assign(new Error('later'), {
    [Symbol.for('halfopen.AgentError')]: true,
    code: 'LATER',
  });
  assert.ok(route({ error: foreign }).next);
});

test('an async retryOn of a RetryHandler decides nothing', async () => {
  const retryOn = (async () => {
    throw new Error('late');
  }) as never;
  const handler = new RetryHandler({ retryOn, maxRetries: 1, baseDelayMs: 0 });
  const error = new AgentError('AUTHENTICATION_ERROR', 'no');
  const call = handler.executeWithRetry(() => Promise.reject(error), { taskId: 'task' });
  await assert.rejects(call, { code: 'AUTHENTICATION_ERROR' });
});

test('policy.fetch returns the last response though the application classifies', async (t) => {
  const seen: unknown[] = [];
  t.mock.method(globalThis, 'fetch', async () => new Response('slow down', { status: 429 }));
  const policy = createPolicy({
    retry: false,
    provider: 'openai',
    classify(error, { provider }) {
      seen.push([AgentError.is(error), provider]);
      return { code: 'QUOTA_EXCEEDED' };
    },
  });
  assert.equal((await policy.fetch('http://127.0.0.1/')).status, 429);
  assert.deepEqual(seen, [[false, 'openai']]);
});

test('a failing response whose body stalls is known by its status after a second', async (t) => {
  const stalled = () =>
    new Response(new ReadableStream({ start: (sink) => sink.enqueue(new Uint8Array(3)) }), { status: 500 });
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, retry: false });
  const executed = policy.execute(async () => stalled()).catch((error) => error.code);
  await clock.advance(1000);
  assert.equal(await executed, 'SERVER_ERROR');
  t.mock.method(globalThis, 'fetch', async () => stalled());
  const fetched = policy.fetch('http://127.0.0.1/');
  await clock.advance(1000);
  assert.equal((await fetched).status, 500);
  assert.equal(clock.pending, 0);
});

test('an abort reason whose code throws on a second read ends every call of the signal', async () => {
  const reason = new AgentError('CANCELLED', 'x');
  let reads = 0;
  Object.defineProperty(reason, 'code', {
    get() {
      reads += 1;
      if (reads % 2 === 0) throw new Error('once');
      return 'CANCELLED';
    },
  });
  const aborter = new AbortController();
  const policy = createPolicy({ retry: false });
  const calls = [1, 2, 3].map(() => policy.execute(() => new Promise(() => {}), { signal: aborter.signal }));
  aborter.abort(reason);
  for (const call of calls) await assert.rejects(call, AgentError.is);
});

test('a value with a hundred thousand mismatches is refused by the first of them', async () => {
  const issues = Array.from({ length: 100_000 }, (_, index) => ({
    message: 'expected string',
    path: [index],
  }));
  const schema = { '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ issues }) } };
  const call = createPolicy({ retry: false }).execute(() => 1, { validate: schema });
  await assert.rejects(call, ({ message }) => message.length < 600 && !message.includes('30: '));
});

test('fields of a provider that this package does not know stay out of a response', () => {
  const provider = { provider: 'p', extra: KEY } as object;
  const response = new AgentError('SERVER_ERROR', 'm', { provider }).toResponse();
  assert.deepEqual(Object.keys(response.metadata ?? {}), ['provider']);
});
