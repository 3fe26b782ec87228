// The devtools server with its log in PostgreSQL: what it keeps, whom it shares it with, and what survives kills.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startDevtoolsServer } from 'halfopen/devtools';
import pg from 'pg';
import { acceptBatch } from '../../pkg/src/devtools/server/accept.js';
import { readFilter } from '../../pkg/src/devtools/server/filter.js';
import { PostgresStore } from '../../pkg/src/devtools/server/postgres.js';
import { serveInProcess } from '../../pkg/test/devtools/serve.js';
import { ask, line, ownHome, post, start, stored, until } from '../../pkg/test/devtools/server.js';
import { BIN, run } from '../../pkg/test/diagnose/command.js';
import { freePort } from '../../pkg/test/ports.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';

let postgres: PostgresServer;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.remove());

/** An empty database for a test. */
async function database(name: string): Promise<string> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return postgres.url.replace(/\/postgres$/, `/${name}`);
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

const batch = (...lines: string[]) => acceptBatch(lines.join('\n')).events;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const seqs = (events: readonly Record<string, unknown>[]) => events.map(({ seq }) => seq);

async function readAll(store: PostgresStore, query = ''): Promise<Record<string, unknown>[]> {
  await store.refresh();
  const reader = store.read(store.start, readFilter(new URLSearchParams(query)));
  const events: Record<string, unknown>[] = [];
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next())
    events.push(...chunk.lines.map((text) => JSON.parse(text)));
  return events;
}

test('two servers share a log: each has what the other took, once, in one order', async (t) => {
  const url = await database('shared');
  const [one, two] = [await start(t, { database: url }), await start(t, { database: url })];
  const first = await post(
    one,
    range(1, 1_200).map((seq) => line(seq)),
  );
  assert.deepEqual(JSON.parse(first.body), { stored: 1_200, duplicates: 0, rejected: 0, reasons: [] });
  const again = await post(
    two,
    range(1_100, 1_300).map((seq) => line(seq)),
  );
  assert.deepEqual(JSON.parse(again.body), { stored: 100, duplicates: 101, rejected: 0, reasons: [] });
  for (const server of [one, two]) assert.deepEqual(seqs(await stored(server)), range(1, 1_300));
});

test('a browser at one server sees what comes in at the other, and resumes at either', async (t) => {
  const url = await database('followed');
  const [one, two] = [await start(t, { database: url }), await start(t, { database: url })];
  await post(one, [line(1)]);
  const follow = async (server: typeof one, query: string, until: string) => {
    const abort = new AbortController();
    const answer = await fetch(`${server.url}/events${query}`, {
      headers: { authorization: `Bearer ${server.token}` },
      signal: abort.signal,
    });
    let text = '';
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes(until)) break;
    }
    abort.abort();
    return text;
  };
  const followed = follow(two, '', '"seq":2,');
  await until(async () => (await stored(two)).length === 1, 'the first event at the other server');
  await post(one, [line(2)]);
  const id = /id: (\S+)\ndata: [^\n]*"seq":2,/.exec(await followed)?.[1];
  await post(two, [line(3)]);
  const resumed = await follow(one, `?after=${id}`, '"seq":3,');
  assert.ok(!resumed.includes('"seq":2,') && !resumed.includes('event: gap'), resumed);
});

test('the query asks for a range of time, policies, processes, and calls with a text', async (t) => {
  const url = await database('asked');
  const events = [
    line(1, { type: 'process.started', time: 1, host: 'worker-7' }),
    line(2, { policy: 'chat', call: 'a', time: 1_000 }),
    line(3, {
      policy: 'chat',
      call: 'a',
      time: 2_000,
      type: 'attempt.failed',
      technicalDetails: '429 Slow_down 100%',
    }),
    line(4, { policy: 'search', call: 'b', time: 2_000 }),
    line(5, { policy: 'chat', call: 'a', time: 3_000, type: 'call.failed' }),
    line(6, { policy: 'chat', call: 'c', time: 9_000, source: 'agent-2' }),
  ];
  const cases: [query: string, seqs: number[]][] = [
    ['', [1, 2, 3, 4, 5, 6]],
    ['from=2000&to=3000', [1, 3, 4]],
    [`from=${encodeURIComponent('1970-01-01T00:00:02.5Z')}`, [1, 5, 6]],
    ['policy=search', [1, 4]],
    ['policy=search&policy=chat&from=2000&to=9000', [1, 3, 4, 5]],
    ['process=agent-2', [6]],
    ['text=SLOW_DOWN', [1, 2, 3, 5]],
    ['text=100%25', [1, 2, 3, 5]],
    ['text=0%25x', [1]],
    ['text=worker', [1]],
    ['text=slow&from=2500', [1]],
  ];
  for (const options of [{ database: url }, {}]) {
    const server = await start(t, options);
    await post(server, events);
    for (const [query, expected] of cases) {
      const { status, body } = await ask(`${server.url}/events?format=jsonl&${query}`, {
        headers: { authorization: `Bearer ${server.token}` },
      });
      const found = body.split('\n').filter(Boolean);
      assert.deepEqual([status, seqs(found.map((text) => JSON.parse(text)))], [200, expected], query);
    }
    for (const query of ['from=yesterday', 'from=2&to=1', `text=${'x'.repeat(300)}`]) {
      const { status, body } = await ask(`${server.url}/events?${query}`, {
        headers: { authorization: `Bearer ${server.token}` },
      });
      assert.equal(status, 400, body);
    }
  }
});

test('texts that PostgreSQL does not take in columns are kept in lines as they came', async () => {
  const url = await database('strange');
  const store = await PostgresStore.open(url);
  const lines = [
    line(1, { policy: 'nul\0', call: '\uD800', time: -1e300 }),
    line(2, { source: 'half \uDC00', policy: "'; DROP TABLE halfopen_events; --", time: 1e300 }),
  ];
  assert.equal((await store.append(batch(...lines))).stored, 2);
  assert.equal((await store.append(batch(...lines))).duplicates, 2);
  assert.deepEqual(
    await readAll(store),
    lines.map((text) => JSON.parse(text)),
  );
  await store.close();
});

test('days are partitions; those beyond the retention are dropped, and readers are told', async () => {
  const url = await database('retained');
  const store = await PostgresStore.open(url, { retentionDays: 2 });
  await store.append(batch(line(1), line(2)));
  const partitions = async () =>
    (await query(url, 'SELECT inhrelid::regclass::text AS name FROM pg_inherits ORDER BY 1')).map(
      ({ name }) => String(name),
    );
  assert.equal((await partitions()).filter((name) => /^halfopen_events_\d{8}$/.test(name)).length, 2);
  // The events stored today are dated four days ago.
  await query(
    url,
    `CREATE TABLE halfopen_events_20200101 PARTITION OF halfopen_events FOR VALUES FROM ('2020-01-01') TO ('2020-01-02');
     WITH moved AS (DELETE FROM halfopen_events RETURNING *)
     INSERT INTO halfopen_events SELECT id, '2020-01-01', source, seq, time, type, policy, call, line FROM moved`,
  );
  assert.deepEqual(seqs(await readAll(store)), [1, 2]);
  await store.append(batch(line(3)));
  const other = await PostgresStore.open(url, { retentionDays: 2 });
  assert.ok(!(await partitions()).includes('halfopen_events_20200101'));
  await store.refresh();
  const reader = store.read(0, undefined);
  const chunk = await reader.next();
  assert.deepEqual([chunk?.gap, chunk?.lines.length], [true, 1]);
  await Promise.all([store.close(), other.close()]);
});

test('a reader of a log changes nothing, and needs no right but to read', async () => {
  const url = await database('only_read');
  const store = await PostgresStore.open(url);
  await store.append(batch(line(1), line(2, { type: 'call.started', policy: 'chat', call: 'a' })));
  await store.close();
  // A partition that a server would drop, and none for tomorrow, which it would make.
  await query(
    url,
    `CREATE TABLE halfopen_events_20200101 PARTITION OF halfopen_events FOR VALUES FROM ('2020-01-01') TO ('2020-01-02');
     DO $$ BEGIN EXECUTE 'DROP TABLE halfopen_events_' || to_char((now() AT TIME ZONE 'utc')::date + 1, 'YYYYMMDD'); END $$;
     CREATE ROLE reader LOGIN; GRANT SELECT ON halfopen_log, halfopen_events TO reader`,
  );
  const contents = () =>
    query(
      url,
      "SELECT relname, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    );
  const before = await contents();
  const asReader = url.replace('halfopen:', 'reader:');
  const { code, stdout, stderr } = await run(['diagnose', '--json', '--database', asReader]);
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).log.events, 2);
  // Its owner's own reads leave the log alone too.
  assert.equal((await run(['diagnose', '--database', url])).code, 0);
  assert.deepEqual(await contents(), before);
});

test('a database without a log is said to have none, and gets none', async () => {
  const url = await database('no_log');
  const { code, stderr } = await run(['diagnose', '--database', url]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /no_log: .*does not exist.*Name the database that `npx halfopen devtools --database` keeps/,
  );
  assert.deepEqual(
    await query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    [],
  );
  await (await PostgresStore.open(url)).close();
  await query(url, 'CREATE ROLE nobody_known LOGIN');
  const denied = await run(['diagnose', '--database', url.replace('halfopen:', 'nobody_known:')]);
  assert.match(denied.stderr, /permission denied.*GRANT SELECT ON halfopen_log, halfopen_events/);
});

test('the tools of agents read the database of the environment, and read again after a failure', async (t) => {
  const url = await database('of_the_environment');
  const client = new Client({ name: 'test', version: '1' });
  const env = { HALFOPEN_DATABASE_URL: url, HALFOPEN_HOME: ownHome(t) };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env }));
  t.after(() => client.close());
  const findings = async () => {
    const { content, isError = false } = await client.callTool({ name: 'findings' });
    return { isError, text: (content as { text: string }[])[0]?.text ?? '' };
  };
  const failed = await findings();
  assert.ok(failed.isError && /of_the_environment: .*does not exist/.test(failed.text), failed.text);
  const store = await PostgresStore.open(url);
  await store.append(batch(line(1)));
  await store.close();
  const { text } = await findings();
  assert.equal(JSON.parse(text).log.events, 1);
});

test('a day without a partition gets one when an event comes', async () => {
  const url = await database('jumped');
  const store = await PostgresStore.open(url);
  for (const { name } of await query(
    url,
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'halfopen_events'::regclass",
  ))
    await query(url, `DROP TABLE ${name}`);
  assert.equal((await store.append(batch(line(1)))).stored, 1);
  await store.close();
});

test('a batch that the database refuses is refused with the reason, and stored when it comes again', async (t) => {
  const url = await database('refused');
  const server = await start(t, { database: url });
  await query(url, 'ALTER TABLE halfopen_events RENAME TO elsewhere');
  const said = t.mock.method(console, 'error', () => {}).mock;
  const refused = await post(server, [line(1)]);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [507, '5'], refused.body);
  await query(url, 'ALTER TABLE elsewhere RENAME TO halfopen_events');
  assert.equal(JSON.parse((await post(server, [line(1)])).body).stored, 1);
  const texts = said.calls.map(({ arguments: [text] }) => String(text));
  assert.match(
    texts[0] ?? '',
    /postgres:\/\/127\.0\.0\.1:\d+\/refused: .*does not exist.*PostgreSQL runs and has room/,
  );
  assert.match(texts[1] ?? '', /written again/);
});

test('more than the backlog holds is refused until what waits is written', async () => {
  const url = await database('backlog');
  const store = await PostgresStore.open(url, { backlogBytes: 1_000 });
  const lines = range(1, 20).map((seq) => line(seq));
  const [first, ...others] = await Promise.allSettled(lines.map((text) => store.append(batch(text))));
  assert.equal(first?.status, 'fulfilled');
  const last = others.at(-1);
  assert.ok(last?.status === 'rejected' && /too much is waiting/.test(last.reason.message));
  assert.equal((await store.append(batch(...lines.slice(-1)))).stored, 1);
  await store.close();
  await assert.rejects(store.append(batch(line(99))), /too much is waiting/);
});

test('a server whose notifications have ended sees what others write all the same, and listens again', async (t) => {
  const url = await database('deaf');
  const [one, two] = [await PostgresStore.open(url), await PostgresStore.open(url)];
  t.after(() => Promise.all([one.close(), two.close()]));
  const listeners = () =>
    query(
      url,
      "SELECT pid FROM pg_stat_activity WHERE datname = 'deaf' AND query = 'LISTEN halfopen_events' ORDER BY pid",
    );
  await until(async () => (await listeners()).length === 2, 'two listeners');
  const before = await listeners();
  const first = (await one.append(batch(line(1)))).stored;
  await until(() => two.end > 0, 'the event at the other server');
  const seen = two.end;
  await query(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'deaf' AND query = 'LISTEN halfopen_events'`,
  );
  const second = (await one.append(batch(line(2)))).stored;
  assert.deepEqual([first, second], [1, 1]);
  await until(() => two.end > seen, 'the next event, without a notification');
  await until(async () => (await listeners()).length === 2, 'two new listeners');
  const after = await listeners();
  assert.ok(before.every(({ pid }) => after.every((one) => one.pid !== pid)));
});

test('without the package pg the server says what to install', async (t) => {
  ownHome(t);
  const refusing = `export const resolve = (name, context, next) => name === 'pg'
    ? Promise.reject(Object.assign(new Error("Cannot find package 'pg'"), { code: 'ERR_MODULE_NOT_FOUND' }))
    : next(name, context);`;
  const program = `import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(refusing)}));
    const { startDevtoolsServer } = await import('halfopen/devtools');
    await startDevtoolsServer({ port: 0, database: 'postgres://127.0.0.1/any' }).catch(({ code, message }) => console.log(code, message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  assert.match(stdout, /^INITIALIZATION_ERROR .*needs the package 'pg': npm install pg$/m);
});

test('what cannot be a log is said clearly, without the password', async (t) => {
  ownHome(t);
  const secret = 'hunter2-of-nobody';
  const at = (rest: string) => `postgres://halfopen:${secret}@${rest}`;
  const port = new URL(postgres.url).port;
  const cases: [url: string, message: RegExp][] = [
    [at(`127.0.0.1:${await freePort()}/x`), /127\.0\.0\.1:\d+\/x: .*ECONNREFUSED.*start PostgreSQL/],
    [at(`127.0.0.1:${port}/nowhere`), /database "nowhere" does not exist.*createdb/],
  ];
  for (const [url, message] of cases) {
    await assert.rejects(
      startDevtoolsServer({ port: 0, database: url }),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'INITIALIZATION_ERROR');
        assert.match(error.message, message);
        assert.ok(!error.message.includes(secret), error.message);
        return true;
      },
    );
  }
  for (const url of [at('').replace('postgres', 'mysql'), `${secret}`, 'postgres://[']) {
    assert.throws(
      () => startDevtoolsServer({ port: 0, database: url }),
      (error: Error) => error instanceof TypeError && !error.message.includes(secret),
    );
  }
  const url = await database('newer');
  await (await PostgresStore.open(url)).close();
  await query(url, 'UPDATE halfopen_log SET schema = 2');
  await assert.rejects(PostgresStore.open(url), /schema 2.*reads 1/);
});

test('servers and PostgreSQL killed at random moments under load: nothing acknowledged is lost, nothing is there twice', async (t) => {
  ownHome(t);
  const url = await database('killed');
  const serve = () => serveInProcess({ port: 0, database: url }, { quiet: true });
  const servers = [await serve(), await serve()];
  t.after(() => {
    stopped = true;
    for (const { child } of servers) child.kill('SIGKILL');
  });
  const acknowledged = new Map<string, number[]>();
  let stopped = false;
  /** The test went well so far: what has been sent is sent until it is acknowledged. */
  let finishing = false;
  const sender = async (source: string, index: number) => {
    const mine: number[] = [];
    acknowledged.set(source, mine);
    for (let next = 1; !stopped; next += 20) {
      const lines = range(next, next + 19).map((seq) =>
        line(seq, { source, task: 'x'.repeat((seq * 37) % 900) }),
      );
      for (let turn = index; ; turn += 1) {
        // Sent again to the other server: an agent does not know what became of the first try.
        const server = servers[turn % 2] as (typeof servers)[number];
        const answer = await post(server, lines).catch(() => undefined);
        if (answer?.status === 200) break;
        if (stopped && !finishing) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      mine.push(...range(next, next + 19));
    }
  };
  const senders = ['a', 'b', 'c'].map(sender);
  const total = () => [...acknowledged.values()].reduce((sum, { length }) => sum + length, 0);
  for (let kill = 0; kill < 6; kill += 1) {
    const before = total();
    await until(() => total() > before, 'an acknowledgement');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
    if (kill % 3 === 2) {
      await postgres.kill();
      await postgres.start();
    } else {
      const killed = kill % 2;
      servers[killed]?.child.kill('SIGKILL');
      while (!stopped) {
        const again = await serve().catch(() => undefined);
        if (again === undefined) continue;
        servers[killed] = again;
        break;
      }
    }
  }
  [stopped, finishing] = [true, true];
  await Promise.all(senders);
  t.diagnostic(`${total()} events acknowledged`);
  const store = await PostgresStore.open(url);
  const kept = new Map<string, number[]>();
  for (const { source, seq } of await readAll(store)) {
    kept.set(String(source), [...(kept.get(String(source)) ?? []), Number(seq)]);
  }
  await store.close();
  for (const [source, mine] of acknowledged) {
    const there = kept.get(source) ?? [];
    assert.equal(new Set(there).size, there.length, `${source}: one is stored twice`);
    const all = new Set(there);
    assert.deepEqual(
      mine.filter((seq) => !all.has(seq)),
      [],
      `${source}: acknowledged and lost`,
    );
  }
});

test('a batch that PostgreSQL does not take is refused alone', async () => {
  const url = await database('poisoned');
  const store = await PostgresStore.open(url);
  // Random text, for PostgreSQL compresses what an index row holds.
  const call = Array.from({ length: 4000 }, () =>
    String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000)),
  ).join('');
  const [event] = batch(line(1, { source: 'other' }));
  assert.ok(event);
  const poison = {
    source: 'poison',
    seq: 1,
    line: JSON.stringify({ v: 1, source: 'poison', seq: 1, time: 1, type: 'x', call }),
  };
  try {
    // The first is written by itself; the others go out together.
    const results = await Promise.allSettled([
      store.append(batch(line(1))),
      store.append(batch(line(2))),
      store.append([poison]),
      store.append([event]),
      store.append(batch(line(3))),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(seqs(await readAll(store)), [1, 2, 1, 3]);
  } finally {
    await store.close();
  }
});
