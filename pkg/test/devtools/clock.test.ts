// The clock of the server's machine is set back: what it stores, and in which order, does not depend on the time of day.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createPolicy } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';
import { type ServerProcess, serveInProcess } from './serve.js';
import { ask, line, ownHome, post, stored, temporaryDirectory, until } from './server.js';

const DAY_MS = 86_400_000;

const posix = { skip: process.platform === 'win32' };

async function serve(t: TestContext, directory: string, within: string[] = []): Promise<ServerProcess> {
  const server = await serveInProcess(
    { port: 0, directory, limits: { segmentBytes: 2_000 } },
    { quiet: true, within },
  );
  t.after(() => server.end());
  return server;
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const lines = (from: number, to: number) => numbers(from, to).map((seq) => line(seq));
const seqsOf = async (server: ServerProcess) =>
  (await stored(server)).filter(({ source }) => source === 'agent-1').map(({ seq }) => seq);

test('the clock goes back a day while the server runs: order, duplicates, limits and calls are as before', async (t) => {
  ownHome(t);
  const directory = temporaryDirectory(t);
  const server = await serve(t, directory);
  const devtools = connectDevtools({ url: server.url, token: server.token, channel: false });
  t.after(() => devtools.close());
  const policy = createPolicy({ name: 'agent' });
  assert.equal(await policy.execute(() => 'before'), 'before');
  await post(server, lines(1, 30));

  const now = await server.setClockBack(DAY_MS);
  assert.ok(now < Date.now() - DAY_MS / 2, 'the clock was not set back');
  for (const round of numbers(1, 10)) {
    const from = 30 * round + 1;
    assert.deepEqual(JSON.parse((await post(server, lines(from, from + 29))).body), {
      stored: 30,
      duplicates: 0,
      rejected: 0,
      reasons: [],
    });
  }
  assert.equal(JSON.parse((await post(server, lines(1, 60))).body).duplicates, 60);
  assert.equal(await policy.execute(() => 'after'), 'after');
  await devtools.close();
  assert.equal(devtools.dropped, 0);
  assert.deepEqual(await seqsOf(server), numbers(1, 330));
  assert.equal((await ask(`${server.url}/health`)).status, 200);
  const calls = (await stored(server)).filter(({ type }) => type === 'call.succeeded');
  assert.equal(calls.length, 2);

  // Its own events are dated by its clock, and are in the right order all the same.
  const [oldest = ''] = readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  rmSync(join(directory, oldest));
  await until(async () => (await stored(server)).some(({ type }) => type === 'events.dropped'), 'the gap');
  const kept = await seqsOf(server);
  assert.deepEqual(kept, numbers(331 - kept.length, 330));
  assert.equal(server.complaints().trimEnd().split('\n').length, 1, server.complaints());
});

test(
  'a server that starts before the time at which its log was written has all of it, and goes on behind it',
  posix,
  async (t) => {
    ownHome(t);
    const directory = temporaryDirectory(t);
    const first = await serve(t, directory);
    await post(first, lines(1, 60));
    first.child.disconnect();
    await once(first.child, 'exit');

    const next = await serve(t, directory, ['env', `DEVTOOLS_CLOCK_BACK_MS=${DAY_MS}`]);
    assert.deepEqual(JSON.parse((await post(next, lines(31, 90))).body), {
      stored: 30,
      duplicates: 30,
      rejected: 0,
      reasons: [],
    });
    assert.deepEqual(await seqsOf(next), numbers(1, 90));
    assert.equal(next.complaints(), '');
  },
);
