// The servers that an agent trusts with its events: only one that proves itself; and no response can stall it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ownTime } from '../../../scripts/patience.mjs';
import { type ConnectOptions, connect, type DevtoolsConnection } from '../../src/devtools/connect.js';
import type { Platform } from '../../src/devtools/platform.js';
import { nodePlatform } from '../../src/devtools/platform-node.js';
import { webPlatform } from '../../src/devtools/platform-web.js';
import { registrationByPort, writeRegistration } from '../../src/devtools/registration.js';
import { serveInProcess } from './serve.js';
import { anyPort, ask, ownHome, post, start, stored, temporaryDirectory, until } from './server.js';
import { answering, Teller } from './teller.js';

function open(
  t: TestContext,
  teller: Teller,
  options: ConnectOptions = {},
  platform: Platform = nodePlatform,
): DevtoolsConnection {
  const connection = connect({ channel: false, policies: [teller], ...options }, platform);
  t.after(() => connection.close());
  return connection;
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Listens where another server was, answers what that one would, and keeps what it is sent. */
async function squatter(t: TestContext, port: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  const answer = JSON.stringify({
    ...{ halfopen: 'devtools', instance: 'abcd', port, proof: '0'.repeat(64) },
    ...{ stored: 1, duplicates: 0, rejected: 0, reasons: [] },
  });
  await answering(
    t,
    async (incoming, response) => {
      const { method, url, headers } = incoming;
      seen.push({ method, url, authorization: headers.authorization, body: await textOf(incoming) });
      response.end(answer);
    },
    port,
  );
  return seen;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += chunk;
  return text;
}

const onlyChallenges = (seen: readonly Seen[]) =>
  seen.every(
    ({ method, url, authorization, body }) =>
      method === 'GET' && url?.startsWith('/health?nonce=') && authorization === undefined && body === '',
  );

for (const [name, platform] of Object.entries({ node: nodePlatform, web: webPlatform })) {
  test(`${name}: who takes the port of a killed server gets neither an event nor the token, and the next server has another token`, async (t) => {
    ownHome(t);
    const directory = temporaryDirectory(t);
    const port = anyPort();
    const killed = await serveInProcess({ port, directory });
    const teller = new Teller();
    // A page has no files to find the token in.
    const token = platform === webPlatform ? killed.token : undefined;
    const connection = open(t, teller, { url: killed.url, token }, platform);
    teller.tell(3);
    await connection.flush();
    assert.equal((await stored(killed)).length, 3);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');

    const seen = await squatter(t, port);
    teller.tell(1, { technicalDetails: 'a secret of the task' });
    await until(() => seen.length >= 3, 'the agent to try');
    assert.ok(onlyChallenges(seen), JSON.stringify(seen));
    assert.equal(connection.dropped, 0);

    const next = await start(t, { directory });
    assert.notEqual(next.token, killed.token);
    const stolen = await ask(`${next.url}/events?format=jsonl`, {
      headers: { authorization: `Bearer ${killed.token}` },
    });
    assert.equal(stolen.status, 401);
  });
}

test('a server that was closed keeps its token for the next start', async (t) => {
  const directory = temporaryDirectory(t);
  const one = await start(t, { directory });
  await one.close();
  const two = await start(t, { directory });
  assert.equal(two.token, one.token);
});

test('nothing is posted to the default URL while no server of this user is registered there, and no url or token given', async (t) => {
  ownHome(t);
  let requests = 0;
  // Not at the default port itself: whoever runs the tests may have a server there.
  const listener = await answering(t, (_request, response) => {
    requests += 1;
    response.end('{"stored":1,"rejected":0}');
  });
  const teller = new Teller();
  const connection = connect({ channel: false, policies: [teller] }, nodePlatform, listener);
  t.after(() => connection.close());
  teller.tell(2);
  await connection.flush();
  await connection.close();
  assert.equal(requests, 0);
  assert.equal(connection.dropped, 2);
});

test('a program that passes the challenge on to the real server, on another port, proves nothing', async (t) => {
  const real = await start(t);
  const home = process.env.HALFOPEN_HOME;
  assert.ok(home);
  const posted: string[] = [];
  const relay = await answering(t, (incoming, response) => {
    posted.push(incoming.method ?? '');
    const onward = request(real.url + incoming.url, { method: incoming.method ?? 'GET' }, (answer) => {
      response.writeHead(answer.statusCode ?? 500);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  // The registration of the user's killed server on that port; the token comes from the environment, so it is the same.
  const port = Number(new URL(relay).port);
  await writeRegistration(registrationByPort(port), {
    ...{ instance: 'ab', pid: process.pid, url: relay, directory: '/nowhere' },
    ...{ token: real.token, secret: String(real.token) },
  });
  const teller = new Teller();
  open(t, teller, { url: relay });
  teller.tell();
  await until(() => posted.length >= 2, 'the agent to try');
  assert.deepEqual(new Set(posted), new Set(['GET']));
  assert.deepEqual(await stored(real), []);
});

test('a url with a token may lead through a forwarded port', async (t) => {
  const real = await start(t);
  const forward = await answering(t, (incoming, response) => {
    const { method = 'GET', headers } = incoming;
    const onward = request(
      real.url + incoming.url,
      { method, headers: { ...headers, host: 'localhost' } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  const teller = new Teller();
  const connection = open(t, teller, { url: forward, token: real.token });
  teller.tell();
  await connection.flush();
  assert.equal((await stored(real)).length, 1);
});

test('events go no other way than the one that the proof came: not through another socket', async (t) => {
  const real = await start(t);
  const posted: string[] = [];
  // Proves by the real server, on the right port as far as anybody can see, and closes after it.
  const relay = await answering(t, (incoming, response) => {
    posted.push(incoming.method ?? '');
    const onward = request(real.url + incoming.url, { headers: { host: 'localhost' } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, { connection: 'close' });
      answer.pipe(response);
    });
    onward.end();
  });
  const teller = new Teller();
  open(t, teller, { url: relay, token: real.token });
  teller.tell();
  await until(() => posted.length >= 3, 'the agent to try');
  assert.deepEqual(new Set(posted), new Set(['GET']));
});

test('a server without a token is known by its registration', async (t) => {
  const server = await start(t, { token: false });
  const teller = new Teller();
  const connection = open(t, teller, { url: server.url });
  teller.tell();
  await connection.flush();
  assert.equal((await stored(server)).length, 1);
});

test('the proof depends on the nonce, and is given for nothing else', async (t) => {
  const server = await start(t);
  const proof = async (nonce: string) =>
    (JSON.parse((await ask(`${server.url}/health?nonce=${nonce}`)).body) as { proof?: string }).proof;
  const one = await proof('a'.repeat(32));
  assert.match(String(one), /^[0-9a-f]{64}$/);
  assert.equal(await proof('a'.repeat(32)), one);
  assert.notEqual(await proof('b'.repeat(32)), one);
  for (const nonce of ['', 'short', 'x'.repeat(129), 'with%20spaces%20in%20between', '%0a'.repeat(20)])
    assert.equal(await proof(nonce), undefined, nonce);
});

test('an answer 101 holds neither close() nor the connection', async (t) => {
  ownHome(t);
  const port = anyPort();
  let answered = 0;
  const switching = createServer();
  switching.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      answered += 1;
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
  });
  // The parser's errors about these requests do not matter here.
  switching.on('clientError', () => {});
  switching.listen(port, '127.0.0.1');
  await once(switching, 'listening');
  const url = `http://127.0.0.1:${port}`;
  const [closed, kept] = [new Teller('closed'), new Teller('kept')];
  const connection = open(t, closed, { url });
  open(t, kept, { url });
  closed.tell();
  kept.tell();
  await until(() => answered >= 2, 'both to be answered');
  const took = ownTime();
  await connection.close();
  const tookMs = took();
  assert.ok(tookMs < 4_500, `closed after ${tookMs} ms`);
  assert.equal(connection.dropped, 1);
  switching.close();
  switching.closeAllConnections();
  await once(switching, 'close');
  const server = await start(t, { port });
  await until(async () => (await stored(server)).length === 1, 'the event of the other one');
});

test('what a server says of rejected events is counted only as far as it can be true', async (t) => {
  ownHome(t);
  const lies = [-1e9, 1e300, 1.5, 3, '1', null, Number.MAX_SAFE_INTEGER];
  let at = 0;
  const url = await answering(t, (incoming, response) => {
    incoming.resume();
    response.end(JSON.stringify({ stored: 1, rejected: lies[at] }));
    at += 1;
  });
  const teller = new Teller();
  const connection = open(t, teller, { url });
  teller.tell(2);
  for (const lie of lies) {
    await connection.flush();
    assert.equal(connection.dropped, 0, String(lie));
  }
  await until(() => at >= lies.length, 'every answer');
  await connection.close();
  assert.equal(connection.dropped, 2);
});

for (const [name, platform] of Object.entries({ node: nodePlatform, web: webPlatform })) {
  test(`${name}: a redirect is not followed`, async (t) => {
    ownHome(t);
    const bodies: string[] = [];
    const elsewhere = await answering(t, async (incoming, response) => {
      bodies.push(await textOf(incoming));
      response.end('{"stored":1,"rejected":0}');
    });
    let redirected = 0;
    const url = await answering(t, (incoming, response) => {
      incoming.resume();
      redirected += 1;
      response.writeHead(redirected % 2 === 0 ? 307 : 308, { location: `${elsewhere}/events` }).end();
    });
    const teller = new Teller();
    const connection = open(t, teller, { url }, platform);
    teller.tell();
    await until(() => redirected >= 2, 'two redirects');
    await connection.close();
    assert.deepEqual(bodies, []);
    assert.equal(connection.dropped, 1);
  });
}

test('HALFOPEN_DEVTOOLS_URL names the server for every agent; the url option goes first', async (t) => {
  const [server, other] = [await start(t), await start(t)];
  t.after(() => {
    delete process.env.HALFOPEN_DEVTOOLS_URL;
  });
  process.env.HALFOPEN_DEVTOOLS_URL = `${server.url}/?token=${server.token}`;
  const [named, given] = [new Teller('named'), new Teller('given')];
  const connections = [open(t, named), open(t, given, { url: `${other.url}/?token=${other.token}` })];
  named.tell();
  given.tell();
  for (const connection of connections) await connection.flush();
  assert.deepEqual(
    (await stored(server)).map(({ source }) => source),
    ['named'],
  );
  assert.deepEqual(
    (await stored(other)).map(({ source }) => source),
    ['given'],
  );
  process.env.HALFOPEN_DEVTOOLS_URL = 'localhost:4319/?token=secret';
  assert.throws(
    () => connect({ channel: false }, nodePlatform),
    (error: Error) =>
      error instanceof TypeError &&
      error.message === "halfopen: HALFOPEN_DEVTOOLS_URL must be an http(s) URL, got 'localhost:4319/'",
  );
});

test('a page of another local port may challenge the server; a foreign one may not', async (t) => {
  const server = await start(t);
  const health = (origin: string) =>
    ask(`${server.url}/health?nonce=${'n'.repeat(32)}`, {
      headers: { origin, 'sec-fetch-site': 'same-site' },
    });
  const local = await health('http://localhost:5173');
  assert.equal(local.status, 200);
  assert.equal(local.headers['access-control-allow-origin'], 'http://localhost:5173');
  assert.equal((await health('https://evil.example')).status, 403);
  assert.equal((await post(server, [])).status, 200);
});

test('the address that a server without a port listens on is the one that it proves', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const real = await start(t, { port });
  const health = JSON.parse((await ask(`${real.url}/health`)).body) as { port: number; proof?: string };
  assert.equal(health.port, port);
  assert.equal(health.proof, undefined);
});
