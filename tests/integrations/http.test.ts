// HTTP clients under a policy: undici by `halfopen/undici`, ky and axios by `policy.fetch`, got and axios by `execute`, also
// within p-queue; and how many requests reach the faulty provider.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import axios from 'axios';
import got from 'got';
import { AgentError, classify } from 'halfopen';
import { guardInterceptor } from 'halfopen/undici';
import ky from 'ky';
import PQueue from 'p-queue';
import { Agent, fetch, request, upgrade } from 'undici';
import { ownTime } from '../../scripts/patience.mjs';
import { failure, GOOD, given, provider, quick, requests } from './provider.js';

const url = () => `${provider.openaiUrl}/chat/completions`;
const body = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hi' }] };
const textOf = (answer: unknown) =>
  (answer as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
/** Aborts when that many requests have come. */
function lateAfter(count: number): AbortSignal {
  const controller = new AbortController();
  const look = setInterval(() => {
    if (requests() < count) return;
    clearInterval(look);
    controller.abort(new DOMException('too late', 'TimeoutError'));
  }, 5);
  return controller.signal;
}

describe('undici', () => {
  const post = (policy: ReturnType<typeof quick>, more: object = {}) =>
    request(url(), {
      dispatcher: new Agent().compose(guardInterceptor(policy)),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...more,
    });

  test('a request is retried, and its response streams', async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const { statusCode, body: answer } = await post(quick());
    assert.deepEqual([statusCode, textOf(await answer.json()), requests()], [200, GOOD, 3]);
  });

  test('a stream of events arrives chunk by chunk', async () => {
    given({ kind: 'server-error' }, { kind: 'ok', chunkEveryMs: 5 });
    const answer = await post(quick(), { body: JSON.stringify({ ...body, stream: true }) });
    let chunks = 0;
    let text = '';
    for await (const chunk of answer.body) {
      chunks++;
      text += chunk;
    }
    assert.ok(chunks > 1 && text.includes('[DONE]'), text);
    assert.equal(requests(), 2);
  });

  test('the last failing response is passed on whole', async () => {
    given({ kind: 'server-error' }, { kind: 'server-error' });
    const {
      statusCode,
      headers,
      body: answer,
    } = await post(quick({ retry: { maxRetries: 1, baseDelayMs: 1 } }));
    assert.deepEqual([statusCode, headers['content-type'], requests()], [500, 'application/json', 2]);
    assert.ok(Object.hasOwn((await answer.json()) as object, 'error'));
  });

  test('what is not worth a retry is sent once', async () => {
    given({ kind: 'unauthorized' });
    const { statusCode, body: answer } = await post(quick());
    await answer.dump();
    assert.deepEqual([statusCode, requests()], [401, 1]);
  });

  test('without a response the request rejects with the AgentError', async () => {
    given({ kind: 'reset' }, { kind: 'reset' });
    const error = await failure(post(quick({ retry: { maxRetries: 1, baseDelayMs: 1 } })));
    assert.ok(AgentError.is(error));
    assert.deepEqual([error.code, error.attempts, requests()], ['NETWORK_ERROR', 2, 2]);
  });

  test('an open circuit sends nothing', async () => {
    const policy = quick({ retry: false, breaker: { failureThreshold: 1 } });
    given({ kind: 'server-error' });
    await (await post(policy)).body.dump();
    const error = await failure(post(policy));
    assert.deepEqual([error.code, requests()], ['CIRCUIT_OPEN', 1]);
  });

  test('an attempt that takes too long is aborted and retried', async () => {
    given({ kind: 'stall', forMs: 5000 });
    const { body: answer } = await post(quick({ timeout: { attemptMs: 1000 } }));
    assert.deepEqual([textOf(await answer.json()), requests()], [GOOD, 2]);
  });

  test("the caller's signal ends the request, also between attempts", async () => {
    given({ kind: 'server-error' });
    const waiting = post(quick({ retry: { baseDelayMs: 10_000, jitter: 0 } }), { signal: lateAfter(1) });
    assert.deepEqual([(await failure(waiting)).name, requests()], ['TimeoutError', 1]);
    given({ kind: 'stall', forMs: 5000 });
    const stalled = await failure(post(quick(), { signal: lateAfter(2) }));
    assert.deepEqual([stalled.name, requests()], ['TimeoutError', 2]);
  });

  test('a policy that hedges sends one request at a time', async () => {
    given({ kind: 'stall', forMs: 200 });
    const { body: answer } = await post(quick({ hedge: { afterMs: 20 } }));
    assert.deepEqual([textOf(await answer.json()), requests()], [GOOD, 2]);
  });

  test('a body that streams is sent once', async () => {
    given({ kind: 'server-error' });
    const { Readable } = await import('node:stream');
    const { statusCode, body: answer } = await post(quick(), {
      body: Readable.from([JSON.stringify(body)]),
    });
    await answer.dump();
    assert.deepEqual([statusCode, requests()], [500, 1]);
  });

  test('a long response waits for a slow reader, and its headers come raw where asked for', async () => {
    const text = 'word '.repeat(100_000);
    given({ kind: 'server-error' }, { kind: 'ok', text });
    const { headers, body: answer } = await post(quick(), { responseHeaders: 'raw', highWaterMark: 1024 });
    assert.ok(Array.isArray(headers) && headers.map(String).includes('content-type'), String(headers));
    let read = '';
    for await (const chunk of answer) {
      await new Promise((resolve) => setImmediate(resolve));
      read += chunk;
    }
    assert.deepEqual([textOf(JSON.parse(read)) === text, requests()], [true, 2]);
  });

  /** A server whose every answer is a failure; returns its address, how many it gave, and how many bytes of them. */
  async function failing(t: TestContext, answer: (send: (bytes: number) => boolean) => void) {
    const sent = { answers: 0, bytes: 0, aborted: 0 };
    const server = createServer((_request, response) => {
      sent.answers++;
      response.on('close', () => sent.aborted++);
      response.writeHead(503, { 'content-type': 'text/plain' });
      const pump = () =>
        answer((bytes) => {
          sent.bytes += bytes;
          return response.write('x'.repeat(bytes));
        });
      response.on('drain', pump);
      pump();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
  }

  test('an endless failing body is not read but for its beginning, and passed on as it comes', async (t) => {
    const { origin, sent } = await failing(t, (send) => {
      while (send(65_536));
    });
    const policy = quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    const dispatcher = new Agent().compose(guardInterceptor(policy));
    const { statusCode, body: answer } = await request(origin, { dispatcher });
    assert.deepEqual([statusCode, sent.answers], [503, 2]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // The size of the sockets' and the reader's own buffers.
    assert.ok(sent.bytes < 16 * 2 ** 20, `${sent.bytes} bytes were sent`);
    let read = 0;
    for await (const chunk of answer) {
      read += (chunk as Buffer).length;
      if (read > 32 * 2 ** 20) break;
    }
    assert.ok(read > 32 * 2 ** 20);
  });

  test('a failing body that stalls is waited for one second, and its rest is passed on', async (t) => {
    const { origin, sent } = await failing(t, (send) => void send(100));
    const policy = quick({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    const dispatcher = new Agent().compose(guardInterceptor(policy));
    const begun = performance.now();
    const took = ownTime();
    const { statusCode, body: answer } = await request(origin, { dispatcher });
    const tookMs = took();
    assert.ok(performance.now() - begun > 900 && tookMs < 6000, `${tookMs} ms`);
    assert.deepEqual([statusCode, sent.answers, sent.aborted], [503, 2, 1]);
    answer.on('error', () => {}).destroy();
  });

  test('an upgrade passes unguarded', async () => {
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const policy = quick();
    policy.breaker?.isolate();
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dispatcher = new Agent().compose(guardInterceptor(policy));
    const { headers, socket } = await upgrade(origin, { dispatcher, protocol: 'echo' });
    assert.equal(headers.upgrade, 'echo');
    socket.destroy();
    server.close();
  });

  test('fetch with the dispatcher is guarded too', async () => {
    const dispatcher = new Agent().compose(guardInterceptor(quick()));
    const response = await fetch(`${provider.openaiUrl}/none`, { dispatcher });
    assert.equal(response.status, 404);
  });

  test('anything but a policy is a TypeError', () => {
    assert.throws(() => guardInterceptor({} as never), /policy/);
  });
});

describe('axios', () => {
  test("with policy.fetch, and an error that is axios's own", async () => {
    const http = axios.create({ adapter: 'fetch', env: { fetch: quick().fetch } });
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const { data } = await http.post(url(), body);
    assert.deepEqual([textOf(data), requests()], [GOOD, 3]);
    given({ kind: 'unauthorized' });
    const error = await failure(http.post(url(), body));
    assert.ok(axios.isAxiosError(error));
    assert.deepEqual(
      [error.response?.status, classify(error).code, requests()],
      [401, 'AUTHENTICATION_ERROR', 4],
    );
  });

  test('a stream, by policy.fetch and by policy.stream', async () => {
    const http = axios.create({ adapter: 'fetch', env: { fetch: quick().fetch } });
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const { data } = await http.post(url(), { ...body, stream: true }, { responseType: 'stream' });
    assert.ok((await new Response(data).text()).includes('[DONE]'));
    assert.equal(requests(), 3);
    given({ kind: 'overloaded' });
    const chunks = quick().stream<Buffer>(async ({ signal }) => {
      const options = { responseType: 'stream', signal } as const;
      return (await axios.post(url(), { ...body, stream: true }, options)).data;
    });
    let text = '';
    for await (const chunk of chunks) text += chunk;
    assert.ok(text.includes('[DONE]'), text);
    assert.equal(requests(), 5);
  });

  test('by execute, with its adapter for Node', async () => {
    given({ kind: 'overloaded' }, { kind: 'reset' });
    const { data } = await quick().execute(({ signal }) => axios.post(url(), body, { signal }));
    assert.deepEqual([textOf(data), requests()], [GOOD, 3]);
  });
});

describe('ky', () => {
  test('with policy.fetch, and its own retries off', async () => {
    const http = ky.create({ fetch: quick({ retry: { maxRetries: 2, baseDelayMs: 1 } }).fetch, retry: 0 });
    given({ kind: 'overloaded' }, { kind: 'reset' });
    assert.deepEqual([textOf(await http.post(url(), { json: body }).json()), requests()], [GOOD, 3]);
    given({ kind: 'server-error' }, { kind: 'server-error' }, { kind: 'server-error' });
    const error = await failure(http.post(url(), { json: body }).json());
    assert.deepEqual([error.name, requests()], ['HTTPError', 6]);
  });
});

test("ky's streams, with policy.fetch", async () => {
  const http = ky.create({ fetch: quick().fetch, retry: 0 });
  given({ kind: 'overloaded' }, { kind: 'reset' });
  const response = await http.post(url(), { json: { ...body, stream: true } });
  assert.ok((await response.text()).includes('[DONE]'));
  assert.equal(requests(), 3);
});

test('p-queue has no retries: one request for each attempt of the policy inside', async () => {
  const queue = new PQueue({ concurrency: 1 });
  const policy = quick({ retry: { maxRetries: 2, baseDelayMs: 1 } });
  const send = () =>
    queue.add(() => policy.execute(({ signal }) => axios.post(url(), body, { signal })), { timeout: 60_000 });
  given({ kind: 'overloaded' }, { kind: 'reset' });
  assert.deepEqual([textOf((await send()).data), requests()], [GOOD, 3]);
  given({ kind: 'server-error' }, { kind: 'server-error' }, { kind: 'server-error' });
  const [failed, next] = await Promise.all([failure(send()), send()]);
  assert.deepEqual([failed.code, textOf(next.data), requests()], ['SERVER_ERROR', GOOD, 7]);
});

describe('got', () => {
  const http = got.extend({ retry: { limit: 0 } });
  test('by execute, and its own retries off', async () => {
    const policy = quick({ retry: { maxRetries: 2, baseDelayMs: 1 } });
    const send = () =>
      policy.execute(({ signal }) => http.post(url(), { json: body, signal }).json<unknown>());
    given({ kind: 'overloaded' }, { kind: 'reset' });
    assert.deepEqual([textOf(await send()), requests()], [GOOD, 3]);
    given({ kind: 'server-error' }, { kind: 'server-error' }, { kind: 'server-error' });
    const error = await failure(send());
    assert.deepEqual([error.code, error.attempts, requests()], ['SERVER_ERROR', 3, 6]);
  });

  test('a stream of a response, by policy.stream', async () => {
    given({ kind: 'server-error' });
    const chunks = quick().stream<Buffer>(({ signal }) =>
      http.stream.post(url(), { json: { ...body, stream: true }, signal }),
    );
    let text = '';
    for await (const chunk of chunks) text += chunk;
    assert.ok(text.includes('[DONE]'), text);
    assert.equal(requests(), 2);
  });
});
