// Attacks on the server, each over real HTTP: what a page, a program or an event might try.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startDevtoolsServer } from '../../src/devtools/index.js';
import { OneTimeCodes } from '../../src/devtools/server/entry.js';
import { ask, enter, line, ownHome, packed, post, start, stored, temporaryDirectory } from './server.js';

const TOKEN = 'a-token-of-this-test-only';

test('it listens on 127.0.0.1 alone unless told', async (t) => {
  const server = await start(t);
  const port = Number(new URL(server.url).port);
  await assert.rejects(
    new Promise((resolve, reject) => {
      connect(port, '127.0.0.2').on('connect', resolve).on('error', reject);
    }),
    { code: 'ECONNREFUSED' },
  );
});

test('without the token nothing is told and nothing is taken', async (t) => {
  const server = await start(t, { token: TOKEN });
  for (const path of ['/', '/index.html', '/events', '/events?format=jsonl', '/nothing']) {
    const reply = await ask(server.url + path);
    assert.equal(reply.status, 401, path);
    assert.ok(!reply.body.includes(TOKEN));
  }
  const taken = await ask(`${server.url}/events`, { method: 'POST', body: line(1) });
  assert.equal(taken.status, 401);
  assert.deepEqual(await stored(server), []);
});

test('a wrong token is refused wherever it stands, also one of another length', async (t) => {
  const server = await start(t, { token: TOKEN });
  for (const wrong of ['x', `${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase(), 'ä', '']) {
    const inUrl = await ask(`${server.url}/?token=${encodeURIComponent(wrong)}`);
    assert.equal(inUrl.status, 401, `?token=${wrong}`);
    assert.equal(inUrl.headers['set-cookie'], undefined);
    const inHeader = await ask(`${server.url}/events`, {
      headers: { authorization: `Bearer ${encodeURIComponent(wrong)}` },
    });
    assert.equal(inHeader.status, 401, `Bearer ${wrong}`);
  }
  const inCookie = await ask(server.url, {
    headers: { cookie: `halfopen_${new URL(server.url).port}=${TOKEN}` },
  });
  assert.equal(inCookie.status, 401, 'the token itself is no cookie');
});

test('guessing ends in 429 while the right token goes on working', async (t) => {
  const server = await start(t, { token: TOKEN });
  const statuses = [];
  for (let guess = 0; guess < 40; guess += 1) {
    statuses.push((await ask(server.url, { headers: { authorization: `Bearer guess-${guess}` } })).status);
  }
  assert.equal(statuses[0], 401);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await post(server, [line(1)])).status, 200);
});

test('the token in the URL becomes a strict cookie and a key; neither is the token, and it leaves the URL', async (t) => {
  const server = await start(t, { token: TOKEN });
  const exchange = await ask(`${server.dashboardUrl}&view=breakers`);
  assert.equal(exchange.status, 200);
  assert.match(exchange.body, /data-target="\/\?view=breakers"/);
  assert.equal(exchange.headers['cache-control'], 'no-store');
  assert.equal(exchange.headers['referrer-policy'], 'no-referrer');
  const cookie = exchange.headers['set-cookie']?.[0] ?? '';
  assert.match(cookie, /; HttpOnly/);
  assert.match(cookie, /; SameSite=Strict/);
  assert.match(cookie, /; Path=\//);
  assert.ok(!exchange.body.includes(TOKEN) && !cookie.includes(TOKEN));
  const script = await ask(`${server.url}/entry.js`);
  assert.match(String(script.headers['content-type']), /^text\/javascript/);
  assert.match(script.body, /localStorage\.setItem\('halfopen-key'/);
});

test('the cookie, which goes to every port of this host, opens no event and writes none', async (t) => {
  const dashboard = packed({ 'index.html': '<title>page</title>' });
  const server = await start(t, { token: TOKEN, dashboard });
  await post(server, [line(1)]);
  const { cookie, key } = await enter(server);
  const send = (path: string, method = 'GET') =>
    ask(server.url + path, { method, headers: { cookie }, ...(method === 'GET' ? {} : { body: line(2) }) });
  assert.equal((await send('/')).status, 200, 'the page, which is public');
  assert.equal((await send('/events')).status, 401);
  assert.equal((await send('/events?format=jsonl')).status, 401);
  assert.equal((await send(`/events?key=${cookie.split('=')[1]}`)).status, 401, 'the cookie is no key');
  for (const method of ['POST', 'PUT']) assert.equal((await send('/events', method)).status, 401, method);
  assert.equal((await send('/code', 'POST')).status, 401);

  const read = await ask(`${server.url}/events?format=jsonl&key=${key}`);
  assert.equal(read.status, 200);
  const writes = [
    await ask(`${server.url}/events?key=${key}`, { method: 'POST', body: line(3) }),
    await ask(`${server.url}/events`, {
      method: 'POST',
      body: line(3),
      headers: { authorization: `Bearer ${key}` },
    }),
    await ask(`${server.url}/code?key=${key}`, { method: 'POST' }),
  ];
  assert.deepEqual(
    writes.map(({ status }) => status),
    [401, 401, 401],
    'the key reads only',
  );
  assert.equal((await ask(`${server.url}/?token=${key}`)).status, 401);
  assert.equal((await stored(server)).length, 1);
});

test('a one-time code lets one browser in, once, and only the token gets one', async (t) => {
  const directory = temporaryDirectory(t);
  const server = await start(t, { directory });
  const issue = (authorization: string) =>
    ask(`${server.url}/code`, { method: 'POST', headers: { authorization } });
  assert.equal((await issue('Bearer wrong')).status, 401);
  const page = await ask(`${server.url}/code`, { headers: { authorization: `Bearer ${server.token}` } });
  assert.ok(!page.body.includes('"code"'), 'a link cannot get one');
  const { code } = JSON.parse((await issue(`Bearer ${server.token}`)).body) as { code: string };
  assert.ok(!code.includes(String(server.token)));
  const first = await ask(`${server.url}/?code=${code}`);
  assert.equal(first.status, 200);
  assert.match(first.body, /data-target="\/"/);
  const second = await ask(`${server.url}/?code=${code}`);
  assert.equal(second.status, 401);
  assert.match(second.body, /used already, or is older than a minute/);
  assert.equal(second.headers['set-cookie'], undefined);
  // The first visitor has the key, which opens nothing after the next start.
  await server.close();
  const next = await start(t, { directory });
  assert.notEqual(next.token, server.token);
});

test('a one-time code is good for a minute', () => {
  const codes = new OneTimeCodes();
  const code = codes.issue(0);
  assert.equal(codes.redeem(code, 60_000), 'unknown');
  const other = codes.issue(100_000);
  assert.equal(codes.redeem(other, 159_999), 'valid');
  assert.equal(codes.redeem(other, 159_999), 'reused');
  assert.equal(codes.redeem('guessed', 159_999), 'unknown');
});

test('the entry page takes a browser to no other host, and no markup into the page', async (t) => {
  const server = await start(t, { token: TOKEN });
  for (const path of [
    ...['//evil.example/', '/\\evil.example/', '///evil.example', '/%2F/evil.example'],
    '/"><script>alert(1)</script>',
  ]) {
    const { body } = await ask(`${server.url}${encodeURI(path).replace(/%255?C/g, '\\')}?token=${TOKEN}`);
    const target = /data-target="([^"]*)"/.exec(body)?.[1];
    assert.ok(!body.includes('<script>'), path);
    if (target === undefined) continue;
    assert.equal(new URL(target, server.url).host, new URL(server.url).host, path);
  }
});

test('a token that others can guess is refused where others can try', () => {
  for (const host of ['0.0.0.0', '192.168.1.5', '::'])
    assert.throws(
      () => startDevtoolsServer({ host, token: 'fifteen-letters' }),
      {
        name: 'TypeError',
        message: /'token' must have at least 16 characters with host '[\d.:]+', got 15/,
      },
      host,
    );
  assert.throws(() => startDevtoolsServer({ token: '' }), { name: 'TypeError' });
});

test('a foreign Host is refused: DNS rebinding', async (t) => {
  const server = await start(t, { token: TOKEN });
  const { port } = new URL(server.url);
  const authorization = `Bearer ${TOKEN}`;
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    'localhost.evil.example',
    '192.168.1.5',
    '127.0.0.1@evil.example',
    'a b',
  ]) {
    const reply = await ask(`${server.url}/events?format=jsonl`, { headers: { host, authorization } });
    assert.ok(reply.status === 403 || reply.status === 400, `${host}: ${reply.status}`);
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', '[::1]:9000']) {
    assert.equal(
      (await ask(`${server.url}/events?format=jsonl`, { headers: { host, authorization } })).status,
      200,
      host,
    );
  }
});

test('a server that listens everywhere takes addresses as Host, and still no names', async (t) => {
  const server = await start(t, { token: TOKEN, host: '0.0.0.0' });
  const authorization = `Bearer ${TOKEN}`;
  const status = async (host: string) =>
    (await ask(`${server.url}/events?format=jsonl`, { headers: { host, authorization } })).status;
  assert.equal(await status('192.168.1.5:4319'), 200);
  assert.equal(await status('evil.example:4319'), 403);
});

test('a page of another origin is refused, whatever it holds', async (t) => {
  const server = await start(t, { token: TOKEN });
  const { cookie, key } = await enter(server);
  for (const origin of [
    'https://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'file://',
    'chrome-extension://x',
  ]) {
    for (const path of ['/', '/events', `/events?key=${key}`]) {
      const reply = await ask(server.url + path, {
        headers: { origin, cookie, authorization: `Bearer ${TOKEN}` },
      });
      assert.equal(reply.status, 403, `${origin} ${path}`);
      assert.equal(reply.headers['access-control-allow-origin'], undefined);
    }
    const sent = await ask(`${server.url}/events`, {
      method: 'POST',
      headers: { origin, cookie },
      body: line(1),
    });
    assert.equal(sent.status, 403, `POST of ${origin}`);
  }
  assert.deepEqual(await stored(server), []);
});

test('without a token foreign pages are refused too', async (t) => {
  const server = await start(t, { token: false });
  const origin = 'https://evil.example';
  assert.equal(
    (await ask(`${server.url}/events`, { method: 'POST', headers: { origin }, body: line(1) })).status,
    403,
  );
  assert.equal(
    (await ask(`${server.url}/events`, { headers: { 'sec-fetch-site': 'cross-site' } })).status,
    403,
  );
  assert.equal((await ask(`${server.url}/events`, { method: 'POST', body: line(1) })).status, 200);
});

test('Sec-Fetch-Site: what another site or another port started is refused', async (t) => {
  const server = await start(t, { token: TOKEN });
  const { cookie, key } = await enter(server);
  const status = async (site: string) =>
    (
      await ask(`${server.url}/events?format=jsonl&key=${key}`, {
        headers: { cookie, 'sec-fetch-site': site },
      })
    ).status;
  assert.equal(await status('cross-site'), 403);
  assert.equal(await status('same-site'), 403);
  assert.equal(await status('anything'), 403);
  assert.equal(await status('same-origin'), 200);
  assert.equal(await status('none'), 200);
});

test('a page of another local port may post with the token, and nothing else', async (t) => {
  const server = await start(t, { token: TOKEN });
  const { cookie, key } = await enter(server);
  const headers = { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' };
  const url = `${server.url}/events`;
  const preflight = await ask(url, {
    method: 'OPTIONS',
    headers: { ...headers, 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], 'http://localhost:5173');
  assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
  assert.equal(
    (await ask(`${url}?key=${key}`, { method: 'POST', headers: { ...headers, cookie }, body: line(1) }))
      .status,
    401,
  );
  assert.equal((await ask(url, { headers: { ...headers, authorization: `Bearer ${TOKEN}` } })).status, 403);
  const sent = await ask(url, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${TOKEN}` },
    body: line(1),
  });
  assert.equal(sent.status, 200);
});

test('every answer carries a policy without inline script, nosniff and no framing', async (t) => {
  const server = await start(t, { token: TOKEN });
  const answers = await Promise.all([
    ask(server.url),
    ask(server.url, { headers: { host: 'evil.example' } }),
    ask(`${server.url}/nothing.js`, { headers: { authorization: `Bearer ${TOKEN}` } }),
    ask(`${server.url}/health`),
    post(server, ['x']),
  ]);
  for (const { headers } of answers) {
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval'(;|$)/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-frame-options'], 'DENY');
  }
});

test('paths do not lead out of the dashboard', async (t) => {
  const server = await start(t, { token: TOKEN });
  for (const path of [
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '/.../x',
    '/%00',
    '/..\\package.json',
  ]) {
    const reply = await ask(server.url + path, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.ok(reply.status === 404 || reply.status === 400 || !reply.body.includes('"name"'), path);
    assert.ok(!reply.body.includes('"version"'), path);
  }
});

test('a body above the limit is refused, with and without a length said', async (t) => {
  const server = await start(t, { token: TOKEN, limits: { bodyBytes: 10_000 } });
  assert.equal((await post(server, [line(1, { task: 'x'.repeat(20_000) })])).status, 413);
  const chunked = await ask(`${server.url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'transfer-encoding': 'chunked' },
    body: `${line(1)}\n`.repeat(1_000),
  });
  assert.equal(chunked.status, 413);
  assert.deepEqual(await stored(server), []);
});

test('more events a second than allowed are refused until later', async (t) => {
  const server = await start(t, { token: TOKEN, limits: { eventsPerSecond: 10 } });
  const burst = Array.from({ length: 60 }, (_, seq) => line(seq));
  assert.equal((await post(server, burst)).status, 200);
  const refused = await post(server, [line(100)]);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
});

test('a batch that the backlog has no room for is refused until later', async (t) => {
  const server = await start(t, { token: TOKEN, limits: { backlogBytes: 50 } });
  const refused = await post(server, [line(1)]);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
  assert.match(refused.body, /faster than they can be written/);
  assert.deepEqual(await stored(server), []);
});

test('hostile events are stored as text or counted as rejected, never fatal', async (t) => {
  const server = await start(t, { token: TOKEN });
  const markup = line(1, {
    task: '<img src=x onerror=alert(1)></script><script>alert(1)</script>\u2028\u2029',
  });
  const future = line(2, { v: 99, type: 'some.later.type', shape: { deep: [1] } });
  const sneaky =
    '{"v":1,"source":"agent-1","seq":3,"time":1,"type":"x","__proto__":{"polluted":true},"constructor":{"prototype":{}}}';
  const returns =
    '{"v":1,\r"source":"agent-1",\r"seq":4,"time":1,"type":"a\\u000d\\u000a\\u000adata: forged"}';
  const taken = [markup, future, sneaky, returns];
  const refused = [
    'not json',
    '[]',
    'null',
    '"text"',
    '{}',
    line(Number.NaN as number),
    line(10, { time: null }),
    line(10).replace('1700000000010', 'NaN'),
    line(10).replace('1700000000010', '1e999'),
    line(-1),
    line(1.5),
    line(2 ** 60),
    line(10, { v: 'one' }),
    line(10, { v: 0 }),
    line(10, { source: { toString: 'x' } }),
    line(10, { source: '' }),
    line(10, { source: 'x'.repeat(129) }),
    line(10, { type: ['call.started'] }),
    line(10, { type: 'x'.repeat(65) }),
    line(10, { call: 'x'.repeat(257) }),
    line(10, { task: 'x'.repeat(500_000) }),
    '['.repeat(8_000),
    `{"a":${'['.repeat(8_000)}`,
    '\u0000',
    '\ud800',
  ];
  const reply = await post(server, [...taken, ...refused, '', '   ']);
  assert.equal(reply.status, 200);
  const answer = JSON.parse(reply.body) as {
    stored: number;
    rejected: number;
    reasons: { line: number; why: string }[];
  };
  assert.equal(answer.stored, taken.length);
  assert.equal(answer.rejected, refused.length);
  assert.ok(answer.reasons.length <= 5);
  const events = await stored(server);
  assert.equal(events.length, taken.length);
  assert.equal(events[0]?.task, (JSON.parse(markup) as { task: string }).task);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('the token and the log can be read by the user alone', {
  skip: process.platform === 'win32',
}, async (t) => {
  const home = ownHome(t);
  const directory = join(temporaryDirectory(t), 'made');
  const server = await start(t, { directory });
  await post(server, [line(1)]);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.equal(mode(directory), '700');
  assert.equal(mode(join(directory, 'server.json')), '600');
  const found = join(process.env.HALFOPEN_HOME ?? home, 'servers', `${new URL(server.url).port}.json`);
  assert.equal(mode(found), '600');
});

test('slow and silent connections are cut and hold nobody up', async (t) => {
  const server = await start(t, { token: TOKEN });
  const { port } = new URL(server.url);
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n');
    return socket;
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  assert.equal((await post(server, [line(1)])).status, 200);
});
