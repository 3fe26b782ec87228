// Files of the log that somebody removes or cuts while the server runs: what is acknowledged from then on is kept, and the gap is reported.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ownTime } from '../../../scripts/patience.mjs';
import { type ServerProcess, serveInProcess } from './serve.js';
import { anyPort, ask, line, ownHome, post, stored, temporaryDirectory, until } from './server.js';

const posix = { skip: process.platform === 'win32' };

interface Stage {
  server: ServerProcess;
  directory: string;
  port: number;
}

async function serve(t: TestContext): Promise<Stage> {
  ownHome(t);
  const directory = join(temporaryDirectory(t), 'log');
  const port = anyPort();
  const server = await serveInProcess({ port, directory }, { quiet: true });
  t.after(() => server.end());
  return { server, directory, port };
}

const logs = (directory: string) =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(directory, name))
    : [];

/** Damage to the log, and how many of its 50 events it removes. */
const HARM: Record<string, { lost: number; harm(directory: string): void }> = {
  'its file is removed': {
    lost: 50,
    harm: (directory) => {
      for (const path of logs(directory)) rmSync(path);
    },
  },
  'its directory is removed': { lost: 50, harm: (directory) => rmSync(directory, { recursive: true }) },
  'its directory is moved away': {
    lost: 50,
    harm: (directory) => renameSync(directory, `${directory}-away`),
  },
  'its file is emptied': {
    lost: 50,
    harm: (directory) => {
      for (const path of logs(directory)) truncateSync(path, 0);
    },
  },
  'its file is cut after twenty lines': {
    lost: 30,
    harm: (directory) => {
      for (const path of logs(directory)) {
        const kept = readFileSync(path, 'utf8').split('\n').slice(0, 20).join('\n');
        truncateSync(path, Buffer.byteLength(kept) + 1);
      }
    },
  },
  'another file takes its place': {
    lost: 50,
    harm: (directory) => {
      for (const path of logs(directory)) {
        rmSync(path);
        writeFileSync(path, '');
      }
    },
  },
};

for (const [what, { lost, harm }] of Object.entries(HARM)) {
  test(`${what}: said in the terminal and in the log, and what comes after is kept`, posix, async (t) => {
    const { server, directory, port } = await serve(t);
    await post(
      server,
      Array.from({ length: 50 }, (_, index) => line(index + 1)),
    );
    const took = ownTime();
    harm(directory);
    await until(() => server.complaints().includes('events are gone'), 'the report');
    // A second, and what a busy machine adds to another process.
    const tookMs = took();
    assert.ok(tookMs < 10_000, `noticed after ${tookMs} ms`);
    assert.match(
      server.complaints(),
      new RegExp(`were removed or cut while the server runs: ${lost} events are gone`),
    );
    const answer = await post(server, [line(51), line(52)]);
    assert.deepEqual(JSON.parse(answer.body), { stored: 2, duplicates: 0, rejected: 0, reasons: [] });
    const events = await stored(server);
    const marker = events.find(({ type }) => type === 'events.dropped');
    assert.equal(marker?.count, lost);
    assert.deepEqual(
      events.filter(({ type }) => type !== 'events.dropped').map(({ seq }) => seq),
      [...Array.from({ length: 50 - lost }, (_, index) => index + 1), 51, 52],
    );
    // On the disk, not in the memory of the server.
    const kept = logs(directory).map((path) => readFileSync(path, 'utf8'));
    assert.match(kept.join(''), /"seq":52/);
    // Agents and the next server find this one.
    assert.ok(existsSync(join(directory, 'server.json')));
    assert.ok(existsSync(join(String(process.env.HALFOPEN_HOME), 'servers', `${port}.json`)));
    await assert.rejects(serveInProcess({ port: 0, directory }, { quiet: true }), /is in use by/);
  });
}

test(
  'files that go again and again while batches come: each acknowledged event is there, or counted as gone',
  posix,
  async (t) => {
    const { server, directory } = await serve(t);
    const rounds = 30;
    for (let round = 0; round < rounds; round += 1) {
      const sending = post(server, [line(round + 1)]);
      for (const path of logs(directory)) rmSync(path, { force: true });
      assert.equal((await sending).status, 200);
    }
    const counted = async () => {
      const events = await stored(server);
      const gone = events.filter(({ type }) => type === 'events.dropped');
      return events.length - gone.length + gone.reduce((sum, { count }) => sum + Number(count), 0);
    };
    await until(async () => (await counted()) === rounds, 'every event to be accounted for');
    assert.equal((await post(server, [line(100)])).status, 200);
    assert.equal(await counted(), rounds + 1);
  },
);

test('a log that cannot be made again: nothing is acknowledged, until it can', posix, async (t) => {
  const { server, directory } = await serve(t);
  await post(server, [line(1)]);
  rmSync(directory, { recursive: true });
  writeFileSync(directory, 'a file in the place of the directory');
  await until(async () => (await post(server, [line(2)])).status === 507, 'the refusal');
  rmSync(directory);
  mkdirSync(directory, { mode: 0o700 });
  await until(async () => (await post(server, [line(2)])).status === 200, 'the next try');
  assert.ok((await stored(server)).some(({ seq, type }) => seq === 2 && type === 'call.started'));
});

/** Does something between two moments of the server, whatever its timers want. */
function whileItStops({ child }: ServerProcess, act: () => void): void {
  child.kill('SIGSTOP');
  act();
  child.kill('SIGCONT');
}

test(
  'a directory that is taken away and comes back: what was refused meanwhile is stored once',
  posix,
  async (t) => {
    const { server, directory } = await serve(t);
    await post(server, [line(1)]);
    whileItStops(server, () => {
      renameSync(directory, `${directory}-away`);
      writeFileSync(directory, 'a file in the place of the directory');
    });
    for (let time = 0; time < 3; time += 1) assert.equal((await post(server, [line(2)])).status, 507);
    whileItStops(server, () => {
      rmSync(directory);
      renameSync(`${directory}-away`, directory);
    });
    assert.equal((await post(server, [line(2)])).status, 200);
    assert.equal((await post(server, [line(3)])).status, 200);
    const seqs = (await stored(server)).map(({ seq }) => seq);
    assert.deepEqual(seqs, [1, 2, 3]);
  },
);

test(
  'a file that is cut before the next batch comes: the batch is stored once, and the gap is what was cut',
  posix,
  async (t) => {
    const { server, directory } = await serve(t);
    const twenty = Array.from({ length: 20 }, (_, index) => line(index + 1));
    await post(server, twenty);
    assert.equal((await post(server, [line(21)])).status, 200);
    whileItStops(server, () => {
      const [path = ''] = logs(directory);
      truncateSync(path, Buffer.byteLength(`${twenty.slice(0, 5).join('\n')}\n`));
    });
    assert.equal((await post(server, [line(22)])).status, 200);
    const events = await stored(server);
    assert.deepEqual(
      events.map(({ seq, type, count }) => (type === 'events.dropped' ? `${count} gone` : seq)),
      [1, 2, 3, 4, 5, '16 gone', 22],
    );
  },
);

test('two servers never share a directory that was made anew', posix, async (t) => {
  const { server, directory } = await serve(t);
  await post(server, [line(1)]);
  rmSync(directory, { recursive: true });
  await until(() => existsSync(directory), 'the directory').catch(() => {});
  await assert.rejects(serveInProcess({ port: 0, directory }, { quiet: true }), /is in use by/);
});

test('an older file of the log that is removed is reported too', posix, async (t) => {
  ownHome(t);
  const directory = temporaryDirectory(t);
  const server = await serveInProcess(
    { port: 0, directory, limits: { segmentBytes: 1_000 } },
    { quiet: true },
  );
  t.after(() => server.end());
  for (let batch = 0; batch < 3; batch += 1)
    await post(
      server,
      Array.from({ length: 20 }, (_, index) => line(batch * 20 + index + 1)),
    );
  const [oldest] = logs(directory).sort();
  rmSync(oldest ?? '');
  await until(() => server.complaints().includes('20 events are gone'), 'the report');
  const events = await stored(server);
  assert.equal(events.find(({ type }) => type === 'events.dropped')?.count, 20);
  assert.equal(events.length, 41);
  assert.equal((await ask(`${server.url}/health`)).status, 200);
});
