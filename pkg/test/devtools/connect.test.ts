// connectDevtools against servers that take, refuse, freeze, die and come back; and what it costs the agent.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import type { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownTime } from '../../../scripts/patience.mjs';
import { type ConnectOptions, connect, type DevtoolsConnection } from '../../src/devtools/connect.js';
import { nodePlatform } from '../../src/devtools/platform-node.js';
import { serveInProcess } from './serve.js';
import { anyPort, ownHome, start, stored, until } from './server.js';
import { answering, Teller } from './teller.js';

function open(t: TestContext, teller: Teller, options: ConnectOptions = {}): DevtoolsConnection {
  const connection = connect({ channel: false, policies: [teller], ...options }, nodePlatform);
  t.after(() => connection.close());
  return connection;
}

const seqsOf = (events: readonly Record<string, unknown>[]) => events.map(({ seq }) => Number(seq));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('events arrive by themselves, in order, with the token found on this machine', async (t) => {
  const server = await start(t);
  const teller = new Teller();
  const connection = open(t, teller, { url: server.url });
  teller.tell(3);
  await until(async () => (await stored(server)).length === 3, 'three events');
  assert.deepEqual(seqsOf(await stored(server)), [1, 2, 3]);
  assert.equal(connection.dropped, 0);
});

test('the token found on this machine is for servers of this machine', async (t) => {
  const server = await start(t);
  const { port } = new URL(server.url);
  const tokenAt = async (url: string) => (await nodePlatform.findServer(new URL(url)))?.token;
  assert.equal(await tokenAt(server.url), server.token);
  assert.equal(await tokenAt(`http://localhost:${port}`), server.token);
  for (const host of ['10.0.0.5', 'evil.example', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    assert.equal(await tokenAt(`http://${host}:${port}`), undefined, host);
  }
});

test('flush resolves when everything told so far is written', async (t) => {
  const server = await start(t);
  const teller = new Teller();
  const connection = open(t, teller, { url: `${server.url}/?token=${server.token}` });
  teller.tell(3_000);
  await connection.flush();
  assert.deepEqual(seqsOf(await stored(server)), range(1, 3_000));
  await connection.flush();
});

test('close sends the rest, stops listening, and may be called again', async (t) => {
  const server = await start(t);
  const teller = new Teller();
  const connection = open(t, teller, { url: server.url, token: server.token });
  teller.tell(10);
  await Promise.all([connection.close(), connection.close()]);
  assert.equal(teller.listeners, 0);
  teller.tell();
  await connection.close();
  assert.equal((await stored(server)).length, 10);
});

test('a server that starts later gets what happened before', async (t) => {
  ownHome(t);
  const port = anyPort();
  const teller = new Teller();
  open(t, teller, { url: `http://127.0.0.1:${port}` });
  teller.tell(50);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const server = await start(t, { port });
  await until(async () => (await stored(server)).length === 50, 'the events of before');
});

test('a killed server, started again, has every event once', async (t) => {
  ownHome(t);
  const port = anyPort();
  const { child } = await serveInProcess({ port });
  const teller = new Teller();
  const connection = open(t, teller, { url: `http://127.0.0.1:${port}` });
  for (let burst = 0; burst < 10; burst += 1) {
    teller.tell(500);
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (burst === 4) child.kill('SIGKILL');
  }
  const again = await serveInProcess({ port });
  t.after(() => again.child.kill());
  await until(async () => (await stored(again)).length === 5_000, 'all events');
  assert.deepEqual(new Set(seqsOf(await stored(again))), new Set(range(1, 5_000)));
  assert.equal(connection.dropped, 0);
});

test('what finds no place is counted, and told in the place of what is lost', async (t) => {
  ownHome(t);
  const port = anyPort();
  const teller = new Teller();
  const connection = open(t, teller, { url: `http://127.0.0.1:${port}`, buffer: 100 });
  teller.tell(1_000);
  assert.equal(connection.dropped, 900);
  const server = await start(t, { port });
  await until(async () => (await stored(server)).length === 101, 'the marker and the newest hundred');
  const [marker, ...rest] = await stored(server);
  assert.equal(marker?.type, 'events.dropped');
  assert.equal(marker?.count, 900);
  assert.equal(marker?.seq, 900);
  assert.deepEqual(seqsOf(rest), range(901, 1_000));
});

test('what is lost is reported under its process, also where the newest of it is a delay', async (t) => {
  ownHome(t);
  const port = anyPort();
  const teller = new Teller();
  open(t, teller, { url: `http://127.0.0.1:${port}`, buffer: 1 });
  teller.tell(1, { type: 'retry.scheduled', delaySource: 'backoff' });
  teller.tell();
  const server = await start(t, { port });
  await until(async () => (await stored(server)).length === 2, 'the marker and the newest');
  assert.deepEqual(
    (await stored(server)).map(({ type, source, seq }) => [type, source, seq]),
    [
      ['events.dropped', 'agent-1', 1],
      ['attempt.failed', 'agent-1', 2],
    ],
  );
});

const REFUSALS: Record<string, Parameters<typeof createServer>[1]> = {
  'answers 401': (_request, response) => response.writeHead(401).end('no'),
  'answers 500': (_request, response) => response.writeHead(500).end('broken'),
  'answers 200 to everything, but is none of ours': (_request, response) => response.end('<!doctype html>'),
  'cuts the connection': (request) => request.socket.destroy(),
  'never answers': () => {},
};

for (const [what, handler] of Object.entries(REFUSALS)) {
  test(`a server that ${what}: nothing is thrown, memory is bounded, close comes back`, async (t) => {
    ownHome(t);
    const teller = new Teller();
    const connection = open(t, teller, { url: await answering(t, handler), buffer: 200 });
    for (let burst = 0; burst < 20; burst += 1) {
      teller.tell(100);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.ok(connection.dropped >= 1_800, `${connection.dropped} dropped`);
    const took = ownTime();
    await connection.close();
    // Two seconds; less than a request may take by itself.
    const tookMs = took();
    assert.ok(tookMs < REQUEST_TIMEOUT_MS - 500, `closed after ${tookMs} ms`);
    assert.equal(connection.dropped, 2_000);
  });
}

test('a batch that the server finds too large is halved until it fits', async (t) => {
  const server = await start(t, { limits: { bodyBytes: 4_096 } });
  const teller = new Teller();
  const connection = open(t, teller, { url: server.url });
  teller.tell(200);
  teller.tell(1, { technicalDetails: 'x'.repeat(6_000) });
  teller.tell(1);
  await connection.flush();
  // A busy machine may take longer than a flush waits.
  await until(async () => (await stored(server)).length >= 201, 'all events but one');
  assert.deepEqual(seqsOf(await stored(server)), [...range(1, 200), 202]);
  assert.equal(connection.dropped, 1);
});

test('events that cannot be written as JSON are counted and harm no other', async (t) => {
  const server = await start(t);
  const teller = new Teller();
  const connection = open(t, teller, { url: server.url });
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  teller.tell(1, { signals: cycle });
  teller.tell(1, { signals: { big: 1n } });
  teller.tell(1);
  await connection.flush();
  assert.equal(connection.dropped, 2);
  const events = await stored(server);
  assert.deepEqual(
    events.map(({ type, seq, count }) => [type, seq, count]),
    [
      ['events.dropped', 2, 2],
      ['attempt.failed', 3, undefined],
    ],
  );
});

test('a BroadcastChannel gets the same lines, with no server at all', async (t) => {
  ownHome(t);
  const teller = new Teller();
  const name = `halfopen-${Math.random()}`;
  const listener = new BroadcastChannel(name);
  t.after(() => listener.close());
  const lines: string[] = [];
  listener.onmessage = (message) => {
    lines.push(...String((message as MessageEvent).data).split('\n'));
  };
  open(t, teller, { url: 'http://127.0.0.1:9', channel: name });
  teller.tell(700);
  await until(() => lines.length === 700, 'the lines');
  assert.deepEqual(
    lines.map((text) => (JSON.parse(text) as { seq: number }).seq),
    range(1, 700),
  );
});

test('wrong options are TypeErrors that name them, at once', () => {
  const wrong: [object, RegExp][] = [
    [{ url: 'ftp://x' }, /option 'url' must be an http\(s\) URL/],
    [{ url: 7 }, /'url'.*got 7/],
    [{ url: 'localhost:4319' }, /'url' must be an http\(s\) URL, got 'localhost:4319'/],
    [{ token: '' }, /'token'/],
    [{ channel: true }, /'channel' must be a name, or false, got true/],
    [{ policies: [{}] }, /'policies'/],
    [{ buffer: Number.NaN }, /'buffer'.*got NaN/],
    [{ buffer: -1 }, /'buffer'.*got -1/],
    [{ bufer: 1 }, /unknown option 'bufer' of connectDevtools; did you mean 'buffer'\?/],
    [{ constructor: 1 }, /unknown option 'constructor'/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(
      () => connect(options, nodePlatform),
      { name: 'TypeError', message },
      JSON.stringify(options),
    );
  }
  assert.throws(
    () => connect({ url: 'ftp://127.0.0.1/?token=secret' }, nodePlatform),
    (error: Error) => !error.message.includes('secret'),
  );
});

/** The least time for which a request holds a program (`connection.ts`). */
const REQUEST_TIMEOUT_MS = 5_000;

/** Runs a program that connects, and tells how long it lived after its last statement. */
async function runAgent(url: string, statements: string): Promise<{ stdout: string; tookMs: number }> {
  const connectModule = fileURLToPath(new URL('../../src/devtools/connect.ts', import.meta.url));
  const platformModule = fileURLToPath(new URL('../../src/devtools/platform-node.ts', import.meta.url));
  const patienceModule = fileURLToPath(new URL('../../../scripts/patience.mjs', import.meta.url));
  const program = `
    import { connect } from ${JSON.stringify(connectModule)};
    import { nodePlatform } from ${JSON.stringify(platformModule)};
    import { ownTime } from ${JSON.stringify(patienceModule)};
    let tell;
    const policies = [{ onEvent: (listener) => ((tell = listener), () => {}) }];
    const connection = connect({ url: ${JSON.stringify(url)}, policies }, nodePlatform);
    const events = (count) => { for (let seq = 1; seq <= count; seq++) tell({ v: 1, source: 'child', seq, time: 1, type: 'call.started' }); };
    ${statements}
    const took = ownTime();
    process.on('exit', () => console.log(took()));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    program,
  ]);
  return { stdout, tookMs: Number(stdout.trim()) };
}

test('a program that ends by itself has its last events taken and is not kept alive', async (t) => {
  const server = await start(t);
  const { tookMs } = await runAgent(server.url, 'events(5);');
  assert.equal((await stored(server)).length, 5);
  assert.ok(tookMs < REQUEST_TIMEOUT_MS, `${tookMs} ms`);
});

test('a server that is away or frozen does not keep a program alive', async (t) => {
  ownHome(t);
  const away = await runAgent('http://127.0.0.1:9', 'events(5);');
  assert.ok(away.tookMs < REQUEST_TIMEOUT_MS, `away: ${away.tookMs} ms`);
  const frozen = await answering(t, () => {});
  const { tookMs } = await runAgent(
    frozen,
    'events(5); await new Promise((resolve) => setTimeout(resolve, 200));',
  );
  assert.ok(tookMs < REQUEST_TIMEOUT_MS, `frozen: ${tookMs} ms`);
});
