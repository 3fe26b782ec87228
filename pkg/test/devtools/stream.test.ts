// The stream to browsers: replay, resuming, several at once, and a slow one that does not affect the others.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { serveInProcess } from './serve.js';
import {
  ask,
  line,
  ownHome,
  packed,
  post,
  type Reachable,
  start,
  temporaryDirectory,
  until,
} from './server.js';

interface Message {
  event: string;
  id?: string;
  data: string;
}

/** A browser's EventSource, as far as this needs it. */
class Browser {
  readonly messages: Message[] = [];
  #response: IncomingMessage | undefined;
  #request: ClientRequest;
  #text = '';
  readonly opened: Promise<number>;

  constructor(server: Reachable, lastEventId?: string) {
    const headers: Record<string, string> = {
      authorization: `Bearer ${server.token}`,
      accept: 'text/event-stream',
    };
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    this.#request = request(`${server.url}/events`, { headers, agent: false });
    this.opened = new Promise((resolve, reject) => {
      this.#request.on('error', reject);
      this.#request.on('response', (response) => {
        this.#response = response;
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => this.#read(chunk));
        response.on('error', () => {});
        resolve(response.statusCode ?? 0);
      });
    });
    this.opened.catch(() => {});
    this.#request.end();
  }

  get seqs(): number[] {
    return this.messages
      .filter(({ event }) => event === 'message')
      .flatMap(({ data }) => data.split('\n').map((text) => (JSON.parse(text) as { seq: number }).seq));
  }

  get lastId(): string | undefined {
    return this.messages.filter(({ id }) => id !== undefined).at(-1)?.id;
  }

  has(event: string): boolean {
    return this.messages.some((message) => message.event === event);
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    for (let end = this.#text.indexOf('\n\n'); end !== -1; end = this.#text.indexOf('\n\n')) {
      const message: Message = { event: 'message', data: '' };
      const data: string[] = [];
      for (const row of this.#text.slice(0, end).split('\n')) {
        if (row.startsWith('event: ')) message.event = row.slice(7);
        else if (row.startsWith('id: ')) message.id = row.slice(4);
        else if (row.startsWith('data: ')) data.push(row.slice(6));
      }
      message.data = data.join('\n');
      if (data.length > 0) this.messages.push(message);
      this.#text = this.#text.slice(end + 2);
    }
  }
}

function browse(t: TestContext, server: Reachable, lastEventId?: string): Browser {
  const browser = new Browser(server, lastEventId);
  t.after(() => browser.close());
  return browser;
}

const filesOf = (directory: string) =>
  readdirSync(directory).filter((name) => name.endsWith('.jsonl')).length;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => line(from + index));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('a browser gets what the log holds, then what comes', async (t) => {
  const server = await start(t);
  await post(server, lines(1, 300));
  const browser = browse(t, server);
  await until(() => browser.has('live'), 'the end of the replay');
  assert.equal(browser.messages[0]?.event, 'hello');
  assert.deepEqual(browser.seqs, range(1, 300));
  await post(server, lines(301, 310));
  await until(() => browser.seqs.length === 310, 'live events');
  await until(() => browser.has('stats'), 'the counts');
  assert.deepEqual(browser.seqs, range(1, 310));
});

test('many events at once come to a browser that watches in small messages; who resumes between two has all', async (t) => {
  const server = await start(t);
  const browser = browse(t, server);
  await until(() => browser.has('live'), 'the end of the replay');
  const last = 3_000;
  await post(server, lines(1, last));
  await until(() => browser.seqs.length === last, 'all of them');
  assert.deepEqual(browser.seqs, range(1, last));
  const sent = browser.messages.filter(({ event }) => event === 'message');
  const longest = Math.max(...sent.map(({ data }) => data.length));
  assert.ok(longest < 36 * 1024, `${longest} characters in one message`);
  let known = 0;
  for (const { id, data } of sent) {
    known += data.split('\n').length;
    if (id === undefined) continue;
    const resumed = browse(t, server, id);
    await until(() => resumed.has('live'), 'the replay');
    assert.deepEqual(resumed.seqs, range(known + 1, last));
  }
});

test('Last-Event-ID resumes behind it, also after the server was started again', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await start(t, { directory });
  await post(first, lines(1, 5));
  const before = browse(t, first);
  await until(() => before.has('live'), 'the replay');
  const { lastId } = before;
  await post(first, lines(6, 8));
  await first.close();

  const second = await start(t, { directory });
  assert.equal(second.token, first.token, 'an open dashboard goes on working');
  const after = browse(t, second, lastId);
  await until(() => after.has('live'), 'the replay');
  assert.deepEqual(after.seqs, [6, 7, 8]);
  assert.ok(!after.has('gap'));
});

test('an id of another log, or none at all, starts afresh and says so', async (t) => {
  const server = await start(t);
  await post(server, lines(1, 3));
  for (const id of ['00000000:0', 'nonsense', '1; DROP', '9'.repeat(40)]) {
    const browser = browse(t, server, id);
    await until(() => browser.has('live'), 'the replay');
    assert.ok(browser.has('gap'), id);
    assert.deepEqual(browser.seqs, [1, 2, 3]);
  }
});

test('cut off again and again, a browser has every event once, across the files of the log', async (t) => {
  const directory = temporaryDirectory(t);
  const server = await start(t, { directory, limits: { segmentBytes: 2_000 } });
  const got: number[] = [];
  let lastId: string | undefined;
  for (let part = 0; part < 12; part += 1) {
    // Three batches for each connection: files end before, within and behind what one connection reads.
    for (let batch = 0; batch < 3; batch += 1)
      await post(server, lines(part * 30 + batch * 10 + 1, part * 30 + batch * 10 + 10));
    const browser = browse(t, server, lastId);
    await until(() => browser.has('live'), 'what came meanwhile');
    await post(server, lines(1_000 + part, 1_000 + part));
    await until(() => browser.seqs.at(-1) === 1_000 + part, 'what comes now');
    assert.ok(!browser.has('gap'), `part ${part}`);
    assert.deepEqual(browser.seqs, [...range(part * 30 + 1, part * 30 + 30), 1_000 + part], `part ${part}`);
    got.push(...browser.seqs);
    lastId = browser.lastId;
    browser.close();
  }
  assert.ok(filesOf(directory) > 10, `${filesOf(directory)} files`);
  assert.equal(new Set(got).size, got.length);
  assert.equal(got.length, 12 * 31);
});

test('cut off in the middle of a replay, it goes on behind the last whole message', async (t) => {
  const server = await start(t, { limits: { segmentBytes: 30_000 } });
  for (let batch = 0; batch < 20; batch += 1) await post(server, lines(batch * 200 + 1, batch * 200 + 200));
  const first = browse(t, server);
  await until(() => first.lastId !== undefined, 'a first message');
  first.close();
  const { lastId, seqs } = first;
  const second = browse(t, server, lastId);
  await until(() => second.has('live'), 'the rest');
  assert.ok(!second.has('gap'));
  assert.deepEqual([...seqs, ...second.seqs], range(1, 4_000));
});

test('an id older than what is kept: the loss is told before anything else, and what is kept comes once', async (t) => {
  const directory = temporaryDirectory(t);
  const limits = { segmentBytes: 2_000, maxBytes: 6_000 };
  const server = await start(t, { directory, limits });
  await post(server, lines(1, 5));
  const before = browse(t, server);
  await until(() => before.has('live'), 'the replay');
  before.close();
  for (let seq = 6; seq <= 300; seq += 1) await post(server, [line(seq)]);
  const after = browse(t, server, before.lastId);
  await until(() => after.has('live'), 'what is kept');
  const told = after.messages.map(({ event }) => event);
  assert.deepEqual(told.slice(0, 3), ['hello', 'gap', 'message']);
  assert.equal(told.filter((event) => event === 'gap').length, 1);
  assert.match(after.messages[1]?.data ?? '', /given up for space/);
  const oldest = after.seqs[0] ?? 0;
  assert.ok(oldest > 6, `nothing was lost: ${oldest}`);
  assert.deepEqual(after.seqs, range(oldest, 300));
});

test('several browsers and several agents at once', async (t) => {
  const server = await start(t);
  const browsers = [1, 2, 3, 4].map(() => browse(t, server));
  await Promise.all(
    ['a', 'b', 'c'].flatMap((source) =>
      [0, 1, 2, 3].map((part) =>
        post(
          server,
          range(part * 50, part * 50 + 49).map((seq) => line(seq, { source })),
        ),
      ),
    ),
  );
  for (const browser of browsers) {
    await until(() => browser.seqs.length === 600, 'all events');
    for (const source of ['a', 'b', 'c']) {
      const seqs = browser.messages
        .filter(({ event }) => event === 'message')
        .flatMap(({ data }) =>
          data.split('\n').map((text) => JSON.parse(text) as { source: string; seq: number }),
        )
        .filter((event) => event.source === source)
        .map(({ seq }) => seq);
      assert.deepEqual(new Set(seqs).size, 200);
    }
  }
});

test('a browser that reads nothing costs the server no memory and agents no time', async (t) => {
  ownHome(t);
  const server = await serveInProcess({ port: 0 });
  t.after(() => server.child.kill());
  const slow = browse(t, server);
  await slow.opened;
  slow.pause();
  const before = await server.memory();
  // 60 batches of 500 events of 1 kB: 30 MB pass by the browser that does not read.
  for (let batch = 0; batch < 60; batch += 1) {
    const body = range(batch * 500, batch * 500 + 499).map((seq) => line(seq, { task: 'x'.repeat(900) }));
    assert.equal((await post(server, body)).status, 200);
  }
  const held = async () => (await server.memory()) - before;
  // Data in flight is freed sooner or later; data queued for the browser would stay.
  await until(held, (bytes) => bytes < 20_000_000);
  slow.resume();
  await until(() => slow.seqs.length === 30_000, 'everything, late');
  assert.deepEqual(slow.seqs, range(0, 29_999));
});

test('browsers beyond the thirty-second are told to come later, and a place comes free', async (t) => {
  const server = await start(t);
  const browsers = range(1, 32).map(() => browse(t, server));
  await Promise.all(browsers.map(({ opened }) => opened));
  assert.equal(await browse(t, server).opened, 503);
  browsers[0]?.close();
  await until(async () => (await browse(t, server).opened) === 200, 'the place');
});

test('the dashboard is served with its types, compressed as it comes, hashed files for ever', async (t) => {
  const dashboard = packed({
    'index.html': '<!doctype html><title>Halfopen</title>',
    'halfopen-0123456789abcdef_bg.wasm': 'not really wasm',
  });
  const server = await start(t, { dashboard });
  const get = (path: string, more: Record<string, string> = {}) =>
    ask(server.url + path, { headers: { authorization: `Bearer ${server.token}`, ...more } });

  const page = await get('/');
  assert.equal(page.status, 200);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.equal(page.headers['cache-control'], 'no-cache');
  assert.equal((await get('/breakers/openai')).body, page.body, 'views have paths of their own');

  const file = '/halfopen-0123456789abcdef_bg.wasm';
  const plain = await get(file);
  assert.equal(plain.headers['content-type'], 'application/wasm');
  assert.match(String(plain.headers['cache-control']), /immutable/);
  assert.equal(plain.body, 'not really wasm');
  const small = await get(file, { 'accept-encoding': 'gzip, br' });
  assert.equal(small.headers['content-encoding'], 'gzip');
  assert.equal(small.headers['content-type'], 'application/wasm');
  assert.equal((await get('/gone.js')).status, 404);
});
