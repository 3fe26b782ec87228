// One client cannot starve the rest, and what it does wrong makes no noise: budgets, half requests, uploads that end early.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { serveInProcess } from './serve.js';
import { ask, line, ownHome, post, start, stored, until } from './server.js';

const lines = (count: number, source: string, from = 0) =>
  Array.from({ length: count }, (_, index) => line(from + index, { source }));

test('an agent that sends too much has to wait; the others do not', async (t) => {
  const server = await start(t, { limits: { eventsPerSecond: 160 } });
  assert.equal((await post(server, lines(2_000, 'greedy'))).status, 200);
  assert.equal((await post(server, lines(10, 'greedy', 2_000))).status, 429);
  for (let time = 0; time < 4; time += 1)
    assert.equal((await post(server, lines(10, 'modest', time * 10))).status, 200, `batch ${time}`);
  assert.equal((await post(server, lines(10, 'greedy', 2_000))).status, 429);
});

test('lines beyond the most of a batch are not counted, and hold up nobody', async (t) => {
  const server = await start(t);
  const flood = await ask(`${server.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}` },
    body: '1\n'.repeat(524_000),
  });
  assert.equal(flood.status, 200);
  const { rejected } = JSON.parse(flood.body) as { rejected: number };
  assert.equal(rejected, 10_001);
  assert.equal((await post(server, lines(10, 'modest'))).status, 200);
  const many = await ask(`${server.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}` },
    body: '\n'.repeat(1_000_000),
  });
  assert.equal((JSON.parse(many.body) as { rejected: number }).rejected, 1);
});

test('an encoding that is not supported is refused as such, and said so', async (t) => {
  const server = await start(t);
  const send = (encoding: string, body: string | Buffer) =>
    ask(`${server.url}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-encoding': encoding },
      body,
    });
  for (const encoding of ['gzip', 'br', 'identity, gzip', 'GZIP', 'x']) {
    const refused = await send(encoding, gzipSync(line(1)));
    assert.equal(refused.status, 415, encoding);
    assert.equal(refused.headers['accept-encoding'], 'identity');
    assert.match(refused.body, /is not supported\. Send the batch as it is/);
  }
  assert.equal((await send('identity', line(2))).status, 200);
  assert.equal((await stored(server)).length, 1);
});

/** Opens connections that send half of a request each. */
async function halfRequests(t: TestContext, url: string, count: number, text: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.resume();
    socket.write(text);
  }
  await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
  return sockets;
}

const HALF_HEAD = 'POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n';

test('any number of half requests shut nobody out', async (t) => {
  const server = await start(t);
  await halfRequests(t, server.url, 700, HALF_HEAD);
  assert.equal((await post(server, [line(1)])).status, 200);
  assert.equal((await ask(`${server.url}/health`)).status, 200);
});

test('half requests and slow bodies are cut', async (t) => {
  const server = await start(t);
  const halves = await halfRequests(t, server.url, 20, HALF_HEAD);
  const slow = await halfRequests(
    t,
    server.url,
    20,
    `${HALF_HEAD}Authorization: Bearer ${server.token}\r\n\r\n${line(1)}`,
  );
  await until(() => [...halves, ...slow].every(({ readyState }) => readyState !== 'open'), 'them to be cut');
});

test('an upload that ends early leaves no trace in the terminal', async (t) => {
  ownHome(t);
  const server = await serveInProcess({ port: 0 }, { quiet: true });
  t.after(() => server.child.kill('SIGKILL'));
  for (let upload = 0; upload < 20; upload += 1) {
    const [socket] = await halfRequests(
      t,
      server.url,
      1,
      `${HALF_HEAD}Authorization: Bearer ${server.token}\r\n\r\n${line(upload)}`,
    );
    // The server has begun with it when it answers another one on a connection that came later.
    assert.equal((await ask(`${server.url}/health`)).status, 200);
    if (upload % 2 === 0) socket?.destroy();
    else socket?.resetAndDestroy();
  }
  assert.equal((await post(server, [line(100)])).status, 200);
  assert.equal(server.complaints(), '');
});
