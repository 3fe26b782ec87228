// `policy.fetch`, alone and in the hands of the real clients, against a small server that misbehaves as told.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { AgentError, createPolicy, ensureOk, type Policy, type PolicyOptions } from 'halfopen';
import { answerFetch } from 'halfopen/guard';
import { recordEvents } from 'halfopen/testing';
import OpenAI from 'openai';

type Answer = (response: ServerResponse, body: string) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const reset: Answer = (response) => response.destroy();
const silence: Answer = () => {};
const events =
  (
    lines: readonly string[],
    end: (response: ServerResponse) => void = (response) => response.end(),
  ): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const line of lines) response.write(`${line}\n\n`);
    setTimeout(() => end(response), 20);
  };

const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }],
};
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content } }] })}`;
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/** A server whose answers come in turn, the last one for ever. */
async function serve(
  ...answers: readonly Answer[]
): Promise<{ url: string; bodies: string[]; close(): Promise<void> }> {
  const bodies: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const answer = answers[Math.min(bodies.length, answers.length - 1)] as Answer;
      bodies.push(body);
      answer(response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const quick = (options: PolicyOptions = {}): Policy =>
  createPolicy({ retry: { baseDelayMs: 5, enableJitter: false }, ...options });
const openai = (policy: Policy, url: string): OpenAI =>
  new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1`, maxRetries: 0, fetch: policy.fetch });
const anthropic = (policy: Policy, url: string): Anthropic =>
  new Anthropic({ apiKey: 'sk-ant-test', baseURL: url, maxRetries: 0, fetch: policy.fetch });
const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };

test('failures and retryable statuses are retried, with the same body', async (t) => {
  const server = await serve(
    json(503, { error: 'x' }),
    reset,
    json(429, {}, { 'retry-after-ms': '10' }),
    json(200, { fine: true }),
  );
  t.after(() => server.close());
  const response = await quick().fetch(`${server.url}/x`, { method: 'POST', body: 'the body' });
  assert.deepEqual(await response.json(), { fine: true });
  assert.deepEqual(server.bodies, ['the body', 'the body', 'the body', 'the body']);
});

test('the last response that is not ok is returned whole, as fetch does', async (t) => {
  const server = await serve(json(503, { error: { message: 'down' } }));
  t.after(() => server.close());
  const response = await quick().fetch(server.url);
  assert.equal(response.status, 503);
  assert.deepEqual(await response.json(), { error: { message: 'down' } });
  assert.equal(server.bodies.length, 4);
  const missing = await serve(json(404, { error: 'nothing' }));
  t.after(() => missing.close());
  assert.equal((await quick().fetch(missing.url)).status, 404);
  assert.equal(missing.bodies.length, 1);
});

test('"not modified" and a redirect that is not followed are no failures', async (t) => {
  const server = await serve((response) => {
    response.writeHead(304, { etag: '"a"' });
    response.end();
  });
  const moved = await serve((response) => {
    response.writeHead(302, { location: '/elsewhere' });
    response.end('moved');
  });
  t.after(() => Promise.all([server.close(), moved.close()]));
  const policy = quick({ breaker: { failureThreshold: 1, countsAsFailure: () => true } });
  const { events } = recordEvents(policy);
  for (const send of [policy.fetch, answerFetch(policy)]) {
    const same = await send(server.url, { headers: { 'if-none-match': '"a"' } });
    assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, '"a"', '']);
    const redirect = await send(moved.url, { redirect: 'manual' });
    assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, '/elsewhere']);
    assert.equal(await redirect.text(), 'moved');
  }
  assert.deepEqual([server.bodies.length, moved.bodies.length], [2, 2]);
  assert.deepEqual(
    events.filter(({ type }) => type === 'attempt.failed'),
    [],
  );
  assert.equal(policy.stats().succeeded, 4);
});

test('it rejects with a TypeError whose cause is the AgentError, and with the reason of an abort', async (t) => {
  const server = await serve(reset);
  t.after(() => server.close());
  const policy = quick({ breaker: { failureThreshold: 1 } });
  await assert.rejects(policy.fetch(server.url), (error: Error) => {
    assert.ok(error instanceof TypeError);
    assert.ok(AgentError.is(error.cause) && error.cause.code === 'NETWORK_ERROR');
    return true;
  });
  await assert.rejects(policy.fetch(server.url), (error: Error) => {
    assert.ok(AgentError.is(error.cause) && error.cause.code === 'CIRCUIT_OPEN');
    return true;
  });
  const hung = await serve(silence);
  t.after(() => hung.close());
  const controller = new AbortController();
  const result = quick().fetch(hung.url, { signal: controller.signal });
  const why = new Error('enough');
  setTimeout(() => controller.abort(why), 20);
  await assert.rejects(result, (error) => error === why);
});

test('without AbortSignal.any, as on Node 18, the caller still ends what streams', async (t) => {
  const { any } = AbortSignal;
  t.after(() => Object.assign(AbortSignal, { any }));
  Reflect.deleteProperty(AbortSignal, 'any');
  const server = await serve((response) => {
    response.writeHead(200);
    response.write('begun');
  });
  t.after(() => server.close());
  const caller = new AbortController();
  const response = await quick().fetch(server.url, { signal: caller.signal });
  const reader = response.body?.getReader();
  assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'begun');
  caller.abort(new Error('enough'));
  await assert.rejects(async () => reader?.read(), /enough/);
  await assert.rejects(quick().fetch(server.url, { signal: caller.signal }), /enough/);
});

test('an attempt that hangs is cut off and tried again', async (t) => {
  const server = await serve(silence, json(200, {}));
  t.after(() => server.close());
  const response = await quick({ timeout: { attemptMs: 1000 } }).fetch(server.url);
  assert.equal(response.status, 200);
});

test('a Request is sent again, a body that streams is not', async (t) => {
  const server = await serve(json(503, {}), json(200, {}));
  t.after(() => server.close());
  const response = await quick().fetch(new Request(server.url, { method: 'POST', body: 'again' }));
  assert.equal(response.status, 200);
  assert.deepEqual(server.bodies, ['again', 'again']);
  const once = await serve(json(503, {}), json(200, {}));
  t.after(() => once.close());
  const stream = new Blob(['streamed']).stream();
  const refused = await quick().fetch(once.url, {
    method: 'POST',
    body: stream,
    duplex: 'half',
  } as RequestInit);
  assert.equal(refused.status, 503);
  assert.deepEqual(once.bodies, ['streamed']);
});

test('which bodies are sent again: all but those that are gone once they are sent', async (t) => {
  async function* lines(): AsyncGenerator<string> {
    yield 'line';
  }
  const answers = t.mock.method(globalThis, 'fetch', async () => new Response(null, { status: 503 }));
  for (const [name, body, requests] of [
    ['none', undefined, 2],
    ['null', null, 2],
    ['a text', 'text', 2],
    ['bytes', new Uint8Array(3), 2],
    ['a form', new FormData(), 2],
    ['a blob', new Blob(['x']), 2],
    ['a stream', new Blob(['x']).stream(), 1],
    ['an async iterable', lines(), 1],
  ] as const) {
    answers.mock.resetCalls();
    const policy = createPolicy({ retry: { maxRetries: 1, backoff: () => 0 } });
    const init = { method: 'POST', body, duplex: 'half' } as unknown as RequestInit;
    assert.equal((await policy.fetch('http://127.0.0.1/', init)).status, 503);
    assert.equal(answers.mock.callCount(), requests, name);
  }
});

test('limits in the headers are observed', async (t) => {
  const server = await serve(
    json(
      200,
      {},
      { 'anthropic-ratelimit-requests-limit': '50', 'anthropic-ratelimit-requests-remaining': '49' },
    ),
  );
  t.after(() => server.close());
  const policy = quick();
  const recorded = recordEvents(policy);
  await policy.fetch(server.url);
  const limits = recorded.events.find((event) => event.type === 'limits.observed');
  assert.ok(limits?.type === 'limits.observed');
  assert.deepEqual(
    [limits.provider, limits.unit, limits.limit, limits.remaining],
    ['anthropic', 'requests', 50, 49],
  );
});

test('the openai client is guarded: 429, 500 and a reset connection, then its answer', async (t) => {
  const server = await serve(
    json(
      429,
      { error: { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' } },
      { 'retry-after-ms': '20' },
    ),
    json(500, { error: { message: 'oops', type: 'server_error' } }),
    reset,
    json(200, completion),
  );
  t.after(() => server.close());
  const policy = quick();
  const recorded = recordEvents(policy);
  const answer = await openai(policy, server.url).chat.completions.create(ask);
  assert.equal(answer.choices[0]?.message.content, 'hello');
  const codes = recorded.events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : []));
  assert.deepEqual(codes, ['RATE_LIMITED', 'SERVER_ERROR', 'NETWORK_ERROR']);
});

for (const vendor of ['openai', 'anthropic'] as const)
  test(`${vendor}: a policy around a client does not retry what the client's policy has given up on`, async (t) => {
    const server = await serve(json(503, { error: { message: 'busy' } }));
    t.after(() => server.close());
    const inner = quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    const call = quick({ retry: { maxRetries: 2, baseDelayMs: 1 } }).execute(async () => {
      if (vendor === 'openai') await openai(inner, server.url).chat.completions.create(ask);
      else await anthropic(inner, server.url).messages.create({ ...ask, max_tokens: 10 });
    });
    await assert.rejects(call, /busy/);
    assert.equal(server.bodies.length, 2);
  });

test("the openai client's errors stay its own", async (t) => {
  const server = await serve(json(401, { error: { message: 'bad key', code: 'invalid_api_key' } }));
  t.after(() => server.close());
  await assert.rejects(openai(quick(), server.url).chat.completions.create(ask), OpenAI.AuthenticationError);
  const down = await serve(reset);
  t.after(() => down.close());
  await assert.rejects(openai(quick(), down.url).chat.completions.create(ask), OpenAI.APIConnectionError);
  const controller = new AbortController();
  const hung = await serve(silence);
  t.after(() => hung.close());
  const aborted = openai(quick(), hung.url).chat.completions.create(ask, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(aborted, OpenAI.APIUserAbortError);
});

test('the openai client streams through it', async (t) => {
  const server = await serve(json(503, {}), events([chunk('hel'), chunk('lo'), 'data: [DONE]']));
  t.after(() => server.close());
  let text = '';
  for await (const part of await openai(quick(), server.url).chat.completions.create({
    ...ask,
    stream: true,
  })) {
    text += part.choices[0]?.delta.content ?? '';
  }
  assert.equal(text, 'hello');
});

test('a stream of the openai client that is aborted in the middle stops', async (t) => {
  const server = await serve(events([chunk('hel')], () => {}));
  t.after(() => server.close());
  const stream = await openai(quick(), server.url).chat.completions.create({ ...ask, stream: true });
  let text = '';
  for await (const part of stream) {
    text += part.choices[0]?.delta.content ?? '';
    stream.controller.abort();
  }
  assert.equal(text, 'hel');
});

test('the anthropic client is guarded: 529, then its stream', async (t) => {
  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const event = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
  const lines = [
    event({ type: 'message_start', message } as never),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } } as never),
    event({ type: 'content_block_stop', index: 0 } as never),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 2 },
    } as never),
    event({ type: 'message_stop' }),
  ];
  const server = await serve(json(529, overloaded), events(lines));
  t.after(() => server.close());
  const policy = quick();
  const recorded = recordEvents(policy);
  const final = await anthropic(policy, server.url)
    .messages.stream({ ...ask, max_tokens: 10 })
    .finalMessage();
  assert.equal(final.content[0]?.type === 'text' && final.content[0].text, 'hello');
  const failed = recorded.events.find((one) => one.type === 'attempt.failed');
  assert.ok(failed?.type === 'attempt.failed' && failed.code === 'PROVIDER_OVERLOADED');
});

test("the anthropic client's errors stay its own", async (t) => {
  const server = await serve(json(529, overloaded));
  t.after(() => server.close());
  await assert.rejects(
    anthropic(quick({ retry: { maxRetries: 1, baseDelayMs: 1 } }), server.url).messages.create({
      ...ask,
      max_tokens: 10,
    }),
    (error) => error instanceof Anthropic.APIError && error.status === 529,
  );
  assert.equal(server.bodies.length, 2);
});

test('ensureOk passes an ok response and rejects with the classified error of any other', async () => {
  const ok = new Response('x');
  assert.equal(await ensureOk(ok), ok);
  const cases: [Response, string, number | undefined][] = [
    [
      Response.json({ error: { message: 'no', code: 'invalid_api_key' } }, { status: 401 }),
      'AUTHENTICATION_ERROR',
      undefined,
    ],
    [new Response('busy', { status: 429, headers: { 'retry-after': '3' } }), 'RATE_LIMITED', 3000],
    [new Response(null, { status: 500 }), 'SERVER_ERROR', undefined],
    [new Response('x'.repeat(100_000), { status: 502 }), 'SERVER_ERROR', undefined],
  ];
  for (const [response, code, retryAfterMs] of cases) {
    await assert.rejects(ensureOk(response), (error) => {
      assert.ok(AgentError.is(error));
      assert.deepEqual([error.code, error.retryAfterMs], [code, retryAfterMs]);
      assert.equal(error.provider.statusCode, response.status);
      return true;
    });
  }
});

test('failOnNotOk is nothing to policy.fetch: failing statuses are retried all the same', async (t) => {
  const server = await serve(json(500, {}), json(200, { fine: true }));
  t.after(() => server.close());
  const policy = createPolicy({ failOnNotOk: false, retry: { baseDelayMs: 1 } });
  const response = await policy.fetch(server.url);
  assert.deepEqual([response.status, await response.json()], [200, { fine: true }]);
});

test('Anthropic’s 404 for a model has one code: in the event, in a returned response, and in what its SDK throws', async (t) => {
  const body = {
    type: 'error',
    error: { type: 'not_found_error', message: 'model: claude-3-opus-20240229' },
  };
  const server = await serve(json(404, body));
  t.after(() => server.close());
  const policy = createPolicy({ retry: false });
  const { events } = recordEvents(policy);
  const client = new Anthropic({ apiKey: 'x', baseURL: server.url, fetch: policy.fetch, maxRetries: 0 });
  const messages = [{ role: 'user', content: 'hello' }] as const;
  const thrown = await client.messages
    .create({ model: 'claude-3-opus-20240229', max_tokens: 1, messages: [...messages] })
    .catch((error: unknown) => error);
  const failed = events.find(({ type }) => type === 'attempt.failed');
  const returned = await policy.execute(() => fetch(server.url)).catch((error: unknown) => error);
  assert.deepEqual(
    [
      failed?.type === 'attempt.failed' && failed.code,
      AgentError.from(thrown).code,
      AgentError.from(returned).code,
    ],
    ['MODEL_NOT_FOUND', 'MODEL_NOT_FOUND', 'MODEL_NOT_FOUND'],
  );
});
