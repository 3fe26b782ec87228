// `npx halfopen fleet`: what it prints of a fleet in a real Redis, and what it says where it cannot.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { parse } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { createPolicy } from 'halfopen';
import { fleet } from 'halfopen/fleet';
import { redisStore } from 'halfopen/fleet/redis';
import { Redis } from 'ioredis';
import { until } from '../../../scripts/patience.mjs';
import { freePort } from '../ports.js';
import { redisServer } from './redis.js';

const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));

function run(args: readonly string[], cwd = fileURLToPath(new URL('../../..', import.meta.url))) {
  return new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [BIN, 'fleet', ...args], { cwd }, (failed, out, error) =>
      resolve({ code: failed?.code ?? 0, out, error }),
    );
  });
}

test('status, isolate and lift, on a real server', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  const joined = fleet({ store: redisStore(client), name: 'workers' });
  try {
    const rateLimit = { limit: 100, windowMs: 60_000 };
    const policy = createPolicy({ name: 'openai', rateLimit, fleet: joined, unref: true });
    const calling = (what: string, isSo: () => boolean) =>
      until(async () => {
        await policy.execute(() => 'fine').catch(() => {});
        return isSo();
      }, what);
    await calling('the fleet', () => joined.nodes === 1);
    const redis = ['--redis', server.url];
    const status = await run(['status', 'workers', ...redis]);
    assert.match(
      status.out,
      /^policy +state +since +processes +limits\nopenai +closed +\S+Z +1 +\d+\/100 requests\n$/,
    );
    const isolated = await run(['isolate', 'workers', 'openai', ...redis]);
    assert.match(isolated.out, /'openai' of 'workers' is isolated/);
    await calling('isolation', () => policy.breaker?.state === 'isolated');
    await run(['lift', 'workers', 'openai', ...redis]);
    await calling('the end of isolation', () => policy.breaker?.state === 'closed');
    const json = JSON.parse((await run(['status', 'workers', '--json', ...redis])).out);
    assert.equal(json[0].policy, 'openai');
    assert.match((await run(['status', 'others', ...redis])).out, /nobody has joined a fleet 'others'/);
  } finally {
    await joined.close();
    client.disconnect();
    await server.stop();
  }
});

test('names that other processes gave reach no terminal as they are', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  const joined = fleet({ store: redisStore(client), name: 'workers' });
  try {
    const name = 'red\u001B[31m\nopenai closed\u009B2J\u202E\r';
    const policy = createPolicy({ name, fleet: joined, unref: true });
    await until(async () => {
      await policy.execute(() => 'fine');
      return joined.nodes === 1;
    }, 'the fleet');
    const { out } = await run(['status', 'workers', '--redis', server.url]);
    const [, row, ...more] = out.trimEnd().split('\n');
    assert.deepEqual(more, [], out);
    assert.ok(row?.startsWith('red\uFFFD[31m\uFFFDopenai closed\uFFFD2J\uFFFD\uFFFD '), JSON.stringify(row));
  } finally {
    await joined.close();
    client.disconnect();
    await server.stop();
  }
});

test('where there is no server, no client, or no sense in the command, it says so', async () => {
  const away = await run(['status', 'workers', '--redis', `redis://127.0.0.1:${await freePort()}`]);
  assert.equal(away.code, 1);
  assert.match(away.error, /^halfopen: Redis at 127\.0\.0\.1:\d+: /);
  // Not a temporary folder: other programs install packages beside it.
  const bare = await run(['status', 'workers'], parse(process.cwd()).root);
  assert.match(bare.error, /neither 'ioredis' nor 'redis' is installed here/);
  for (const args of [[], ['status'], ['isolate', 'workers'], ['status', 'a', 'b'], ['burn', 'a']]) {
    const wrong = await run(args);
    assert.equal(wrong.code, 2, args.join(' '));
    assert.match(wrong.error, /'fleet' expects: status <fleet>/);
  }
  assert.match((await run(['status', 'a', '--redis', 'x'])).error, /--redis expects a URL/);
  assert.match((await run(['status', 'a', '--open'])).error, /'fleet' has no option --open/);
});
