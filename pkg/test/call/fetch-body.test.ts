// `policy.fetch` and the body behind the headers: where it breaks off, the breaker hears of it, once.
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { AgentError, costLimit, createPolicy, type Policy, type PolicyOptions } from 'halfopen';
import { answerFetch } from 'halfopen/guard';
import { recordEvents, VirtualClock } from 'halfopen/testing';
import { countingSignal } from '../policy/given.js';

type Answer = (response: ServerResponse) => void;

const breaking: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
  response.write('the first part');
  setTimeout(() => response.destroy(), 10);
};
const whole: Answer = (response) => response.end('all of it');
const endless: Answer = (response) => {
  response.writeHead(200);
  response.write('the first part');
};

async function serve(t: TestContext, ...answers: readonly Answer[]): Promise<string> {
  let at = 0;
  const server = createServer((_request, response) => {
    (answers[Math.min(at++, answers.length - 1)] as Answer)(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`;
}

const policyOf = (options: PolicyOptions = {}): Policy =>
  createPolicy({ retry: { baseDelayMs: 1, enableJitter: false }, ...options });
const failures = (policy: Policy): number | undefined => policy.breaker?.snapshot().consecutiveFailures;

test('a body that breaks off reaches the client, and counts once as a failure', async (t) => {
  const url = await serve(t, breaking);
  const policy = policyOf({ breaker: { failureThreshold: 3 } });
  const { events } = recordEvents(policy);
  const errors: unknown[] = [];
  for (const read of [
    (response: Response) => response.text(),
    (response: Response) => response.json(),
    async (response: Response) => {
      for await (const _ of response.body as ReadableStream<Uint8Array>);
    },
  ]) {
    assert.equal(policy.breaker?.state, 'closed');
    errors.push(await read(await policy.fetch(url)).catch((error: unknown) => error));
  }
  assert.ok(errors.every((error) => error instanceof TypeError && error.message === 'terminated'));
  assert.equal(policy.breaker?.state, 'open');
  const failed = events.flatMap((event) => (event.type === 'attempt.failed' ? [event] : []));
  assert.deepEqual(
    failed.map(({ code, counted, attempt }) => [code, counted, attempt]),
    [
      ['NETWORK_ERROR', true, 1],
      ['NETWORK_ERROR', true, 1],
      ['NETWORK_ERROR', true, 1],
    ],
  );
  const broken = events.flatMap((event) => (event.type === 'stream.broken' ? [event.received] : []));
  assert.deepEqual(broken, [1, 1, 1]);
  await assert.rejects(policy.fetch(url), (error: Error) => {
    assert.ok(AgentError.is(error.cause) && error.cause.code === 'CIRCUIT_OPEN');
    return true;
  });
});

test('a body that comes whole, or is not read, leaves no failure', async (t) => {
  const url = await serve(t, breaking, whole, breaking, whole, breaking);
  const policy = policyOf({ breaker: { failureThreshold: 2 } });
  for (const read of [true, false]) {
    await assert.rejects((await policy.fetch(url)).text());
    assert.equal(failures(policy), 1);
    const response = await policy.fetch(url);
    assert.equal(failures(policy), 0);
    if (read) assert.equal(await response.text(), 'all of it');
  }
  assert.equal(policy.breaker?.state, 'closed');
});

test('who cancels the body, or aborts, has found no failure', async (t) => {
  const url = await serve(t, endless);
  const policy = policyOf({ breaker: { failureThreshold: 1, countsAsFailure: () => true } });
  const { events } = recordEvents(policy);
  await (await policy.fetch(url)).body?.cancel('enough');
  const reader = (await policy.fetch(url)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const controller = new AbortController();
  const response = await policy.fetch(url, { signal: controller.signal });
  const text = response.text();
  const why = new Error('enough');
  controller.abort(why);
  await assert.rejects(text, (error) => error === why);
  assert.equal(policy.breaker?.state, 'closed');
  assert.deepEqual(
    events.filter(({ type }) => type === 'attempt.failed' || type === 'stream.broken'),
    [],
  );
});

test('a probe whose body breaks off opens the circuit again', async (t) => {
  const url = await serve(t, breaking);
  const clock = new VirtualClock();
  const policy = policyOf({ clock, breaker: { failureThreshold: 1, resetTimeoutMs: 1000 } });
  await assert.rejects((await policy.fetch(url)).text());
  await clock.advance(1000);
  assert.equal(policy.breaker?.state, 'half_open');
  const probe = await policy.fetch(url);
  assert.equal(policy.breaker?.state, 'closed');
  await assert.rejects(probe.text());
  assert.equal(policy.breaker?.state, 'open');
});

test('with a time window the call stays one call', async (t) => {
  const url = await serve(t, breaking);
  const policy = policyOf({
    breaker: { window: { kind: 'time', durationMs: 60_000, failureRate: 1, minimumCalls: 4 } },
  });
  for (let call = 0; call < 4; call++) {
    assert.equal(policy.breaker?.state, 'closed');
    await assert.rejects((await policy.fetch(url)).text());
  }
  assert.equal(policy.breaker?.state, 'open');
});

test('nothing of the body is read before its reader asks', async (t) => {
  let wrote = 0;
  const url = await serve(t, (response) => {
    response.writeHead(200);
    const more = (): void => {
      if (wrote++ === 64) response.end();
      else if (response.write(Buffer.alloc(1 << 20))) more();
      else response.once('drain', more);
    };
    more();
  });
  const response = await policyOf().fetch(url);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const before = wrote;
  assert.ok(before < 32, `${before} MiB were taken of a body that nobody reads`);
  assert.equal((await response.arrayBuffer()).byteLength, 64 << 20);
});

test('the response is what fetch gives', async (t) => {
  const url = await serve(t, whole);
  const [plain, guarded] = [await fetch(url), await policyOf().fetch(url)];
  for (const key of ['url', 'status', 'statusText', 'ok', 'redirected', 'type'] as const) {
    assert.equal(guarded[key], plain[key], key);
  }
  assert.equal(guarded.headers.get('date') !== null, true);
  assert.equal(guarded instanceof Response, true);
  const copy = guarded.clone();
  assert.equal(copy.url, url);
  assert.deepEqual([await copy.text(), await guarded.text()], ['all of it', 'all of it']);
  assert.equal(guarded.bodyUsed, true);
  await assert.rejects(guarded.text(), TypeError);
});

test('it can be read into a buffer of the reader, and a stand-in may give the same chunk twice', async (t) => {
  const url = await serve(t, whole);
  const reader = (await policyOf().fetch(url)).body?.getReader({ mode: 'byob' });
  const read = await reader?.read(new Uint8Array(100));
  assert.equal(new TextDecoder().decode(read?.value), 'all of it');
  assert.equal((await reader?.read(new Uint8Array(100)))?.done, true);
  const chunk = new TextEncoder().encode('ha');
  t.mock.method(
    globalThis,
    'fetch',
    async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (let i = 0; i < 3; i++) controller.enqueue(chunk);
            controller.close();
          },
        }),
      ),
  );
  assert.equal(await (await policyOf().fetch('http://stand-in/')).text(), 'hahaha');
});

test('what stands in for fetch in a test may answer with less than a Response', async (t) => {
  const answer = { ok: true, status: 200, headers: new Headers(), json: async () => ({ fine: true }) };
  t.mock.method(globalThis, 'fetch', async () => answer);
  const response = await policyOf().fetch('http://stand-in/');
  assert.deepEqual(await response.json(), { fine: true });
});

test('no listener and no timer is left, whole, broken or cancelled', async (t) => {
  const url = await serve(t, whole, breaking, endless, breaking);
  const clock = new VirtualClock();
  const policy = policyOf({ clock, timeout: { attemptMs: 5000, totalMs: 9000 } });
  const { signal, listeners } = countingSignal();
  await (await policy.fetch(url, { signal })).text();
  await assert.rejects((await policy.fetch(url, { signal })).text());
  await (await policy.fetch(url, { signal })).body?.cancel();
  assert.deepEqual([listeners(), clock.pending], [0, 0]);
});

test('a place in the bulkhead is held until the headers: bodies that nobody reads keep none', async (t) => {
  const url = await serve(t, endless);
  const policy = policyOf({ bulkhead: { maxConcurrent: 1 }, timeout: { attemptMs: 60_000 } });
  const responses = [await policy.fetch(url), await policy.fetch(url), await policy.fetch(url)];
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200],
  );
  for (const response of responses) await response.body?.cancel();
});

test('where the body is read by the operation, its place is held and its time bounded until it is here', async (t) => {
  const url = await serve(t, endless);
  const policy = policyOf({
    retry: false,
    bulkhead: { maxConcurrent: 1, maxQueued: 0 },
    timeout: { attemptMs: 300 },
  });
  const reading = policy.execute(async ({ signal }) => (await fetch(url, { signal })).text());
  const refused = await policy.execute(() => 1).catch((error: unknown) => error);
  assert.ok(AgentError.is(refused) && refused.code === 'CAPACITY_EXCEEDED', String(refused));
  const late = await reading.catch((error: unknown) => error);
  assert.ok(AgentError.is(late) && late.code === 'TIMEOUT', String(late));
});

test('a reason phrase outside of ASCII is no failure: RFC 9112 allows it', async (t) => {
  const server = createRawServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK \xe9\r\ncontent-length: 2\r\n\r\nok', 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { statusText } = await fetch(url);
  const policy = policyOf();
  for (const send of [policy.fetch, answerFetch(policy)]) {
    const response = await send(url);
    assert.deepEqual(
      [response.status, response.statusText, response.clone().statusText],
      [200, statusText, statusText],
    );
    assert.equal(await response.text(), 'ok');
  }
  assert.equal(failures(policy), 0);
});

/** Bodies that state their tokens, and how. */
const STATED = {
  'events of a stream': [
    'text/event-stream',
    'event: message_start\ndata: {"type":"message_start","message":{"model":"claude","content":[],"usage":{"input_tokens":12,"output_tokens":1}}}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":3}}\n\n',
  ],
  'JSON over several lines': [
    'application/json',
    '{\n  "model": "claude",\n  "content": [],\n  "usage": {"input_tokens": 12,',
    ' "output_tokens": 3}\n}\n',
  ],
  'lines of JSON': [
    'application/x-ndjson',
    '{"model":"claude","done":false}\n',
    '{"model":"claude","done":true,"prompt_eval_count":12,"eval_count":3}',
  ],
} as const;

for (const [what, [type, ...parts]] of Object.entries(STATED))
  test(`a body says what it took when it has been read: ${what}`, async (t) => {
    const url = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(parts[0]);
      setTimeout(() => response.end(parts[1]), 20);
    });
    const policy = policyOf({ provider: 'anthropic' });
    const cap = costLimit(policy, {
      max: 1000,
      windowMs: 60_000,
      costOf: ({ inputTokens = 0 }) => inputTokens,
    });
    const { events } = recordEvents(policy);
    const response = await policy.fetch(url);
    assert.equal(cap.spent, 0);
    assert.equal(await response.text(), parts.join(''));
    const usage = { inputTokens: 12, outputTokens: 3, model: 'claude', provider: 'anthropic' };
    assert.deepEqual(
      events.flatMap((event) => ('usage' in event ? [[event.type, event.usage]] : [])),
      [['stream.chunk', usage]],
    );
    assert.equal(cap.spent, 12);
  });

test('a body that is cancelled, or breaks off, says what it took until then', async (t) => {
  const url = await serve(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(STATED['events of a stream'][1]);
    setTimeout(() => response.destroy(), 100);
  });
  const policy = policyOf();
  const cap = costLimit(policy, {
    max: 1000,
    windowMs: 60_000,
    costOf: ({ inputTokens = 0 }) => inputTokens,
  });
  const reader = (await policy.fetch(url)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  assert.equal(cap.spent, 12);
  await assert.rejects((await policy.fetch(url)).text());
  assert.equal(cap.spent, 24);
});

test('nothing is read of a body that nobody listens to, or of another type', async (t) => {
  const url = await serve(t, (response) => response.end('{"usage":{"input_tokens":12}}'));
  const policy = policyOf();
  await (await policy.fetch(url)).text();
  const { events } = recordEvents(policy);
  await (await policy.fetch(url)).text();
  assert.ok(events.every((event) => event.type !== 'stream.chunk'));
});
